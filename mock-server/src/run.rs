//! Serving as a program of its own: the line on standard output, signals, exit codes.

use std::path::PathBuf;
use std::time::Duration;

use crate::StartError;
use crate::flags::ServeFlags;
use crate::serve::{Bound, forget_port};
use crate::settings::Settings;

/// How long requests in flight may take after a signal.
const GRACE: Duration = Duration::from_secs(5);

/// Serves until SIGTERM or SIGINT. Prints `listening on http://ADDR:PORT` once it accepts
/// connections.
///
/// # Errors
/// Why it cannot start, or could not go on, as one sentence.
pub fn run(flags: ServeFlags, config: Option<PathBuf>) -> Result<(), StartError> {
    let settings = Settings::of_program(flags, config)?;
    let port_file = settings.port_file.clone();
    if let Some(path) = &port_file {
        forget_port(path);
    }
    crate::server::raise_descriptor_limit();
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
