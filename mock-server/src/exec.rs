//! Running a command beside a server that lives as long as the command does.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus};

use crate::MockServer;
use crate::chance;
use crate::evidence::{self, Evidence};
use crate::flags::{Given, Switch};
use crate::settings::Settings;

/// Exit codes of a command that could not be run, as shells have them.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;

/// Exit code of what fails before the command runs: no test runner has it for a result.
pub(crate) const CANNOT_START: u8 = 125;

/// Exit code of a run that did not hold what it was asked to.
const NOT_HELD: u8 = 1;

/// What a run is asked to leave and to hold.
#[derive(Debug, clap::Args)]
pub(crate) struct Demands {
    /// Folder for the journal (JSON and HAR), the outcomes that were met and never met, and JUnit
    #[arg(long, value_name = "DIR", env = "SECMON_MOCK_REPORT")]
    report: Option<Given<PathBuf>>,

    /// Statuses and codes that the command must meet, such as 429,ENDPOINT_LIMIT_EXCEEDED; exit 1 where it does not
    #[arg(
        long,
        value_name = "OUTCOME",
        env = "SECMON_MOCK_REQUIRE",
        value_delimiter = ',',
        value_parser = outcome
    )]
    require: Vec<String>,

    /// Exit 1 where the service tolerated what a careless client should hear of, and say what
    #[arg(
        long,
        value_name = "on|off",
        env = "SECMON_MOCK_DENY_NOTICES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on"
    )]
    deny_notices: Option<Given<Switch>>,
}

fn outcome(name: &str) -> Result<String, String> {
    match name.trim() {
        // An empty variable is as if unset.
        "" => Ok(String::new()),
        name if evidence::is_outcome(name) => Ok(name.to_owned()),
        _ => Err("no operation is documented to answer with it".to_owned()),
    }
}

impl Demands {
    fn is_any(&self) -> bool {
        self.report.is_some() || !self.require.is_empty() || self.deny_notices.is_some()
    }

    /// Writes the report, and says what the run did not hold.
    fn failures(self, evidence: &Evidence) -> Vec<String> {
        let required: Vec<String> = self
            .require
            .into_iter()
            .filter(|name| !name.is_empty())
            .collect();
        let missing = evidence.missing(&required).into_iter();
        let mut failures: Vec<String> = missing
            .map(|name| format!("{name} was never met"))
            .collect();
        if self.deny_notices.and_then(Given::value) == Some(Switch::On) {
            failures.extend(evidence.noticed());
        }
        if let Some(folder) = self.report.and_then(Given::value)
            && let Err(error) = evidence.write(&folder, &failures)
        {
            failures.push(format!("{} cannot be written: {error}", folder.display()));
        }
        failures
    }
}

/// Starts a server, runs the command with its address and key in the environment, and gives the
/// command's exit code: 128 + n when it died of signal n. Prints nothing on standard output. Where the command succeeds
/// and a demand is not met, the code is 1.
pub(crate) fn exec(mut settings: Settings, command: &[OsString], demands: Demands) -> ExitCode {
    let admin_key = settings
        .admin_key
        .get_or_insert_with(|| chance::text().into())
        .clone();
    let server = match MockServer::with(settings) {
        Ok(server) => server,
        Err(error) => return refused(CANNOT_START, &error.to_string()),
    };
    if demands.is_any() {
        server.mock().gather_evidence();
    }
    let Some(api_key) = server.first_key() else {
        return refused(
            CANNOT_START,
            "the first account has no key; give it one in the configuration",
        );
    };
    let Some((program, arguments)) = command.split_first() else {
        return refused(CANNOT_START, "no command was given; write it behind --");
    };
    let relay = match Relay::new() {
        Ok(relay) => relay,
        Err(error) => return refused(CANNOT_START, &format!("cannot catch signals: {error}")),
    };
    let child = relay
        .in_its_group(Command::new(program))
        .args(arguments)
        .env("SECMON_BASE_URL", server.url())
        .env("SECMON_API_KEY", api_key)
        .env("SECMON_MOCK_ADMIN_URL", server.admin_url())
        .env("SECMON_MOCK_ADMIN_KEY", admin_key.expose())
        .spawn();
    let program = program.display();
    match child.map(|child| relay.wait(child)) {
        Ok(Ok(status)) => {
            let evidence = server.mock().evidence();
            let failures = evidence.map_or_else(Vec::new, |evidence| demands.failures(&evidence));
            for failure in &failures {
                eprintln!("error: {failure}");
            }
            match code_of(status) {
                0 if !failures.is_empty() => ExitCode::from(NOT_HELD),
                code => ExitCode::from(code),
            }
        }
        Ok(Err(error)) => refused(NOT_RUNNABLE, &format!("lost {program}: {error}")),
        Err(error) => {
            let code = match error.kind() {
                io::ErrorKind::NotFound => NOT_FOUND,
                _ => NOT_RUNNABLE,
            };
            refused(code, &format!("cannot run {program}: {error}"))
        }
    }
}

