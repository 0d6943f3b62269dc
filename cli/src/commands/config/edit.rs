//! `secmon config edit`: the file in an editor.

use crate::error::{CliError, LocalErrorKind};
use crate::machine::{children, files};
use crate::session::Session;
use crate::session::profile::{self, ConfigFile};
use crate::session::prompt::Prompt;
use crate::ui::outcome::Outcome;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// A copy is edited, and takes the file's place when it can be read.
pub fn run(session: &Session, prompt: &Prompt) -> Result<Outcome, CliError> {
    if !prompt.may_ask() {
        return Err(CliError::usage(
            "an editor needs a terminal: use `config set KEY VALUE`",
        ));
    }
    let path = &session.settings.config_path;
    if let Some(said) = session.only_said(&format!("edit {}", path.display())) {
        return Ok(said);
    }
    let draft = path.with_extension("draft.toml");
    let before = profile::read_optional(path)?.unwrap_or_default();
    files::write_private(&draft, before.as_bytes())?;
    run_editor(&draft)?;
    let after = std::fs::read_to_string(&draft)
        .map_err(|error| CliError::io(&format!("reading {}", draft.display()), &error))?;
    ConfigFile::parse(&after, &draft).map_err(|error| {
        error.hint(format!(
            "the configuration in use is unchanged; your edit is saved in {}: correct it and move it to {}",
            draft.display(),
            path.display()
        ))
    })?;
    put_in_place(path, &before, &after)?;
    std::fs::remove_file(&draft)
        .map_err(|error| CliError::io(&format!("removing {}", draft.display()), &error))?;
    let sentence = match before == after {
        true => format!("{} is as it was.", path.display()),
        false => format!("{} is changed.", path.display()),
    };
    Ok(Outcome::said(json!({ "path": path }), sentence))
}

/// Writes what was edited, unless the file was changed while the editor was open.
fn put_in_place(path: &Path, before: &str, after: &str) -> Result<(), CliError> {
    let _lock = profile::lock(path)?;
    if profile::read_optional(path)?.unwrap_or_default() == before {
        return files::replace(path, after.as_bytes());
    }
    let message = format!(
        "{} was changed by another command while you edited it; that change was kept",
        path.display()
    );
    Err(CliError::new(LocalErrorKind::Changed, message))
}

fn run_editor(file: &Path) -> Result<(), CliError> {
    let named = ["VISUAL", "EDITOR"].iter().find_map(|name| {
        std::env::var(name)
            .ok()
            .filter(|value| !value.trim().is_empty())
    });
    let editor = named.unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let mut command = children::without_key(Command::new(program));
    let ended = command.args(words).arg(file).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(CliError::new(
            LocalErrorKind::Editor,
            format!("the editor {program} ended with {status}: nothing was changed"),
        )),
        Err(error) => Err(
            CliError::io(&format!("starting the editor {program}"), &error)
                .hint("name one with EDITOR"),
        ),
    }
}
