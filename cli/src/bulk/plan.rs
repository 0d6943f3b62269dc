//! What a run will do: which rows are new, and about how long it takes.

use super::Row;
use crate::context::Context;
use crate::durations::{self, counted};
use crate::error::CliError;
use crate::pace::{LEFT_TO_PEOPLE, Limits};
use crate::references;
use crate::settings::RateLimits;
use crate::targets::Target;
use secmon::model::{CustomerId, Endpoint};
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::time::Duration;

/// Servers that are monitored already, by customer and address.
#[derive(Debug, Default)]
pub struct Known(HashMap<(CustomerId, IpAddr), Endpoint>);

impl Known {
    /// Asks for the servers of every customer in the rows, in the window that provisioning does not use.
    pub async fn read(context: &Context, rows: &[Row]) -> Result<Self, CliError> {
        let customers: BTreeSet<CustomerId> = rows
            .iter()
            .filter(|row| matches!(row.target, Target::Server(_)))
            .map(|row| row.target.customer())
            .collect();
        let mut known = HashMap::new();
        for endpoint in references::endpoints_of(context, &customers).await? {
            if let (Some(customer), Ok(address)) =
                (endpoint.billing_customer_id, endpoint.ip_address.parse())
            {
                known.insert((customer, address), endpoint);
            }
        }
        Ok(Self(known))
    }

    /// Whether the list shows that a server is not as its row says: it is not there, or has another nickname.
    pub fn contradicts(&self, target: &Target) -> bool {
        let Target::Server(server) = target else {
            return false;
        };
        let Some(address) = server.address else {
            return false;
        };
        let listed = self.0.get(&(target.customer(), address));
        listed.is_none_or(|listed| server.nickname.is_some() && server.nickname != listed.nickname)
    }

    /// The record that makes a row needless. A row with a service number is sent all the same: it maps the service.
    pub fn covering(&self, target: &Target) -> Option<&Endpoint> {
        match target {
            Target::Server(server) if server.request.service_id.is_none() => {
                self.0.get(&(target.customer(), server.address?))
            }
            _ => None,
        }
    }
}

/// Says what the run will do; rows that it did before it was interrupted are its own, and not there by others.
pub fn announce(
    context: &Context,
    rows: &[Row],
    known: &Known,
    done_before: impl Fn(&Row) -> bool,
) {
    let (done, rest): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| done_before(row));
    let there = rest
        .iter()
        .filter(|row| known.covering(&row.target).is_some())
        .count();
    let domains = rows
        .iter()
        .filter(|row| matches!(row.target, Target::Domain(_)))
        .count();
    let kinds = [(rows.len() - domains, "server"), (domains, "domain")];
    let mut parts: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| counted(*count, kind))
        .collect();
    if !done.is_empty() {
        parts.push(format!("{} done before the interruption", done.len()));
    }
    if there > 0 {
        parts.push(format!("{there} already monitored"));
    }
    if let Some(length) = estimate(context.settings.rate_limits, rest.len() - there) {
        parts.push(format!("about {}", durations::shown(length)));
    }
    context.note(&parts.join(" · "));
}

/// The time that the rate limit alone takes; nothing where all fits into one window.
fn estimate(limits: RateLimits, calls: usize) -> Option<Duration> {
    let RateLimits::On(Limits { strict, window, .. }) = limits else {
        return None;
    };
    let windows =
        u32::try_from(calls).ok()?.saturating_sub(1) / strict.saturating_sub(LEFT_TO_PEOPLE).max(1);
    (windows > 0).then(|| window * windows)
}
