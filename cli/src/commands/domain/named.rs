//! The domain that an argument names.

use crate::bulk::{Created, Done, End, Item};
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
    let customer = references::customer_of_domains(context, &[name.to_owned()])?;
    Ok((references::domain(context, name).await?, customer))
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

/// A domain and its end.
pub fn item(target: &str, customer: CustomerId, end: End) -> Item {
    Item {
        row: None,
        target: target.to_owned(),
        customer: Some(customer),
        end,
    }
}
