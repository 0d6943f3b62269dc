//! Firewall dumps: which inbound ports they let in (E13).
//!
//! Each front end translates the dumps of one tool into a [`filter::Filter`];
//! what that lets in becomes rules in [`ingest`].

mod accepted_line;
mod addresses;
mod agreement;
mod filter;
mod firewalld;
mod format;
mod ingest;
mod interfaces;
mod iptables;
mod line;
mod nftables;
mod paste;
mod port_map;
mod reading;
mod refusal;
mod shell;
mod specs;
mod tidy;
mod ufw;
mod ufw_profiles;

pub use filter::SkippedLine;
pub use format::FirewallFormat;
pub use ingest::{FirewallIngested, IngestFirewall};
