//! `secmon profile ...`: named pairs of address and key.

use super::auth::forget;
use crate::args::{ProfileCommand, ProfileCreateArgs};
use crate::context::{Context, Danger};
use crate::error::CliError;
use crate::session::credentials;
use crate::session::profile::{self, ConfigDocument, Profile};
use crate::ui::outcome::{Cell, Column, Line, Outcome, Table, shown};
use serde_json::{Value, json};

const COLUMNS: &[Column] = &[
    shown("name"),
    shown("base_url"),
    shown("customer"),
    shown("default"),
    shown("read_only"),
    shown("protected"),
];

/// Runs the command.
pub fn run(context: &Context, command: ProfileCommand) -> Result<Outcome, CliError> {
    match command {
        ProfileCommand::List => Ok(list(context)),
        ProfileCommand::Use { name } => use_by_default(context, &name),
        ProfileCommand::Show { name } => show(context, name),
        ProfileCommand::Create(args) => create(context, &args),
        ProfileCommand::Rename { name, new } => rename(context, &name, &new),
        ProfileCommand::Delete { name } => delete(context, &name),
    }
}

fn list(context: &Context) -> Outcome {
    let config = &context.settings.config;
    let mut table = Table::new(COLUMNS);
    let profiles = config.profiles.iter();
    table.rows = profiles
        .clone()
        .map(|(name, profile)| row(context, name, profile))
        .collect();
    let result = profiles
        .map(|(name, profile)| to_json(context, name, profile))
        .collect();
    Outcome::record(Value::Array(result), table)
}

fn is_default(context: &Context, name: &str) -> bool {
    context.settings.config.default_profile.as_deref() == Some(name)
}

fn row(context: &Context, name: &str, profile: &Profile) -> Vec<Cell> {
    vec![
        Cell::text(name),
        Cell::maybe(profile.base_url.as_ref()),
        profile.customer.map_or(Cell::Missing, Cell::Number),
        Cell::text(is_default(context, name)),
        Cell::text(profile.read_only),
        Cell::text(profile.protected),
    ]
}

fn to_json(context: &Context, name: &str, profile: &Profile) -> Value {
    json!({
        "name": name,
        "base_url": profile.base_url,
        "customer": profile.customer,
        "namespace": profile.namespace,
        "rate_limits": profile.rate_limits,
        "allow_http": profile.allow_http,
        "read_only": profile.read_only,
        "protected": profile.protected,
        "key": key_place(profile),
        "default": is_default(context, name),
    })
}

fn key_place(profile: &Profile) -> Option<String> {
    let command = profile
        .key_command
        .as_ref()
        .map(|command| format!("command {command:?}"));
    command.or_else(|| {
        profile
            .key_file
            .as_ref()
            .map(|file| format!("file {}", file.display()))
    })
}

/// Where the key is, and its last characters where it is kept in a file.
fn key_shown(context: &Context, profile: &Profile) -> String {
    let place = key_place(profile).unwrap_or_else(|| "none".to_owned());
    let file = profile
        .key_file
        .as_ref()
        .filter(|_| profile.key_command.is_none());
    let key = file.map(|file| credentials::read_file(&context.settings.config_folder().join(file)));
    match key {
        Some(Ok(key)) => format!("{} ({place})", key.masked_tail()),
        Some(Err(error)) => error.message().to_owned(),
        None => place,
    }
}

fn use_by_default(context: &Context, name: &str) -> Result<Outcome, CliError> {
    if name == profile::LOCAL {
        return Err(CliError::usage(
            "local is the embedded mock and no profile: say --local, or set SECMON_PROFILE=local",
        ));
    }
    context.settings.config.profile(name)?;
    if let Some(said) = context.only_said(&format!("use profile {name} when none is named")) {
        return Ok(said);
    }
    ConfigDocument::change(&context.settings.config_path, |document| {
        document.set_default(name);
        Ok(())
    })?;
    Ok(said(
        name,
        format!("Profile {name} is used when none is named."),
    ))
}

fn show(context: &Context, name: Option<String>) -> Result<Outcome, CliError> {
    let name = name.or_else(|| context.settings.profile_name.clone());
    let name = name.ok_or_else(|| {
        CliError::usage("no profile is in use: say which, as in secmon profile show NAME")
    })?;
    let profile = context.settings.config.profile(&name)?;
    let story = vec![
        Line::text(format!("Profile {name}")),
        Line::Field("address", Cell::maybe(profile.base_url.as_ref())),
        Line::Field("key", Cell::text(key_shown(context, profile))),
        Line::Field("customer", Cell::maybe(profile.customer)),
        Line::Field("read only", Cell::text(profile.read_only)),
        Line::Field("protected", Cell::text(profile.protected)),
    ];
    let table = Table::one(COLUMNS, row(context, &name, profile));
    Ok(Outcome::record(to_json(context, &name, profile), table).tell(story))
}

fn create(context: &Context, args: &ProfileCreateArgs) -> Result<Outcome, CliError> {
    let name = args.name.as_str();
    profile::check_name(name)?;
    let path = &context.settings.config_path;
    ConfigDocument::open(path)?.refuse_taken(name)?;
    let base_url = context.settings.base_url_flag.clone().ok_or_else(|| {
        CliError::usage("a profile needs the address of its service: give --base-url")
    })?;
    if let Some(said) = context.only_said(&format!("make profile {name}")) {
        return Ok(said);
    }
    ConfigDocument::change(path, |document| {
        // Another process may have made it meanwhile.
        document.refuse_taken(name)?;
        document.set(name, "base_url", base_url);
        if let Some(customer) = context.settings.customer {
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

fn rename(context: &Context, name: &str, new: &str) -> Result<Outcome, CliError> {
    let settings = &context.settings;
    let profile = settings.config.profile(name)?;
    profile::check_name(new)?;
    ConfigDocument::open(&settings.config_path)?.refuse_taken(new)?;
    if let Some(said) = context.only_said(&format!("rename profile {name} to {new}")) {
        return Ok(said);
    }
    // The key that `auth login` keeps is named after its profile; any other file stays where it is.
    let kept = profile::key_file_of(name);
    let moves = profile.key_file.as_ref() == Some(&kept);
    let kept = settings.config_folder().join(kept);
    ConfigDocument::change(&settings.config_path, |document| {
        document.refuse_taken(new)?;
        document.rename(name, new);
        if moves {
            let file = profile::key_file_of(new);
            credentials::copy_file(&kept, &settings.config_folder().join(&file))?;
            document.set(new, "key_file", file.display().to_string());
        }
        Ok(())
    })?;
    if moves {
        forget(&kept)?;
    }
    Ok(said(new, format!("Profile {name} is called {new} now.")))
}

fn delete(context: &Context, name: &str) -> Result<Outcome, CliError> {
    let profile = context.settings.config.profile(name)?;
    context.confirm(
        Danger::Moderate,
        &format!("About to delete profile {name} and its key."),
        name,
    )?;
    if let Some(said) = context.only_said(&format!("delete profile {name} and its key")) {
        return Ok(said);
    }
    ConfigDocument::change(&context.settings.config_path, |document| {
        if let Some(file) = &profile.key_file {
            forget(&context.settings.config_folder().join(file))?;
        }
        document.remove(name);
        Ok(())
    })?;
    Ok(said(name, format!("Profile {name} is deleted.")))
}

fn said(name: &str, sentence: String) -> Outcome {
    Outcome::record(json!({ "name": name }), Table::new(&[])).tell(vec![Line::Text(sentence)])
}
