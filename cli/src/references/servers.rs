//! Servers by id, IP address, host name, nickname, or the first digits of the id.

use super::customers::{is_known, nothing_found};
use super::records::PAGE_SIZE;
use super::reference::Reference;
use crate::context::Context;
use crate::error::{CliError, Exit, LocalErrorKind, if_found};
use crate::session::Session;
use crate::state::StateDb;
use crate::state::records::{Observation, Server};
use crate::ui::invocation::quoted;
use secmon::model::{CustomerId, Endpoint, EndpointId};
use secmon::operations::{GetEndpoint, ListEndpoints};
use std::collections::{BTreeSet, HashSet};

/// Whether the first digits of an id may stand for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrefixPolicy {
    /// They may.
    Accepted,
    /// Not for what cannot be taken back.
    Refused,
}

/// A server that a change is about.
#[derive(Debug, Clone)]
pub struct ServerTarget {
    /// Its id.
    pub id: EndpointId,
    /// As it was listed a moment ago; none for one that is known by its id alone.
    pub listed: Option<Endpoint>,
}

impl From<Endpoint> for ServerTarget {
    fn from(endpoint: Endpoint) -> Self {
        Self {
            id: endpoint.id,
            listed: Some(endpoint),
        }
    }
}

impl ServerTarget {
    /// What it is called in sentences.
    pub fn name(&self) -> String {
        self.listed
            .as_ref()
            .map_or_else(|| self.id.to_string(), name_of)
    }

    /// What is typed to confirm a change of it.
    pub fn handle(&self) -> String {
        self.listed
            .as_ref()
            .map_or_else(|| self.id.to_string(), handle_of)
    }

    /// The customer it belongs to.
    pub fn owner(&self) -> Option<CustomerId> {
        self.listed.as_ref()?.billing_customer_id
    }
}

/// What the name of a server came to.
#[derive(Debug)]
pub enum FoundServer {
    /// It is there; or it is known by its whole id alone, where nothing asks whose it is.
    There(Box<ServerTarget>),
    /// No list shows it. Its id is known where this computer has seen it.
    Absent {
        /// Its id.
        id: Option<EndpointId>,
        /// That it is not there.
        error: CliError,
    },
}

/// Finds the servers that the arguments name; all of them before any is acted on.
pub async fn endpoints(
    context: &Context,
    names: &[String],
    prefixes: PrefixPolicy,
) -> Result<Vec<Endpoint>, CliError> {
    let references = parse(names)?;
    let search = Search::new(context, names, prefixes)?;
    let mut found: Vec<Endpoint> = Vec::new();
    let mut seen = HashSet::new();
    let mut problems = Vec::new();
    for reference in references {
        match search.one(&reference).await {
            Ok(endpoint) if seen.insert(endpoint.id) => found.push(endpoint),
            Ok(_) => {}
            Err(error) if worth_collecting(&error) => problems.push(error),
            Err(error) => return Err(error),
        }
    }
    together(problems, names.len())?;
    Ok(found)
}

/// The servers that have ended as far as this computer knows, and whose they were; behind `-c` none of another customer.
pub fn ended_servers(session: &Session) -> Vec<Server> {
    let mut ended = session
        .state()
        .map(StateDb::gone_servers)
        .unwrap_or_default();
    let wall = session.settings.customer;
    ended.retain(|server| match wall {
        Some(customer) => server.customer == Some(customer),
        None => server.customer.is_some(),
    });
    ended
}

/// Refuses names of servers that name nothing, before anything is asked.
pub fn refuse_empty<'a>(mut names: impl Iterator<Item = &'a String>) -> Result<(), CliError> {
    names.try_for_each(|name| Reference::parse(name).map(drop))
}

/// What each of the names of a change comes to. A whole id is enough even where the server has ended, unless somebody
/// wants to be sure whose it is.
pub async fn server_targets(
    context: &Context,
    names: &[String],
    prefixes: PrefixPolicy,
) -> Result<Vec<FoundServer>, CliError> {
    let references = parse(names)?;
    let search = Search::new(context, names, prefixes)?;
    let mut found = Vec::new();
    let mut problems = Vec::new();
    for reference in &references {
        match search.one(reference).await {
            Ok(endpoint) => found.push(FoundServer::There(Box::new(ServerTarget::from(endpoint)))),
            Err(error) if error.exit() == Exit::NotFound => {
                found.push(absent(&context.session, reference, error));
            }
            Err(error) if worth_collecting(&error) => problems.push(error),
            Err(error) => return Err(error),
        }
    }
    together(problems, names.len())?;
    Ok(found)
}

