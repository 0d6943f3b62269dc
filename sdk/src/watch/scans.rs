//! Waiting for scans to end. No scan can be read by its id, so the time of a server's last scan tells.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::background::{Pauses, in_the_background};
use crate::client::Client;
use crate::client::resources::Servers;
use crate::error::{Error, ErrorKind};
use crate::model::{CustomerId, Endpoint, EndpointId, EndpointStatus, Timestamp};

/// How the wait for one server's scan ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScanEnd {
    /// A scan ended; whether it found anything stands in the detail read.
    Scanned(Endpoint),
    /// The server is paused or terminated, so that no scan will come.
    NotActive(Endpoint),
    /// The customer has no such server, or none any more.
    Gone(EndpointId),
    /// The deadline passed; the scan goes on.
    OutOfTime(EndpointId),
}

/// A wait for the scans of one customer's servers, from [`Servers::scan_and_wait`], [`Servers::wait_for_scan`] and
/// [`Servers::wait_for_scans`].
///
/// One read serves one server, one list as many as there are, after pauses of 1, 2, 4 ... 30 seconds. The future of
/// [`next`](ScanWait::next) may be dropped and asked for again; after an error it may too. When the deadline passes while
/// the service cannot be reached, the wait ends all the same.
#[derive(Debug)]
#[must_use = "nothing is looked at before it is asked for"]
pub struct ScanWait {
    client: Client,
    customer: CustomerId,
    /// The servers waited for, with the last scan that does not count.
    open: BTreeMap<EndpointId, Option<Timestamp>>,
    ended: VecDeque<ScanEnd>,
    next_look: Instant,
    pauses: Pauses,
    deadline: Instant,
}

impl<'a> Servers<'a> {
    /// Queues a scan of a customer's server, and gives the wait for its end, at most so long.
    ///
    /// It reads the server before, so that an older scan does not count, however soon the new one ends. A scan of the
    /// service's own that was on its way does count, since nothing tells the two apart.
    ///
    /// ```
    /// # async fn wait(client: &secmon::Client, customer: secmon::model::CustomerId, server: secmon::model::EndpointId)
    /// # -> Result<(), secmon::Error> {
    /// use std::time::Duration;
    /// use secmon::watch::ScanEnd;
    ///
    /// let scan = client.servers().scan_and_wait(customer, server, Duration::from_secs(600)).await?;
    /// match scan.one().await? {
    ///     ScanEnd::Scanned(_) => println!("scanned"),
    ///     other => println!("no scan: {other:?}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// That of the read, or that of the scan; then there is nothing to wait for.
    pub async fn scan_and_wait(
        self,
        customer: CustomerId,
        server: EndpointId,
        deadline: Duration,
    ) -> Result<ScanWait, Error> {
        let before = self.get(customer, server).await?.into_inner().last_scan_at;
        self.scan(customer, server).await?;
        Ok(self.wait_for_scan(customer, server, before, deadline))
    }

    /// Waits until a scan of a customer's server has ended that is later than the one of `last_scan_at`, at most so long.
    ///
    /// With `None` any scan counts, and one of last week is told at once: that is right after provisioning alone. After
    /// a scan that was asked for, give the server's `last_scan_at` from before ([`scan_and_wait`](Servers::scan_and_wait)
    /// does so).
    pub fn wait_for_scan(
        self,
        customer: CustomerId,
        server: EndpointId,
        last_scan_at: Option<Timestamp>,
        deadline: Duration,
    ) -> ScanWait {
        self.wait_for_scans(customer, [(server, last_scan_at)], deadline)
    }

    /// The same for many servers, each with its own `last_scan_at`; they share each look.
    pub fn wait_for_scans(
        self,
        customer: CustomerId,
        servers: impl IntoIterator<Item = (EndpointId, Option<Timestamp>)>,
        deadline: Duration,
    ) -> ScanWait {
        let now = Instant::now();
        ScanWait {
            client: in_the_background(self.0),
            customer,
            open: servers.into_iter().collect(),
            ended: VecDeque::new(),
            next_look: now,
            pauses: Pauses::new(),
            deadline: crate::pipeline::pacer::waits::after(now, deadline),
        }
    }
}

