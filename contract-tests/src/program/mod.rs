//! The suite as a program: `secmon-contract`.

mod access;
mod choice;
mod laws;
mod page;
mod recording;
mod report;
mod run;
mod shown;
mod specification;
mod told;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::case::take_away;
use crate::ledger::Ledger;
use crate::service::{Service, Steering, ask, check_environment};

use access::Access;
use report::Reader;

pub use choice::Level;
pub use laws::{Cited, Law};
pub use specification::QUOTES;

/// Puts a service to the partner API's contract, and says what it breaks.
#[derive(Parser)]
#[command(name = "secmon-contract", version, args_conflicts_with_subcommands = true, after_help = HELP)]
struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    run: RunArguments,
}

const HELP: &str = "\
The key is read from a profile of secmon, from SECMON_API_KEY, from the file that SECMON_API_KEY_FILE names, or asked for at
a terminal, never taken from an argument.
SECMON_CONTRACT_PLANS tells other plans for servers and their sizes, as in small=5,large=25;
SECMON_CONTRACT_RATE_LIMITS other limits of the service, as in 600,1000, or off.

A run makes customers, servers, domains and subscriptions with numbers of its own and takes them away again. What the
API cannot delete (terminated domains, cancelled subscriptions, empty customers) is named at the end.

Exit codes: 0 all held (differences may be listed); 1 violations; 2 wrong usage; 3 the key is refused;
7 no connection; 130 interrupted.

  secmon-contract --url https://portal.example.com --level smoke
  secmon-contract --url https://portal.example.com --read-only --html report.html
  secmon-contract --url http://127.0.0.1:4010 --admin-url http://127.0.0.1:4010 --level full";

#[derive(Subcommand)]
enum Verb {
    /// Take away what an interrupted run left in the account
    Clean(At),
    /// Hold the mock against answers that a run recorded
    Compare {
        /// A file that `--record` wrote
        file: PathBuf,
    },
}

/// Where the service is.
#[derive(Args)]
struct At {
    /// Address of the service [env: SECMON_BASE_URL]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Profile of `secmon` whose address and key to use
    #[arg(long, env = "SECMON_PROFILE", value_name = "NAME")]
    profile: Option<String>,
    /// Address of its /_mock/ admin API, where it is a secmon-mock (key: SECMON_MOCK_ADMIN_KEY)
    #[arg(long, env = "SECMON_MOCK_ADMIN_URL", value_name = "URL")]
    admin_url: Option<String>,
}

#[derive(Args)]
struct RunArguments {
    #[command(flatten)]
    at: At,
    /// How much to ask: smoke takes at most 55 calls and a minute
    #[arg(long, value_enum, default_value_t = Level::Standard)]
    level: Level,
    /// Only read: change nothing in a live account
    #[arg(long)]
    read_only: bool,
    /// Only cases of this group, operation or file, as in `endpoints` or `rules::`
    #[arg(long, value_name = "GROUP")]
    only: Option<String>,
    /// Write a report in JUnit's XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a report as a page, to send to the vendor
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Also name the files of client, mock and suite that go with a finding
    #[arg(long)]
    developer: bool,
    /// Keep the answers, without secrets, for `secmon-contract compare`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

/// What ends the program before a run: a sentence and an exit code.
pub(crate) struct Stop {
    pub(crate) sentence: String,
    pub(crate) code: u8,
}

impl RunArguments {
    fn reader(&self) -> Reader {
        match self.developer {
            true => Reader::Developer,
            false => Reader::Vendor,
        }
    }
}

impl Stop {
    fn usage(sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self { sentence, code: 2 }
    }

    pub(crate) fn other(sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self { sentence, code: 1 }
    }
}

/// Runs the program.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.verb {
        None => run::run(&arguments.run),
        Some(Verb::Clean(at)) => clean(&at),
        Some(Verb::Compare { file }) => recording::compare(&file),
    };
    done.unwrap_or_else(|stop| {
        eprintln!("secmon-contract: {}", stop.sentence);
        ExitCode::from(stop.code)
    })
}

