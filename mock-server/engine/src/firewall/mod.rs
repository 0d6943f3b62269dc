//! Firewall dumps: which inbound ports they accept (E13).

mod chains;
mod firewalld;
mod format;
mod ingest;
mod iptables;
mod nftables;
mod port_map;
mod specs;
mod ufw;

pub use chains::SkippedLine;
pub use format::FirewallFormat;
pub use ingest::{FirewallIngested, IngestFirewall};
