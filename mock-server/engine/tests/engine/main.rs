//! The engine as its caller sees it: one test binary, one file a group.

mod bench;
mod durability;
mod endpoints;
mod keys;
mod port_alerts;
mod provisioning;
mod rules;
mod scans;
