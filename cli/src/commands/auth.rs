//! `secmon auth ...`: the key of a profile.

use crate::args::{AuthCommand, LoginArgs};
use crate::context::Context;
use crate::error::{CliError, Own};
use crate::session::credentials::{self, TypedKey};
use crate::session::profile::{self, ConfigDocument};
use crate::session::service;
use crate::session::service::{KeySource, Source};
use crate::ui::outcome::{Cell, Column, Line, Outcome, Table, shown};
use secmon::operations::ListEndpoints;
use secmon::{ApiKey, Client};
use serde_json::json;
use std::path::Path;

const COLUMNS: &[Column] = &[
    shown("service"),
    shown("base_url"),
    shown("key"),
    shown("key_source"),
    shown("accepted"),
];
/// The profile that `auth login` makes when none is named.
const FIRST_PROFILE: &str = "default";

/// Runs the command.
pub async fn run(context: &Context, command: AuthCommand) -> Result<Outcome, CliError> {
    match command {
        AuthCommand::Login(args) => login(context, args).await,
        AuthCommand::Status => status(context).await,
        AuthCommand::Logout => logout(context),
    }
}

async fn login(context: &Context, args: LoginArgs) -> Result<Outcome, CliError> {
    let settings = &context.settings;
    let name = settings
        .profile_name
        .clone()
        .unwrap_or_else(|| FIRST_PROFILE.to_owned());
    profile::check_name(&name)?;
    let base_url = address(context, &name, &args)?;
    if let Some(said) = context.only_said(&format!("keep profile {name} for {base_url}")) {
        return Ok(said);
    }
    let key = match &args.key_command {
        Some(command) => {
            check(context, &base_url, credentials::run_command(command)?).await?;
            NewKey::Command(command.clone())
        }
        None => {
            let question = format!("API key for {base_url} (profile {name})");
            let key = typed_key(context, &args, &question)?;
            check(context, &base_url, key.check()?).await?;
            NewKey::Typed(key)
        }
    };
    // Nobody else waits for a person or for the service.
    ConfigDocument::change(&settings.config_path, |document| {
        document.set(&name, "base_url", base_url.as_str());
        key.keep(document, &name, settings.config_folder())?;
        if args.read_only {
            document.set(&name, "read_only", true);
        }
        if document.default_profile().is_none() {
            document.set_default(&name);
        }
        Ok(())
    })?;
    let sentence = format!(
        "Profile {name} is kept in {}; the service accepts its key.",
        settings.config_path.display()
    );
    let result = json!({ "profile": name, "base_url": base_url, "config": settings.config_path });
    let mut story = vec![Line::text(sentence)];
    if args.read_only {
        story.push(Line::text(
            "It is read-only: this program refuses every change with it.",
        ));
    }
    Ok(Outcome::record(result, Table::new(&[])).tell(story))
}

/// A key that the service has accepted.
enum NewKey {
    /// What prints it.
    Command(String),
    /// What was typed.
    Typed(TypedKey),
}

impl NewKey {
    /// Keeps it for a profile, in the place of the one before.
    fn keep(
        &self,
        document: &mut ConfigDocument,
        profile: &str,
        folder: &Path,
    ) -> Result<(), CliError> {
        match self {
            Self::Command(command) => {
                document.set(profile, "key_command", command.as_str());
                document.unset(profile, "key_file");
            }
            Self::Typed(key) => {
                let file = profile::key_file_of(profile);
                key.keep(&folder.join(&file))?;
                document.set(profile, "key_file", file.display().to_string());
                document.unset(profile, "key_command");
            }
        }
        Ok(())
    }
}

/// The address of the profile, judged before a key is asked for.
fn address(context: &Context, name: &str, args: &LoginArgs) -> Result<String, CliError> {
    const QUESTION: &str = "Address of your portal (https://...)";
    let settings = &context.settings;
    let known = settings
        .config
        .profiles
        .get(name)
        .and_then(|profile| profile.base_url.clone());
    let asks_key = args.key_command.is_none() && !args.key_stdin;
    let asks = asks_key && context.may_ask() && !settings.safety.dry_run;
    let given = match (settings.base_url_flag.clone(), known) {
        (Some(flag), _) => flag,
        (None, Some(known)) if asks => {
            let question = format!("Address of your portal for profile {name}");
            match context.ask_again(&question, &known)?.trim() {
                "" => known,
                other => other.to_owned(),
            }
        }
        (None, Some(known)) => known,
        (None, None) => context.ask("--base-url", "the address of the service", QUESTION)?,
    };
    let base_url = service::with_scheme(&given);
    if base_url != given.trim() {
        context.note(&format!("{given} is taken for {base_url}"));
    }
    context.check_address(&base_url)?;
    Ok(base_url)
}

