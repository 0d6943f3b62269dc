//! Waiting for the service: polls after 1, 2, 4, 8 ... up to 30 seconds, never without an end.

use crate::context::Context;
use crate::error::{CliError, LocalErrorKind};
use crate::references;
use crate::session::Session;
use secmon::model::{CustomerId, Endpoint, EndpointId, Timestamp};
use secmon::operations::GetEndpoint;
use secmon::watch::{ScanEnd, ScanWait};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

const FIRST_POLL: Duration = Duration::from_secs(1);

const SLOWEST_POLL: Duration = Duration::from_secs(30);

/// A wait with an end.
#[derive(Debug)]
pub struct Wait {
    ends: Instant,
    /// The time before the next look.
    pub next_poll: Duration,
    /// The command that goes on waiting.
    resume: String,
    /// What has not come about when it runs out, where the command has started nothing.
    pub only_watched: Option<String>,
}

impl Wait {
    /// A wait of at most `length`; `resume` is the command that goes on when it runs out.
    pub fn new(length: Duration, resume: String) -> Self {
        Self {
            ends: Instant::now() + length,
            next_poll: FIRST_POLL,
            resume,
            only_watched: None,
        }
    }

    /// Polls until there is a result, or the wait runs out.
    pub async fn until<T>(
        mut self,
        context: &Context,
        mut poll: impl AsyncFnMut() -> Result<Option<T>, CliError>,
    ) -> Result<T, CliError> {
        self.announce(context);
        loop {
            if let Some(result) = poll().await? {
                return Ok(result);
            }
            let left = self.left();
            if left.is_zero() {
                return Err(self.ran_out());
            }
            context.session.rest(self.next_poll.min(left)).await;
            self.next_poll = (self.next_poll * 2).min(SLOWEST_POLL.max(self.next_poll));
        }
    }

    /// Waits until each server has been scanned, and gives them as they are then, in the order given. One that gets no
    /// scan any more ends the wait.
    pub async fn for_scans(
        self,
        context: &Context,
        servers: &[Awaited],
    ) -> Result<Vec<Endpoint>, CliError> {
        self.announce(context);
        let mut waits = self.scan_waits(context, servers)?;
        let mut scanned = BTreeMap::new();
        while !waits.is_empty() {
            context.session.ready().await?;
            for mut wait in std::mem::take(&mut waits) {
                wait.poll().await?;
                for end in wait.drain() {
                    let endpoint = self.scanned(servers, end)?;
                    scanned.insert(endpoint.id, endpoint);
                }
                if wait.open().next().is_some() {
                    waits.push(wait);
                }
            }
            if let Some(pause) = waits.iter().map(ScanWait::next_delay).min() {
                let pause = pause.max(self.next_poll).min(self.left());
                context.session.rest(pause).await;
            }
        }
        let servers = servers.iter();
        Ok(servers
            .filter_map(|server| scanned.remove(&server.id))
            .collect())
    }

    /// One wait for each customer: it reads that customer's servers together.
    fn scan_waits(
        &self,
        context: &Context,
        servers: &[Awaited],
    ) -> Result<Vec<ScanWait>, CliError> {
        let client = context.session.client()?;
        let customers: BTreeSet<CustomerId> =
            servers.iter().map(|server| server.customer).collect();
        let wait_for = |customer: CustomerId| {
            let theirs = servers.iter().filter(|server| server.customer == customer);
            let theirs = theirs.map(|server| (server.id, server.since.clone()));
            client
                .servers()
                .wait_for_scans(customer, theirs, self.left())
        };
        Ok(customers.into_iter().map(wait_for).collect())
    }

    /// The server that was scanned, or why it is not.
    fn scanned(&self, servers: &[Awaited], end: ScanEnd) -> Result<Endpoint, CliError> {
        match end {
            ScanEnd::Scanned(endpoint) => Ok(endpoint),
            ScanEnd::NotActive(endpoint) => Err(not_active(&endpoint)),
            ScanEnd::Gone(id) => {
                let named = servers.iter().find(|server| server.id == id);
                let name = named.map_or_else(|| id.to_string(), |server| server.name.clone());
                Err(CliError::not_found(format!("{name} is no longer there")))
            }
            _ => Err(self.ran_out()),
        }
    }

    fn announce(&self, context: &Context) {
        let stopped = match self.only_watched {
            Some(_) => "stopped waiting; nothing was changed",
            None => "stopped waiting; what was started goes on",
        };
        context
            .session
            .on_interrupt(stopped, format!("go on waiting: `{}`", self.resume));
    }

    fn left(&self) -> Duration {
        self.ends.saturating_duration_since(Instant::now())
    }

    fn ran_out(&self) -> CliError {
        let sentence = match &self.only_watched {
            Some(not_yet) => not_yet.as_str(),
            None => "timed out waiting; the scan continues",
        };
        CliError::new(LocalErrorKind::WaitRanOut, sentence)
            .hint(format!("go on waiting: `{}`", self.resume))
    }
}

/// A server whose scan is waited for.
pub struct Awaited {
    /// Its id.
    pub id: EndpointId,
    /// The customer it belongs to.
    pub customer: CustomerId,
    /// What it is called in sentences.
    pub name: String,
    /// The end of the last scan that does not count.
    pub since: Option<Timestamp>,
}

impl Awaited {
    /// A server that is to be scanned anew.
    pub fn again(context: &Context, server: &Endpoint) -> Result<Self, CliError> {
        Ok(Self {
            id: server.id,
            customer: references::owner(context, server)?,
            name: references::name_of(server),
            since: server.last_scan_at.clone(),
        })
    }
}

/// The servers with these ids as they are now: one read for one, else one list a customer.
pub async fn current(session: &Session, endpoints: &[Endpoint]) -> Result<Vec<Endpoint>, CliError> {
    if let [one] = endpoints {
        let get = GetEndpoint::account_wide(one.id);
        return Ok(vec![session.read(get).await?]);
    }
    let wanted: BTreeSet<EndpointId> = endpoints.iter().map(|endpoint| endpoint.id).collect();
    let owners = endpoints
        .iter()
        .map(|endpoint| endpoint.billing_customer_id);
    let customers: BTreeSet<Option<CustomerId>> = owners.collect();
    let mut current = Vec::new();
    for customer in customers {
        current.extend(references::all_endpoints(session, customer).await?);
    }
    current.retain(|endpoint| wanted.contains(&endpoint.id));
    Ok(current)
}

/// The end of a wait for a scan that will not come.
fn not_active(endpoint: &Endpoint) -> CliError {
    let name = references::name_of(endpoint);
    CliError::new(
        LocalErrorKind::Paused,
        format!("{name} is {}, so no scan will come", endpoint.status),
    )
    .hint(format!("resume it: `endpoint resume {}`", endpoint.id))
}
