//! What is typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::choice::Level;
use super::report::Reader;

/// Puts a service to the partner API's contract, and says what it breaks.
#[derive(Parser)]
#[command(name = "secmon-contract", version, args_conflicts_with_subcommands = true, after_help = HELP)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) verb: Option<Verb>,
    #[command(flatten)]
    pub(super) run: RunArguments,
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
pub(super) enum Verb {
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
pub(super) struct At {
    /// Address of the service [env: SECMON_BASE_URL]
    #[arg(long, value_name = "URL")]
    pub(super) url: Option<String>,
    /// Profile of `secmon` whose address and key to use
    #[arg(long, env = "SECMON_PROFILE", value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// Address of its /_mock/ admin API, where it is a secmon-mock (key: SECMON_MOCK_ADMIN_KEY)
    #[arg(long, env = "SECMON_MOCK_ADMIN_URL", value_name = "URL")]
    pub(super) admin_url: Option<String>,
}

#[derive(Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    pub(super) at: At,
    /// How much to ask: smoke takes at most 55 calls and a minute
    #[arg(long, value_enum, default_value_t = Level::Standard)]
    pub(super) level: Level,
    /// Only read: change nothing in a live account
    #[arg(long)]
    pub(super) read_only: bool,
    /// Only cases of this group, operation or file, as in `endpoints` or `rules::`
    #[arg(long, value_name = "GROUP")]
    pub(super) only: Option<String>,
    /// Write a report in JUnit's XML
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
    /// Write a report as a page, to send to the vendor
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Also name the files of client, mock and suite that go with a finding
    #[arg(long)]
    pub(super) developer: bool,
    /// Keep the answers, without secrets, for `secmon-contract compare`
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
}

impl RunArguments {
    pub(super) fn reader(&self) -> Reader {
        match self.developer {
            true => Reader::Developer,
            false => Reader::Vendor,
        }
    }
}
