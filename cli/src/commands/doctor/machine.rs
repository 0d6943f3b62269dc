//! Checks of this computer: no network.

use super::check::Check;
use crate::commands::history;
use crate::error::{CliError, LocalErrorKind};
use crate::machine::paths;
use crate::session::Session;
use crate::session::credentials::open_mode;
use crate::session::service::Source;
use crate::ui::invocation::quoted;
use std::path::{Path, PathBuf};

/// That the configuration file can be read: a broken one would have ended the command before.
pub fn configuration(session: &Session) -> Check {
    let path = session.settings.config_path.display();
    let count =
        crate::values::durations::counted(session.settings.config.profiles.len(), "profile");
    let about = match session.settings.config_path.exists() {
        true => format!("{path}: {count}"),
        false => format!("there is no {path} (fine if you use environment variables)"),
    };
    Check::good("configuration", about)
}

/// That nobody else can read the keys and what this computer remembers.
pub fn files(session: &Session) -> Check {
    let keys = session.settings.config_folder().join("keys");
    let mut private: Vec<PathBuf> = std::fs::read_dir(&keys)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    private.extend(paths::state_database());
    private.retain(|path| path.is_file());
    let open: Vec<String> = private
        .iter()
        .filter(|path| path.metadata().is_ok_and(|file| open_mode(&file).is_some()))
        .map(|path| path.display().to_string())
        .collect();
    let count = crate::values::durations::counted(private.len(), "private file");
    let finding = match open.as_slice() {
        [] => Ok(format!("{count}, readable only by you")),
        open => Err(CliError::new(
            LocalErrorKind::OpenFiles,
            format!("others can read {}", open.join(", ")),
        )),
    };
    Check::of("files", finding)
}

/// Whether what is done from here is remembered, what was interrupted, and what former versions have left.
pub fn memory(session: &Session) -> Vec<Check> {
    let mut checks = Vec::new();
    let Some(state) = session.state() else {
        return checks;
    };
    checks.push(match state.problem().or_else(|| state.missing_parts()) {
        None if state.is_recording() => Check::good(
            "memory",
            "changes are recorded on this computer, so they can be undone and interrupted runs continued",
        ),
        None => Check::good("memory", "switched off by SECMON_STATE=off"),
        Some(problem) => Check::of(
            "memory",
            Err(CliError::new(
                LocalErrorKind::Io,
                format!("changes are not recorded on this computer: {problem}"),
            )
            .hint("free disk space, or make yourself the owner of the folder; delete the file if it is damaged")),
        ),
    });
    for run in state.interrupted_runs() {
        checks.push(Check::advice(
            "interrupted",
            history::told(&run),
            "give the same command again: it goes on with what is left".to_owned(),
        ));
    }
    let former: Vec<String> = paths::former_files()
        .iter()
        .map(|path| quoted(&path.display().to_string()))
        .collect();
    if !former.is_empty() {
        checks.push(Check::advice(
            "old files",
            "an earlier version left files that are no longer used".to_owned(),
            format!("delete them: rm -r {}", former.join(" ")),
        ));
    }
    checks
}

/// Which address and key are in use.
pub fn service(session: &Session) -> Check {
    let described = session
        .settings
        .service()
        .map(|service| match &service.source {
            Source::Local => "the embedded mock".to_owned(),
            Source::Profile(name) => format!("{} (profile {name})", service.base_url),
            Source::Environment => format!("{} (environment)", service.base_url),
        });
    Check::of("service", described)
}

/// Where the completion of a shell is kept, below the home or from the root.
const COMPLETIONS: &[(&str, &[&str])] = &[
    (
        "bash",
        &[
            ".local/share/bash-completion/completions/secmon",
            "/usr/share/bash-completion/completions/secmon",
            "/etc/bash_completion.d/secmon",
        ],
    ),
    (
        "zsh",
        &[
            ".zfunc/_secmon",
            ".local/share/zsh/site-functions/_secmon",
            "/usr/local/share/zsh/site-functions/_secmon",
            "/usr/share/zsh/site-functions/_secmon",
        ],
    ),
    (
        "fish",
        &[
            ".config/fish/completions/secmon.fish",
            "/usr/share/fish/vendor_completions.d/secmon.fish",
        ],
    ),
];

/// Files that a shell reads when it starts; a line there may load the completion.
const START_FILES: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".zshrc",
    ".config/fish/config.fish",
];

/// Whether the person's shell completes `secmon`; nothing is said about a shell that is not known.
pub fn completion() -> Option<Check> {
    let shell = std::env::var("SHELL").ok()?;
    let name = Path::new(&shell).file_name()?.to_str()?;
    let (name, places) = COMPLETIONS.iter().find(|(known, _)| *known == name)?;
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let installed = places.iter().any(|place| home.join(place).exists());
    let loaded = START_FILES.iter().any(|file| {
        let text = std::fs::read_to_string(home.join(file)).unwrap_or_default();
        text.lines().any(|line| {
            let line = line.trim_start();
            !line.starts_with('#')
                && line.contains("secmon")
                && line.to_lowercase().contains("complet")
        })
    });
    if installed || loaded {
        return Some(Check::good("completion", format!("installed for {name}")));
    }
    let place = places.first()?;
    Some(Check::advice(
        "completion",
        format!("shell completion for {name} is not installed"),
        format!("`completion {name}` prints the script: save it as ~/{place}"),
    ))
}
