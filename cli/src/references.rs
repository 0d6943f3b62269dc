//! What an ENDPOINT, RULE or ALERT argument means.
//!
//! A server is named by its id, IP address, host name or nickname, or by the first six or more digits of its id;
//! `id:`, `ip:`, `host:` and `nick:` in front force one reading. Nothing is guessed, and nothing fits by being similar.

use crate::context::Context;
use crate::error::CliError;
use secmon::model::{CustomerId, DomainId, Endpoint, EndpointId, MonitoredDomain, PortAlert, Rule};
use secmon::operations::{GetEndpoint, ListDomains, ListEndpoints, ListPortAlerts, ListRules};
use std::net::IpAddr;
use uuid::Uuid;

/// The fewest digits of an id that may stand for it.
const SHORTEST_PREFIX: usize = 6;
const PAGE_SIZE: u32 = 100;

/// Whether the first digits of an id may stand for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefixes {
    /// They may.
    Accepted,
    /// Not for what cannot be taken back.
    Refused,
}

/// Finds the servers that the arguments name; all of them before any is acted on.
pub async fn endpoints(
    context: &Context,
    names: &[String],
    prefixes: Prefixes,
) -> Result<Vec<Endpoint>, CliError> {
    let wanted = names
        .iter()
        .map(|name| Reference::parse(name, prefixes))
        .collect::<Result<Vec<_>, _>>()?;
    let mut known: Option<Vec<Endpoint>> = None;
    let mut found: Vec<Endpoint> = Vec::new();
    for reference in &wanted {
        let endpoint = match reference.id {
            Some(id) => by_id(context, id).await?,
            None => {
                if known.is_none() {
                    known = Some(all_endpoints(context, context.settings.customer).await?);
                }
                reference
                    .pick(known.as_deref().unwrap_or_default())?
                    .clone()
            }
        };
        check_owner(context, &endpoint)?;
        if !found.iter().any(|earlier| earlier.id == endpoint.id) {
            found.push(endpoint);
        }
    }
    Ok(found)
}

/// Finds the one server that the argument names.
pub async fn endpoint(context: &Context, name: &str) -> Result<Endpoint, CliError> {
    let mut found = endpoints(context, &[name.to_owned()], Prefixes::Accepted).await?;
    found
        .pop()
        .ok_or_else(|| CliError::not_found(format!("no server {name:?}")))
}

/// All servers of a customer, or of the account.
pub async fn all_endpoints(
    context: &Context,
    customer: Option<CustomerId>,
) -> Result<Vec<Endpoint>, CliError> {
    context.ready().await?;
    let mut list = ListEndpoints::new().per_page(PAGE_SIZE);
    list.billing_customer_id = customer;
    Ok(context.client()?.pages(list).collect_all().await?)
}

async fn by_id(context: &Context, id: EndpointId) -> Result<Endpoint, CliError> {
    let mut get = GetEndpoint::new(id);
    get.billing_customer_id = None;
    Ok(context.read(get).await?.into_data())
}

/// `-c` never overrides who owns a server.
fn check_owner(context: &Context, endpoint: &Endpoint) -> Result<(), CliError> {
    match (context.settings.customer, endpoint.billing_customer_id) {
        (Some(given), Some(owner)) if given != owner => Err(CliError::usage(format!(
            "{} belongs to customer {owner}, not to customer {given}: correct -c, or leave it out",
            name_of(endpoint)
        ))),
        _ => Ok(()),
    }
}

/// The customer a server belongs to.
pub fn owner(context: &Context, endpoint: &Endpoint) -> Result<CustomerId, CliError> {
    endpoint
        .billing_customer_id
        .map_or_else(|| context.customer(), Ok)
}

/// A server as it is named in sentences.
pub fn name_of(endpoint: &Endpoint) -> String {
    match endpoint.nickname.as_deref() {
        Some(nickname) if !nickname.is_empty() && nickname != endpoint.ip_address => {
            format!("{nickname} ({})", endpoint.ip_address)
        }
        _ => endpoint.ip_address.clone(),
    }
}

/// The shortest name of a server that a command understands.
pub fn handle_of(endpoint: &Endpoint) -> String {
    let nickname = endpoint.nickname.as_ref().filter(|name| !name.is_empty());
    nickname.unwrap_or(&endpoint.ip_address).clone()
}

