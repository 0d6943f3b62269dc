//! What a person feels: the time of a command that asks nobody, and of one read over http.
//!
//! `cargo bench -p secmon-cli --profile dist-cli --bench figures` prints a table. This program is also the minimal one
//! to compare with: built for the same profile, with clap and one flag. Linux only, for the CPU time
//! and the memory; `curl` must be there.

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clap::Parser;

/// The least program that clap can make.
#[derive(Parser)]
#[command(name = "minimal", version)]
struct Minimal {
    /// A name to greet.
    #[arg(long, default_value = "you")]
    name: String,
}

/// Set for the minimal program, which is this one.
const MINIMAL: &str = "BE_MINIMAL";
const ROUNDS: u32 = 20;
const STARTS: u32 = 50;
const READS: usize = 101;
/// Ticks of the system's CPU accounts in a second.
const TICKS: f64 = 100.0;

fn main() -> io::Result<()> {
    if std::env::var_os(MINIMAL).is_some() {
        println!("hello, {}", Minimal::parse().name);
        return Ok(());
    }
    starts()?;
    reads()
}

/// The command line, without a configuration of the person who runs this.
fn secmon(home: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_secmon"));
    command.args(arguments).env_clear().env("HOME", home);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// All are started in turn, a few at a time, so that what else the machine does meets all alike.
fn starts() -> io::Result<()> {
    // The pages of help are those that take longest.
    let cases: [&[&str]; 8] = [
        &["--version"],
        &["--help"],
        &["provision", "--help"],
        &["endpoint", "provision", "--help"],
        &["mock", "trigger", "port-open", "--help"],
        &["help", "exit-codes"],
        &["completion", "bash"],
        &["provision", "--no-such-flag"],
    ];
    let home = tempfile::tempdir()?;
    let (mut minimal, mut ours) = (0.0, [0.0; 8]);
    for _ in 0..ROUNDS {
        minimal += cpu_of(|| {
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("--version").env_clear().env(MINIMAL, "1");
            Ok(command)
        })?;
        for (arguments, cpu) in cases.iter().zip(&mut ours) {
            *cpu += cpu_of(|| Ok(secmon(home.path(), arguments)))?;
        }
    }
    let milliseconds = |cpu: f64| cpu * 1000.0 / f64::from(ROUNDS * STARTS);
    let shown = "minimal --version";
    println!("{shown:<29} {:>6.2} ms of CPU", milliseconds(minimal));
    for (arguments, cpu) in cases.iter().zip(ours) {
        let shown = arguments.join(" ");
        println!(
            "{shown:<29} {:>6.2} ms of CPU, {:.2} of it",
            milliseconds(cpu),
            cpu / minimal
        );
    }
    Ok(())
}

/// Seconds of CPU that some runs take, their starts included.
fn cpu_of(command: impl Fn() -> io::Result<Command>) -> io::Result<f64> {
    let before = cpu_of_children()?;
    for _ in 0..STARTS {
        command()?.stdout(Stdio::null()).status()?;
    }
    Ok(cpu_of_children()? - before)
}

/// Seconds of CPU of all children that have ended.
fn cpu_of_children() -> io::Result<f64> {
    let told = std::fs::read_to_string("/proc/self/stat")?;
    let fields = told.rsplit(')').next().unwrap_or_default();
    let mut ticks = fields.split_whitespace().skip(13).map(str::parse::<f64>);
    let mut next = || ticks.next().and_then(Result::ok);
    let (user, system) = (next(), next());
    let ticks = user
        .zip(system)
        .ok_or_else(|| io::Error::other(told.clone()))?;
    Ok((ticks.0 + ticks.1) / TICKS)
}

fn reads() -> io::Result<()> {
    let home = tempfile::tempdir()?;
    let serve = [
        "mock",
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--rate-limit",
        "off",
    ];
    let mut mock = secmon(home.path(), &serve).stdout(Stdio::piped()).spawn()?;
    let measured = address_of(&mut mock).and_then(|url| compare_reads(home.path(), &url));
    mock.kill()?;
    mock.wait()?;
    measured
}

fn address_of(mock: &mut Child) -> io::Result<String> {
    let out = mock.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    let url = line.trim().strip_prefix("listening on ");
    url.map(str::to_owned)
        .ok_or_else(|| io::Error::other(line.clone()))
}

fn compare_reads(home: &std::path::Path, url: &str) -> io::Result<()> {
    let read = || {
        let mut command = secmon(home, &["api", "endpoints"]);
        command
            .env("SECMON_BASE_URL", url)
            .env("SECMON_API_KEY", "test_key_acme");
        command
    };
    let curl = || {
        let mut command = Command::new("curl");
        command.args(["-s", "-H", "Authorization: Bearer test_key_acme"]);
        command.arg(format!("{url}/api/v1/endpoints"));
        command
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..READS {
        ours.push(wall(read())?);
        theirs.push(wall(curl())?);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "one read                      {:>6.2} ms, {:.2} of curl's {:.2} ms, at most {} KiB of memory",
        ours * 1000.0,
        ours / theirs,
        theirs * 1000.0,
        peak(url, read())?
    );
    Ok(())
}

fn wall(mut command: Command) -> io::Result<f64> {
    let started = Instant::now();
    let status = command.stdout(Stdio::null()).status()?;
    if !status.success() {
        return Err(io::Error::other(format!("{command:?} ended with {status}")));
    }
    Ok(started.elapsed().as_secs_f64())
}

/// The most memory that a read has had resident when its answer, held back meanwhile, is about to
/// come, in KiB.
fn peak(url: &str, mut read: Command) -> io::Result<u64> {
    let fault = r#"{"path":"/api/v1/endpoints","times":1,"effect":{"latency_ms":1000}}"#;
    let address = url.trim_start_matches("http://");
    let mut admin = TcpStream::connect(address)?;
    write!(
        admin,
        "POST /_mock/faults HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{fault}",
        fault.len()
    )?;
    io::copy(&mut admin, &mut io::sink())?;
    let mut child = read.stdout(Stdio::null()).spawn()?;
    let mut most = 0;
    while child.try_wait()?.is_none() {
        most = most.max(high_water(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(most)
}

fn high_water(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
