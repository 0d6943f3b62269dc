//! Servers that this machine knows as another customer's: perhaps the customer's number is a slip.

use crate::bulk::preview;
use crate::context::Context;
use crate::error::CliError;
use secmon::model::CustomerId;
use std::collections::HashMap;
use std::net::IpAddr;

/// Warns of addresses, each with the name it was typed by, that somebody else than this customer has. It asks nobody:
/// what earlier commands have seen is enough for a word.
pub fn warn<'a>(
    context: &Context,
    servers: impl IntoIterator<Item = (&'a str, IpAddr, CustomerId)>,
) -> Result<(), CliError> {
    let mut owners: HashMap<IpAddr, Vec<CustomerId>> = HashMap::new();
    for server in &context.known()?.servers {
        if let (Ok(address), Some(customer)) = (server.ip.parse(), server.customer) {
            owners.entry(address).or_default().push(customer);
        }
    }
    let mut elsewhere = Vec::new();
    for (name, address, customer) in servers {
        let others = owners.get(&address).into_iter().flatten();
        elsewhere.extend(
            others
                .filter(|owner| **owner != customer)
                .map(|owner| format!("{name} of customer {owner}")),
        );
    }
    if !elsewhere.is_empty() {
        context.note(&format!(
            "warning: there is already {}: is the customer right?",
            preview(&elsewhere, String::clone)
        ));
    }
    Ok(())
}
