//! `secmon config set`.

use super::key::{SettingKey, ValueKind, change, said};
use crate::context::Context;
use crate::error::CliError;
use crate::machine::env_vars;
use crate::session::{Session, service, settings};
use crate::ui::outcome::Outcome;

/// Runs the command.
pub fn run(context: &Context, key: &str, value: &str) -> Result<Outcome, CliError> {
    let key = SettingKey::parse(context, key)?;
    change(&context.session, |document| match &key {
        SettingKey::DefaultProfile => {
            context.session.settings.config.profile(value)?;
            document.set_default(value);
            Ok(())
        }
        SettingKey::Of {
            profile,
            field,
            kind,
        } => {
            settings::check_field(field, value)?;
            if *field == "base_url" {
                refuse_another_service(&context.session, profile, value)?;
            } else {
                // A mistyped name would begin a profile that has no address.
                context.session.settings.config.profile(profile)?;
            }
            document.set(profile, field, typed(field, *kind, value)?);
            Ok(())
        }
    })?;
    Ok(said(&key, format!("{} is {value}.", key.name())))
}

/// A key goes to the service it was kept for, and to no other.
fn refuse_another_service(session: &Session, name: &str, url: &str) -> Result<(), CliError> {
    let Some(profile) = session.settings.config.profiles.get(name) else {
        return Ok(());
    };
    let has_key = profile.key_file.is_some() || profile.key_command.is_some();
    match &profile.base_url {
        Some(own) if has_key && !service::may_move(own, url) => Err(CliError::usage(format!(
            "the key of profile {name} was saved for {own} and must not be sent to {url}"
        ))
        .hint(format!(
            "keep that service's key: `auth login --profile {name} --base-url {url}`"
        ))),
        _ => Ok(()),
    }
}

fn typed(field: &str, kind: ValueKind, value: &str) -> Result<toml_edit::Value, CliError> {
    let wrong = |what: &str| CliError::usage(format!("{field}: {value:?} is {what}"));
    Ok(match kind {
        ValueKind::Text if value.trim().is_empty() => {
            return Err(wrong("empty: to take a setting out, use config unset"));
        }
        ValueKind::Text => value.into(),
        ValueKind::Number => value
            .trim()
            .parse::<i64>()
            .map_err(|_| wrong("not a number"))?
            .into(),
        ValueKind::Switch => env_vars::on_or_off(value)
            .ok_or_else(|| wrong("neither true nor false"))?
            .into(),
        ValueKind::List => value
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .collect::<toml_edit::Array>()
            .into(),
    })
}
