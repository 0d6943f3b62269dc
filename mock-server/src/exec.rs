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

/// Exit code when the server could not start.
const CANNOT_START: u8 = 2;

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
    let child = Command::new(program)
        .args(arguments)
        .env("SECMON_BASE_URL", server.url())
        .env("SECMON_API_KEY", api_key)
        .env("SECMON_MOCK_ADMIN_URL", server.admin_url())
        .env("SECMON_MOCK_ADMIN_KEY", admin_key.expose())
        .spawn();
    let ended = match child {
        Ok(child) => wait(child),
        Err(error) => {
            let code = match error.kind() {
                io::ErrorKind::NotFound => NOT_FOUND,
                _ => NOT_RUNNABLE,
            };
            return refused(code, &format!("cannot run {}: {error}", program.display()));
        }
    };
    match ended {
        Ok(status) => ExitCode::from(code_of(status)),
        Err(error) => refused(
            NOT_RUNNABLE,
            &format!("lost {}: {error}", program.display()),
        ),
    }
}

fn refused(code: u8, sentence: &str) -> ExitCode {
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

/// Waits for the command, and passes signals on to it meanwhile.
#[cfg(unix)]
fn wait(mut child: Child) -> io::Result<ExitStatus> {
    use std::future::poll_fn;
    use std::io::IsTerminal;
    use std::pin::Pin;

    use rustix::process::{Pid, Signal, kill_process};
    use tokio::signal::unix::{SignalKind, signal};

    let pid = Pid::from_child(&child);
    let mut passed_on = vec![
        (SignalKind::terminate(), Signal::TERM),
        (SignalKind::hangup(), Signal::HUP),
        (SignalKind::quit(), Signal::QUIT),
    ];
    if !io::stdin().is_terminal() {
        // A terminal sends its interrupt to the command itself as well; twice would be too often.
        passed_on.push((SignalKind::interrupt(), Signal::INT));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async move {
        let mut caught = Vec::new();
        for (kind, signal_to_send) in passed_on {
            caught.push((signal(kind)?, signal_to_send));
        }
        let (told, mut ended) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || told.send(child.wait()));
        let ended = poll_fn(|context| {
            for (stream, signal_to_send) in &mut caught {
                while stream.poll_recv(context).is_ready() {
                    // It may have ended just now.
                    let _ = kill_process(pid, *signal_to_send);
                }
            }
            Pin::new(&mut ended).poll(context)
        });
        ended
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
    })
}

#[cfg(not(unix))]
fn wait(mut child: Child) -> io::Result<ExitStatus> {
    child.wait()
}
