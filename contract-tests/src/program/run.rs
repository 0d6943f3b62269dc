//! A run: every chosen case, with what is to be seen meanwhile.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use chrono::{SecondsFormat, Utc};
use tokio::runtime::Builder;

use crate::case::{Case, run_case};
use crate::ledger::Ledger;
use crate::service::{Service, Steering, rate_limits};

use super::arguments::RunArguments;
use super::choice::{Level, at_once, chosen};
use super::clean::{ledger_path, left_in};
use super::reach::service;
use super::recording::Recording;
use super::report::{Ending, Played, Report};
use super::stop::Stop;
use super::{page, told};

/// Plays the cases that somebody asks for.
pub fn run(arguments: &RunArguments) -> Result<ExitCode, Stop> {
    let only = arguments.only.as_deref();
    let cases = chosen(arguments.level, arguments.read_only, only);
    if cases.is_empty() {
        let only = only.unwrap_or_default();
        if arguments.read_only {
            return Err(Stop::usage(format!(
                "--only {only}: no case that only reads has that in its name; leave out --only or --read-only"
            )));
        }
        return Err(Stop::usage(format!(
            "--only {only}: no case of this level has that in its name; try a group such as endpoints, allowed ports, \
             alerts or provisioning, or --level full"
        )));
    }
    let interrupted = stopped_by_a_signal();
    let mut service = service(&arguments.at)?;
    service.interrupted = interrupted;
    let path = ledger_path(&service);
    if !left_in(&path)?.is_empty() {
        eprintln!("An earlier run left things here: `secmon-contract clean` takes them away.");
    }
    if !arguments.read_only {
        let ledger = Ledger::open(&path);
        let ledger = ledger.map_err(|error| {
            Stop::other(format!("{} cannot be written: {error}", path.display()))
        })?;
        service.ledger = Some(Arc::new(ledger));
    }
    service.read_only = arguments.read_only;
    // A first look is too short to need any of it.
    if !arguments.read_only && arguments.level > Level::Smoke {
        for untold in told::otherwise(&service) {
            eprintln!("Some cases are not reached: {untold}.");
        }
    }
    let recording = arguments.record.as_deref();
    let recording = recording
        .map(|path| Recording::create(path, &service.key))
        .transpose()?;
    let report = play(&cases, &service, arguments, recording);
    if left_in(&path)?.is_empty() {
        // Nothing is in it any more; that it cannot be removed harms nobody.
        let _ = fs::remove_file(&path);
    }
    write(arguments.junit.as_deref(), || report.junit())?;
    write(arguments.html.as_deref(), || {
        page::written(&report, &service)
    })?;
    let (violations, _) = report.findings();
    let is_good = violations.is_empty()
        && report.undocumented(&service).is_empty()
        && report.left_behind.is_empty();
    let shown = io::stdout().write_all(report.text(&service).as_bytes());
    shown.map_err(|error| Stop::other(format!("the report cannot be written: {error}")))?;
    let is_whole = !service.interrupted.load(Ordering::Relaxed);
    if is_whole && report.calls() == 0 {
        return Err(Stop::usage(
            "nothing was asked, as none of these cases is reached: try --level full, or another --only",
        ));
    }
    Ok(
        match (service.interrupted.load(Ordering::Relaxed), is_good) {
            (true, _) => ExitCode::from(130),
            (false, true) => ExitCode::SUCCESS,
            (false, false) => ExitCode::from(1),
        },
    )
}

fn write(path: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), Stop> {
    let Some(path) = path else { return Ok(()) };
    fs::write(path, text())
        .map_err(|error| Stop::other(format!("{} cannot be written: {error}", path.display())))
}

/// The first Ctrl-C or SIGTERM sets what this gives, so that the case that plays stops and takes away what it made; the
/// second ends the program, and the ledger keeps what is left.
fn stopped_by_a_signal() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let (heard, ready) = (Arc::clone(&interrupted), mpsc::channel());
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        if let Ok(runtime) = runtime {
            runtime.block_on(hear_signals(&heard, &ready.0));
        }
    });
    // From here on a signal is heard; where none can be, the thread is gone and the channel with it.
    let _ = ready.1.recv();
    interrupted
}

async fn hear_signals(interrupted: &AtomicBool, ready: &mpsc::Sender<()>) {
    let mut signal = pin!(stop_signal());
    let told = async { ready.send(()) };
    tokio::select! {
        biased;
        _ = &mut signal => {}
        // Whoever waits for it is there.
        _ = told => drop(signal.await),
    }
    interrupted.store(true, Ordering::Relaxed);
    eprintln!(
        "\nstopping: what was made is taken away (Ctrl-C again leaves it for `secmon-contract clean`)"
    );
    if stop_signal().await.is_ok() {
        eprintln!("\nwhat is left is written down: `secmon-contract clean` takes it away");
        std::process::exit(130);
    }
}

