//! The mock server as a user sees it: over HTTP, as a library, as a program.

mod admin;
mod bodies;
mod client;
mod description;
mod domain_monitoring;
mod domains;
mod durable;
mod embedded;
mod endpoints;
mod faults;
mod firewall;
mod keys;
mod lists;
mod paths;
mod port_alerts;
mod program;
mod rules;
mod sandbox;
mod servers;
mod sso;
mod state;
mod subscriptions;
mod sync;
mod unkind;
mod verbs;
mod windows;
