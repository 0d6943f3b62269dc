//! `secmon customer suspend`: all that a customer has rests.

use super::everything::Beginning;
use super::possession::Everything;
use crate::commands::common::transition::Transition;
use crate::context::Context;
use crate::error::CliError;
use crate::session::prompt::Danger;
use crate::ui::outcome::{Line, Outcome};

/// The end of the page.
pub const EXAMPLES: &str = "\
The service cannot list subscriptions. Those set or changed from this machine are suspended
too, after the servers and domains; name any other with --service and --product.

Examples:
  secmon customer suspend 42                          a customer does not pay
  secmon customer resume 42                           they have paid: resumes what was suspended
  secmon customer suspend 42 --service 501 --product port_monitoring";

/// Runs the command.
pub async fn run(context: &Context, args: &Everything) -> Result<Outcome, CliError> {
    let to = Transition::Suspend;
    let (beginning, fresh) = Beginning::read(context, args, to).await?;
    let customer = beginning.changing.customer;
    let danger = Danger::Moderate.times(fresh.len());
    beginning.confirm(danger, to.verb(), &fresh.len().to_string(), &fresh)?;
    let mut ended = beginning.carry_out(fresh).await?;
    if ended.items > 0 {
        ended.outcome.story.extend([
            Line::Heading("Next:"),
            Line::next(
                format!("customer resume {customer}"),
                "resume what was just suspended",
            ),
        ]);
    }
    Ok(ended.outcome)
}
