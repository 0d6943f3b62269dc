//! `secmon customer ...`

use clap::Subcommand;

/// Customers, by the numbers that the billing system gave them.
#[derive(Debug, Subcommand)]
pub enum CustomerCommand {
    /// List the customers: by their servers, and by the domains that this machine has seen
    List {
        /// Only customers whose number is this, or one of whose servers has this in its address or name
        #[arg(long, value_name = "TEXT")]
        search: Option<String>,
    },
    /// Show how a customer stands, as `status -c` does: servers, domains, open alerts, rules about to expire
    Show {
        /// The customer's number
        #[arg(value_name = "CUSTOMER")]
        number: String,
    },
}
