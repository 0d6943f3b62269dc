//! Names and ids that answers have shown, so that a reference or a completion need not ask for every list. They are never
//! trusted before a change: what they say is confirmed by the service first.

use super::rule_owner::RuleOwner;
use super::{StateDb, now_ms};
use crate::ui::outcome::to_json;
use rusqlite::{Connection, named_params};
use secmon::model::{
    Address, CustomerId, DomainAlert, DomainId, Endpoint, EndpointId, MonitoredDomain, PortAlert,
    Rule, RuleId, ServiceId, SubscriptionStatus,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use uuid::Uuid;

/// What earlier commands have seen of an account, without what is gone.
#[derive(Debug, Default)]
pub struct KnownRecords {
    /// Servers.
    pub servers: Vec<Server>,
    /// Domains.
    pub domains: Vec<Domain>,
    /// Rules.
    pub rules: Vec<RuleRecord>,
    /// Alerts of the last listing of each customer and domain.
    pub alerts: Vec<AlertRecord>,
    /// Subscriptions that were made or changed from here, as they were answered last: the service lists none.
    pub subscriptions: Vec<Subscription>,
    /// Plans that answers have named.
    pub plans: BTreeSet<String>,
    /// Whose global rules are, where this computer made them or lists of several customers have told it.
    pub global_rules: HashMap<RuleId, RuleOwner>,
}

/// A subscription of a customer's service, as it was answered last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subscription {
    /// The customer it belongs to.
    pub customer: CustomerId,
    /// The service that pays.
    pub service: ServiceId,
    /// What it is for.
    pub product: String,
    /// Its state, where an answer told it.
    pub status: Option<SubscriptionStatus>,
    /// Its plan or quantity, in words.
    pub size: Option<String>,
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
pub struct RuleRecord {
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

/// Something an answer has shown.
#[derive(Debug)]
pub enum Observation {
    /// All servers of a customer, or of the account.
    AllServers(Option<CustomerId>, Vec<Server>),
    /// Some servers.
    Servers(Vec<Server>),
    /// All domains of a customer.
    AllDomains(CustomerId, Vec<Domain>),
    /// One domain.
    Domain(Domain),
    /// All rules of a customer, or of the account.
    AllRules(Option<CustomerId>, Vec<RuleRecord>),
    /// Some rules.
    Rules(Vec<RuleRecord>),
    /// A listing of the alerts of a customer's ports, or of one of its domains.
    Alerts(CustomerId, Option<DomainId>, Vec<AlertRecord>),
    /// Alerts that stand beside a record: an earlier listing stays.
    MoreAlerts(CustomerId, Vec<AlertRecord>),
    /// A subscription.
    Subscription(Subscription),
    /// Plans by their names.
    Plans(Vec<String>),
    /// Whose global rules are.
    GlobalRules(HashMap<RuleId, RuleOwner>),
    /// A record that is no longer there.
    Gone(Uuid),
}

/// A kind of record in the table.
type Kind = &'static str;

const SERVER: Kind = "server";
const DOMAIN: Kind = "domain";
const RULE: Kind = "rule";
const ALERT: Kind = "alert";
const SUBSCRIPTION: Kind = "subscription";
const PLAN: Kind = "plan";
const GLOBAL_RULE: Kind = "global_rule";

impl StateDb {
    /// What earlier commands have seen of this account; nothing where nothing can be read.
    pub fn known(&self) -> KnownRecords {
        let read = self.read(|connection, account| {
            Ok(KnownRecords {
                servers: all(connection, account, SERVER)?,
                domains: all(connection, account, DOMAIN)?,
                rules: all(connection, account, RULE)?,
                alerts: all(connection, account, ALERT)?,
                subscriptions: all(connection, account, SUBSCRIPTION)?,
                plans: all(connection, account, PLAN)?.into_iter().collect(),
                global_rules: all::<(RuleId, RuleOwner)>(connection, account, GLOBAL_RULE)?
                    .into_iter()
                    .collect(),
            })
        });
        read.unwrap_or_default()
    }

    /// A server that is no longer there, by any of its names, where this computer has seen it before.
    pub fn gone_servers(&self) -> Vec<Server> {
        let read = self.read(|connection, account| gone(connection, account, SERVER));
        read.unwrap_or_default()
    }

    /// Domains that are no longer there.
    pub fn gone_domains(&self) -> Vec<Domain> {
        let read = self.read(|connection, account| gone(connection, account, DOMAIN));
        read.unwrap_or_default()
    }

    /// Takes in what answers have shown; `without_key` takes the key out of what somebody has typed into a name.
    pub fn observe(&self, observations: &[Observation], without_key: &dyn Fn(&str) -> String) {
        if observations.is_empty() {
            return;
        }
        // What cannot be kept is asked for again.
        let _ = self.write(|connection, account| {
            let note = Noting {
                connection,
                account,
                now: now_ms(),
                without_key,
            };
            observations
                .iter()
                .try_for_each(|observation| note.observation(observation))
        });
    }
}

fn all<T: DeserializeOwned>(
    connection: &Connection,
    account: i64,
    kind: Kind,
) -> rusqlite::Result<Vec<T>> {
    listed(
        connection,
        "SELECT record FROM seen WHERE account = :account AND kind = :kind AND gone_ms IS NULL",
        account,
        kind,
    )
}

fn gone<T: DeserializeOwned>(
    connection: &Connection,
    account: i64,
    kind: Kind,
) -> rusqlite::Result<Vec<T>> {
    listed(
        connection,
        "SELECT record FROM seen WHERE account = :account AND kind = :kind AND gone_ms IS NOT NULL",
        account,
        kind,
    )
}

/// Rows whose record has another form, as another version may have written it, are passed over.
fn listed<T: DeserializeOwned>(
    connection: &Connection,
    sql: &str,
    account: i64,
    kind: Kind,
) -> rusqlite::Result<Vec<T>> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map(
        named_params! { ":account": account, ":kind": kind },
        |row| row.get::<_, String>(0),
    )?;
    let mut records = Vec::new();
    for row in rows {
        records.extend(serde_json::from_str(&row?).ok());
    }
    Ok(records)
}

/// Writes observations of one moment.
struct Noting<'a> {
    connection: &'a Connection,
    account: i64,
    now: i64,
    without_key: &'a dyn Fn(&str) -> String,
}

