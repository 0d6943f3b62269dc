//! Watching a customer's open alerts.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::background::in_the_background;
use crate::client::Client;
use crate::error::Error;
use crate::model::{
    CustomerId, DomainAlert, DomainAlertStatus, PortAlert, PortAlertStatus, Severity,
};

/// An alert of a customer: about a port of a server, or about a domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CustomerAlert {
    /// An open port that no rule covers.
    Port(PortAlert),
    /// Leaked credentials, or a mention on the dark web.
    Domain(DomainAlert),
}

impl CustomerAlert {
    /// How severe it is.
    pub fn severity(&self) -> Option<&Severity> {
        match self {
            Self::Port(alert) => alert.severity.as_ref(),
            Self::Domain(alert) => alert.severity.as_ref(),
        }
    }

    /// Its identifier, whichever kind it is.
    pub fn id(&self) -> Uuid {
        match self {
            Self::Port(alert) => alert.id.into(),
            Self::Domain(alert) => alert.id.into(),
        }
    }

    fn is_resolved(&self) -> bool {
        match self {
            Self::Port(alert) => alert.status == PortAlertStatus::Resolved,
            Self::Domain(alert) => alert.status == DomainAlertStatus::Resolved,
        }
    }

    fn is_open(&self) -> bool {
        match self {
            Self::Port(alert) => alert.status == PortAlertStatus::Open,
            Self::Domain(alert) => alert.status == DomainAlertStatus::Open,
        }
    }
}

/// What happened to an alert.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AlertEvent {
    /// It was raised.
    New(CustomerAlert),
    /// Somebody has seen it; of alerts about domains only.
    Acknowledged(CustomerAlert),
    /// It is resolved: its port was closed, a rule covers it, or a person dealt with it.
    Resolved(CustomerAlert),
    /// It can be read no more, for its server or domain is gone; as it was last.
    Gone(CustomerAlert),
}

/// A watch over a customer's open alerts, from [`Client::watch_alerts`].
///
/// What is open at the first look is known and not told ([`open`](AlertWatch::open)). A look takes a page or more of
/// port alerts, one call for the customer's domains, and one for the alerts of each. The future of
/// [`next`](AlertWatch::next) may be dropped and asked for again; after an error it may too, and nothing is told twice.
#[derive(Debug)]
#[must_use = "nothing is looked at before it is asked for"]
pub struct AlertWatch {
    client: Client,
    customer: CustomerId,
    interval: Duration,
    next_look: Instant,
    /// None before the first look.
    open: Option<BTreeMap<Uuid, CustomerAlert>>,
    news: VecDeque<AlertEvent>,
}

impl Client {
    /// Watches a customer's alerts, with a look every so often.
    pub fn watch_alerts(&self, customer: CustomerId, interval: Duration) -> AlertWatch {
        AlertWatch {
            client: in_the_background(self),
            customer,
            interval,
            next_look: Instant::now(),
            open: None,
            news: VecDeque::new(),
        }
    }
}

impl AlertWatch {
    /// Takes these for known, so that the first look tells what was raised and dealt with since: what
    /// [`open`](AlertWatch::open) gave before a restart.
    pub fn knowing(mut self, open: impl IntoIterator<Item = CustomerAlert>) -> Self {
        self.open = Some(open.into_iter().map(|alert| (alert.id(), alert)).collect());
        self
    }

    /// The alerts that were open at the last look; `None` before the first.
    pub fn open(&self) -> Option<impl Iterator<Item = &CustomerAlert>> {
        self.open.as_ref().map(BTreeMap::values)
    }

    /// What happens next; it waits as long as nothing does.
    ///
    /// # Errors
    /// That of a look; asked again, it looks again.
    pub async fn next(&mut self) -> Result<AlertEvent, Error> {
        loop {
            if let Some(news) = self.news.pop_front() {
                return Ok(news);
            }
            self.client.check_runtime()?;
            sleep(self.next_delay()).await;
            self.poll().await?;
        }
    }

