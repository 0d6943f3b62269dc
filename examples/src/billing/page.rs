//! What a customer sees. Every read carries the customer's id, so that the service refuses another's record; what it
//! does not tell is absent (`null` in the JSON), never 0 or empty, and values this module has no name for go through.

use crate::billing::policy::{self, Next};
use secmon::model::{
    Address, CustomerId, DomainId, DomainStatus, Endpoint, EndpointId, EndpointStatus, PortAlert,
    Protocol, Severity, Timestamp,
};
use secmon::operations::{GetEndpointDetail, ListDomains};
use secmon::{Client, Error};
use serde::Serialize;
use tokio::task::JoinSet;

/// The page of one customer.
#[derive(Debug, Serialize)]
pub struct CustomerPage {
    /// Whose page it is.
    pub customer: CustomerId,
    /// The servers of this page; none while they cannot be read.
    pub servers: Option<Vec<ServerRow>>,
    /// The number of the next page of servers; none at the end.
    pub next_servers: Option<u32>,
    /// The domains; none while they cannot be read.
    pub domains: Option<Domains>,
    /// Why something is missing, for our log and not for the customer.
    #[serde(skip)]
    pub problems: Vec<Next>,
}

/// A server.
#[derive(Debug, Serialize)]
pub struct ServerRow {
    /// Its identifier.
    pub id: EndpointId,
    /// Its address.
    pub address: Address,
    /// What the customer calls it.
    pub name: Option<String>,
    /// The state of its monitoring.
    pub status: EndpointStatus,
    /// Whether it is paused because the plan is full.
    pub paused_for_capacity: Option<bool>,
    /// When it was last scanned.
    pub last_scan_at: Option<Timestamp>,
    /// The ports found open; none before the first scan, and where that cannot be read.
    pub open_ports: Option<Vec<u16>>,
    /// Up to ten open alerts; none where they cannot be read.
    pub alerts: Option<Vec<AlertRow>>,
}

/// An open port that no rule allows.
#[derive(Debug, Serialize)]
pub struct AlertRow {
    /// The port.
    pub port: u16,
    /// Its protocol.
    pub protocol: Protocol,
    /// How severe it is.
    pub severity: Option<Severity>,
    /// One line about it.
    pub title: Option<String>,
}

impl From<PortAlert> for AlertRow {
    fn from(alert: PortAlert) -> Self {
        let PortAlert {
            port,
            protocol,
            severity,
            title,
            ..
        } = alert;
        Self {
            port,
            protocol,
            severity,
            title,
        }
    }
}

/// What is known of the customer's domains.
#[derive(Debug, Serialize)]
#[serde(tag = "subscribed")]
pub enum Domains {
    /// The customer has slots.
    #[serde(rename = "yes")]
    Slots {
        /// Slots in use.
        used: Option<u64>,
        /// Slots there are.
        total: Option<u64>,
        /// The domains.
        domains: Option<Vec<DomainRow>>,
    },
    /// The customer has not bought it.
    #[serde(rename = "no")]
    NotBought,
}

/// A domain, with how many credentials leaked.
#[derive(Debug, Serialize)]
pub struct DomainRow {
    /// Its identifier.
    pub id: DomainId,
    /// Its name.
    pub domain: String,
    /// The state of its monitoring.
    pub status: DomainStatus,
    /// Leaked credentials of employees.
    pub employees: Option<u64>,
    /// Leaked credentials of customers.
    pub customers: Option<u64>,
    /// Leaked credentials of third parties.
    pub third_parties: Option<u64>,
}

/// Servers on a page: each costs a read, and there are 100 reads a minute for everybody.
const SERVERS: u32 = 10;

/// Reads a customer's page. What cannot be read is missing in it.
pub async fn read(client: &Client, customer: CustomerId, page: u32) -> CustomerPage {
    let mut problems = Vec::new();
    let (servers, next_servers) = match servers(client, customer, page, &mut problems).await {
        Ok((servers, next)) => (Some(servers), next),
        Err(error) => {
            problems.push(policy::next(&error));
            (None, None)
        }
    };
    let domains = match client.send(ListDomains::new(customer)).await {
        Ok(answer) if !answer.data.subscribed => Some(Domains::NotBought),
        Ok(answer) => Some(Domains::Slots {
            used: answer.data.slots_used,
            total: answer.data.slots_total,
            domains: answer
                .into_data()
                .domains
                .map(|domains| domains.into_iter().map(row).collect()),
        }),
        Err(error) => {
            problems.push(policy::next(&error));
            None
        }
    };
    CustomerPage {
        customer,
        servers,
        next_servers,
        domains,
        problems,
    }
}

fn row(domain: secmon::model::MonitoredDomain) -> DomainRow {
    DomainRow {
        id: domain.id,
        domain: domain.domain,
        status: domain.status,
        employees: domain.employees_compromised,
        customers: domain.customers_compromised,
        third_parties: domain.third_parties_compromised,
    }
}

async fn servers(
    client: &Client,
    customer: CustomerId,
    page: u32,
    problems: &mut Vec<Next>,
) -> Result<(Vec<ServerRow>, Option<u32>), Error> {
    let mut pages = client
        .servers()
        .list(customer)
        .filter(|list| list.per_page(SERVERS).page(page));
    let Some(answer) = pages.next().await else {
        return Ok((Vec::new(), None));
    };
    // The service filters by the customer; a server that names another owner is not shown all the same.
    let ours = |server: &Endpoint| {
        server
            .billing_customer_id
            .is_none_or(|owner| owner == customer)
    };
    let mut rows: Vec<ServerRow> = answer?
        .into_data()
        .data
        .into_iter()
        .filter(ours)
        .map(server_row)
        .collect();
    let mut reads = JoinSet::new();
    for (at, row) in rows.iter().enumerate() {
        let (client, read) = (client.clone(), GetEndpointDetail::new(customer, row.id));
        reads.spawn(async move { (at, client.send(read).await) });
    }
    while let Some(read) = reads.join_next().await {
        match read {
            Ok((at, Ok(detail))) if ours(&detail.data.data) => {
                let detail = detail.into_data();
                rows[at].open_ports = detail.latest_scan.and_then(|scan| scan.open_ports);
                rows[at].alerts = Some(detail.alerts.into_iter().map(AlertRow::from).collect());
            }
            Ok((_, Err(error))) => problems.push(policy::next(&error)),
            Ok((at, Ok(_))) => problems.push(Next::AskOperator(format!(
                "server {} of another customer",
                rows[at].id
            ))),
            Err(lost) => problems.push(Next::AskOperator(lost.to_string())),
        }
    }
    Ok((rows, pages.position()))
}

fn server_row(server: Endpoint) -> ServerRow {
    ServerRow {
        id: server.id,
        name: server.nickname.or(server.hostname),
        address: server.ip_address,
        status: server.status,
        paused_for_capacity: server.quota_paused,
        last_scan_at: server.last_scan_at,
        open_ports: None,
        alerts: None,
    }
}