impl Noting<'_> {
    fn observation(&self, observation: &Observation) -> rusqlite::Result<()> {
        match observation {
            Observation::AllServers(whose, servers) => {
                self.ended(
                    SERVER,
                    *whose,
                    servers.iter().map(|server| server.id.to_string()),
                )?;
                self.servers(servers)
            }
            Observation::Servers(servers) => self.servers(servers),
            Observation::AllDomains(whose, domains) => {
                let ids = domains.iter().map(|domain| domain.id.to_string());
                self.ended(DOMAIN, Some(*whose), ids)?;
                domains.iter().try_for_each(|domain| self.domain(domain))
            }
            Observation::Domain(domain) => self.domain(domain),
            Observation::AllRules(whose, rules) => {
                self.ended(RULE, *whose, rules.iter().map(|rule| rule.id.to_string()))?;
                self.rules(rules)
            }
            Observation::Rules(rules) => self.rules(rules),
            Observation::Alerts(customer, domain, alerts) => {
                self.alerts(*customer, *domain, alerts)
            }
            Observation::MoreAlerts(customer, alerts) => self.more_alerts(*customer, alerts),
            Observation::Subscription(one) => {
                let id = format!("{}/{}/{}", one.customer, one.service, one.product);
                self.put(SUBSCRIPTION, &id, Some(one.customer), one)
            }
            Observation::Plans(plans) => {
                let mut plans = plans.iter();
                plans.try_for_each(|plan| self.put(PLAN, plan, None, plan))
            }
            Observation::GlobalRules(owners) => {
                let mut owners = owners.iter();
                owners.try_for_each(|(id, owner)| {
                    self.put(GLOBAL_RULE, &id.to_string(), owner.customer(), &(id, owner))
                })
            }
            Observation::Gone(id) => self.gone(*id),
        }
    }

    fn servers(&self, servers: &[Server]) -> rusqlite::Result<()> {
        let mut servers = servers.iter();
        servers.try_for_each(|server| {
            self.put(SERVER, &server.id.to_string(), server.customer, server)
        })
    }

    fn domain(&self, domain: &Domain) -> rusqlite::Result<()> {
        self.put(
            DOMAIN,
            &domain.id.to_string(),
            Some(domain.customer),
            domain,
        )
    }

    fn rules(&self, rules: &[RuleRecord]) -> rusqlite::Result<()> {
        let mut rules = rules.iter();
        rules.try_for_each(|rule| self.put(RULE, &rule.id.to_string(), rule.customer, rule))
    }

    /// A new listing takes the place of the one before.
    fn alerts(
        &self,
        customer: CustomerId,
        domain: Option<DomainId>,
        alerts: &[AlertRecord],
    ) -> rusqlite::Result<()> {
        self.connection
            .prepare(
                "DELETE FROM seen WHERE account = :account AND kind = 'alert' AND customer = :customer \
                 AND json_extract(record, '$.domain') IS :domain",
            )?
            .execute(named_params! {
                ":account": self.account,
                ":customer": customer.get().cast_signed(),
                ":domain": domain.map(|id| id.to_string()),
            })?;
        self.more_alerts(customer, alerts)
    }

    fn more_alerts(&self, customer: CustomerId, alerts: &[AlertRecord]) -> rusqlite::Result<()> {
        let mut alerts = alerts.iter();
        alerts.try_for_each(|alert| self.put(ALERT, &alert.id.to_string(), Some(customer), alert))
    }

    /// What a whole list no longer shows is gone.
    fn ended(
        &self,
        kind: Kind,
        whose: Option<CustomerId>,
        listed: impl Iterator<Item = String>,
    ) -> rusqlite::Result<()> {
        let listed: Value = listed.collect::<Vec<_>>().into();
        self.connection
            .prepare(
                "UPDATE seen SET gone_ms = :now WHERE account = :account AND kind = :kind \
                 AND (:whose IS NULL OR customer = :whose) AND gone_ms IS NULL \
                 AND id NOT IN (SELECT value FROM json_each(:listed))",
            )?
            .execute(named_params! {
                ":now": self.now,
                ":account": self.account,
                ":kind": kind,
                ":whose": whose.map(|customer| customer.get().cast_signed()),
                ":listed": listed.to_string(),
            })
            .map(drop)
    }

    fn put(
        &self,
        kind: Kind,
        id: &str,
        customer: Option<CustomerId>,
        record: &impl Serialize,
    ) -> rusqlite::Result<()> {
        let record = (self.without_key)(&to_json(record).to_string());
        self.connection
            .prepare(
                "INSERT INTO seen (account, kind, id, customer, record, seen_ms) \
                 VALUES (:account, :kind, :id, :customer, :record, :now) \
                 ON CONFLICT (account, kind, id) DO UPDATE SET \
                 customer = excluded.customer, record = excluded.record, seen_ms = excluded.seen_ms, gone_ms = NULL",
            )?
            .execute(named_params! {
                ":account": self.account,
                ":kind": kind,
                ":id": id,
                ":customer": customer.map(|customer| customer.get().cast_signed()),
                ":record": record,
                ":now": self.now,
            })
            .map(drop)
    }

    fn gone(&self, id: Uuid) -> rusqlite::Result<()> {
        self.connection
            .prepare(
                "UPDATE seen SET gone_ms = :now WHERE account = :account AND id = :id AND gone_ms IS NULL",
            )?
            .execute(named_params! {
                ":now": self.now,
                ":account": self.account,
                ":id": id.to_string(),
            })
            .map(drop)
    }
}

