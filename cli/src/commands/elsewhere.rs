//! Servers that this machine knows as another customer's: perhaps the customer's number is a slip.

use crate::bulk::preview;
use crate::context::Context;
use crate::error::CliError;
use crate::targets::Target;
use secmon::model::CustomerId;
use std::collections::HashMap;
use std::net::IpAddr;

/// Warns of addresses that another customer has. It asks nobody: what earlier commands have seen is enough for a word.
pub fn warn<'a>(
    context: &Context,
    targets: impl Iterator<Item = &'a Target>,
) -> Result<(), CliError> {
    let mut owners: HashMap<IpAddr, Vec<CustomerId>> = HashMap::new();
    for server in &context.known()?.servers {
        if let (Ok(address), Some(customer)) = (server.ip.parse(), server.customer) {
            owners.entry(address).or_default().push(customer);
        }
    }
    let mut elsewhere = Vec::new();
    for target in targets {
        let Target::Server(server) = target else {
            continue;
        };
        let known = server.address.and_then(|address| owners.get(&address));
        let others = known.into_iter().flatten();
        elsewhere.extend(
            others
                .filter(|owner| **owner != target.customer())
                .map(|owner| format!("{} of customer {owner}", server.name)),
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
