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

impl FirewallFormat {
    /// The command that prints a whole dump.
    pub(super) fn command(self) -> &'static str {
        match self {
            Self::Iptables => "iptables-save",
            Self::Nftables => "nft list ruleset",
            Self::Ufw => "LC_ALL=C ufw status verbose",
            Self::Firewalld => "firewall-cmd --list-all",
        }
    }
}

named!(FirewallFormat {
    Iptables = "iptables",
    Nftables = "nftables",
    Ufw = "ufw",
    Firewalld = "firewalld",
});
