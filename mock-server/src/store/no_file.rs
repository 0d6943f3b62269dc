//! What stands in the place of state files in a build without them: none can be opened.

use std::path::Path;

use super::interface::Memory;
use super::record::Kept;
use crate::configuration::start_error::StartError;

pub(crate) fn open<T>(
    _: &Path,
    _: impl FnOnce(Vec<Kept>) -> Result<T, String>,
) -> Result<(T, Memory), StartError> {
    Err(refused())
}

pub(crate) fn open_to_read(_: &Path) -> Result<Vec<Kept>, StartError> {
    Err(refused())
}

fn refused() -> StartError {
    let sentence = "this program was built without durable state: leave --state out, or build secmon-mock with `--features durable`";
    StartError::Settings(sentence.to_owned())
}
