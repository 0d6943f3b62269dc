//! What an ENDPOINT, DOMAIN, RULE or ALERT argument means.
//!
//! A server is named by its id, IP address, host name or nickname, or by the first six or more digits of its id;
//! `id:`, `ip:`, `host:` and `nick:` in front force one reading. Nothing is guessed, and nothing fits by being similar.

pub mod alert;
pub mod alert_pages;
pub mod alerts;
mod customers;
mod domains;
mod records;
mod reference;
mod server_names;
mod servers;
pub mod targets;

use crate::error::{CliError, Exit};

pub use customers::{is_known, nothing_found, refuse_unknown, seen as seen_customers};
pub use domains::{
    DomainRef, FoundDomain, all_domains, customer_of_domains, domain, domain_targets, domains,
    learn_domains, listed_domains, monitored,
};
pub use records::{RecordKind, all_alerts, all_rules, by_id_or_prefix, check_named, rule_pages};
pub use reference::Reference;
pub use server_names::ServerNames;
pub use servers::{
    FoundServer, PrefixPolicy, ServerTarget, all_endpoints, endpoint, endpoints, endpoints_of,
    handle_of, in_order, is_called, name_of, owner, refuse_empty, server_targets,
};

/// The fewest digits of an id that may stand for it.
const SHORTEST_PREFIX: usize = 6;
/// So many records of a list come with one call.
pub const PAGE_SIZE: u32 = 100;

/// What was looked up; none where the service has no such record.
fn if_there<T>(found: Result<T, CliError>) -> Result<Option<T>, CliError> {
    match found {
        Ok(record) => Ok(Some(record)),
        Err(error) if error.exit() == Exit::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether this is the id, or so much of its beginning that it may stand for it.
pub fn is_id_or_prefix(text: &str, id: &str) -> bool {
    id.eq_ignore_ascii_case(text) || is_id_prefix(text, id)
}

fn is_id_prefix(text: &str, id: &str) -> bool {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let whole: String = id.chars().filter(|c| *c != '-').collect();
    digits.len() >= SHORTEST_PREFIX && whole.starts_with(&digits.to_ascii_lowercase())
}
