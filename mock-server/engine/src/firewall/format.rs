//! The formats of dumps.

use serde::Serialize;

use super::chains::Reading;
use super::{firewalld, iptables, nftables, ufw};

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
    /// Every format, in the order in which they are tried.
    pub const ALL: [Self; 4] = [Self::Iptables, Self::Nftables, Self::Ufw, Self::Firewalld];

    /// The name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iptables => "iptables",
            Self::Nftables => "nftables",
            Self::Ufw => "ufw",
            Self::Firewalld => "firewalld",
        }
    }

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Reads a dump of this format; `None` when nothing in it is of it.
    pub(super) fn read(self, content: &str) -> Option<Reading> {
        match self {
            Self::Iptables => iptables::read(content),
            Self::Nftables => nftables::read(content),
            Self::Ufw => ufw::read(content),
            Self::Firewalld => firewalld::read(content),
        }
    }
}