impl ScanEnd {
    /// The server it is about.
    pub fn server(&self) -> EndpointId {
        match self {
            Self::Scanned(server) | Self::NotActive(server) => server.id,
            Self::Gone(server) | Self::OutOfTime(server) => *server,
        }
    }
}

impl ScanWait {
    /// The servers that are still waited for.
    pub fn open(&self) -> impl Iterator<Item = EndpointId> {
        self.open.keys().copied()
    }

    /// The end of the wait for the one server.
    ///
    /// # Errors
    /// That of a look; the wait may go on by [`next`](ScanWait::next) only, so use that where one may fail.
    pub async fn one(mut self) -> Result<ScanEnd, Error> {
        match self.next().await {
            Some(end) => end,
            None => Err(Error::new(
                ErrorKind::Configuration,
                "there is no server to wait for",
            )),
        }
    }

    /// The next server whose wait ended; `None` when all have.
    pub async fn next(&mut self) -> Option<Result<ScanEnd, Error>> {
        loop {
            if let Some(end) = self.ended.pop_front() {
                return Some(Ok(end));
            }
            if self.open.is_empty() {
                return None;
            }
            if let Err(error) = self.client.check_runtime() {
                return Some(Err(error));
            }
            sleep(self.next_delay()).await;
            if let Err(error) = self.poll().await {
                return Some(Err(error));
            }
        }
    }

    /// What ended by the looks so far and nobody was told yet.
    pub fn drain(&mut self) -> Vec<ScanEnd> {
        self.ended.drain(..).collect()
    }

    /// How long to sleep before the next look.
    pub fn next_delay(&self) -> Duration {
        self.next_look.saturating_duration_since(Instant::now())
    }

    /// Looks once, for [`drain`](ScanWait::drain) and [`next`](ScanWait::next).
    ///
    /// # Errors
    /// That of the read. Nothing is lost by it.
    pub async fn poll(&mut self) -> Result<(), Error> {
        if self.open.is_empty() {
            return Ok(());
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        self.next_look = Instant::now() + self.pauses.next().min(left);
        let found = match self.read().await {
            Ok(found) => found,
            Err(_) if Instant::now() >= self.deadline => {
                let open = std::mem::take(&mut self.open);
                self.ended.extend(open.into_keys().map(ScanEnd::OutOfTime));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        for (server, before) in std::mem::take(&mut self.open) {
            self.ended.push_back(match found.get(&server) {
                None => ScanEnd::Gone(server),
                Some(now) if now.last_scan_at > before => ScanEnd::Scanned(now.clone()),
                Some(now) if now.status != EndpointStatus::Active => {
                    ScanEnd::NotActive(now.clone())
                }
                Some(_) if Instant::now() >= self.deadline => ScanEnd::OutOfTime(server),
                Some(_) => {
                    self.open.insert(server, before);
                    continue;
                }
            });
        }
        Ok(())
    }

    /// The servers waited for as they are now; those that are not there any more are left out.
    async fn read(&self) -> Result<BTreeMap<EndpointId, Endpoint>, Error> {
        let mut found = BTreeMap::new();
        if self.open.len() > 1 {
            let list = self.client.servers().list(self.customer);
            let all = list
                .with_request(|list| list.per_page(100))
                .collect_all()
                .await?;
            found.extend(all.into_iter().map(|server| (server.id, server)));
        }
        // A server that goes while pages are read lets another slip from one to the next.
        for server in self.open.keys() {
            if !found.contains_key(server) {
                match self.client.servers().get(self.customer, *server).await {
                    Ok(one) => drop(found.insert(*server, one.into_inner())),
                    Err(error) if error.is_not_found() => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(found)
    }
}
