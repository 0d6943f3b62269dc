//! What a report is made of.

use chrono::NaiveDate;
use secmon::model::{CustomerId, DomainScan, EndpointDetail, MonitoredDomain, Rule};

/// What a report shows.
pub struct Report {
    pub customer: CustomerId,
    pub client_name: Option<String>,
    pub brand: Option<String>,
    /// The sender's picture, as the address of itself.
    pub logo: Option<String>,
    pub made_at: NaiveDate,
    pub servers: Vec<EndpointDetail>,
    pub domains: Vec<(MonitoredDomain, Vec<DomainScan>)>,
    pub expiring: Vec<Rule>,
}
