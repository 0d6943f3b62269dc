//! `secmon auth login`.

use super::status::accepts;
use crate::context::Context;
use crate::error::CliError;
use crate::session::credentials::{self, TypedKey};
use crate::session::profile::{self, ConfigDocument};
use crate::session::prompt::Prompt;
use crate::session::{Session, service};
use crate::ui::outcome::{Block, Outcome};
use clap::Args;
use secmon::ApiKey;
use serde_json::json;
use std::io::IsTerminal;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  secmon profile create colleague --same-as work --read-only   no login: the same key
  secmon auth login                                            asks for address and key
  secmon auth login --profile work --base-url https://portal.example.com --key-stdin < key.txt
  secmon auth login --profile work --key-command \"pass show secmon\"";

/// Where the key comes from.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LoginArgs {
    /// Read the key from standard input instead of asking for it
    #[arg(long, conflicts_with = "key_command")]
    pub key_stdin: bool,
    /// Store no key: run this command to get it each time, such as "pass show secmon"
    #[arg(long, value_name = "CMD")]
    pub key_command: Option<String>,
    /// Refuse every change made with this profile on this computer; elsewhere the key still allows changes
    #[arg(long)]
    pub read_only: bool,
}

/// The profile that `auth login` makes when none is named.
const FIRST_PROFILE: &str = "default";

/// Runs the command.
pub async fn run(context: &Context, args: LoginArgs) -> Result<Outcome, CliError> {
    let settings = &context.session.settings;
    let name = settings
        .profile_name
        .clone()
        .unwrap_or_else(|| FIRST_PROFILE.to_owned());
    profile::check_name(&name)?;
    let base_url = address(context, &name, &args)?;
    if let Some(said) = context
        .session
        .only_said(&format!("keep profile {name} for {base_url}"))
    {
        return Ok(said);
    }
    let key = match &args.key_command {
        Some(command) => {
            check(
                &context.session,
                &base_url,
                credentials::run_command(command)?,
            )
            .await?;
            NewKey::Command(command.clone())
        }
        None => {
            let question = format!("API key for {base_url} (profile {name})");
            let key = typed_key(&context.prompt, &args, &question)?;
            check(&context.session, &base_url, key.check()?).await?;
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
        "Profile {name} is saved in {}; the service accepts its key.",
        settings.config_path.display()
    );
    let result = json!({ "profile": name, "base_url": base_url, "config": settings.config_path });
    let mut outcome = Outcome::said(result, sentence);
    if args.read_only {
        outcome.text.push(Block::text(
            "It is read-only: this program refuses every change with it.",
        ));
    }
    Ok(outcome)
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
    let settings = &context.session.settings;
    let known = settings
        .config
        .profiles
        .get(name)
        .and_then(|profile| profile.base_url.clone());
    let asks_key = args.key_command.is_none() && !args.key_stdin;
    let asks = asks_key && context.prompt.may_ask() && !settings.safety.dry_run;
    if settings.base_url_flag.is_none() && known.is_some() {
        service::refuse_foreign(&settings.config, &settings.config_path)?;
    }
    let given = match (settings.base_url_flag.clone(), known) {
        (Some(flag), _) => flag,
        (None, Some(known)) if asks => {
            let question = format!("Address of your portal for profile {name}");
            match context.prompt.ask_again(&question, &known)?.trim() {
                "" => known,
                other => other.to_owned(),
            }
        }
        (None, Some(known)) => known,
        (None, None) => context
            .prompt
            .ask("--base-url", "the address of the service", QUESTION)?,
    };
    let base_url = service::with_scheme(&given);
    if base_url != given.trim() {
        context.screen.note(&format!("Using {base_url}"));
    }
    context.session.check_address(&base_url)?;
    Ok(base_url)
}

fn typed_key(prompt: &Prompt, args: &LoginArgs, question: &str) -> Result<TypedKey, CliError> {
    // At a terminal the key would show while it is typed.
    if args.key_stdin && !std::io::stdin().is_terminal() {
        return TypedKey::from_stdin();
    }
    if !prompt.may_ask() {
        return Err(CliError::usage(
            "there is nobody to ask for the key: pipe it in with --key-stdin, or give --key-command",
        ));
    }
    prompt.typed_key(question)
}

/// One cheap read shows whether the service takes the key.
async fn check(session: &Session, base_url: &str, key: ApiKey) -> Result<(), CliError> {
    let client = session.client_for(base_url, key)?;
    accepts(&client).await.map_err(|error| {
        error
            .during("checking the key")
            .hint("nothing was saved: check the key and the address, and try again")
    })
}
