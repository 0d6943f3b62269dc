//! `secmon profile create`.

use super::view::said;
use crate::error::CliError;
use crate::session::profile::{self, ConfigDocument, Profile};
use crate::session::settings::Settings;
use crate::session::{Session, credentials, service};
use crate::ui::outcome::{Block, Outcome};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  secmon profile create colleague --same-as work --read-only   the same key, no changes
  secmon profile create test --base-url https://portal.test.example";

/// A new profile; its address is --base-url or another profile's, its customer -c.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ProfileCreateArgs {
    /// Name of the profile
    pub name: String,
    /// Copy the address, key and rate limits from this profile
    #[arg(long, value_name = "PROFILE", conflicts_with = "base_url")]
    pub same_as: Option<String>,
    /// Refuse every change
    #[arg(long)]
    pub read_only: bool,
    /// Wherever a change asks for a yes, ask for the name or count to be typed instead
    #[arg(long)]
    pub protected: bool,
}

/// Runs the command.
pub fn run(session: &Session, args: &ProfileCreateArgs) -> Result<Outcome, CliError> {
    let name = args.name.as_str();
    profile::check_name(name)?;
    let path = &session.settings.config_path;
    ConfigDocument::open(path)?.refuse_taken(name)?;
    let like = match &args.same_as {
        Some(other) => session.settings.config.profile(other)?.clone(),
        None => Profile {
            base_url: session.settings.base_url_flag.clone(),
            ..Profile::default()
        },
    };
    let base_url = like.base_url.clone().ok_or_else(|| {
        CliError::usage("a profile needs the address of its service: give --base-url, or --same-as with a profile that has one")
    })?;
    service::check_address(&base_url)?;
    if let Some(said) = session.only_said(&format!("make profile {name}")) {
        return Ok(said);
    }
    ConfigDocument::change(path, |document| {
        // Another process may have made it meanwhile.
        document.refuse_taken(name)?;
        document.set(name, "base_url", base_url);
        take_over(document, name, &like, &session.settings)?;
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
    if like.key_file.is_some() || like.key_command.is_some() {
        let other = args.same_as.as_deref().unwrap_or_default();
        let only = if args.read_only { ", read-only" } else { "" };
        return Ok(said(
            name,
            format!("Profile {name} was created on this computer{only} with the key of {other}."),
        ));
    }
    let mut outcome = said(name, format!("Profile {name} is made; it has no key yet."));
    outcome.text.push(Block::next(
        format!("auth login --profile {name}"),
        "give it its key",
    ));
    Ok(outcome)
}

/// Takes over from another profile what belongs to its address; its key goes into a file of its own, since a profile
/// that is deleted takes its file along.
fn take_over(
    document: &mut ConfigDocument,
    name: &str,
    like: &Profile,
    settings: &Settings,
) -> Result<(), CliError> {
    if let Some(file) = &like.key_file {
        let own = profile::key_file_of(name);
        let folder = settings.config_folder();
        credentials::copy_file(&folder.join(file), &folder.join(&own))?;
        document.set(name, "key_file", own.display().to_string());
    }
    for (field, value) in [
        ("key_command", &like.key_command),
        ("namespace", &like.namespace),
        ("rate_limits", &like.rate_limits),
    ] {
        if let Some(value) = value {
            document.set(name, field, value.as_str());
        }
    }
    if !like.allow_http.is_empty() {
        let hosts: toml_edit::Array = like.allow_http.iter().map(String::as_str).collect();
        document.set(name, "allow_http", hosts);
    }
    Ok(())
}
