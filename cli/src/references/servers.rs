//! Servers by id, IP address, host name, nickname, or the first digits of the id.

use super::PAGE_SIZE;
use super::reference::Reference;
use crate::context::Context;
use crate::error::{CliError, Exit};
use secmon::model::{CustomerId, Endpoint, EndpointId, EndpointStatus};
use secmon::operations::{GetEndpoint, ListEndpoints};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Whether the first digits of an id may stand for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefixes {
    /// They may.
    Accepted,
    /// Not for what cannot be taken back.
    Refused,
}

/// A server that a change is about. One that was terminated or deleted before is known by its id alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServerTarget {
    /// Its id.
    pub id: EndpointId,
    /// What it is called in sentences.
    pub name: String,
    /// What is typed to confirm a change of it.
    pub handle: String,
    /// The customer it belongs to.
    pub owner: Option<CustomerId>,
    /// Its state, where it was listed a moment ago.
    #[serde(skip)]
    pub status: Option<EndpointStatus>,
}

impl From<Endpoint> for ServerTarget {
    fn from(endpoint: Endpoint) -> Self {
        Self {
            id: endpoint.id,
            name: name_of(&endpoint),
            handle: handle_of(&endpoint),
            owner: endpoint.billing_customer_id,
            status: Some(endpoint.status),
        }
    }
}

impl ServerTarget {
    /// A server that is known by its id alone.
    fn unlisted(id: EndpointId) -> Self {
        let name = id.to_string();
        Self {
            id,
            handle: name.clone(),
            name,
            owner: None,
            status: None,
        }
    }
}

/// Finds the servers that the arguments name; all of them before any is acted on.
pub async fn endpoints(
    context: &Context,
    names: &[String],
    prefixes: Prefixes,
) -> Result<Vec<Endpoint>, CliError> {
    let search = Search::new(context, prefixes);
    let mut found: Vec<Endpoint> = Vec::new();
    let mut problems = Vec::new();
    for reference in parse(names)? {
        match search.one(&reference).await {
            Ok(endpoint) if found.iter().any(|earlier| earlier.id == endpoint.id) => {}
            Ok(endpoint) => found.push(endpoint),
            Err(error) if worth_collecting(&error) => problems.push(error),
            Err(error) => return Err(error),
        }
    }
    together(problems, names.len())?;
    Ok(found)
}

