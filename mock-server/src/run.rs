//! Serving as a program of its own: the line on standard output, signals, exit codes.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::StartError;
use crate::flags::ServeFlags;
use crate::serve::Bound;
use crate::settings::Settings;

/// How long requests in flight may take after a signal.
const GRACE: Duration = Duration::from_secs(5);

/// The exit code of a server that could not start.
const CANNOT_START: u8 = 2;

/// Serves until SIGTERM or SIGINT. Prints `listening on http://ADDR:PORT` once it accepts
/// connections; what goes wrong is one sentence on standard error and exit code 2.
pub fn run(flags: ServeFlags, config: Option<PathBuf>) -> ExitCode {
    match serve(flags, config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(CANNOT_START)
        }
    }
}

fn serve(flags: ServeFlags, config: Option<PathBuf>) -> Result<(), StartError> {
    let settings = Settings::of_program(flags, config)?;
    let port_file = settings.port_file.clone();
    let bound = Bound::new(settings)?;
    let url = bound.url();
    let announce = async move {
        // Signals are caught from here on: whoever read the line may send one.
        let stop = signals();
        announce(&url);
        stop.await;
    };
    if let Some(path) = port_file {
        bound.write_port_file(&path)?;
    }
    bound.serve(announce, GRACE)
}

fn announce(url: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    // Somebody who closed our standard output does not want to know.
    let _ = writeln!(out, "listening on {url}").and_then(|()| out.flush());
}

/// Done at the first SIGTERM or SIGINT.
#[cfg(unix)]
fn signals() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let caught = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
    async move {
        let mut caught: Vec<_> = caught.into_iter().flatten().collect();
        std::future::poll_fn(|context| {
            let mut done = std::task::Poll::Pending;
            for signal in &mut caught {
                if signal.poll_recv(context).is_ready() {
                    done = std::task::Poll::Ready(());
                }
            }
            done
        })
        .await;
    }
}

/// Done at the first interrupt.
#[cfg(not(unix))]
fn signals() -> impl Future<Output = ()> {
    async {
        let _ = tokio::signal::ctrl_c().await;
    }
}
