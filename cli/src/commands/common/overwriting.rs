//! Files that a command writes: one that is there already is replaced unasked only where a command has written it.

use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::session::prompt::ConfirmationLevel;
use std::path::Path;

/// So much of a file tells what it is.
const BEGINNING: u64 = 64 * 1024;

/// Asks before a file is replaced that does not look as what is written now; `option` names it, `what` is written.
pub fn agree(
    context: &Context,
    (option, path): (&str, &Path),
    what: &str,
    is_ours: impl FnOnce(&[u8]) -> bool,
) -> Result<(), CliError> {
    // A link is refused where it is opened; a terminal, a pipe and an empty file hold nothing.
    let metadata = std::fs::symlink_metadata(path);
    let is_filled = metadata.is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
    if !is_filled || files::beginning(path, BEGINNING).is_ok_and(|text| is_ours(&text)) {
        return Ok(());
    }
    let name = path.display().to_string();
    let question = format!("About to replace the file {name} ({option}), which is no {what}.");
    let prompt = &context.prompt;
    prompt.confirm_here(ConfirmationLevel::Moderate, &question, &name)
}
