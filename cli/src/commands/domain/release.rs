//! `secmon domain release`: the slot is given up for good.

use super::{named, provision};
use crate::bulk::{self, Applied, Item, Label, RowOutcome};
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::session::prompt::ConfirmationLevel;
use crate::ui::outcome::{Outcome, to_json};
use clap::Args;
use secmon::model::{CustomerId, DomainId};
use secmon::operations::{GetDomainSummary, ReleaseDomain};
use serde_json::json;

/// The domain to give up.
#[derive(Debug, Args)]
pub struct DomainReleaseArgs {
    /// The domain: name or id
    pub domain: String,
    /// Number of the billing service whose slot is given up
    #[arg(long, value_name = "ID")]
    pub service: Option<String>,
}

/// `secmon domain release`: the slot is given up for good, so the name is typed.
pub async fn run(context: &Context, args: &DomainReleaseArgs) -> Result<Outcome, CliError> {
    let settings = &context.session.settings;
    settings.need_billing("a slot is given up")?;
    let service = provision::service(&context.prompt, args.service.as_deref())?;
    let (domain, customer) = named::one(context, &args.domain).await?;
    let label = domain.name.clone();
    let question = format!(
        "About to give up {label} of customer {customer} and its slot of service {service} for good: record, alerts and history."
    );
    context
        .prompt
        .confirm(ConfirmationLevel::Severe, &question, &label)?;
    let (session, request) = (
        &context.session,
        ReleaseDomain::new(customer, service, domain.id),
    );
    let planned = PlannedChange::new(format!("domain {label} of customer {customer}"));
    let sent = session.write(request, planned.before(&domain.listed)).await;
    let released = |record, slots: String| {
        RowOutcome::Applied(Applied {
            id: domain.id.to_string(),
            record,
            sentence: format!("Domain {label} was released.{slots}"),
            ..Applied::default()
        })
    };
    let outcome = match sent {
        Ok(None) => RowOutcome::Planned,
        Ok(Some(answer)) => {
            let slots = answer.data.slots_used.zip(answer.data.slots_total);
            let slots =
                slots.map(|(used, total)| format!(" {used} of {total} slots are in use now."));
            released(to_json(&answer.data), slots.unwrap_or_default())
        }
        Err(error) if error.may_have_happened() && is_gone(session, domain.id, customer).await => {
            let record = json!({ "monitored_domain_id": domain.id, "released": true });
            released(record, String::new())
        }
        Err(error) => return Err(error.during(format!("releasing {label}"))),
    };
    let label = Label::of(label, Some(customer));
    bulk::conclude_one(Item::of(label, outcome))
}

/// A release whose answer was lost is looked for, never sent again.
async fn is_gone(session: &Session, id: DomainId, customer: CustomerId) -> bool {
    let summary = session.read(GetDomainSummary::new(customer, id)).await;
    summary.is_err_and(|error| error.exit() == Exit::NotFound)
}
