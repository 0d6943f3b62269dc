//! Lists of alerts, page by page.

use crate::error::CliError;
use crate::references::alert::Alert;
use crate::session::Session;
use crate::state::records::{AlertRecord, Observation};
use secmon::Pages;
use secmon::model::{CustomerId, DomainAlertStatus, DomainId};
use secmon::operations::{ListDomainAlerts, ListPortAlerts};

const DOMAIN_PAGE: u32 = 50;

enum Source {
    Ports(Pages<ListPortAlerts>),
    Domain(DomainId, Pages<ListDomainAlerts>),
}

/// The alerts of a customer's ports, or of one of its domains, newest first. What was listed to the end is kept in mind.
pub struct AlertPages<'a> {
    session: &'a Session,
    customer: CustomerId,
    source: Source,
    seen: Vec<AlertRecord>,
}

impl<'a> AlertPages<'a> {
    /// Alerts of ports, as a request asks for them.
    pub fn of_ports(
        session: &'a Session,
        customer: CustomerId,
        list: ListPortAlerts,
    ) -> Result<Self, CliError> {
        let source = Source::Ports(session.client()?.pages(list));
        Ok(Self::new(session, customer, source))
    }

    /// Alerts of a domain, all or those in one state.
    pub fn of_domain(
        session: &'a Session,
        customer: CustomerId,
        domain: DomainId,
        status: Option<&DomainAlertStatus>,
    ) -> Result<Self, CliError> {
        let mut list = ListDomainAlerts::new(customer, domain).per_page(DOMAIN_PAGE);
        list.status = status.cloned();
        let source = Source::Domain(domain, session.client()?.pages(list));
        Ok(Self::new(session, customer, source))
    }

    fn new(session: &'a Session, customer: CustomerId, source: Source) -> Self {
        let seen = Vec::new();
        Self {
            session,
            customer,
            source,
            seen,
        }
    }

    /// The next page; `None` after the last.
    pub async fn next(&mut self) -> Result<Option<Vec<Alert>>, CliError> {
        let page: Option<Vec<Alert>> = match &mut self.source {
            Source::Ports(pages) => pages.next().await.transpose()?.map(|page| {
                let alerts = page.into_inner().alerts.into_iter();
                alerts.map(|alert| Alert::Port(Box::new(alert))).collect()
            }),
            Source::Domain(_, pages) => pages.next().await.transpose()?.map(|page| {
                let alerts = page.into_inner().alerts.into_iter();
                alerts.map(|alert| Alert::Domain(Box::new(alert))).collect()
            }),
        };
        match &page {
            Some(alerts) => {
                let seen = alerts.iter();
                self.seen
                    .extend(seen.map(|alert| alert.record(self.customer)));
            }
            None => self.learn(),
        }
        Ok(page)
    }

    /// The alerts of all pages.
    pub async fn collect(mut self) -> Result<Vec<Alert>, CliError> {
        let mut all = Vec::new();
        while let Some(page) = self.next().await? {
            all.extend(page);
        }
        Ok(all)
    }

    fn learn(&mut self) {
        let domain = match self.source {
            Source::Ports(_) => None,
            Source::Domain(domain, _) => Some(domain),
        };
        let seen = std::mem::take(&mut self.seen);
        self.session
            .learn(Observation::Alerts(self.customer, domain, seen));
    }
}
