//! The engine as its caller sees it: one test binary, one file a group.

mod against_model;
mod bench;
mod capacity;
mod catch_up;
mod domain_monitoring;
mod domains;
mod durability;
mod endpoints;
mod exhaustive;
mod firewall;
mod firewall_lines;
mod identity;
mod keys;
mod model;
mod names;
mod pinned;
mod port_alerts;
mod pricing;
mod provisioning;
mod refusals;
mod rules;
mod scans;
mod sso;
mod steps;
mod subscriptions;
mod sync;
