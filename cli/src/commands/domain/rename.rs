//! `secmon domain rename`.

use super::named;
use crate::bulk::{self, Applied, Item, Label, RowOutcome};
use crate::context::Context;
use crate::error::CliError;
use crate::session::calls::PlannedChange;
use crate::ui::outcome::{Outcome, to_json};
use crate::values::domain_names;
use clap::Args;
use secmon::operations::UpdateDomain;

/// A domain and its new name.
#[derive(Debug, Args)]
pub struct DomainRenameArgs {
    /// The domain: name or id
    pub domain: String,
    /// The new name
    pub new: String,
}

/// `secmon domain rename`.
pub async fn run(context: &Context, args: &DomainRenameArgs) -> Result<Outcome, CliError> {
    let new = args.new.as_str();
    let (domain, customer) = named::one(context, &args.domain).await?;
    let (update, label) = (UpdateDomain::new(domain.id, new), domain.name.clone());
    if domain_names::normalized(new) == label {
        let sentence = format!("Domain {label} has this name already; nothing was changed.");
        let applied = Applied {
            id: domain.id.to_string(),
            record: to_json(&domain.listed),
            note: Some("already has this name".to_owned()),
            sentence,
            ..Applied::default()
        };
        let label = Label::of(label, Some(customer));
        return bulk::conclude_one(Item::of(label, RowOutcome::Skipped(applied)));
    }
    let planned = PlannedChange::new(format!("domain {label}"))
        .of(Some(customer))
        .before(&domain.listed);
    let sent = context.session.change(update, planned).await;
    let sent = sent.map_err(|error| error.during(format!("renaming {label}")))?;
    let outcome = sent.map_or(RowOutcome::Planned, |answered| {
        let sentence = format!("Domain {label} is now watched as {new}; its history stays.");
        Applied::answered(domain.id, &answered.response, sentence).changed()
    });
    let label = Label::of(label, Some(customer));
    bulk::conclude_one(Item::of(label, outcome))
}
