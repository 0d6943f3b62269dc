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
    let new = args.new.as_str();
    let (domain, customer) = named::one(context, &args.domain).await?;
    let way_back = domain.name.clone().map(|name| WayBack::RenameDomain {
        domain: domain.id,
        name,
    });
    let (update, label) = (UpdateDomain::new(domain.id, new), domain.label());
    let about = format!("domain {label}");
    let session = &context.session;
    let sent = session.write_reversibly(update, &about, None, |_| way_back);
    let sent = sent.await;
    let sent = sent.map_err(|error| error.during(format!("renaming {label}")))?;
    let end = sent.map_or(End::Planned, |answer| {
        let sentence = format!("Domain {label} is now watched as {new}; its history stays.");
        Done::answered(domain.id, &answer, sentence).changed()
    });
    let label = Label::of(label, Some(customer));
    bulk::conclude_one(Item::of(label, end))
}
