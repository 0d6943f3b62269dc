//! The file: what is to be provisioned, checked before anything is sent.

use secmon::model::{Address, CustomerId, ServiceId};
use secmon::operations::ProvisionEndpoint;
use secmon::{FieldErrors, Operation};
use secmon_examples::table::{self, Columns, Mistakes};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

const COLUMNS: Columns = Columns {
    needed: &["customer"],
    optional: &["ip_address", "hostname", "service", "client_name"],
};

#[derive(Deserialize)]
struct Row {
    customer: CustomerId,
    ip_address: Option<Address>,
    hostname: Option<String>,
    service: Option<ServiceId>,
    client_name: Option<String>,
}

/// A server of the file.
pub struct Server {
    line: u64,
    /// What tells it from the others: the customer and the address. The journal knows it by that.
    pub name: String,
    /// The call.
    pub request: ProvisionEndpoint,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, {}", self.line, self.name)
    }
}

/// Reads the file.
///
/// # Errors
/// Every mistake of it.
pub fn read(file: &Path) -> Result<Vec<Server>, Mistakes> {
    let mut seen = BTreeMap::new();
    let servers = table::read(file, COLUMNS, |line, row: Row| {
        let server = server(line, row)?;
        match seen.insert(server.name.clone(), line) {
            Some(first) => Err(format!("{} stands in line {first} already", server.name)),
            None => Ok(server),
        }
    })?;
    Ok(servers.into_iter().map(|(_, server)| server).collect())
}

fn server(line: u64, row: Row) -> Result<Server, String> {
    let mut request = ProvisionEndpoint::new(row.customer);
    request.ip_address = row.ip_address;
    request.hostname = row.hostname;
    request.service_id = row.service;
    request.client_name = row.client_name;
    let mut problems = FieldErrors::default();
    request.validate(&mut problems);
    if !problems.is_empty() {
        return Err(problems.to_string());
    }
    // One address has many spellings.
    let address = match (&request.ip_address, &request.hostname) {
        (Some(address), _) => match address.ip() {
            Some(ip) => ip.to_string(),
            None => address.to_string(),
        },
        (None, hostname) => hostname.clone().unwrap_or_default().to_lowercase(),
    };
    Ok(Server {
        line,
        name: format!("{address} of customer {}", row.customer),
        request,
    })
}
