//! Files that a command writes: one that is there already is replaced unasked only where a command has written it.

use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::session::prompt::ConfirmationLevel;
use std::path::Path;

/// So much of a file tells what it is.
const BEGINNING: u64 = 64 * 1024;

/// A file that is written.
pub struct Written<'a> {
    /// The option that names it.
    pub option: &'a str,
    /// Where it is.
    pub path: &'a Path,
    /// What it holds, in a word or two.
    pub what: &'a str,
    /// Whether a file begins as such a one.
    pub is_one: fn(&[u8]) -> bool,
}

/// Asks before a file is replaced that does not look as what is written now.
pub fn agree(context: &Context, written: &Written<'_>) -> Result<(), CliError> {
    let Written {
        option, path, what, ..
    } = written;
    // A link is refused where it is opened; a terminal, a pipe and an empty file hold nothing.
    let metadata = std::fs::symlink_metadata(path);
    let is_filled = metadata.is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
    if !is_filled || files::beginning(path, BEGINNING).is_ok_and(|text| (written.is_one)(&text)) {
        return Ok(());
    }
    let name = path.display().to_string();
    let question = format!("About to replace the file {name} ({option}), which is not a {what}.");
    let prompt = &context.prompt;
    prompt.confirm_here(ConfirmationLevel::Moderate, &question, &name)
}
