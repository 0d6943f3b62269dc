//! What the arguments leave open, and a person at the terminal is asked for.

use crate::commands::domain::provision;
use crate::error::CliError;
use crate::references::targets::{self, BareNames};
use crate::session::prompt::Prompt;
use secmon::model::ServiceId;

/// What a bare name is, where the options do not say it.
pub fn bare_names(prompt: &Prompt, target: &str, said: BareNames) -> Result<BareNames, CliError> {
    let is_open = said == BareNames::Unclear && targets::is_bare_name(target);
    if !is_open || !prompt.may_ask() {
        return Ok(said);
    }
    let options = [
        "a server: its address is looked up, and its ports are scanned".to_owned(),
        "a domain: leaked credentials and mentions of it are watched".to_owned(),
    ];
    let chosen = prompt.choose(&format!("{target} is"), &options)?;
    Ok(match chosen {
        0 => BareNames::Servers,
        _ => BareNames::Domains,
    })
}

/// The billing service that pays for the slot of a domain.
pub fn service(prompt: &Prompt, domain: &str) -> Result<ServiceId, CliError> {
    provision::service(prompt, None)
        .map_err(|error| error.during(format!("provisioning the domain {domain}")))
}
