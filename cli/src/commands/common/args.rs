//! Arguments that several commands take.

use crate::context::Context;
use crate::error::CliError;
use clap::{Args, ValueEnum};
use secmon::model::EndpointStatus;

/// States a list of servers can be narrowed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EndpointStatusArg {
    /// Scanned on schedule.
    Active,
    /// Not scanned: suspended by hand, or by the platform for capacity.
    #[value(alias = "suspended")]
    Paused,
}

/// A text every Allowed Ports rule needs.
#[derive(Debug, Clone, Args)]
pub struct Justification {
    /// Why this port is meant to be open: 10 to 500 characters, kept with the rule
    #[arg(
        short = 'm',
        long = "reason",
        aliases = ["message", "justification"]
    )]
    #[arg(value_name = "TEXT")]
    pub message: Option<String>,
}

/// Who a customer is of whom nothing is known yet. Name and address are used by the service only when it creates them.
#[derive(Debug, Clone, Default, Args)]
pub struct ClientContact {
    /// Name of the customer, if a new one is created
    #[arg(long, value_name = "NAME")]
    pub client_name: Option<String>,
    /// E-mail address of the customer, for a new one
    #[arg(long, value_name = "EMAIL")]
    pub client_email: Option<String>,
    /// Refuse a customer that does not exist yet, instead of creating it
    #[arg(long)]
    pub existing_customers: bool,
}

/// Waiting for a scan to end.
#[derive(Debug, Clone, Args)]
pub struct WaitArgs {
    /// Wait until the scan has ended and show what it found
    #[arg(short, long)]
    pub wait: bool,
    /// Longest time to wait; after that the exit code is 9 and the scan continues
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub wait_timeout: String,
}

/// The state that an argument names.
pub fn endpoint_status(argument: EndpointStatusArg) -> EndpointStatus {
    match argument {
        EndpointStatusArg::Active => EndpointStatus::Active,
        EndpointStatusArg::Paused => EndpointStatus::Paused,
    }
}

/// The reason every rule needs: given, or asked for until the service takes it. `what` is meant to be open.
pub fn justification(
    context: &Context,
    given: &Justification,
    what: &str,
) -> Result<String, CliError> {
    if let Some(message) = &given.message {
        return Ok(message.clone());
    }
    loop {
        let answer = context.prompt.ask(
            "-m TEXT",
            "the reason why the port is meant to be open",
            &format!("Why is {what} meant to be open (10 to 500 characters)"),
        )?;
        if is_acceptable_reason(&answer) {
            return Ok(answer.trim().to_owned());
        }
        context.screen.note(REASON_LENGTH);
    }
}

/// What is said of a reason that the service would not take.
pub const REASON_LENGTH: &str = "The reason must have 10 to 500 characters.";

/// Whether the service takes a reason.
pub fn is_acceptable_reason(reason: &str) -> bool {
    (10..=500).contains(&reason.trim().chars().count())
}
