//! Options that every command takes. Some also have a name in the environment (`secmon help environment`).

use crate::ui::invocation::{Invocation, quoted};
use crate::ui::{ColorChoice, CsvCells, TimeStyle};
use clap::{ArgAction, Args};
use std::path::PathBuf;

const SERVICE: &str = "Which service";
const OUTPUT: &str = "Output";
const SAFETY: &str = "Questions and safety";
const TIME: &str = "Time and rate limit";

/// The options as typed; the environment and the profile are laid under them in `settings`.
#[derive(Debug, Default, Args)]
pub struct GlobalArgs {
    /// The customer, by the number your billing system gave it
    #[arg(global = true, short, long, value_name = "ID", help_heading = SERVICE)]
    #[arg(visible_alias = "client-id", alias = "billing-customer-id")]
    pub customer: Option<String>,
    /// The profile whose address and key to use
    #[arg(global = true, long, value_name = "NAME", help_heading = SERVICE)]
    pub profile: Option<String>,
    /// Use the embedded mock service: no account, no network, state kept on this computer
    #[arg(global = true, long, help_heading = SERVICE)]
    pub local: bool,
    /// Address of the service, as https://portal.example.com
    #[arg(global = true, long, value_name = "URL", help_heading = SERVICE)]
    pub base_url: Option<String>,
    /// The provisioning paths to call: billing or provisioning
    #[arg(global = true, long, value_name = "NAME", help_heading = SERVICE, hide_short_help = true)]
    pub namespace: Option<String>,
    /// Configuration file
    #[arg(global = true, long, value_name = "FILE", help_heading = SERVICE, hide_short_help = true)]
    pub config: Option<PathBuf>,
    /// Mark provisioning calls as simulated (header X-Sandbox)
    #[arg(global = true, long, help_heading = SERVICE, hide_short_help = true)]
    pub sandbox: bool,

    /// Output format: table, wide, json, jsonl, csv or ids
    #[arg(global = true, short, long, value_name = "FORM", help_heading = OUTPUT)]
    pub output: Option<String>,
    /// Columns of a list, by name, in this order
    #[arg(global = true, long, value_name = "A,B", value_delimiter = ',', help_heading = OUTPUT)]
    #[arg(hide_short_help = true)]
    pub columns: Vec<String>,
    /// Sort a list by a column; a leading - reverses the order
    #[arg(
        global = true,
        long,
        value_name = "[-]COLUMN",
        allow_hyphen_values = true
    )]
    #[arg(help_heading = OUTPUT, hide_short_help = true)]
    pub sort: Option<String>,
    /// Show at most this many items of a list
    #[arg(global = true, short = 'L', long, value_name = "N", help_heading = OUTPUT)]
    #[arg(hide_short_help = true)]
    #[arg(value_parser = item_limit)]
    pub limit: Option<usize>,
    /// Leave out the heading of a table or CSV
    #[arg(global = true, long, help_heading = OUTPUT, hide_short_help = true)]
    pub no_headers: bool,
    /// Filter what -o json would print with a jq expression; strings come without quotes, one result per line
    #[arg(global = true, long, value_name = "EXPR", help_heading = OUTPUT, hide_short_help = true)]
    pub jq: Option<String>,
    /// CSV cells: guarded (a formula gets an apostrophe in front) or raw
    #[arg(global = true, long, value_name = "CELLS", help_heading = OUTPUT, hide_short_help = true)]
    pub csv: Option<CsvCells>,
    /// How times are shown: relative, utc or local
    #[arg(global = true, long, value_name = "STYLE", help_heading = OUTPUT, hide_short_help = true)]
    pub time: Option<TimeStyle>,
    /// Colour: auto, always or never
    #[arg(global = true, long, value_name = "WHEN", help_heading = OUTPUT, hide_short_help = true)]
    pub color: Option<ColorChoice>,
    /// Print only the result and errors
    #[arg(global = true, short, long, help_heading = OUTPUT, hide_short_help = true)]
    pub quiet: bool,
    /// Hide the progress bar
    #[arg(global = true, long, help_heading = OUTPUT, hide_short_help = true)]
    pub no_progress: bool,
    /// Show every call on standard error; -vv adds headers and bodies, without secrets
    #[arg(global = true, short, long, action = ArgAction::Count, help_heading = OUTPUT)]
    #[arg(hide_short_help = true)]
    pub verbose: u8,
    /// Write every call with headers and bodies, without secrets, to this file (mode 0600)
    #[arg(global = true, long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    pub debug_file: Option<PathBuf>,

    /// Answer yes to questions
    #[arg(global = true, short, long, help_heading = SAFETY)]
    pub yes: bool,
    /// The name or count that a severe change would ask you to type
    #[arg(global = true, long, value_name = "NAME|COUNT", help_heading = SAFETY)]
    #[arg(hide_short_help = true)]
    pub confirm: Option<String>,
    /// Never ask; a missing answer is an error that names the option to give
    #[arg(global = true, long, help_heading = SAFETY, hide_short_help = true)]
    pub no_input: bool,
    /// Show the changes that would be sent, and send none
    #[arg(global = true, short = 'n', long, help_heading = SAFETY)]
    pub dry_run: bool,

    /// Longest time one call may take, retries and waits included, as 30s or 2m
    #[arg(global = true, long, value_name = "TIME", help_heading = TIME, hide_short_help = true)]
    pub timeout: Option<String>,
    /// Longest time to wait when the service answers "too many requests"; 0 fails at once
    #[arg(global = true, long, value_name = "TIME", help_heading = TIME, hide_short_help = true)]
    pub max_wait: Option<String>,
    /// Rate limits to keep to, as 60,100/60s, or off
    #[arg(global = true, long, value_name = "LIMITS", help_heading = TIME, hide_short_help = true)]
    pub rate_limits: Option<String>,
}

impl GlobalArgs {
    /// Keeps the options that choose the service, and the customer, for the commands that are suggested.
    pub fn kept_in(&self, invocation: Invocation) -> Invocation {
        let config = self.config.as_ref().map(|path| path.display().to_string());
        let mut service = Vec::new();
        for (name, value) in [
            ("--profile", &self.profile),
            ("--base-url", &self.base_url),
            ("--config", &config),
        ] {
            if let Some(value) = value {
                service.push(format!("{name} {}", quoted(value)));
            }
        }
        if self.local {
            service.push("--local".to_owned());
        }
        invocation.about(service, self.customer.as_deref())
    }
}

/// A list cut to nothing would read like one in which nothing was found.
fn item_limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("it must be at least 1".to_owned()),
        Ok(limit) => Ok(limit),
        Err(_) => Err("it is not a whole number".to_owned()),
    }
}