fn absent(session: &Session, reference: &Reference<'_>, error: CliError) -> FoundServer {
    let settings = &session.settings;
    let asks_whose = settings.customer.is_some() || !settings.safety.protect.is_empty();
    if let Some(id) = reference.id {
        return match asks_whose {
            true => FoundServer::Absent {
                id: Some(id),
                error,
            },
            false => FoundServer::There(Box::new(ServerTarget { id, listed: None })),
        };
    }
    // What earlier commands have seen, and the list no longer shows.
    let mut gone = session
        .state()
        .map(StateDb::gone_servers)
        .unwrap_or_default();
    gone.extend(
        session
            .known()
            .iter()
            .flat_map(|known| known.servers.clone()),
    );
    let fit = reference.fit(&gone);
    let mut fitting = fit.servers.iter().filter(|_| !fit.by_prefix);
    let id = fitting.next().map(|server| server.id);
    let id = id.filter(|_| fitting.next().is_none());
    FoundServer::Absent { id, error }
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
                "{many} of {of} names match no server, so nothing was done:\n  {}",
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
    let reference = Reference::parse(name)?;
    Search::new(context, &[name.to_owned()], PrefixPolicy::Accepted)?
        .one(&reference)
        .await
}

/// All servers of a customer, or of the account.
pub async fn all_endpoints(
    session: &Session,
    customer: Option<CustomerId>,
) -> Result<Vec<Endpoint>, CliError> {
    session.ready().await?;
    let mut list = ListEndpoints::account_wide().per_page(PAGE_SIZE);
    list.billing_customer_id = customer;
    let endpoints = session.client()?.pages(list).collect_stable().await?;
    let servers = endpoints.iter().map(Server::from).collect();
    session.learn(Observation::AllServers(customer, servers));
    Ok(endpoints)
}

/// The servers of these customers: one list each, or that of the whole account where it costs fewer calls.
pub async fn endpoints_of(
    session: &Session,
    customers: &BTreeSet<CustomerId>,
) -> Result<Vec<Endpoint>, CliError> {
    if customers.len() > 1 {
        let first = session
            .read(ListEndpoints::account_wide().per_page(1))
            .await?;
        let pages = first.meta.total;
        let pages = pages.map(|total| total.div_ceil(u64::from(PAGE_SIZE)));
        if pages.is_some_and(|pages| pages < customers.len() as u64) {
            let mut all = all_endpoints(session, None).await?;
            all.retain(|endpoint| {
                let owner = endpoint.billing_customer_id;
                owner.is_some_and(|owner| customers.contains(&owner))
            });
            return Ok(all);
        }
    }
    let mut endpoints = Vec::new();
    for customer in customers {
        endpoints.extend(all_endpoints(session, Some(*customer)).await?);
    }
    Ok(endpoints)
}

/// A server as it is now.
async fn read_endpoint(session: &Session, id: EndpointId) -> Result<Endpoint, CliError> {
    let found = session.read(GetEndpoint::account_wide(id)).await;
    if found
        .as_ref()
        .is_err_and(|error| error.exit() == Exit::NotFound)
    {
        session.learn(Observation::Gone(id.into()));
    }
    let endpoint = found.map_err(|error| error.during(format!("looking {id} up")))?;
    session.learn(Observation::Servers(vec![Server::from(&endpoint)]));
    Ok(endpoint)
}

/// Looks servers up: one by one where that costs fewer calls than the list, which is read once.
struct Search<'a> {
    context: &'a Context,
    prefixes: PrefixPolicy,
    /// All names of the command.
    named: Vec<String>,
    way: Lookup,
    list: tokio::sync::OnceCell<Vec<Endpoint>>,
}

