//! What is wrong with an expression.

use crate::error::{CliError, LocalErrorKind};

/// An expression that cannot be read or run.
pub fn refused(expression: &str, reason: &str) -> CliError {
    /// An expression that is longer is somebody's file, and its beginning is enough to know it by.
    const SHOWN: usize = 200;
    let shown = beginning(expression, SHOWN);
    CliError::usage(format!("--jq: {shown:?} {reason}"))
        .hint("it is the language of jq, as in --jq '.[] | select(.status == \"open\") | .id'")
}

/// An error of the expression on this very result: what the command did is done.
pub fn failed(reason: &str) -> CliError {
    let message = format!("--jq does not fit the result: {reason}");
    CliError::new(LocalErrorKind::Jq, message)
}

/// Enough of a text to know it by.
pub fn beginning(text: &str, enough: usize) -> String {
    let mut beginning: String = text.chars().take(enough).collect();
    if beginning.len() < text.len() {
        beginning.push_str("...");
    }
    beginning
}
