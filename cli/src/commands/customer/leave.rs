//! `secmon customer leave`: all that a customer has ends.

use super::everything::Beginning;
use super::possession::Everything;
use crate::bulk::{self, ChangeOfMany};
use crate::commands::common::resume_all::Suspended;
use crate::commands::common::transition::Transition;
use crate::context::Context;
use crate::error::CliError;
use crate::session::prompt::Danger;
use crate::ui::outcome::{Line, Outcome};

/// The end of the page.
pub const EXAMPLES: &str = "\
The service cannot list subscriptions. Those set or changed from this machine end too, after
the servers and domains; name any other with --service and --product.

Examples:
  secmon customer leave 42 -n                         what would be sent
  secmon customer leave 42 --confirm=42               without a question";

/// Runs the command.
pub async fn run(context: &Context, args: &Everything) -> Result<Outcome, CliError> {
    let (beginning, fresh) = Beginning::read(context, args, Transition::Terminate).await?;
    refuse_those_that_came_back(&beginning)?;
    let customer = beginning.changing.customer.to_string();
    beginning.confirm(Danger::Severe, "end", &customer, &fresh)?;
    let mut ended = beginning.carry_out(fresh).await?;
    if ended.changed > 0 {
        ended.outcome.story.push(Line::Hint(
            "rules and alerts of what has ended stay in the lists, but have no effect".to_owned(),
        ));
    }
    Ok(ended.outcome)
}

/// What was ended, and has been provisioned again since.
fn refuse_those_that_came_back(beginning: &Beginning<'_>) -> Result<(), CliError> {
    let changing = &beginning.changing;
    let journal = &beginning.journal;
    for one in beginning.begun.iter().filter(|one| !changing.stands(one)) {
        bulk::refuse_ended(journal, changing, (one, one.id()), (&one.name(), "end"))?;
    }
    Ok(())
}
