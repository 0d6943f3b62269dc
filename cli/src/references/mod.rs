//! What an ENDPOINT, DOMAIN, RULE or ALERT argument means.
//!
//! A server is named by its id, IP address, host name or nickname, or by the first six or more digits of its id;
//! `id:`, `ip:`, `host:` and `nick:` in front force one reading. Nothing is guessed, and nothing fits by being similar.

pub mod alert;
pub mod alert_pages;
pub mod alerts;
mod customers;
mod domains;
mod id_prefix;
mod records;
mod reference;
mod server_names;
mod servers;
pub mod targets;

pub use customers::{
    is_known, is_seen_or_has_servers, nothing_found, refuse_unknown, seen as seen_customers,
};
pub use domains::{
    DomainRef, FoundDomain, all_domains, customer_of_domains, domain, domain_targets, domains,
    learn_domains, listed_domains, monitored,
};
pub use id_prefix::is_id_or_prefix;
pub use records::{
    PAGE_SIZE, RecordKind, all_alerts, all_rules, by_id_or_prefix, check_named, rule_pages,
};
pub use reference::Reference;
pub use server_names::ServerNames;
pub use servers::{
    FoundServer, PrefixPolicy, ServerTarget, all_endpoints, ended_servers, endpoint, endpoints,
    endpoints_of, handle_of, in_order, is_called, name_of, owner, refuse_empty, server_targets,
};
