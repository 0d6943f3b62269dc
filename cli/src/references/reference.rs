//! One ENDPOINT argument: how it is to be read, and which servers it fits.

use super::id_prefix::is_id_prefix;
use crate::error::CliError;
use crate::references::targets::is_broken_address;
use crate::state::records::Server;
use secmon::model::{Endpoint, EndpointId};
use std::net::IpAddr;

/// How an argument is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Any,
    Id,
    Address,
    Host,
    Nickname,
}

/// Marks that force one reading.
const FORCED: [(&str, Form); 4] = [
    ("id:", Form::Id),
    ("ip:", Form::Address),
    ("host:", Form::Host),
    ("nick:", Form::Nickname),
];

/// What a server answers to.
pub struct Names<'s> {
    id: EndpointId,
    address: &'s str,
    host: Option<&'s str>,
    nickname: Option<&'s str>,
}

/// A server that the service has told of, or one that the index knows.
pub trait Named {
    /// What it answers to.
    fn names(&self) -> Names<'_>;
}

impl Named for Endpoint {
    fn names(&self) -> Names<'_> {
        Names {
            id: self.id,
            address: self.ip_address.as_str(),
            host: self.hostname.as_deref(),
            nickname: self.nickname.as_deref(),
        }
    }
}

impl Named for Server {
    fn names(&self) -> Names<'_> {
        Names {
            id: self.id,
            address: &self.ip,
            host: self.hostname.as_deref(),
            nickname: self.nickname.as_deref(),
        }
    }
}

/// Whether a reference names a server in one reading.
type Fits<'a> = fn(&Reference<'a>, &Names<'_>) -> bool;

/// An argument that names a server.
pub struct Reference<'a> {
    /// What was typed, without a mark.
    pub text: &'a str,
    /// The whole id, where it is one.
    pub id: Option<EndpointId>,
    reading: Form,
}

/// The servers that a reference fits.
pub struct Fit<'e, S> {
    /// The servers.
    pub servers: Vec<&'e S>,
    /// Whether only the first digits of their ids were given.
    pub by_prefix: bool,
}

impl<'a> Reference<'a> {
    /// Reads an argument; an empty one is an error before anything is asked.
    pub fn parse(argument: &'a str) -> Result<Self, CliError> {
        let forced = FORCED
            .iter()
            .find_map(|(mark, reading)| argument.strip_prefix(mark).map(|text| (text, *reading)));
        let (text, reading) = forced.unwrap_or((argument, Form::Any));
        let text = match reading {
            // As in a list that was copied: web-1, web-2
            Form::Any => text.trim().trim_end_matches(',').trim_end(),
            _ => text.trim(),
        };
        if text.is_empty() {
            return Err(CliError::usage(
                "the name of a server is empty: give its id, IP address, host name or nickname",
            ));
        }
        let id = match reading {
            Form::Any | Form::Id => text.parse().ok(),
            _ => None,
        };
        Ok(Self { text, id, reading })
    }

    /// The servers it fits in the first reading that fits any.
    pub fn fit<'e, S: Named>(&self, endpoints: &'e [S]) -> Fit<'e, S> {
        let readings: [(Form, Fits<'_>); 4] = [
            (Form::Address, Self::is_address),
            (Form::Host, Self::is_host),
            (Form::Nickname, Self::is_nickname),
            (Form::Id, Self::is_prefix),
        ];
        for (reading, fits) in readings {
            if self.reading != Form::Any && self.reading != reading {
                continue;
            }
            let servers: Vec<&S> = endpoints
                .iter()
                .filter(|endpoint| fits(self, &endpoint.names()))
                .collect();
            if !servers.is_empty() {
                return Fit {
                    servers,
                    by_prefix: reading == Form::Id,
                };
            }
        }
        Fit {
            servers: Vec::new(),
            by_prefix: false,
        }
    }

    /// The name that differs from it by a slip of the finger, and that is not `named` beside it. One address is never
    /// taken for another: both may be right.
    pub fn near_miss<'e>(&self, endpoints: &'e [Endpoint], named: &[String]) -> Option<&'e str> {
        let names = endpoints.iter().flat_map(|endpoint| {
            let given = [&endpoint.nickname, &endpoint.hostname];
            let given = given.into_iter().flatten().map(String::as_str);
            given.chain([endpoint.ip_address.as_str()])
        });
        let is_address = self.text.parse::<IpAddr>().is_ok() || is_broken_address(self.text);
        let fit = names
            .filter(|name| !(is_address && name.parse::<IpAddr>().is_ok()))
            .filter(|name| !named.iter().any(|typed| typed.eq_ignore_ascii_case(name)));
        nearest(self.text, fit)
    }

    fn is_address(&self, server: &Names<'_>) -> bool {
        let wanted = self.text.parse::<IpAddr>().ok();
        wanted.is_some() && wanted == server.address.parse::<IpAddr>().ok()
    }

    fn is_host(&self, server: &Names<'_>) -> bool {
        server
            .host
            .is_some_and(|host| host.eq_ignore_ascii_case(self.text))
    }

    fn is_nickname(&self, server: &Names<'_>) -> bool {
        let nickname = server.nickname;
        nickname.is_some_and(|name| name.trim().to_lowercase() == self.text.to_lowercase())
    }

    fn is_prefix(&self, server: &Names<'_>) -> bool {
        is_id_prefix(self.text, &server.id.to_string())
    }
}

/// The name that differs from what was typed by a slip of the finger: two letters that changed places are one. Of a short
/// name half must be right.
pub fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const SLIP: usize = 2;
    let typed = typed.to_lowercase();
    let distance = |name: &str| strsim::osa_distance(&name.to_lowercase(), &typed);
    let nearest = names.map(|name| (distance(name), name)).min()?;
    let slip = SLIP.min(typed.chars().count() / 2);
    (nearest.0 <= slip).then_some(nearest.1)
}
