//! The simulated world: what the next scan of a record will find (E2).

use std::num::NonZeroU16;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::values::{OpenPort, Protocol};

/// A ready-made state of the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scenario {
    /// Nothing is open, nothing leaked.
    Clean,
    /// A few ports, a few leaks.
    Warnings,
    /// What nobody wants to see.
    Critical,
}

impl Scenario {
    /// Every scenario, mildest first.
    pub const ALL: [Self; 3] = [Self::Clean, Self::Warnings, Self::Critical];

    /// The name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Warnings => "warnings",
            Self::Critical => "critical",
        }
    }

    /// The scenario with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|scenario| scenario.name() == name)
    }

    fn tcp_ports(self) -> &'static [u16] {
        match self {
            Self::Clean => &[],
            Self::Warnings => &[22, 80, 443, 8080],
            Self::Critical => &[22, 23, 80, 443, 445, 3389, 6379, 8080],
        }
    }

    fn udp_ports(self) -> &'static [u16] {
        match self {
            Self::Clean | Self::Warnings => &[],
            Self::Critical => &[161],
        }
    }

    fn ports(self) -> PortSet {
        let of = |ports: &'static [u16], protocol| {
            ports.iter().filter_map(move |port| {
                NonZeroU16::new(*port).map(|port| OpenPort { port, protocol })
            })
        };
        of(self.tcp_ports(), Protocol::Tcp)
            .chain(of(self.udp_ports(), Protocol::Udp))
            .collect()
    }
}

/// Open ports in ascending order, each once. Equal sets are shared, so that a
/// hundred thousand servers of one scenario hold one list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<OpenPort>", into = "Vec<OpenPort>")]
pub(crate) struct PortSet(Arc<[OpenPort]>);

impl PortSet {
    /// The port numbers, each once, whatever the protocol (E5).
    pub(crate) fn numbers(&self) -> Vec<u16> {
        let mut numbers: Vec<u16> = self.iter().map(|open| open.port.get()).collect();
        numbers.dedup();
        numbers
    }
}

impl Deref for PortSet {
    type Target = [OpenPort];

    fn deref(&self) -> &[OpenPort] {
        &self.0
    }
}

impl FromIterator<OpenPort> for PortSet {
    fn from_iter<I: IntoIterator<Item = OpenPort>>(ports: I) -> Self {
        let mut ports: Vec<OpenPort> = ports.into_iter().collect();
        ports.sort_unstable();
        ports.dedup();
        Self(ports.into())
    }
}

impl From<Vec<OpenPort>> for PortSet {
    fn from(ports: Vec<OpenPort>) -> Self {
        ports.into_iter().collect()
    }
}

impl From<PortSet> for Vec<OpenPort> {
    fn from(ports: PortSet) -> Self {
        ports.to_vec()
    }
}

/// The port sets of the scenarios, made once for an account.
#[derive(Clone, Debug)]
pub(crate) struct ScenarioPorts([PortSet; 3]);

impl ScenarioPorts {
    pub(crate) fn new() -> Self {
        Self(Scenario::ALL.map(Scenario::ports))
    }

    pub(crate) fn of(&self, scenario: Scenario) -> PortSet {
        self.0[scenario as usize].clone()
    }

    pub(crate) fn all(&self) -> &[PortSet] {
        &self.0
    }
}