impl KnownRecords {
    /// The customers that these records belong to.
    pub fn owners(&self, ids: &[Uuid]) -> BTreeSet<CustomerId> {
        let servers = self.servers.iter();
        let servers = servers.filter_map(|server| Some((server.id.into(), server.customer?)));
        let domains = self.domains.iter();
        let domains = domains.map(|domain| (domain.id.into(), domain.customer));
        let alerts = self.alerts.iter().map(|alert| (alert.id, alert.customer));
        let owned = servers.chain(domains).chain(alerts);
        let owned = owned.filter(|(id, _): &(Uuid, CustomerId)| ids.contains(id));
        owned.map(|(_, customer)| customer).collect()
    }

    /// The addresses of these servers.
    pub fn addresses(&self, ids: &[Uuid]) -> Vec<IpAddr> {
        let servers = self.servers.iter();
        let meant = servers.filter(|server| ids.contains(server.id.as_uuid()));
        meant.filter_map(|server| server.ip.parse().ok()).collect()
    }
}

impl Observation {
    /// The ids that it shows to be of this account.
    pub(super) fn ids(&self) -> Vec<String> {
        match self {
            Self::AllServers(_, servers) | Self::Servers(servers) => {
                servers.iter().map(|server| server.id.to_string()).collect()
            }
            Self::AllDomains(_, domains) => {
                domains.iter().map(|domain| domain.id.to_string()).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl From<&Endpoint> for Server {
    fn from(endpoint: &Endpoint) -> Self {
        Self {
            id: endpoint.id,
            ip: endpoint.ip_address.to_string(),
            hostname: endpoint.hostname.clone(),
            nickname: endpoint.nickname.clone(),
            customer: endpoint.billing_customer_id,
        }
    }
}

impl Domain {
    /// A domain of a customer.
    pub fn of(customer: CustomerId, domain: &MonitoredDomain) -> Self {
        Self {
            id: domain.id,
            name: domain.domain.clone(),
            customer,
        }
    }
}

impl RuleRecord {
    /// A rule that was listed for a customer, or for the account.
    pub fn of(customer: Option<CustomerId>, rule: &Rule) -> Self {
        let place = rule
            .endpoint
            .as_ref()
            .map(|endpoint| format!(" on {}", endpoint.ip_address));
        let ports = rule
            .ports()
            .map(|ports| ports.to_string())
            .unwrap_or_default();
        Self {
            id: rule.id.into(),
            about: format!("{ports}/{}{}", rule.protocol, place.unwrap_or_default()),
            customer,
        }
    }
}

impl AlertRecord {
    /// An alert of a port.
    pub fn of_port(customer: CustomerId, alert: &PortAlert) -> Self {
        let place = alert.ip_address.as_ref().map_or("", Address::as_str);
        Self {
            id: alert.id.into(),
            about: format!("{}/{} {place}", alert.port, alert.protocol),
            customer,
            domain: None,
        }
    }

    /// An alert of a domain.
    pub fn of_domain(customer: CustomerId, alert: &DomainAlert) -> Self {
        let place = alert.domain.as_deref().unwrap_or_default();
        Self {
            id: alert.id.into(),
            about: format!("{} {place}", alert.kind),
            customer,
            domain: Some(alert.monitored_domain_id),
        }
    }
}
