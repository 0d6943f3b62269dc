//! `secmon domain release`: the slot is given up for good.

use super::{named, provision};
use crate::bulk::{self, Done, End, Words};
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::session::Session;
use crate::session::prompt::Danger;
use crate::ui::outcome::{Outcome, to_json};
use clap::Args;
use secmon::model::{CustomerId, DomainId};
use secmon::operations::{GetDomainSummary, ReleaseDomain};
use serde_json::{Value, json};

const RELEASED: Words = Words {
    done: "released",
    skipped: "already released",
};

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
    let (name, given) = (args.domain.as_str(), args.service.as_deref());
    context
        .session
        .settings
        .need_billing("a slot is given up")?;
    let service = provision::service(&context.prompt, given)?;
    let (domain, customer) = named::one(context, name).await?;
    let label = domain.label();
    let question = format!(
        "About to give up {label} of customer {customer} and its slot of service {service} for good: record, alerts and history."
    );
    context.prompt.confirm(Danger::Severe, &question, &label)?;
    let sent = context
        .session
        .write(
            ReleaseDomain::new(customer, service, domain.id),
            &format!("domain {label}"),
        )
        .await;
    let sent = match sent {
        Err(error)
            if error.may_have_happened()
                && is_gone(&context.session, domain.id, customer).await =>
        {
            let sentence = format!("Domain {label} was released.");
            let record = json!({ "monitored_domain_id": domain.id, "released": true });
            let end = End::Done(released(domain.id, record, sentence));
            return bulk::conclude(
                &context.screen,
                RELEASED,
                vec![named::item(&label, customer, end)],
            );
        }
        sent => sent.map_err(|error| error.during(format!("releasing {label}")))?,
    };
    let end = sent.map_or(End::Planned, |answer| {
        let slots = answer.data.slots_used.zip(answer.data.slots_total);
        let slots = slots
            .map(|(used, total)| format!(" {used} of {total} slots are in use now."))
            .unwrap_or_default();
        let sentence = format!("Domain {label} was released.{slots}");
        End::Done(released(domain.id, to_json(&answer.data), sentence))
    });
    bulk::conclude(
        &context.screen,
        RELEASED,
        vec![named::item(&label, customer, end)],
    )
}

/// A release whose answer was lost is looked for, never sent again.
async fn is_gone(session: &Session, id: DomainId, customer: CustomerId) -> bool {
    let summary = session.read(GetDomainSummary::new(customer, id)).await;
    summary.is_err_and(|error| error.exit() == Exit::NotFound)
}

fn released(id: DomainId, record: Value, sentence: String) -> Done {
    Done {
        id: id.to_string(),
        record,
        sentence,
        ..Done::default()
    }
}