    /// What the looks so far have seen and nobody was told yet.
    pub fn drain(&mut self) -> Vec<AlertEvent> {
        self.news.drain(..).collect()
    }

    /// How long to sleep before the next look.
    pub fn next_delay(&self) -> Duration {
        self.next_look.saturating_duration_since(Instant::now())
    }

    /// Looks once, for [`drain`](AlertWatch::drain) and [`next`](AlertWatch::next).
    ///
    /// # Errors
    /// That of a read. Nothing is lost by it, and nothing is told twice.
    pub async fn poll(&mut self) -> Result<(), Error> {
        self.next_look = crate::pipeline::pacer::waits::after(Instant::now(), self.interval);
        let mut now = self.read().await?;
        let Some(before) = &self.open else {
            self.open = Some(now);
            return Ok(());
        };
        let mut news = Vec::new();
        for (id, alert) in &now {
            if !before.contains_key(id) {
                news.push(AlertEvent::New(alert.clone()));
            }
        }
        // An alert that ends while pages are read lets another slip from one to the next: such a one is open still.
        let gone: Vec<CustomerAlert> = before
            .iter()
            .filter(|(id, _)| !now.contains_key(id))
            .map(|(_, alert)| alert.clone())
            .collect();
        for alert in gone {
            match self.became_of(&alert).await? {
                Some(end) => news.push(end),
                None => drop(now.insert(alert.id(), alert)),
            }
        }
        self.news.extend(news);
        self.open = Some(now);
        Ok(())
    }

    /// All that is open now.
    async fn read(&self) -> Result<BTreeMap<Uuid, CustomerAlert>, Error> {
        let (ports, domains) = (self.client.port_alerts(), self.client.domains());
        let open = ports.list(self.customer);
        let open = open.with_request(|list| list.status(PortAlertStatus::Open).per_page(100));
        let open = open.collect_all().await?.into_iter();
        let mut alerts: Vec<CustomerAlert> = open.map(CustomerAlert::Port).collect();
        let overview = domains.list(self.customer).await?;
        for domain in overview.into_inner().domains.unwrap_or_default() {
            let open = domains.alerts(self.customer, domain.id);
            let open = open.with_request(|list| list.status(DomainAlertStatus::Open).per_page(50));
            alerts.extend(
                open.collect_all()
                    .await?
                    .into_iter()
                    .map(CustomerAlert::Domain),
            );
        }
        Ok(alerts
            .into_iter()
            .map(|alert| (alert.id(), alert))
            .collect())
    }

    /// What happened to an alert that is not among the open ones; nothing when it is open all the same.
    async fn became_of(&self, alert: &CustomerAlert) -> Result<Option<AlertEvent>, Error> {
        let read = match alert {
            CustomerAlert::Port(alert) => {
                let found = self.client.port_alerts().get(self.customer, alert.id).await;
                found.map(|found| CustomerAlert::Port(found.into_inner().alert))
            }
            CustomerAlert::Domain(alert) => {
                let (domain, id) = (alert.monitored_domain_id, alert.id);
                let found = self.client.domains().alert(self.customer, domain, id).await;
                found.map(|found| CustomerAlert::Domain(found.into_inner().alert))
            }
        };
        match read {
            Ok(now) if now.is_open() => Ok(None),
            Ok(CustomerAlert::Domain(now)) if now.status == DomainAlertStatus::Acknowledged => {
                Ok(Some(AlertEvent::Acknowledged(CustomerAlert::Domain(now))))
            }
            Ok(now) if now.is_resolved() => Ok(Some(AlertEvent::Resolved(now))),
            // In a state that this edition does not know (F1), something is still to come.
            Ok(_) => Ok(None),
            Err(error) if error.is_not_found() => Ok(Some(AlertEvent::Gone(alert.clone()))),
            Err(error) => Err(error),
        }
    }
}
