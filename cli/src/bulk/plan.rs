//! What a run will do: which rows are new, and about how long it takes.

use super::Row;
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::references::targets::Target;
use crate::session::rate_limit::Limits;
use crate::session::settings::RateLimits;
use crate::values::durations::{self, counted};
use secmon::model::{CustomerId, Endpoint};
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

/// Servers that are monitored already, as their customers' lists show them.
#[derive(Debug, Default)]
pub struct MonitoredServers {
    by_address: HashMap<(CustomerId, IpAddr), Endpoint>,
    /// The nicknames by id: a server that was named by its host name has an address that only the service knows.
    nicknames: HashMap<String, Option<String>>,
}

impl MonitoredServers {
    /// Asks for the servers of every customer in the rows, in the window that provisioning does not use.
    pub async fn read(context: &Context, rows: &[Row]) -> Result<Self, CliError> {
        let customers: BTreeSet<CustomerId> = rows
            .iter()
            .filter(|row| matches!(row.target, Target::Server(_)))
            .map(|row| row.target.customer())
            .collect();
        let mut known = Self::default();
        for endpoint in references::endpoints_of(&context.session, &customers).await? {
            let (id, nickname) = (endpoint.id.to_string(), endpoint.nickname.clone());
            known.nicknames.insert(id, nickname);
            if let (Some(customer), Some(address)) =
                (endpoint.billing_customer_id, endpoint.ip_address.ip())
            {
                known.by_address.insert((customer, address), endpoint);
            }
        }
        Ok(known)
    }

    /// The customers who have a server.
    pub fn customers(&self) -> BTreeSet<CustomerId> {
        let places = self.by_address.keys();
        places.map(|(customer, _)| *customer).collect()
    }

    /// Whether the list shows that a server is not as its row says: it is not there, or has another nickname. `made` is
    /// the record that an earlier run has made of the row. Domains are in no list that is read: of them it knows nothing.
    pub fn contradicts(&self, target: &Target, made: Option<&str>) -> bool {
        let Target::Server(server) = target else {
            return false;
        };
        let listed = match (server.address, made) {
            (Some(address), _) => {
                let listed = self.by_address.get(&(target.customer(), address));
                listed.map(|listed| &listed.nickname)
            }
            (None, Some(id)) => self.nicknames.get(id),
            (None, None) => return false,
        };
        listed.is_none_or(|nickname| server.nickname.is_some() && server.nickname != *nickname)
    }

    /// The record that makes a row needless. A row with a service number is sent all the same: it maps the service.
    pub fn covering(&self, target: &Target) -> Option<&Endpoint> {
        match target {
            Target::Server(server) if server.request.service_id.is_none() => {
                self.by_address.get(&(target.customer(), server.address?))
            }
            _ => None,
        }
    }
}

/// Says what the run will do, which leaves some calls of each window to people; rows that it did before it was
/// interrupted are its own, and not there by others.
pub fn announce(
    context: &Context,
    rows: &[Row],
    known: &MonitoredServers,
    left_to_people: u32,
    done_before: impl Fn(&Row) -> bool,
) {
    let (done, rest): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| done_before(row));
    let there = rest
        .iter()
        .filter(|row| known.covering(&row.target).is_some())
        .count();
    let domains = rows.iter().filter(|row| is_domain(row)).count();
    let kinds = [(rows.len() - domains, "server"), (domains, "domain")];
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| counted(*count, kind))
        .collect();
    let rows = counted(rows.len(), "row");
    let mut parts = vec![format!("{rows}: {}", kinds.join(", "))];
    if !done.is_empty() {
        parts.push(format!("{} done before the interruption", done.len()));
    }
    let believed = done.iter().filter(|row| is_domain(row)).count();
    if believed > 0 {
        let them = counted(believed, "domain");
        parts.push(format!("{them} of them counted as done without checking"));
    }
    if there > 0 {
        parts.push(format!("{there} already monitored"));
    }
    let calls = rest.len() - there;
    parts.extend(estimate(
        context.session.settings.rate_limits,
        left_to_people,
        calls,
    ));
    context.screen.note(&parts.join(" · "));
}

fn is_domain(row: &Row) -> bool {
    matches!(row.target, Target::Domain(_))
}

/// The time that the rate limit alone takes; nothing where all fits into one window.
fn estimate(limits: RateLimits, left_to_people: u32, calls: usize) -> Option<String> {
    let RateLimits::On(Limits { strict, window, .. }) = limits else {
        return None;
    };
    let in_a_window = strict.saturating_sub(left_to_people).max(1);
    let windows = u32::try_from(calls).ok()?.saturating_sub(1) / in_a_window;
    let a_window = match window {
        MINUTE => "min".to_owned(),
        other => durations::shown(other),
    };
    let length = durations::shown(window * windows);
    (windows > 0).then(|| format!("about {length} at {strict}/{a_window}"))
}