/// The same for changes, each with the place of its name: a whole id is enough even where the server was terminated or
/// deleted before, and so is a name that is `known` from before.
pub async fn server_targets(
    context: &Context,
    names: &[String],
    prefixes: Prefixes,
    known: impl Fn(&str) -> Option<ServerTarget>,
) -> Result<Vec<(usize, ServerTarget)>, CliError> {
    let search = Search::new(context, prefixes);
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut problems = Vec::new();
    for (place, reference) in parse(names)?.iter().enumerate() {
        let target = match search.one(reference).await {
            Ok(endpoint) => ServerTarget::from(endpoint),
            Err(error) if error.exit() == Exit::NotFound => {
                let unlisted = known(&names[place]).or(reference.id.map(ServerTarget::unlisted));
                match unlisted {
                    Some(target) => target,
                    None => {
                        problems.push(error);
                        continue;
                    }
                }
            }
            Err(error) if worth_collecting(&error) => {
                problems.push(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        if seen.insert(target.id) {
            found.push((place, target));
        }
    }
    together(problems, names.len())?;
    Ok(found)
}

fn parse(names: &[String]) -> Result<Vec<Reference<'_>>, CliError> {
    names.iter().map(|name| Reference::parse(name)).collect()
}

/// What is wrong with one name does not hide what is wrong with the next.
fn worth_collecting(error: &CliError) -> bool {
    matches!(error.exit(), Exit::NotFound | Exit::Usage)
}

fn together(mut problems: Vec<CliError>, of: usize) -> Result<(), CliError> {
    match problems.len() {
        0 => Ok(()),
        1 => Err(problems.remove(0)),
        many => {
            let all_missing = problems.iter().all(|error| error.exit() == Exit::NotFound);
            let sentences: Vec<&str> = problems.iter().map(CliError::message).collect();
            let message = format!(
                "{many} of {of} names fit no server, so nothing was done:\n  {}",
                sentences.join("\n  ")
            );
            Err(if all_missing {
                CliError::not_found(message)
            } else {
                CliError::usage(message)
            })
        }
    }
}

/// Finds the one server that the argument names.
pub async fn endpoint(context: &Context, name: &str) -> Result<Endpoint, CliError> {
    Search::new(context, Prefixes::Accepted)
        .one(&Reference::parse(name)?)
        .await
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

/// Looks servers up; the list is read once, and only when a name is no whole id.
struct Search<'a> {
    context: &'a Context,
    prefixes: Prefixes,
    list: tokio::sync::OnceCell<Vec<Endpoint>>,
}

impl<'a> Search<'a> {
    fn new(context: &'a Context, prefixes: Prefixes) -> Self {
        Self {
            context,
            prefixes,
            list: tokio::sync::OnceCell::new(),
        }
    }

    async fn one(&self, reference: &Reference<'_>) -> Result<Endpoint, CliError> {
        if let Some(id) = reference.id {
            let found = self.context.read(GetEndpoint::new(id)).await;
            let endpoint = found
                .map_err(|error| error.during(format!("looking {id} up")))?
                .into_data();
            check_owner(self.context, &endpoint)?;
            return Ok(endpoint);
        }
        let customer = self.context.settings.customer;
        let list = self
            .list
            .get_or_try_init(|| all_endpoints(self.context, customer))
            .await?;
        let fit = reference.fit(list);
        match fit.servers.as_slice() {
            [] => Err(self.missing(reference, list).await),
            [one] if fit.by_prefix && self.prefixes == Prefixes::Refused => {
                Err(CliError::usage(format!(
                    "{:?} is only the beginning of an id: for this, give the whole id {}",
                    reference.text, one.id
                )))
            }
            [one] => Ok((*one).clone()),
            many => self.choose(reference, many),
        }
    }

    /// Two servers fit: a person chooses, a script is told both.
    fn choose(
        &self,
        reference: &Reference<'_>,
        fitting: &[&Endpoint],
    ) -> Result<Endpoint, CliError> {
        let labels: Vec<String> = fitting.iter().map(|endpoint| label(endpoint)).collect();
        if self.context.may_ask() {
            let question = format!(
                "{:?} fits {} servers: which one?",
                reference.text,
                fitting.len()
            );
            let chosen = self.context.choose(&question, &labels)?;
            if let Some(endpoint) = fitting.get(chosen) {
                return Ok((*endpoint).clone());
            }
        }
        let message = format!(
            "{:?} fits {} servers: {}",
            reference.text,
            fitting.len(),
            labels.join(", ")
        );
        Err(CliError::new(Exit::Usage, "ambiguous", message)
            .hint("name the customer with -c, or give the id"))
    }

    /// What `-c` left out may be another customer's: then `-c` is what is wrong.
    async fn missing(&self, reference: &Reference<'_>, list: &[Endpoint]) -> CliError {
        if self.context.settings.customer.is_some()
            && let Ok(everyones) = all_endpoints(self.context, None).await
            && let Some(other) = reference.fit(&everyones).servers.first()
            && let Err(error) = check_owner(self.context, other)
        {
            return error;
        }
        let error = CliError::not_found(format!("no server {:?}", reference.text));
        match reference.near_miss(list) {
            Some(name) => error.hint(format!("did you mean {name}?")),
            None => error.hint("see the servers there are: `endpoint list`"),
        }
    }
}

fn label(endpoint: &Endpoint) -> String {
    let owner = endpoint
        .billing_customer_id
        .map(|id| format!(" of customer {id}"))
        .unwrap_or_default();
    format!("{} {}{owner}", endpoint.id, name_of(endpoint))
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

/// A server as it is named in sentences, on one line.
pub fn name_of(endpoint: &Endpoint) -> String {
    match endpoint.nickname.as_deref() {
        Some(nickname) if !nickname.is_empty() && nickname != endpoint.ip_address => {
            format!(
                "{} ({})",
                nickname.replace(['\n', '\r'], " "),
                endpoint.ip_address
            )
        }
        _ => endpoint.ip_address.clone(),
    }
}

/// The shortest name of a server that a command understands.
pub fn handle_of(endpoint: &Endpoint) -> String {
    let nickname = endpoint.nickname.as_ref().filter(|name| !name.is_empty());
    nickname.unwrap_or(&endpoint.ip_address).clone()
}
