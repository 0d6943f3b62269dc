//! `secmon domain ...`

use super::ClientContact;
use clap::{Args, Subcommand, ValueEnum};

const SUSPEND_EXAMPLES: &str = "\
Examples:
  secmon domain suspend example.com -c 42
  secmon domain suspend --all -c 42                   a customer does not pay: all of its domains
  secmon endpoint suspend --all -c 42                 and all of its servers";

/// Monitored domains. A domain belongs to a customer: name it with -c.
#[derive(Debug, Subcommand)]
pub enum DomainCommand {
    /// List the monitored domains of a customer, and its slots
    List,
    /// Show one domain: compromised credentials, mentions, slots
    Show {
        /// The domain: name or id
        domain: String,
    },
    /// Start watching domains; each takes a slot of a domain_monitoring subscription
    Provision(DomainProvisionArgs),
    /// Watch another name under the same record; its history stays
    Rename {
        /// The domain: name or id
        domain: String,
        /// The new name
        new: String,
    },
    /// Stop scanning domains and keep their findings
    #[command(after_help = SUSPEND_EXAMPLES)]
    Suspend(DomainSwitch),
    /// Scan suspended domains again
    Resume(DomainSwitch),
    /// End monitoring; provisioning the domain again restores it
    Terminate(DomainTargets),
    /// Give up a domain and its slot for good: record, alerts and history are gone
    Release {
        /// The domain: name or id
        domain: String,
        /// Number of the billing service whose slot is given up
        #[arg(long, value_name = "ID")]
        service: Option<String>,
    },
    /// Leaked credentials of a domain
    Leaks {
        /// The domain: name or id
        domain: String,
        /// Only this category
        #[arg(long)]
        category: Option<CategoryArg>,
    },
    /// Mentions of a domain on the dark web
    Mentions {
        /// The domain: name or id
        domain: String,
        /// Only those nobody has seen yet; a list without this marks them as seen
        #[arg(long)]
        new: bool,
    },
    /// The last 25 scans of a domain
    History {
        /// The domain: name or id
        domain: String,
    },
}

/// Domains to watch.
#[derive(Debug, Args)]
pub struct DomainProvisionArgs {
    /// Names of the domains; of a URL the host counts
    #[arg(value_name = "NAME", required = true)]
    pub names: Vec<String>,
    /// Number of the billing service that pays for the slots
    #[arg(long, value_name = "ID")]
    pub service: Option<String>,
    /// Who the customer is, if the service does not know it yet
    #[command(flatten)]
    pub contact: ClientContact,
}

/// Domains to suspend or to resume.
#[derive(Debug, Args)]
pub struct DomainSwitch {
    /// All domains of the customer given with -c
    #[arg(long, conflicts_with = "domains")]
    pub all: bool,
    /// The domains: names or ids
    #[arg(value_name = "DOMAIN", required_unless_present = "all")]
    pub domains: Vec<String>,
}

/// Domains to change.
#[derive(Debug, Args)]
pub struct DomainTargets {
    /// The domains: names or ids
    #[arg(value_name = "DOMAIN", required = true)]
    pub domains: Vec<String>,
}

/// Whose credentials leaked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum CategoryArg {
    /// People who work for the domain's owner.
    Employees,
    /// People who have accounts there.
    Customers,
    /// Others.
    ThirdParties,
}
