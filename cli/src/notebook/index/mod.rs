//! What was last seen of an account: names and ids, so that a reference or a completion need not ask for every list.
//!
//! It is kept in the cache folder under the hash of address and key, written whole at the end of a command, under a lock
//! that all processes share, and never trusted before a change: what it says is confirmed by the service first.

mod seen;

use crate::error::CliError;
use crate::machine::files::{self, write_private};
use crate::machine::paths;
use crate::notebook::owner::Owner;
use secmon::model::{CustomerId, DomainId, EndpointId, RuleId, ServiceId, SubscriptionId};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use uuid::Uuid;

pub use seen::Seen;

/// How long another process is waited for: a cache that misses a few records costs a call, no more.
const PATIENCE: Duration = Duration::from_millis(500);

/// Names and ids of an account's records.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Index {
    /// Servers.
    pub servers: Vec<Server>,
    /// Domains.
    pub domains: Vec<Domain>,
    /// Rules.
    pub rules: Vec<Record>,
    /// Alerts of the last listing of each customer and domain.
    pub alerts: Vec<AlertRecord>,
    /// Subscriptions that were made or changed from here: the service lists none.
    pub subscriptions: Vec<Subscription>,
    /// Plans that answers have named.
    pub plans: BTreeSet<String>,
    /// Whose global rules are, where lists of several customers have told it.
    pub global_rules: HashMap<RuleId, Owner>,
}

/// A subscription of a customer's service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subscription {
    /// Its id.
    pub id: SubscriptionId,
    /// The customer it belongs to.
    pub customer: CustomerId,
    /// The service that pays.
    pub service: ServiceId,
    /// What it is for.
    pub product: String,
}

/// A server by its names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Server {
    /// Its id.
    pub id: EndpointId,
    /// Its address.
    pub ip: String,
    /// Its host name.
    pub hostname: Option<String>,
    /// The name it is shown by.
    pub nickname: Option<String>,
    /// The customer it belongs to.
    pub customer: Option<CustomerId>,
}

/// A domain by its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// Its id.
    pub id: DomainId,
    /// Its name.
    pub name: String,
    /// The customer it belongs to.
    pub customer: CustomerId,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its id.
    pub id: Uuid,
    /// What it is about.
    pub about: String,
    /// The customer it was listed for.
    pub customer: Option<CustomerId>,
}

/// An alert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlertRecord {
    /// Its id.
    pub id: Uuid,
    /// What it is about.
    pub about: String,
    /// The customer it belongs to.
    pub customer: CustomerId,
    /// The domain it is about; none for one of a port.
    pub domain: Option<DomainId>,
}

impl Index {
    /// What is kept of an account; nothing where nothing can be read.
    pub fn read(account: &str) -> Self {
        let text = file(account).ok().and_then(|path| std::fs::read(path).ok());
        text.and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }
}

/// The index during one command: what was known before, and what the command has seen.
#[derive(Debug, Default)]
pub struct Notebook {
    known: std::cell::OnceCell<Index>,
    seen: RefCell<Vec<Seen>>,
}

impl Notebook {
    /// What was known when the command began.
    pub fn known(&self, account: &str) -> &Index {
        self.known.get_or_init(|| Index::read(account))
    }

    /// The customers that these records belong to, as far as this and earlier commands have seen them.
    pub fn owners(&self, account: &str, ids: &[Uuid]) -> Vec<CustomerId> {
        let known = self.known(account);
        let seen = self.seen.borrow();
        let seen = seen.iter().flat_map(|seen| match seen {
            Seen::AllServers(_, servers) | Seen::Servers(servers) => owned(servers, &[], &[]),
            Seen::AllDomains(_, domains) => owned(&[], domains, &[]),
            Seen::Domain(domain) => owned(&[], std::slice::from_ref(domain), &[]),
            Seen::Alerts(_, _, alerts) => owned(&[], &[], alerts),
            _ => owned(&[], &[], &[]),
        });
        let known = owned(&known.servers, &known.domains, &known.alerts);
        let owners = known.chain(seen).filter(|(id, _)| ids.contains(id));
        let owners: BTreeSet<CustomerId> = owners.map(|(_, customer)| customer).collect();
        owners.into_iter().collect()
    }

    /// The addresses of these servers, as far as this and earlier commands have seen them.
    pub fn addresses(&self, account: &str, ids: &[Uuid]) -> Vec<IpAddr> {
        let seen = self.seen.borrow();
        let seen = seen.iter().flat_map(|seen| match seen {
            Seen::AllServers(_, these) | Seen::Servers(these) => these.as_slice(),
            _ => &[],
        });
        let known = self.known(account).servers.iter();
        let meant = known
            .chain(seen)
            .filter(|server| ids.contains(server.id.as_uuid()));
        meant.filter_map(|server| server.ip.parse().ok()).collect()
    }

    /// Keeps in mind what an answer has shown.
    pub fn learn(&self, seen: Seen) {
        self.seen.borrow_mut().push(seen);
    }

    /// Writes what was seen into the file, with what other processes have written meanwhile.
    pub fn save(&self, account: &str) -> Result<(), CliError> {
        let seen = self.seen.take();
        if seen.is_empty() {
            return Ok(());
        }
        let file = file(account)?;
        // Held until the file is written: what another process writes in between would be lost.
        let _lock = files::lock_for(&file.with_extension("lock"), PATIENCE)?;
        let before = Index::read(account);
        let mut index = before.clone();
        for seen in seen {
            index.note(seen);
        }
        if index == before {
            return Ok(());
        }
        let text = serde_json::to_vec(&index)
            .map_err(|error| CliError::io("the index", &std::io::Error::other(error)))?;
        write_private(&file, &text)
    }
}

/// Records whose customer is known, each with its customer.
fn owned<'s>(
    servers: &'s [Server],
    domains: &'s [Domain],
    alerts: &'s [AlertRecord],
) -> impl Iterator<Item = (Uuid, CustomerId)> + 's {
    let servers = servers.iter();
    let servers = servers.filter_map(|server| Some((server.id.into(), server.customer?)));
    let domains = domains
        .iter()
        .map(|domain| (domain.id.into(), domain.customer));
    let alerts = alerts.iter().map(|alert| (alert.id, alert.customer));
    servers.chain(domains).chain(alerts)
}

fn file(account: &str) -> Result<PathBuf, CliError> {
    Ok(paths::cache_folder()?.join(account).join("index.json"))
}

/// Keeps which account a profile was last, for completion: the key itself may be a command away.
pub fn remember_account(profile: &str, origin: &str, account: &str) -> Result<(), CliError> {
    if account_of(profile, origin).as_deref() == Some(account) {
        return Ok(());
    }
    write_private(&pointer(profile, origin)?, account.as_bytes())
}

/// The account that a profile was last.
pub fn account_of(profile: &str, origin: &str) -> Option<String> {
    std::fs::read_to_string(pointer(profile, origin).ok()?).ok()
}

fn pointer(profile: &str, origin: &str) -> Result<PathBuf, CliError> {
    let text = format!("{profile}\n{origin}");
    let name = Uuid::new_v5(&Uuid::NAMESPACE_URL, text.as_bytes());
    Ok(paths::cache_folder()?
        .join("profiles")
        .join(name.simple().to_string()))
}
