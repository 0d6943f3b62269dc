//! `secmon domain rename`.

use super::named::{self, moved};
use crate::bulk::{self, End, Words};
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use secmon::operations::UpdateDomain;

const RENAMED: Words = Words {
    done: "renamed",
    skipped: "named so before",
};

/// `secmon domain rename`.
pub async fn run(context: &Context, name: &str, new: String) -> Result<Outcome, CliError> {
    let (domain, customer) = named::one(context, name).await?;
    let sent = context
        .session
        .write(
            UpdateDomain::new(domain.id, new.as_str()),
            &format!("domain {}", domain.label()),
        )
        .await;
    let sent = sent.map_err(|error| error.during(format!("renaming {}", domain.label())))?;
    let end = sent.map_or(End::Planned, |answer| {
        moved(
            domain.id,
            &answer,
            format!(
                "Domain {} is now watched as {new}; its history stays.",
                domain.label()
            ),
        )
    });
    bulk::conclude(
        &context.screen,
        RENAMED,
        vec![named::item(&domain.label(), customer, end)],
    )
}
