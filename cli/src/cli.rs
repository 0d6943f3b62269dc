//! The command line: what every command takes, and the commands.

use crate::commands::Command;
use crate::session::flags::GlobalArgs;
use clap::Parser;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "secmon", version, about = ABOUT, help_template = TOP_PAGE)]
#[command(
    max_term_width = 100,
    disable_help_subcommand = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// Options every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const ABOUT: &str = "Provision monitored servers, allow ports and work on alerts";

/// The page of `secmon` itself: its commands by what they are for, on one screen.
const TOP_PAGE: &str = "\
{about}

{usage-heading} {usage}

Daily work:
  provision     Start monitoring servers or domains: one, several, or a whole file
  scan          Scan servers for open ports now
  status        Show how things stand: servers, open alerts, rules about to expire
  open          Open the portal's page about a server or a domain
  endpoint      Monitored servers (server is the same): list, show, add, suspend, wait ...
  domain        Monitored domains: list, show, provision, suspend, release, leaks ...
  rules         Allowed Ports rules: list, add, edit, remove, copy, import, summary
  alert         Alerts of ports and domains: list, ack, resolve, allow, triage, watch

Customers and billing:
  customer      Customers: list, show, suspend, resume, leave
  subscription  Subscriptions of a customer's services: set, change, suspend, terminate ...
  sync          Send your billing system's statuses, so that the platform corrects mismatches
  pricing       Prices of products: set, remove
  sso           Sign a customer in to the portal
  report        Write a page about a customer that can be sent to them

This computer:
  auth          Save, check or remove the API key of a profile
  profile       Named pairs of address and key
  config        The configuration file: get, set, unset, list, path, edit
  history, undo  Show what was changed from this computer, and by whom; undo it
  doctor        Find out what keeps this computer from reaching the service

For developers:
  api           Call any path of the API and print what it answers
  mock          The mock service: serve it on an address of its own, or steer it
  sandbox       What simulated scans find
  health        Ask the service whether it is up (needs no key)
  completion, man, version  The completion script of a shell, manual pages, the version

Start here:
  secmon --local provision 203.0.113.10 -c 42 --wait   try it: no account, no network
  secmon auth login                                    save your portal's address and API key
  secmon help COMMAND | options | exit-codes | environment | output | references | pace | csv
";