/// How servers are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lookup {
    /// By their ids, where they are given or the index knows them; each is confirmed by the answer.
    OneByOne,
    /// Only whole ids are looked up one by one.
    ListForNames,
    /// All in the list.
    List,
}

impl Lookup {
    /// The index saves calls only where the list is long. With a customer, and for what cannot be taken back, a fresh
    /// list decides.
    fn choose(context: &Context, names: usize, prefixes: PrefixPolicy) -> Result<Self, CliError> {
        const FEW: usize = 10;
        const WORTH_TELLING: usize = 20;
        let customer = context.session.settings.customer;
        let servers = &context.session.known()?.servers;
        let listed = servers
            .iter()
            .filter(|server| customer.is_none() || server.customer == customer);
        let calls = listed.count().div_ceil(PAGE_SIZE as usize);
        // A long wait for a list is told beforehand.
        if prefixes == PrefixPolicy::Refused && calls > WORTH_TELLING {
            context.screen.note(&format!(
                "reading all servers again first: about {calls} calls"
            ));
        }
        Ok(match (names <= calls && customer.is_none(), prefixes) {
            (true, PrefixPolicy::Accepted) => Self::OneByOne,
            _ if names <= FEW => Self::ListForNames,
            _ => Self::List,
        })
    }
}

impl<'a> Search<'a> {
    fn new(
        context: &'a Context,
        names: &[String],
        prefixes: PrefixPolicy,
    ) -> Result<Self, CliError> {
        Ok(Self {
            context,
            prefixes,
            named: names.to_vec(),
            way: Lookup::choose(context, names.len(), prefixes)?,
            list: tokio::sync::OnceCell::new(),
        })
    }

    async fn one(&self, reference: &Reference<'_>) -> Result<Endpoint, CliError> {
        if let Some(id) = reference.id {
            return self.by_id(id).await;
        }
        if let Some(endpoint) = self.by_index(reference).await? {
            return Ok(endpoint);
        }
        let list = self.list().await?;
        let fit = reference.fit(list);
        match fit.servers.as_slice() {
            [] => Err(self.missing(reference, list).await),
            [one] if fit.by_prefix && self.prefixes == PrefixPolicy::Refused => {
                Err(CliError::usage(format!(
                    "{:?} is only the beginning of an id; this command needs the whole id: {}",
                    reference.text, one.id
                )))
            }
            [one] => Ok((*one).clone()),
            many => self.choose(reference, many),
        }
    }

    async fn list(&self) -> Result<&Vec<Endpoint>, CliError> {
        let customer = self.context.session.settings.customer;
        self.list
            .get_or_try_init(|| all_endpoints(&self.context.session, customer))
            .await
    }

    async fn by_id(&self, id: EndpointId) -> Result<Endpoint, CliError> {
        if self.way == Lookup::List
            && let Some(endpoint) = self.list().await?.iter().find(|listed| listed.id == id)
        {
            return Ok(endpoint.clone());
        }
        let endpoint = read_endpoint(&self.context.session, id).await?;
        check_owner(&self.context.session, &endpoint).await?;
        Ok(endpoint)
    }

    /// The one server that the index knows by this name, if the service still says the same of it.
    async fn by_index(&self, reference: &Reference<'_>) -> Result<Option<Endpoint>, CliError> {
        if self.way != Lookup::OneByOne {
            return Ok(None);
        }
        let fit = reference.fit(&self.context.session.known()?.servers);
        let [known] = fit.servers.as_slice() else {
            return Ok(None);
        };
        let found = if_found(read_endpoint(&self.context.session, known.id).await)?;
        Ok(found.filter(|endpoint| Server::from(endpoint) == **known))
    }

