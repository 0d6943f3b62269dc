//! The mock server as a user sees it: over HTTP, as a library, as a program.

mod admin;
mod bodies;
mod certify;
mod client;
mod concurrency;
mod copies;
mod crowd;
mod crush;
mod damage;
mod description;
mod domain_monitoring;
mod domains;
mod durable;
mod embedded;
mod endpoints;
mod events;
mod evidence;
mod faults;
mod firewall;
mod fixtures;
mod guard;
mod imports;
mod journal;
mod keys;
mod lists;
mod notices;
mod paths;
mod pinned;
mod playbooks;
mod port_alerts;
mod program;
mod rules;
mod sandbox;
mod servers;
mod sso;
mod state;
mod strict;
mod subscriptions;
mod sync;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "tls")]
mod trust;
mod unkind;
mod verbs;
mod windows;
