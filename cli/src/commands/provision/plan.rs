//! What a run will do: which rows are new, and about how long it takes.

use super::sending;
use crate::bulk::{Row, RowOutcome};
use crate::commands::domain::provision::{Presence, already};
use crate::context::Context;
use crate::error::CliError;
use crate::references::targets::Target;
use crate::references::{self, DomainRef};
use crate::session::Session;
use crate::session::rate_limit::Limits;
use crate::session::settings::RateLimits;
use crate::values::domain_names;
use crate::values::durations::{self, counted};
use secmon::model::{CustomerId, Endpoint};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

/// So many domains of one customer are worth the call that lists them.
const WORTH_A_LIST: usize = 3;

/// What is monitored already, as the lists of the customers show it.
#[derive(Debug, Default)]
pub struct KnownTargets {
    servers: Vec<Endpoint>,
    /// The domains of customers whose list was read.
    domains: HashMap<CustomerId, Vec<DomainRef>>,
}

impl KnownTargets {
    /// Asks for the servers of every customer in the rows, in the window that provisioning does not use, and for domains
    /// where that saves calls.
    pub async fn read(context: &Context, rows: &[Row]) -> Result<Self, CliError> {
        let mut customers = BTreeSet::new();
        let mut domains: HashMap<CustomerId, usize> = HashMap::new();
        for row in rows {
            let customer = row.target.customer();
            match row.target {
                Target::Server(_) => drop(customers.insert(customer)),
                Target::Domain(_) => *domains.entry(customer).or_default() += 1,
            }
        }
        let session = &context.session;
        let mut known = Self {
            servers: references::endpoints_of(session, &customers).await?,
            domains: HashMap::new(),
        };
        for (customer, count) in domains {
            if count >= WORTH_A_LIST {
                let listed = references::all_domains(session, customer).await?;
                known.domains.insert(customer, listed);
            }
        }
        Ok(known)
    }

    /// The customers who have something.
    pub fn customers(&self) -> BTreeSet<CustomerId> {
        let servers = self.servers.iter();
        let servers = servers.filter_map(|server| server.billing_customer_id);
        let domains = self.domains.iter().filter(|(_, listed)| !listed.is_empty());
        servers
            .chain(domains.map(|(customer, _)| *customer))
            .collect()
    }

    /// The server of a row: by its address, or by its host name where it was named so, since a name may have another
    /// address tomorrow.
    fn server(&self, target: &Target) -> Option<&Endpoint> {
        let Target::Server(wanted) = target else {
            return None;
        };
        let customer = Some(target.customer());
        let is_meant = |server: &&Endpoint| match wanted.address {
            Some(address) => server.ip_address.ip() == Some(address),
            None => {
                let (name, host) = (&wanted.name, server.hostname.as_deref());
                host.is_some_and(|host| host.eq_ignore_ascii_case(name))
            }
        };
        let mut theirs = self
            .servers
            .iter()
            .filter(|server| server.billing_customer_id == customer);
        theirs.find(is_meant)
    }

    /// A server that is there under another name than its row gives it, and needs no other call.
    pub fn named(&self, target: &Target) -> Option<&Endpoint> {
        let Target::Server(wanted) = target else {
            return None;
        };
        let there = self.server(target)?;
        let is_other = wanted.nickname.is_some() && wanted.nickname != there.nickname;
        (is_other && wanted.request.service_id.is_none()).then_some(there)
    }

    /// Whether a row has a price for a server that is there and that it maps to no service: nothing takes it.
    pub fn leaves_price_out(&self, target: &Target) -> bool {
        let Target::Server(wanted) = target else {
            return false;
        };
        let request = &wanted.request;
        request.mrr.is_some() && request.service_id.is_none() && self.server(target).is_some()
    }

    /// What the lists said of a target.
    pub fn presence(&self, target: &Target) -> Presence {
        match (target, self.server(target)) {
            (Target::Server(_), None) => Presence::Absent,
            (Target::Server(_), Some(_)) => Presence::Unknown,
            (Target::Domain(_), _) => match self.domains.contains_key(&target.customer()) {
                true => Presence::Absent,
                false => Presence::Unknown,
            },
        }
    }

    /// The outcome of a row that needs no call. A row with a service number maps the service, which no read tells: it is
    /// sent, unless a run that was interrupted has seen the answer to just that.
    pub fn settled(&self, session: &Session, target: &Target) -> Option<RowOutcome> {
        match target {
            Target::Server(wanted) => {
                let there = self.server(target)?;
                if wanted.nickname.is_some() && wanted.nickname != there.nickname {
                    return None;
                }
                let is_mapped = || {
                    let mapping = sending::mapping(wanted);
                    let id = there.id.to_string();
                    let state = session.state();
                    state.is_some_and(|state| state.was_mapped(&id, &mapping))
                };
                match wanted.request.service_id.is_none() || is_mapped() {
                    true => Some(sending::settled(there)),
                    false => None,
                }
            }
            Target::Domain(request) => {
                let listed = self.domains.get(&request.client_id)?;
                let name = domain_names::normalized(&request.domain);
                let there = listed.iter().find(|domain| domain.name == name)?;
                Some(already(there))
            }
        }
    }
}

/// Says what the run will do, which leaves some calls of each window to people.
pub fn announce(context: &Context, rows: &[Row], known: &KnownTargets, left_to_people: u32) {
    let there = rows
        .iter()
        .filter(|row| known.settled(&context.session, &row.target).is_some())
        .count();
    let domains = rows.iter().filter(|row| is_domain(row)).count();
    let customers: BTreeSet<CustomerId> = rows.iter().map(|row| row.target.customer()).collect();
    let kinds = [
        (rows.len() - domains, "server"),
        (domains, "domain"),
        (customers.len(), "customer"),
    ];
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| counted(*count, kind))
        .collect();
    let total = counted(rows.len(), "row");
    let mut parts = vec![format!("{total}: {}", kinds.join(", "))];
    if there > 0 {
        parts.push(format!("{there} already monitored"));
    }
    let renamed = rows.iter().filter(|row| known.named(&row.target).is_some());
    let renamed = renamed.count();
    if renamed > 0 {
        parts.push(format!("{renamed} monitored under another name"));
    }
    let priced = rows
        .iter()
        .filter(|row| known.leaves_price_out(&row.target));
    let priced = priced.count();
    if priced > 0 {
        parts.push(format!(
            "{} not sent, because the server is there and the row names no service",
            counted(priced, "price")
        ));
    }
    parts.extend(estimate(
        context.session.settings.rate_limits,
        left_to_people,
        rows.len() - there,
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
        MINUTE => "a minute".to_owned(),
        other => format!("in {}", durations::shown(other)),
    };
    let length = durations::shown(window * windows);
    (windows > 0).then(|| format!("about {length} at {strict} calls {a_window}"))
}