    /// Two servers fit: a person chooses, a script is told both.
    fn choose(
        &self,
        reference: &Reference<'_>,
        fitting: &[&Endpoint],
    ) -> Result<Endpoint, CliError> {
        let labels: Vec<String> = fitting.iter().map(|endpoint| label(endpoint)).collect();
        if self.context.prompt.may_ask() {
            let question = format!(
                "{:?} matches {} servers: which one?",
                reference.text,
                fitting.len()
            );
            let chosen = self.context.prompt.choose(&question, &labels)?;
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
        let owners: BTreeSet<_> = fitting.iter().map(|one| one.billing_customer_id).collect();
        Err(
            CliError::new(LocalErrorKind::Ambiguous, message).hint(match owners.len() {
                1 => "name it by its address or its id",
                _ => "name the customer with -c, or give the id",
            }),
        )
    }

    /// Whether earlier commands have seen a server of this name that is there no more.
    fn has_ended(&self, reference: &Reference<'_>) -> bool {
        let ended = ended_servers(&self.context.session);
        let fit = reference.fit(&ended);
        !fit.by_prefix && !fit.servers.is_empty()
    }

    /// What `-c` left out may be another customer's: then `-c` is what is wrong.
    async fn missing(&self, reference: &Reference<'_>, list: &[Endpoint]) -> CliError {
        if self.context.session.settings.customer.is_some()
            && let Ok(everyones) = all_endpoints(&self.context.session, None).await
            && let Some(other) = reference.fit(&everyones).servers.first()
            && let Err(error) = check_owner(&self.context.session, other).await
        {
            return error;
        }
        let error = CliError::not_found(format!("no server named {:?}", reference.text));
        if self.has_ended(reference) {
            let name = quoted(reference.text);
            return error.hint(format!(
                "a server of this name has ended; see what happened to it: `endpoint history {name}`"
            ));
        }
        if self.context.session.settings.customer.is_none()
            && let Ok(number) = reference.text.parse::<u32>()
        {
            return error.hint(format!(
                "if {number} is a customer: `endpoint list -c {number}` shows their servers"
            ));
        }
        match reference.near_miss(list, &self.named) {
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
async fn check_owner(session: &Session, endpoint: &Endpoint) -> Result<(), CliError> {
    match (session.settings.customer, endpoint.billing_customer_id) {
        (Some(given), Some(owner)) if given != owner => {
            let server = name_of(endpoint);
            let belongs = format!(
                "{server} belongs to customer {owner}, not to customer {given}: nothing was sent"
            );
            match is_known(session, given).await? {
                true => Err(CliError::usage(belongs)),
                false => Err(CliError::not_found(format!(
                    "{} {belongs}",
                    nothing_found(given)
                ))),
            }
        }
        _ => Ok(()),
    }
}

/// The customer a server belongs to.
pub fn owner(context: &Context, endpoint: &Endpoint) -> Result<CustomerId, CliError> {
    endpoint
        .billing_customer_id
        .map_or_else(|| context.customer(), Ok)
}

/// A name in a form whose order is a person's: web-9 before web-10, 192.0.2.9 before 192.0.2.10.
pub fn in_order(name: &str) -> String {
    let (mut key, mut digits) = (String::new(), String::new());
    for letter in name.to_lowercase().chars().chain(['\0']) {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        if !digits.is_empty() {
            key += &format!("{digits:0>20}");
            digits.clear();
        }
        key.push(letter);
    }
    key
}

/// A server as it is named in sentences, on one line.
pub fn name_of(endpoint: &Endpoint) -> String {
    match endpoint.nickname.as_deref() {
        Some(nickname) if !nickname.is_empty() && endpoint.ip_address != nickname => {
            format!(
                "{} ({})",
                nickname.replace(['\n', '\r'], " "),
                endpoint.ip_address
            )
        }
        _ => endpoint.ip_address.to_string(),
    }
}

/// The shortest name of a server that a command understands.
pub fn handle_of(endpoint: &Endpoint) -> String {
    let nickname = endpoint.nickname.as_deref().map(str::trim);
    let nickname = nickname.filter(|name| !name.is_empty());
    nickname.unwrap_or(endpoint.ip_address.as_str()).to_owned()
}

/// Whether a text is part of an address or a name of a server, in letters of any size.
pub fn is_called(endpoint: &Endpoint, text: &str) -> bool {
    let text = text.to_lowercase();
    let names = [&endpoint.nickname, &endpoint.hostname]
        .into_iter()
        .flatten();
    let mut names = names
        .map(String::as_str)
        .chain([endpoint.ip_address.as_str()]);
    names.any(|name| name.to_lowercase().contains(&text))
}