pub(crate) fn refused(code: u8, sentence: &str) -> ExitCode {
    eprintln!("error: {sentence}");
    ExitCode::from(code)
}

#[cfg(unix)]
fn code_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(not(unix))]
fn code_of(status: ExitStatus) -> u8 {
    status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1)
}

/// Passes signals on to a command.
#[cfg(unix)]
struct Relay {
    runtime: tokio::runtime::Runtime,
    caught: Vec<(tokio::signal::unix::Signal, rustix::process::Signal)>,
    target: Target,
}

/// Who is signalled.
#[cfg(unix)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// The command alone.
    Command,
    /// The command and whatever it started, in a group of their own.
    Group,
}

#[cfg(unix)]
impl Relay {
    /// Catches signals from here on. Made before the command, which may be signalled at once.
    fn new() -> io::Result<Self> {
        use std::io::IsTerminal;

        use rustix::process::Signal;
        use tokio::signal::unix::{SignalKind, signal};

        let mut kinds = vec![
            (SignalKind::terminate(), Signal::TERM),
            (SignalKind::hangup(), Signal::HUP),
            (SignalKind::quit(), Signal::QUIT),
        ];
        let target = if io::stdin().is_terminal() {
            // Only our own group may read from the terminal, and the terminal interrupts all of it.
            Target::Command
        } else {
            kinds.push((SignalKind::interrupt(), Signal::INT));
            Target::Group
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let entered = runtime.enter();
        let caught = kinds
            .into_iter()
            .map(|(kind, to_send)| Ok((signal(kind)?, to_send)))
            .collect::<io::Result<_>>()?;
        drop(entered);
        Ok(Self {
            runtime,
            caught,
            target,
        })
    }

    /// The command, in the process group that signals go to.
    fn in_its_group(&self, mut command: Command) -> Command {
        use std::os::unix::process::CommandExt;
        if self.target == Target::Group {
            command.process_group(0);
        }
        command
    }

    /// Waits for the command, and passes signals on to it meanwhile.
    fn wait(mut self, mut child: Child) -> io::Result<ExitStatus> {
        use std::pin::Pin;

        use rustix::process::{Pid, kill_process, kill_process_group};

        let pid = Pid::from_child(&child);
        let send = match self.target {
            Target::Command => kill_process,
            Target::Group => kill_process_group,
        };
        let (told, mut ended) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || told.send(child.wait()));
        let ended = std::future::poll_fn(|context| {
            for (signals, to_send) in &mut self.caught {
                while signals.poll_recv(context).is_ready() {
                    // The command may have ended just now.
                    let _ = send(pid, *to_send);
                }
            }
            Pin::new(&mut ended).poll(context)
        });
        self.runtime
            .block_on(ended)
            .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
    }
}

/// Where there are no signals, there is nothing to pass on.
#[cfg(not(unix))]
struct Relay;

#[cfg(not(unix))]
impl Relay {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    fn in_its_group(&self, command: Command) -> Command {
        command
    }

    fn wait(self, mut child: Child) -> io::Result<ExitStatus> {
        child.wait()
    }
}
