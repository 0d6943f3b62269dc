//! Waits for first scans, and tells of alerts that come and go, over restarts too.

use crate::billing::policy::{self, Next};
use secmon::model::{CustomerId, EndpointId};
use secmon::watch::{AlertNews, AlertWatch, CustomerAlert, ScanEnd};
use secmon::{Client, Error};
use std::time::Duration;

/// Waits until each of these servers was scanned once, at most so long, and tells of each as it happens.
///
/// # Errors
/// What has to be done before waiting can go on; outages are waited through.
pub async fn first_scans(
    client: &Client,
    customer: CustomerId,
    servers: impl IntoIterator<Item = EndpointId>,
    at_most: Duration,
    mut tell: impl FnMut(ScanEnd),
) -> Result<(), Next> {
    let servers = servers.into_iter().map(|server| (server, None));
    let mut wait = client.servers().wait_for_scans(customer, servers, at_most);
    while let Some(end) = wait.next().await {
        match end.map_err(|error| policy::next(&error)) {
            Ok(end) => tell(end),
            Err(Next::RetryLater { .. }) => {}
            Err(next) => return Err(next),
        }
    }
    Ok(())
}

/// What to write to a customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Whether the alert is new; otherwise it is over.
    pub new: bool,
    /// The alert, in words.
    pub text: String,
}

/// Looks after the alerts of one customer.
#[derive(Debug)]
pub struct Notifier(AlertWatch);

impl Notifier {
    /// Begins with the alerts that were open before a restart ([`Notifier::known`]); without them, at a customer's first
    /// time, what is open already is not told.
    #[must_use]
    pub fn new(client: &Client, customer: CustomerId, known: Option<Vec<CustomerAlert>>) -> Self {
        let watch = client.watch_alerts(customer, Duration::from_secs(300));
        Self(match known {
            Some(known) => watch.knowing(known),
            None => watch,
        })
    }

    /// How long to sleep before the next look.
    #[must_use]
    pub fn pause(&self) -> Duration {
        self.0.pause()
    }

    /// The open alerts that need not be told again, to be stored as JSON; none before the first look of a first time.
    #[must_use]
    pub fn known(&self) -> Option<Vec<CustomerAlert>> {
        Some(self.0.open()?.cloned().collect())
    }

    /// Looks once, and gives what there is to tell.
    ///
    /// # Errors
    /// That of a read; nothing is lost, look again.
    pub async fn look(&mut self) -> Result<Vec<Notice>, Error> {
        self.0.look().await?;
        let news = self.0.take_news();
        Ok(news.iter().filter_map(notice).collect())
    }
}

fn notice(news: &AlertNews) -> Option<Notice> {
    let (new, alert) = match news {
        AlertNews::New(alert) => (true, alert),
        AlertNews::Resolved(alert) | AlertNews::Gone(alert) => (false, alert),
        // Somebody has seen it: no reason to write to anybody.
        _ => return None,
    };
    let severity = alert
        .severity()
        .map_or("of unknown severity", |severity| severity.as_str());
    let text = match alert {
        CustomerAlert::Port(alert) => {
            let address = alert.ip_address.as_ref();
            let server = address.map_or("a server", |address| address.as_str());
            format!(
                "{severity}: port {}/{} of {server}",
                alert.port, alert.protocol
            )
        }
        CustomerAlert::Domain(alert) => {
            let domain = alert.domain.as_deref().unwrap_or("a domain");
            format!("{severity}: {} of {domain}", alert.kind)
        }
        _ => severity.to_owned(),
    };
    Some(Notice { new, text })
}