/// How an argument is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Any,
    Id,
    Address,
    Host,
    Nickname,
}

/// Whether a reference names a server in one reading.
type Fits<'a> = fn(&Reference<'a>, &Endpoint) -> bool;

struct Reference<'a> {
    text: &'a str,
    reading: Reading,
    id: Option<EndpointId>,
    prefixes: Prefixes,
}

impl<'a> Reference<'a> {
    fn parse(argument: &'a str, prefixes: Prefixes) -> Result<Self, CliError> {
        let forced = [
            ("id:", Reading::Id),
            ("ip:", Reading::Address),
            ("host:", Reading::Host),
            ("nick:", Reading::Nickname),
        ];
        let found = forced
            .iter()
            .find_map(|(mark, reading)| argument.strip_prefix(mark).map(|text| (text, *reading)));
        let (text, reading) = found.unwrap_or((argument, Reading::Any));
        let text = text.trim();
        if text.is_empty() {
            return Err(CliError::usage(
                "a server is named by nothing: give its id, IP address, host name or nickname",
            ));
        }
        let may_be_id = matches!(reading, Reading::Any | Reading::Id);
        let id = text
            .parse::<Uuid>()
            .ok()
            .filter(|_| may_be_id)
            .map(EndpointId::from);
        Ok(Self {
            text,
            reading,
            id,
            prefixes,
        })
    }

    fn pick<'e>(&self, endpoints: &'e [Endpoint]) -> Result<&'e Endpoint, CliError> {
        let readings: [(Reading, Fits<'_>); 4] = [
            (Reading::Address, Self::is_address),
            (Reading::Host, Self::is_host),
            (Reading::Nickname, Self::is_nickname),
            (Reading::Id, Self::is_prefix),
        ];
        for (reading, fits) in readings {
            if self.reading != Reading::Any && self.reading != reading {
                continue;
            }
            let found: Vec<&Endpoint> = endpoints
                .iter()
                .filter(|endpoint| fits(self, endpoint))
                .collect();
            match found.as_slice() {
                [] => {}
                [one] if reading == Reading::Id && self.prefixes == Prefixes::Refused => {
                    return Err(CliError::usage(format!(
                        "{:?} is only the beginning of an id: for this, give the whole id {}",
                        self.text, one.id
                    )));
                }
                [one] => return Ok(one),
                many => return Err(self.ambiguous(many)),
            }
        }
        Err(self.missing(endpoints))
    }

    fn is_address(&self, endpoint: &Endpoint) -> bool {
        let wanted = self.text.parse::<IpAddr>().ok();
        wanted.is_some() && wanted == endpoint.ip_address.parse::<IpAddr>().ok()
    }

    fn is_host(&self, endpoint: &Endpoint) -> bool {
        endpoint
            .hostname
            .as_deref()
            .is_some_and(|host| host.eq_ignore_ascii_case(self.text))
    }

    fn is_nickname(&self, endpoint: &Endpoint) -> bool {
        endpoint
            .nickname
            .as_deref()
            .is_some_and(|name| name.to_lowercase() == self.text.to_lowercase())
    }

    fn is_prefix(&self, endpoint: &Endpoint) -> bool {
        is_id_prefix(self.text, &endpoint.id.to_string())
    }

    fn ambiguous(&self, found: &[&Endpoint]) -> CliError {
        let each = found.iter().map(|endpoint| {
            let owner = endpoint
                .billing_customer_id
                .map(|id| format!(" of customer {id}"))
                .unwrap_or_default();
            format!("{} {}{owner}", endpoint.id, name_of(endpoint))
        });
        CliError::new(
            crate::error::Exit::Usage,
            "ambiguous",
            format!(
                "{:?} fits {} servers: {}",
                self.text,
                found.len(),
                each.collect::<Vec<_>>().join(", ")
            ),
        )
        .hint("name the customer with -c, or give the id")
    }

    fn missing(&self, endpoints: &[Endpoint]) -> CliError {
        let names = endpoints.iter().flat_map(|endpoint| {
            [&endpoint.nickname, &endpoint.hostname]
                .into_iter()
                .flatten()
                .chain([&endpoint.ip_address])
        });
        let close = names
            .map(|name| (edit_distance(name, self.text), name))
            .min();
        let error = CliError::not_found(format!("no server {:?}", self.text));
        match close {
            Some((distance, name)) if distance <= 2 => error.hint(format!("did you mean {name}?")),
            _ => error.hint("see the servers there are: `endpoint list`"),
        }
    }
}

