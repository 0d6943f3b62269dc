//! The simulated world: what the next scan of a record will find (E2).

use std::num::NonZeroU16;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::named::named;
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

named!(Scenario {
    Clean = "clean",
    Warnings = "warnings",
    Critical = "critical",
});

impl Scenario {
    /// What domain scans find.
    pub(crate) fn findings(self) -> DomainFindings {
        let (employees, customers, third_parties, mentions) = match self {
            Self::Clean => (0, 0, 0, 0),
            Self::Warnings => (2, 5, 1, 1),
            Self::Critical => (25, 140, 12, 9),
        };
        DomainFindings {
            employees,
            customers,
            third_parties,
            mentions,
        }
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

/// What a domain scan finds: compromised credentials by category, and
/// dark-web mentions. Each is at most [`DomainFindings::MOST`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(try_from = "[u32; 4]", into = "[u32; 4]")]
pub struct DomainFindings {
    employees: u32,
    customers: u32,
    third_parties: u32,
    mentions: u32,
}

impl DomainFindings {
    /// The highest count there can be.
    pub const MOST: u32 = 100_000;

    /// Findings; `None` when a count is above [`DomainFindings::MOST`].
    pub fn new(employees: u32, customers: u32, third_parties: u32, mentions: u32) -> Option<Self> {
        let highest = employees.max(customers).max(third_parties).max(mentions);
        (highest <= Self::MOST).then_some(Self {
            employees,
            customers,
            third_parties,
            mentions,
        })
    }

    /// Compromised credentials of a category.
    pub(crate) fn leaks(&self, category: Category) -> u32 {
        match category {
            Category::Employees => self.employees,
            Category::Customers => self.customers,
            Category::ThirdParties => self.third_parties,
        }
    }

    /// Compromised credentials of all categories.
    pub(crate) fn all_leaks(&self) -> u32 {
        self.employees + self.customers + self.third_parties
    }

    pub(crate) fn mentions(&self) -> u32 {
        self.mentions
    }
}

impl TryFrom<[u32; 4]> for DomainFindings {
    type Error = &'static str;

    fn try_from(
        [employees, customers, third_parties, mentions]: [u32; 4],
    ) -> Result<Self, Self::Error> {
        Self::new(employees, customers, third_parties, mentions).ok_or("a count is too high")
    }
}

impl From<DomainFindings> for [u32; 4] {
    fn from(findings: DomainFindings) -> Self {
        [
            findings.employees,
            findings.customers,
            findings.third_parties,
            findings.mentions,
        ]
    }
}

/// Whose credentials leaked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// The domain's own people.
    Employees,
    /// Its customers.
    Customers,
    /// Others it works with.
    ThirdParties,
}

named!(Category {
    Employees = "employees",
    Customers = "customers",
    ThirdParties = "third_parties",
});

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

impl Default for ScenarioPorts {
    fn default() -> Self {
        Self(Scenario::ALL.map(Scenario::ports))
    }
}

impl ScenarioPorts {
    pub(crate) fn of(&self, scenario: Scenario) -> PortSet {
        self.0[scenario as usize].clone()
    }

    pub(crate) fn all(&self) -> &[PortSet] {
        &self.0
    }
}