/// The service that somebody names, once it answers and takes the key.
fn service(at: &At) -> Result<Service, Stop> {
    let Access { url, key } = Access::find(at.url.as_deref(), at.profile.as_deref())?;
    let steering = match &at.admin_url {
        Some(_) => Steering::Possible,
        None => Steering::Impossible,
    };
    let admin_url = at.admin_url.as_deref().unwrap_or(&url);
    let admin_key = access::text("SECMON_MOCK_ADMIN_KEY");
    check_environment().map_err(Stop::usage)?;
    reachable(&url, &key)?;
    if let Some(admin_url) = &at.admin_url {
        has_admin_api(admin_url)?;
    }
    Ok(Service::over_the_network(
        &url, key, steering, admin_url, admin_key,
    ))
}

/// Whether there is a service that takes the key.
fn reachable(url: &str, key: &str) -> Result<(), Stop> {
    let path = "/api/v1/endpoints?per_page=1";
    let address = format!("{}{path}", url.trim_end_matches('/'));
    let answer = ask("GET", &address, Some(key), &serde_json::Value::Null);
    match answer {
        Err(why) => Err(Stop {
            sentence: format!("{url} gives no answer: {why}"),
            code: 7,
        }),
        Ok((401 | 403, body)) => Err(Stop {
            sentence: format!(
                "{url} refuses the key: {}",
                body["message"].as_str().unwrap_or("no reason given")
            ),
            code: 3,
        }),
        Ok((200, _)) => Ok(()),
        Ok((status, _)) => Err(Stop {
            sentence: format!("{url} answers {status} to GET {path}: is it the partner API?"),
            code: 7,
        }),
    }
}

/// Whether the admin API is where somebody says: without it, what the service does wrong would be made up.
fn has_admin_api(url: &str) -> Result<(), Stop> {
    let address = format!("{}/_mock/health", url.trim_end_matches('/'));
    match ask("GET", &address, None, &serde_json::Value::Null) {
        Ok((200, _)) => Ok(()),
        Ok((status, _)) => Err(Stop {
            sentence: format!(
                "--admin-url {url} answers {status} to GET /_mock/health: is it the admin API of a mock?"
            ),
            code: 7,
        }),
        Err(why) => Err(Stop {
            sentence: format!("--admin-url {url} gives no answer: {why}"),
            code: 7,
        }),
    }
}

/// Where the ledger of a service is.
fn ledger_path(service: &Service) -> PathBuf {
    let folder = |name: &str| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("LOCALAPPDATA"))
        .or_else(|| Some(folder("HOME")?.join(".local/state")))
        .unwrap_or_else(env::temp_dir);
    let name: String = service
        .url
        .chars()
        .map(|sign| {
            if sign.is_ascii_alphanumeric() {
                sign
            } else {
                '-'
            }
        })
        .collect();
    state.join("secmon-contract").join(format!("{name}.jsonl"))
}

fn left_in(
    path: &Path,
) -> Result<std::collections::BTreeMap<(u64, String), crate::ledger::Left>, Stop> {
    Ledger::left(path)
        .map_err(|error| Stop::other(format!("{} cannot be read: {error}", path.display())))
}

/// Takes away what earlier runs left.
fn clean(at: &At) -> Result<ExitCode, Stop> {
    let service = service(at)?;
    let path = ledger_path(&service);
    let left = left_in(&path)?;
    let mut problems = 0;
    for ((_, case), left) in &left {
        match take_away(case, &service, left) {
            Ok(()) => println!("taken away: what {case} made"),
            Err(failure) => {
                problems += 1;
                println!("{case}: {}", failure.message);
            }
        }
    }
    if left.is_empty() {
        println!("nothing is left of earlier runs");
    }
    if problems > 0 {
        return Ok(ExitCode::from(1));
    }
    if path.exists() {
        let removed = std::fs::remove_file(&path);
        removed.map_err(|error| {
            Stop::other(format!("{} cannot be removed: {error}", path.display()))
        })?;
    }
    Ok(ExitCode::SUCCESS)
}