fn is_id_prefix(text: &str, id: &str) -> bool {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let whole: String = id.chars().filter(|c| *c != '-').collect();
    digits.len() >= SHORTEST_PREFIX && whole.starts_with(&digits.to_ascii_lowercase())
}

/// How many letters must be put in, left out or changed to make one word of the other.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Finds the record an id, or the first digits of one, stands for.
pub fn by_id_or_prefix<T>(
    text: &str,
    what: &str,
    records: Vec<T>,
    id_of: fn(&T) -> String,
) -> Result<T, CliError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(CliError::usage(format!(
            "a {what} is named by nothing: give its id"
        )));
    }
    let fits =
        |record: &T| id_of(record).eq_ignore_ascii_case(text) || is_id_prefix(text, &id_of(record));
    let mut found: Vec<T> = records.into_iter().filter(fits).collect();
    match found.len() {
        0 => Err(CliError::not_found(format!("no {what} {text:?}"))
            .hint(format!("see what there is: `{what} list`"))),
        1 => Ok(found.remove(0)),
        many => Err(CliError::new(
            crate::error::Exit::Usage,
            "ambiguous",
            format!(
                "{text:?} is the beginning of {many} ids: {}",
                found.iter().map(id_of).collect::<Vec<_>>().join(", ")
            ),
        )),
    }
}

/// All rules that a customer (or, without one, the account) has.
pub async fn all_rules(
    context: &Context,
    narrow: impl FnOnce(ListRules) -> ListRules,
) -> Result<Vec<Rule>, CliError> {
    context.ready().await?;
    let mut list = ListRules::new().per_page(PAGE_SIZE);
    list.billing_customer_id = context.settings.customer;
    Ok(context.client()?.pages(narrow(list)).collect_all().await?)
}

/// All port alerts of a customer.
pub async fn all_alerts(
    context: &Context,
    customer: CustomerId,
    narrow: impl FnOnce(ListPortAlerts) -> ListPortAlerts,
) -> Result<Vec<PortAlert>, CliError> {
    context.ready().await?;
    let list = narrow(ListPortAlerts::new(customer).per_page(PAGE_SIZE));
    Ok(context.client()?.pages(list).collect_all().await?)
}

/// A domain that an argument names; its name is known when a list was read.
#[derive(Debug, Clone)]
pub struct DomainRef {
    /// Its id.
    pub id: DomainId,
    /// Its name.
    pub name: Option<String>,
}

impl DomainRef {
    /// What it is called in sentences.
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.id.to_string())
    }
}

/// The monitored domains of a customer.
pub async fn all_domains(
    context: &Context,
    customer: CustomerId,
) -> Result<Vec<DomainRef>, CliError> {
    let overview = context.read(ListDomains::new(customer)).await?.into_data();
    let named = |domain: MonitoredDomain| DomainRef {
        id: domain.id,
        name: Some(domain.domain),
    };
    Ok(overview.domains.into_iter().map(named).collect())
}

/// Finds the domains that the arguments name, by id or name; all of them before any is acted on.
pub async fn domains(context: &Context, names: &[String]) -> Result<Vec<DomainRef>, CliError> {
    let mut known: Option<Vec<DomainRef>> = None;
    let mut found: Vec<DomainRef> = Vec::new();
    for name in names {
        let name = name.trim();
        if name.is_empty() {
            return Err(CliError::usage(
                "a domain is named by nothing: give its name or id",
            ));
        }
        let id = name.parse::<Uuid>().ok().map(DomainId::from);
        if known.is_none() && (id.is_none() || context.settings.customer.is_some()) {
            known = Some(all_domains(context, context.customer()?).await?);
        }
        let wanted = name.trim_end_matches('.').to_lowercase();
        let fits =
            |domain: &&DomainRef| Some(domain.id) == id || domain.name.as_deref() == Some(&wanted);
        let listed = known.iter().flatten().find(fits).cloned();
        let domain = listed.or(id.map(|id| DomainRef { id, name: None }));
        found.push(domain.ok_or_else(|| {
            CliError::not_found(format!("no domain {name:?} of this customer"))
                .hint("see the domains there are: `domain list`")
        })?);
    }
    Ok(found)
}
