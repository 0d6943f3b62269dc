//! Running a command beside a server that lives as long as the command does.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, ExitCode, ExitStatus};

use crate::MockServer;
use crate::chance;
use crate::settings::Settings;

/// Exit codes of a command that could not be run, as shells have them.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;

/// Exit code of what fails before the command runs: no test runner has it for a result.
pub(crate) const CANNOT_START: u8 = 125;

/// Starts a server, runs the command with its address and key in the environment, and gives the
/// command's exit code: 128 + n when it died of signal n. Prints nothing on standard output.
pub(crate) fn exec(mut settings: Settings, command: &[OsString]) -> ExitCode {
    let admin_key = settings
        .admin_key
        .get_or_insert_with(|| chance::text().into())
        .clone();
    let server = match MockServer::with(settings) {
        Ok(server) => server,
        Err(error) => return refused(CANNOT_START, &error.to_string()),
    };
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
        Ok(Ok(status)) => ExitCode::from(code_of(status)),
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
