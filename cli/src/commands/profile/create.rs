//! `secmon profile create`.

use super::said;
use crate::error::CliError;
use crate::session::Session;
use crate::session::profile::{self, ConfigDocument};
use crate::ui::outcome::{Line, Outcome};
use clap::Args;

/// A new profile; its address is --base-url, its customer -c.
#[derive(Debug, Args)]
pub struct ProfileCreateArgs {
    /// Name of the profile
    pub name: String,
    /// Refuse every change
    #[arg(long)]
    pub read_only: bool,
    /// Ask for the name or count to be typed before every change that is asked about
    #[arg(long)]
    pub protected: bool,
}

/// Runs the command.
pub fn run(session: &Session, args: &ProfileCreateArgs) -> Result<Outcome, CliError> {
    let name = args.name.as_str();
    profile::check_name(name)?;
    let path = &session.settings.config_path;
    ConfigDocument::open(path)?.refuse_taken(name)?;
    let base_url = session.settings.base_url_flag.clone().ok_or_else(|| {
        CliError::usage("a profile needs the address of its service: give --base-url")
    })?;
    if let Some(said) = session.only_said(&format!("make profile {name}")) {
        return Ok(said);
    }
    ConfigDocument::change(path, |document| {
        // Another process may have made it meanwhile.
        document.refuse_taken(name)?;
        document.set(name, "base_url", base_url);
        if let Some(customer) = session.settings.customer {
            let customer = i64::try_from(customer.get()).unwrap_or(i64::MAX);
            document.set(name, "customer", customer);
        }
        for (field, wanted) in [("read_only", args.read_only), ("protected", args.protected)] {
            if wanted {
                document.set(name, field, true);
            }
        }
        Ok(())
    })?;
    let mut outcome = said(name, format!("Profile {name} is made; it has no key yet."));
    outcome.story.push(Line::next(
        format!("auth login --profile {name}"),
        "give it its key",
    ));
    Ok(outcome)
}
