//! `secmon domain rename`.

use super::named;
use crate::bulk::{self, Done, End, Item, Label};
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::way_back::WayBack;
use crate::ui::outcome::Outcome;
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
    let (name, new) = (args.domain.as_str(), args.new.as_str());
    let (domain, customer) = named::one(context, name).await?;
    let way_back = domain.name.clone().map(|name| WayBack::RenameDomain {
        domain: domain.id,
        name,
    });
    let sent = context
        .session
        .write_reversibly(
            UpdateDomain::new(domain.id, new),
            &format!("domain {}", domain.label()),
            None,
            |_| way_back,
        )
        .await;
    let sent = sent.map_err(|error| error.during(format!("renaming {}", domain.label())))?;
    let label = domain.label();
    let end = sent.map_or(End::Planned, |answer| {
        let sentence = format!("Domain {label} is now watched as {new}; its history stays.");
        Done::answered(domain.id, &answer, sentence).changed()
    });
    let label = Label::of(label, Some(customer));
    bulk::conclude_one(Item::of(label, end))
}