fn typed_key(context: &Context, args: &LoginArgs, question: &str) -> Result<TypedKey, CliError> {
    if args.key_stdin {
        return TypedKey::from_stdin();
    }
    if !context.may_ask() {
        return Err(CliError::usage(
            "there is nobody to ask for the key: pipe it in with --key-stdin, or give --key-command",
        ));
    }
    context.typed_key(question)
}

/// One cheap read shows whether the service takes the key.
async fn check(context: &Context, base_url: &str, key: ApiKey) -> Result<(), CliError> {
    let client = context.client_for(base_url, key)?;
    accepts(&client).await.map_err(|error| {
        error
            .during("checking the key")
            .hint("nothing was kept: check the key and the address, and try again")
    })
}

async fn accepts(client: &Client) -> Result<(), CliError> {
    client
        .send(ListEndpoints::account_wide().per_page(1))
        .await?;
    Ok(())
}

async fn status(context: &Context) -> Result<Outcome, CliError> {
    let service = context.settings.service.as_ref().map_err(Clone::clone)?;
    let key = context.key_in_use()?;
    let name = match &service.source {
        Source::Local => "embedded mock".to_owned(),
        Source::Profile(name) => format!("profile {name}"),
        Source::Environment => "environment".to_owned(),
    };
    let source = source_name(&service.key);
    context.ready().await?;
    let refusal = accepts(context.client()?).await.err();
    let accepted = refusal.as_ref().map_or("yes", |_| "no");
    let masked = key.masked_tail();
    let result = json!({
        "service": name, "base_url": service.base_url, "key": masked, "key_source": source, "accepted": refusal.is_none(),
    });
    let row = vec![
        Cell::text(&name),
        Cell::text(&service.base_url),
        Cell::text(&masked),
        Cell::text(&source),
        Cell::text(accepted),
    ];
    if let Some(error) = refusal {
        return Err(error.during(format!(
            "asking {} with the key {masked} from {source} ({name})",
            service.base_url
        )));
    }
    let story = vec![
        Line::text(format!("The service accepts the key ({name}).")),
        Line::Field("address", Cell::text(&service.base_url)),
        Line::Field("key", Cell::text(masked)),
        Line::Field("key source", Cell::text(source)),
    ];
    Ok(Outcome::record(result, Table::one(COLUMNS, row)).tell(story))
}

/// Where a key is kept, in words.
pub fn source_name(source: &KeySource) -> String {
    match source {
        KeySource::Local => "the embedded mock".to_owned(),
        KeySource::Environment(_) => "SECMON_API_KEY".to_owned(),
        KeySource::File(path) | KeySource::Mounted(path) => format!("file {}", path.display()),
        KeySource::Command(command) => format!("command {command:?}"),
        KeySource::Ask => "the terminal".to_owned(),
    }
}

fn logout(context: &Context) -> Result<Outcome, CliError> {
    let settings = &context.settings;
    let name = settings.profile_name.clone().ok_or_else(|| {
        CliError::usage("no profile is in use: name it with --profile")
            .hint("see the profiles there are: `profile list`")
    })?;
    let profile = settings.config.profile(&name)?;
    if profile.key_file.is_none() && profile.key_command.is_none() {
        return Err(CliError::usage(format!(
            "profile {name} has no key: nothing is left to forget"
        )));
    }
    if let Some(said) = context.only_said(&format!("forget the key of profile {name}")) {
        return Ok(said);
    }
    ConfigDocument::change(&settings.config_path, |document| {
        if let Some(file) = &profile.key_file {
            forget(&settings.config_folder().join(file))?;
        }
        document.unset(&name, "key_file");
        document.unset(&name, "key_command");
        Ok(())
    })?;
    let sentence = format!(
        "The key of profile {name} is forgotten here. It stays valid at the service until you regenerate it in the portal."
    );
    Ok(Outcome::record(json!({ "profile": name }), Table::new(&[]))
        .tell(vec![Line::text(sentence)]))
}

/// Deletes a key file; one that is gone already is as good.
pub fn forget(path: &Path) -> Result<(), CliError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(CliError::new(
            Own::Io,
            format!("key file {}: {error}", path.display()),
        )),
        _ => Ok(()),
    }
}
