//! The formats of dumps.

use serde::Serialize;

use crate::named::named;

/// The tools whose dumps can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FirewallFormat {
    /// `iptables-save`, `ip6tables-save` or `iptables -S`.
    Iptables,
    /// `nft list ruleset`.
    Nftables,
    /// `ufw status`, plain, verbose or numbered.
    Ufw,
    /// `firewall-cmd --list-all` or `--list-all-zones`.
    Firewalld,
}

named!(FirewallFormat {
    Iptables = "iptables",
    Nftables = "nftables",
    Ufw = "ufw",
    Firewalld = "firewalld",
});
