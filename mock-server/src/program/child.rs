//! A command that runs beside a server: signals go on to it, and its end is told as shells tell it.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, ExitStatus};

/// Exit codes of a command that could not be run, as shells have them.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;

/// Exit code of what fails before the command runs: no test runner has it for a result.
pub(crate) const CANNOT_START: u8 = 125;

/// Why a command did not run to its end: the exit code that tells it, and a sentence.
pub(crate) struct NotRun {
    pub(crate) code: u8,
    pub(crate) sentence: String,
}

impl NotRun {
    pub(crate) fn before_it(sentence: impl Into<String>) -> Self {
        let (code, sentence) = (CANNOT_START, sentence.into());
        Self { code, sentence }
    }
}

/// Runs a command with these variables in its environment; its exit code, 128 + n when it died of signal n.
pub(crate) fn run(command: &[OsString], variables: &[(&str, String)]) -> Result<u8, NotRun> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(NotRun::before_it(
            "no command was given; write it behind --",
        ));
    };
    let relay = Relay::new()
        .map_err(|error| NotRun::before_it(format!("cannot catch signals: {error}")))?;
    let mut command = relay.in_its_group(Command::new(program));
    let child = command.args(arguments).envs(variables.iter().cloned());
    let program = program.display();
    let child = child.spawn().map_err(|error| NotRun {
        code: match error.kind() {
            io::ErrorKind::NotFound => NOT_FOUND,
            _ => NOT_RUNNABLE,
        },
        sentence: format!("cannot run {program}: {error}"),
    })?;
    relay.wait(child).map(code_of).map_err(|error| NotRun {
        code: NOT_RUNNABLE,
        sentence: format!("lost {program}: {error}"),
    })
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
