//! `secmon customer suspend`, `resume` and `leave`: one change of all that a customer has.

use crate::bulk::{self, RowOutcome};
use crate::commands::lifecycle::everything::CustomerArgs;
use crate::commands::lifecycle::resource::few;
use crate::commands::lifecycle::{LifecycleChange, Selection, Transition};
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::session::settings;
use crate::ui::outcome::{Block, Outcome};

/// The end of the page of `suspend`.
pub const SUSPEND_EXAMPLES: &str = "\
The service cannot list subscriptions. Those set up from this computer are suspended too,
after the servers and domains; name any other with --service and --product.

Examples:
  secmon customer suspend 42                          a customer does not pay
  secmon customer resume 42                           they have paid: resumes what was suspended
  secmon customer suspend 42 --service 501 --product port_monitoring";

/// The end of the page of `leave`.
pub const LEAVE_EXAMPLES: &str = "\
The service cannot list subscriptions. Those set up from this computer end too, after the
servers and domains; name any other with --service and --product.

Examples:
  secmon customer leave 42 -n                         what would be sent
  secmon customer leave 42 --confirm=42               without a question";

/// Runs the command.
pub async fn run(
    context: &Context,
    args: &CustomerArgs,
    to: Transition,
) -> Result<Outcome, CliError> {
    let customer = settings::parse_customer("CUSTOMER", &args.number)?;
    let change = LifecycleChange::new(context, to, Selection::Everything(customer, args));
    let items = bulk::run_bulk(context, &change, &args.run).await?;
    let mut outcome = bulk::report(&context.screen, to.labels(), &items)?;
    let changed = items
        .iter()
        .filter(|item| matches!(item.outcome, RowOutcome::Applied(_)));
    let changed: Vec<String> = changed.map(|item| item.target.clone()).collect();
    let is_dry_run = context.session.settings.safety.dry_run;
    let sentence = match changed.is_empty() {
        false => format!(
            "Customer {customer}: {} {}.",
            few(&changed),
            to.labels().done
        ),
        true => format!("Customer {customer} has nothing to {}.", to.verb()),
    };
    if !is_dry_run && (!changed.is_empty() || outcome.exit == Exit::Done) {
        outcome.text.insert(0, Block::text(sentence));
    }
    outcome.text.extend(bulk::stays(&items));
    if to == Transition::Suspend && !changed.is_empty() {
        outcome.text.extend([
            Block::Heading("Next:"),
            Block::next(
                format!("customer resume {customer}"),
                "resume what was just suspended",
            ),
        ]);
    }
    if to.ends() && !changed.is_empty() {
        outcome.text.push(Block::Hint(
            "rules and alerts of ended servers and domains stay in the lists but have no effect"
                .to_owned(),
        ));
    }
    if !is_dry_run && context.session.check_interrupted().is_ok() {
        let left = change.left(customer).await?;
        outcome.text.extend(left.lines);
        if left.is_something && outcome.exit == Exit::Done {
            outcome.exit = Exit::SomeFailed;
        }
    }
    Ok(outcome)
}
