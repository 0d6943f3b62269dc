//! Serving as a program of its own: the line on standard output, signals, exit codes.

use std::path::PathBuf;
use std::time::Duration;

use crate::configuration::flags::ServeFlags;
use crate::configuration::settings::Settings;
use crate::configuration::start_error::StartError;
use crate::program::serve::{Bound, forget_port};

/// How long requests in flight may take after a signal.
const GRACE: Duration = Duration::from_secs(5);

/// Serves until SIGTERM or SIGINT. Prints `listening on http://ADDR:PORT` once it accepts
/// connections.
///
/// # Errors
/// Why it cannot start, or could not go on, as one sentence.
pub fn run(flags: ServeFlags, config: Option<PathBuf>) -> Result<(), StartError> {
    let settings = Settings::of_program(flags, config)?;
    settings.port_files().for_each(|path| forget_port(path));
    crate::connection::server::raise_descriptor_limit();
    let hint = hint(&settings);
    let bound = Bound::new(settings)?;
    if bound.mock().accounts.fixtures_passed_over {
        eprintln!("note: the state exists already; the fixtures are not used");
    }
    let lines = bound.lines();
    let local_url = bound.local_url();
    let admin = format!("{}/_mock/", bound.local_admin_url());
    let secured = bound.local_secured_url().map(|url| {
        format!("https: {url}, under the authority that {admin}ca.pem shows; it is for tests, never for a whole system\n")
    });
    let announce = async move {
        // Signals are caught from here on: whoever read the line may send one.
        let stop = signals();
        announce(&lines);
        eprint!(
            "{}",
            hint.replace("{url}", &local_url).replace("{page}", &admin)
        );
        eprint!("{}", secured.unwrap_or_default());
        stop.await;
    };
    let _port_files = bound.write_port_files()?;
    bound.serve(announce, GRACE)
}

/// What a newcomer needs to know, where the accounts are the default ones: keys, page, and what to try.
fn hint(settings: &Settings) -> String {
    if settings.config.tenants.is_some() {
        return String::new();
    }
    let tenants = settings.config.tenants();
    let accounts = tenants.iter().filter_map(|tenant| {
        let key = tenant.keys.first()?.expose();
        Some(format!("  {:9} key {key}\n", tenant.name))
    });
    let accounts: String = accounts.collect();
    format!(
        "accounts:\n{accounts}page: {{page}}\ntry:\n  export SECMON_BASE_URL={{url}} SECMON_API_KEY=test_key_acme\n  \
         curl -H \"Authorization: Bearer $SECMON_API_KEY\" \"$SECMON_BASE_URL/api/v1/endpoints\"\n"
    )
}

fn announce(lines: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    // Somebody who closed our standard output does not want to know.
    let _ = out.write_all(lines.as_bytes()).and_then(|()| out.flush());
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
