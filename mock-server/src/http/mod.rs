//! The partner API over HTTP.

pub(crate) mod body;
pub(crate) mod call;
pub(crate) mod context;
pub(crate) mod customer;
pub(crate) mod domain_monitoring;
pub(crate) mod domains;
pub(crate) mod endpoints;
pub(crate) mod fault_responses;
pub(crate) mod firewall;
pub(crate) mod head;
pub(crate) mod list;
pub(crate) mod local_call;
pub(crate) mod openapi;
pub(crate) mod port_alerts;
pub(crate) mod pricing;
pub(crate) mod problem;
pub(crate) mod reply;
pub(crate) mod routes;
pub(crate) mod rules;
pub(crate) mod sandbox;
pub(crate) mod servers;
pub(crate) mod sso;
pub(crate) mod sso_page;
pub(crate) mod subscriptions;
pub(crate) mod sync;
pub(crate) mod unkind;
