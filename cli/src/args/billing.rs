//! What is sold: `secmon subscription`, `secmon sync`, `secmon pricing`.

use super::ClientContact;
use clap::{Args, Subcommand};
use secmon::model::Money;
use std::path::PathBuf;

const SYNC_EXAMPLES: &str = "\
The file has the columns service_id, client_id, product_slug and status (active, suspended, cancelled), or is JSON:
a list of objects with these fields.

Examples:
  secmon sync -f services.csv -n
  secmon sync -f services.csv --confirm=312";

const SUSPEND_EXAMPLES: &str = "\
Examples:
  secmon subscription suspend 501 --product port_monitoring -c 42
A customer does not pay, and all that is monitored for them is to rest:
  secmon endpoint suspend --all -c 42
  secmon domain suspend --all -c 42";

/// Subscriptions of a customer's services. PRODUCT is port_monitoring (by plan), domain_monitoring (by quantity) or endpoint.
#[derive(Debug, Subcommand)]
pub enum SubscriptionCommand {
    /// Create or update the subscription of a service
    Set(SubscriptionSetArgs),
    /// Change plan or quantity; a downgrade below what is in use is refused
    Change(SubscriptionChangeArgs),
    /// Take its capacity away for now; what no longer fits is paused, newest first
    #[command(after_help = SUSPEND_EXAMPLES)]
    Suspend(SubscriptionTarget),
    /// Give its capacity back; what the platform paused goes on, oldest first
    Resume(SubscriptionTarget),
    /// End it; nothing is deleted, what no longer fits is paused
    Terminate(SubscriptionTarget),
}

/// The subscription of a service to a product.
#[derive(Debug, Args)]
pub struct SubscriptionTarget {
    /// Number of the service in the billing system
    pub service: String,
    /// port_monitoring, domain_monitoring or endpoint
    #[arg(long, value_name = "PRODUCT")]
    pub product: String,
}

/// A subscription as it is to be.
#[derive(Debug, Args)]
pub struct SubscriptionSetArgs {
    /// Which one
    #[command(flatten)]
    pub target: SubscriptionTarget,
    /// Plan, for port_monitoring
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<String>,
    /// Slots, 1 to 10000, for domain_monitoring
    #[arg(long, value_name = "N")]
    pub quantity: Option<u32>,
    /// Monthly recurring revenue, 0.01 to 9999.99
    #[arg(long, value_name = "AMOUNT")]
    pub mrr: Option<Money>,
    /// Who the customer is, if the service does not know it yet
    #[command(flatten)]
    pub contact: ClientContact,
}

/// Another plan or quantity.
#[derive(Debug, Args)]
pub struct SubscriptionChangeArgs {
    /// Which one
    #[command(flatten)]
    pub target: SubscriptionTarget,
    /// The new plan
    #[arg(long, value_name = "PLAN", required_unless_present = "quantity")]
    pub plan: Option<String>,
    /// The new number of slots, 1 to 10000
    #[arg(long, value_name = "N")]
    pub quantity: Option<u32>,
    /// Change even if more is in use; what no longer fits is paused
    #[arg(long)]
    pub force: bool,
}

/// Services to report.
#[derive(Debug, Args)]
#[command(after_help = SYNC_EXAMPLES)]
pub struct SyncArgs {
    /// CSV or JSON file, or - for standard input
    #[arg(short, long, value_name = "FILE", required = true)]
    pub file: PathBuf,
    /// Version of your billing module, at most 20 characters
    #[arg(long, value_name = "VERSION")]
    pub module_version: Option<String>,
    /// Services in one call, 1 to 500
    #[arg(long, value_name = "N", default_value = "500", value_parser = clap::value_parser!(u16).range(1..=500))]
    pub chunk: u16,
    /// Use all the calls of a minute; else a run leaves 5 of 60 to people
    #[arg(long)]
    pub use_whole_window: bool,
}

/// Prices of products.
#[derive(Debug, Subcommand)]
pub enum PricingCommand {
    /// Set a price
    Set {
        /// The product
        product: String,
        /// The price, 0 or more
        price: Money,
        /// Three letters, as EUR
        currency: String,
        /// The plan, for port_monitoring
        #[arg(long, value_name = "PLAN")]
        plan: Option<String>,
    },
    /// Remove a price
    Remove {
        /// The product
        product: String,
        /// The plan, for port_monitoring
        #[arg(long, value_name = "PLAN")]
        plan: Option<String>,
    },
}
