//! Steps and states of a walk as somebody reads them who knows the API and not this suite.

use std::fmt::{Display, Formatter, Result};

use super::ops::{Buys, Kind, Op, Wish};
use super::reference::{Entry, Move, Service, State, Status, Who};

/// The address of a server, by its number.
pub fn address(name: u8) -> String {
    format!("203.0.113.{}", name + 1)
}

/// The name of a domain, by its number.
pub fn domain(name: u8) -> String {
    format!("d{name}.example.com")
}

/// Things in a row; a word where there are none.
pub fn listed<T: Display>(things: impl IntoIterator<Item = T>) -> String {
    let things: Vec<String> = things.into_iter().map(|thing| thing.to_string()).collect();
    match things.is_empty() {
        true => "none".to_owned(),
        false => things.join(", "),
    }
}

/// What may be missing in an answer.
pub fn told<T: Display>(value: Option<T>) -> String {
    value.map_or_else(|| "not told".to_owned(), |value| value.to_string())
}

/// Records and services are counted from one by those who read of them.
struct Number(usize);

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "no. {}", self.0 + 1)
    }
}

impl Display for Who {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Self::One => "customer A",
            Self::Other => "customer B",
        })
    }
}

impl Display for State {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::PausedByPlatform => "paused with quota_paused",
            Self::Terminated => "terminated",
            Self::Gone => "in another state",
        })
    }
}

impl Display for Status {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Self::Active => "active",
            Self::Suspended => "suspended",
            Self::Cancelled => "cancelled",
        })
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Self::Servers => "server",
            Self::Domains => "domain",
        })
    }
}

impl Kind {
    fn product(self) -> &'static str {
        match self {
            Self::Servers => "port_monitoring",
            Self::Domains => "domain_monitoring",
        }
    }
}

impl Display for Buys {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Starter => f.write_str("port_monitoring, plan starter"),
            Self::Professional => f.write_str("port_monitoring, plan professional"),
            Self::Slots(slots) => write!(f, "domain_monitoring, quantity {slots}"),
        }
    }
}

impl Display for Service {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Plan(by) => write!(f, "port_monitoring service {}", Number(*by)),
            Self::Slots(by) => write!(f, "domain_monitoring service {}", Number(*by)),
            Self::Server(name) => write!(f, "endpoint service of {}", address(*name)),
        }
    }
}

impl Display for Entry {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} of {} {}", self.service, self.who, self.to)
    }
}

fn verb(to: Move) -> &'static str {
    match to {
        Move::Suspend => "suspend",
        Move::Resume => "resume",
        Move::Terminate => "terminate",
    }
}

fn subscription_verb(to: Status) -> &'static str {
    match to {
        Status::Active => "resume-subscription",
        Status::Suspended => "suspend-subscription",
        Status::Cancelled => "terminate-subscription",
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(who) = self.who() {
            write!(f, "{who}: ")?;
        }
        match self {
            Self::Provision(_, kind @ Kind::Servers, name) => {
                write!(f, "provision {kind} {}", address(*name))
            }
            Self::Provision(_, kind @ Kind::Domains, name) => {
                write!(f, "provision {kind} {}", domain(*name))
            }
            Self::Fleet(_, count) => {
                write!(f, "provision {count} servers, from {}", address(0))
            }
            Self::Create(_, name, state) => {
                write!(f, "POST /endpoints with {}, {state}", address(*name))
            }
            Self::Update(_, at, Wish::Nickname(name)) => {
                write!(f, "PUT nickname {name} to server {}", Number(*at))
            }
            Self::Update(_, at, Wish::Status(state)) => {
                write!(f, "PUT status {state} to server {}", Number(*at))
            }
            Self::Move(_, kind, at, to) => write!(f, "{} {kind} {}", verb(*to), Number(*at)),
            Self::Delete(_, at) => write!(f, "DELETE server {}", Number(*at)),
            Self::Rename(_, at, name) => {
                write!(f, "update-domain {} to {}", Number(*at), domain(*name))
            }
            Self::Release(_, at, by) => write!(
                f,
                "release-domain {} from domain_monitoring service {}",
                Number(*at),
                Number(*by)
            ),
            Self::Buy(_, buys, by) => {
                write!(f, "provision-subscription {buys}, service {}", Number(*by))
            }
            Self::Turn(_, kind, by, to) => write!(
                f,
                "{} {}, service {}",
                subscription_verb(*to),
                kind.product(),
                Number(*by)
            ),
            Self::Change(_, buys, by, forced) => {
                let force = if *forced { ", force true" } else { "" };
                write!(
                    f,
                    "change-subscription {buys}, service {}{force}",
                    Number(*by)
                )
            }
            Self::Sync(entries) => write!(f, "sync-services: {}", listed(entries)),
        }
    }
}
