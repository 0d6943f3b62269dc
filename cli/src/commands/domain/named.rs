//! The domain that an argument names.

use crate::bulk::{Created, Done, End};
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, DomainRef};
use crate::ui::outcome::to_json;
use secmon::Response;
use secmon::model::{CustomerId, DomainId, DomainStatus, MonitoredDomain};
use secmon::operations::DomainState;

/// Whether it is scanned.
pub fn is_watched(domain: &MonitoredDomain) -> bool {
    domain.status == DomainStatus::Active
}

/// The domain that an argument names, and its customer.
pub async fn one(context: &Context, name: &str) -> Result<(DomainRef, CustomerId), CliError> {
    let names = [name.to_owned()];
    let customer = references::customer_of_domains(context, &names)?;
    let mut found = references::domains(context, &names).await?;
    let domain = found
        .pop()
        .ok_or_else(|| CliError::not_found(format!("no domain {name:?}")))?;
    Ok((domain, customer))
}

/// The end of a change of state, as the service answered it.
pub fn moved(id: DomainId, answer: &Response<DomainState>, sentence: String) -> End {
    let done = Done {
        id: id.to_string(),
        record: to_json(&answer.data),
        created: Created::NoRecord,
        note: answer.note().map(str::to_owned),
        sentence,
    };
    done.changed()
}