/// Ctrl-C, or what a CI sends when its time is up.
#[cfg(unix)]
async fn stop_signal() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn stop_signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// What the threads of a run share.
struct Playing<'a> {
    service: &'a Service,
    waiting: Mutex<VecDeque<&'a Case>>,
    report: Mutex<Report>,
    recording: Option<Recording>,
    progress: Progress,
}

fn play(
    cases: &[Case],
    service: &Service,
    arguments: &RunArguments,
    recording: Option<Recording>,
) -> Report {
    let level = match arguments.read_only {
        true => "reading only".to_owned(),
        false => format!("level {}", arguments.level.name()),
    };
    let playing = Playing {
        service,
        waiting: Mutex::new(cases.iter().collect()),
        report: Mutex::new(Report {
            url: service.url.clone(),
            level,
            reader: arguments.reader(),
            started: Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true),
            ..Report::default()
        }),
        recording,
        progress: Progress::new(cases.len(), service),
    };
    thread::scope(|scope| {
        for _ in 0..at_once(service) {
            scope.spawn(|| playing.work());
        }
    });
    playing.progress.end();
    playing
        .report
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
}

impl Playing<'_> {
    fn work(&self) {
        loop {
            let next = lock(&self.waiting).pop_front();
            let Some(case) = next else { return };
            if self.service.interrupted.load(Ordering::Relaxed) {
                return;
            }
            self.play(case);
        }
    }

    fn play(&self, case: &Case) {
        let lacking = self.service.lacking(case.needs);
        if !lacking.is_empty() {
            let lacking: Vec<String> = lacking.iter().map(ToString::to_string).collect();
            lock(&self.report).played.push(Played {
                name: case.name(),
                ending: Ending::NotReached(format!("needs {}", lacking.join(", "))),
                time: Duration::ZERO,
                calls: 0,
            });
            return;
        }
        self.progress.at(case, &lock(&self.report));
        let start = Instant::now();
        let run = run_case(case, self.service);
        if let Some(recording) = &self.recording {
            recording.add(case, &run);
        }
        let mut report = lock(&self.report);
        report.add(case, self.service, &run, start.elapsed());
        self.progress.ended(report.played.last());
    }
}

/// A line on a terminal that says where the run is; elsewhere a line for each case that finds something.
struct Progress {
    cases: usize,
    /// Calls a minute that the service allows; nothing where it does not count.
    pace: Option<u32>,
    is_seen: bool,
}

impl Progress {
    fn new(cases: usize, service: &Service) -> Self {
        let counts = service.steering == Steering::Impossible
            && std::env::var("SECMON_CONTRACT_RATE_LIMITS").as_deref() != Ok("off");
        Self {
            cases,
            // Three of five calls count in the stricter window.
            pace: counts.then(|| rate_limits().0 * 5 / 3),
            is_seen: io::stderr().is_terminal(),
        }
    }

    fn at(&self, case: &Case, report: &Report) {
        if !self.is_seen {
            return;
        }
        let done = report.played.len();
        let left = self.left(done, report.calls());
        eprint!(
            "\r\u{1b}[K[{}/{}] {}{left}",
            done + 1,
            self.cases,
            case.name()
        );
    }

    /// How long the rest takes at the pace of the service, by what the cases so far have sent.
    fn left(&self, done: usize, calls: usize) -> String {
        let (Some(pace), true) = (self.pace, done > 0) else {
            return String::new();
        };
        let rest = (calls * (self.cases - done)).div_ceil(done);
        match rest.div_ceil(pace as usize) {
            minutes @ 0..120 => format!(", about {minutes} min left"),
            minutes => format!(", about {} h left", minutes.div_ceil(60)),
        }
    }

    fn ended(&self, played: Option<&Played>) {
        let Some(Played {
            name,
            ending: Ending::Found(findings),
            ..
        }) = played
        else {
            return;
        };
        let sign = if self.is_seen { "\r\u{1b}[K" } else { "" };
        let kind = match findings.iter().all(|finding| finding.is_assumed) {
            true => "difference",
            false => "violation",
        };
        eprintln!("{sign}{kind} in {name}");
    }

    fn end(&self) {
        if self.is_seen {
            eprint!("\r\u{1b}[K");
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
