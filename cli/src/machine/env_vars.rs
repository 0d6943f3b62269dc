//! The environment, read once. An empty variable counts as unset.

use crate::error::CliError;

/// A variable's text.
pub fn text(name: &str) -> Result<Option<String>, CliError> {
    match std::env::var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => Err(CliError::usage(format!(
            "{name} is not valid UTF-8: set it again, or unset it"
        ))),
    }
}

/// A variable that is on or off.
pub fn switch(name: &str) -> Result<Option<bool>, CliError> {
    let Some(value) = text(name)? else {
        return Ok(None);
    };
    on_or_off(&value).map(Some).ok_or_else(|| {
        CliError::usage(format!(
            "{name} must be on or off: set it to 1, true, yes, on, 0, false, no or off"
        ))
    })
}

/// The words for a switch.
pub fn on_or_off(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Whether a variable says anything, whatever it is.
pub fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}
