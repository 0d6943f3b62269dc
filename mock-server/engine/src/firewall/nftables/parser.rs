//! A cursor over the tokens of a rule, and the fields that rules begin with.

use super::field::{FamilyOf, Field, Side, Transport};
use super::tokens::{Token, braced};

#[derive(Clone, Copy)]
pub(super) struct Parser<'a> {
    rest: &'a [Token],
}

impl<'a> Parser<'a> {
    pub(super) fn new(tokens: &'a [Token]) -> Self {
        Self { rest: tokens }
    }

    /// The next token, without taking it.
    pub(super) fn peek(&mut self) -> Option<&'a Token> {
        while self.rest.first().is_some_and(Token::is_newline) {
            self.rest = &self.rest[1..];
        }
        self.rest.first()
    }

    pub(super) fn next(&mut self) -> Option<&'a Token> {
        let token = self.peek()?;
        self.rest = &self.rest[1..];
        Some(token)
    }

    /// Takes this word, if it is next.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let is_next = self.peek().is_some_and(|token| token.is(word));
        if is_next {
            self.rest = &self.rest[1..];
        }
        is_next
    }

    /// Whether this word comes next.
    pub(super) fn sees(&mut self, word: &str) -> bool {
        self.peek().is_some_and(|token| token.is(word))
    }

    pub(super) fn word(&mut self) -> &'a str {
        self.next().map_or("", |token| token.text.as_str())
    }

    /// The tokens in the braces that come next.
    pub(super) fn braced(&mut self) -> &'a [Token] {
        self.peek();
        let (inside, length) = braced(self.rest);
        self.rest = &self.rest[length.min(self.rest.len())..];
        inside
    }

    pub(super) fn rest(&self) -> &'a [Token] {
        self.rest
    }

    pub(super) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.next();
        }
    }

    /// The field that a match begins with; `None` where none begins here.
    pub(super) fn field(&mut self) -> Option<Field> {
        let token = self.peek()?;
        if token.is_quoted {
            return None;
        }
        let mut ahead = *self;
        ahead.next();
        let field = ahead.field_behind(&token.text)?;
        *self = ahead;
        Some(field)
    }

    fn field_behind(&mut self, first: &str) -> Option<Field> {
        let field = match first {
            "tcp" => return self.transport_field(Transport::Tcp),
            "udp" => return self.transport_field(Transport::Udp),
            "th" => return self.transport_field(Transport::Any),
            "ip" => return Some(self.network_field(FamilyOf::V4)),
            "ip6" => return Some(self.network_field(FamilyOf::V6)),
            "meta" => {
                let key = self.word();
                meta_field(key).unwrap_or_else(|| Field::Other(format!("meta {key}")))
            }
            "ct" => self.tracking_field(),
            "fib" => self.route_field(),
            "sctp" | "dccp" | "udplite" | "icmp" | "icmpv6" | "igmp" | "ah" | "esp" | "comp" => {
                self.next();
                Field::OtherProtocol
            }
            "ether" | "vlan" | "arp" | "rt" | "rt0" | "rt2" | "socket" | "osf" | "hbh" | "frag"
            | "dst" | "mh" | "exthdr" | "ipsec" | "gre" | "geneve" | "vxlan" => {
                Field::Other(format!("{first} {}", self.word()))
            }
            key => meta_field(key)?,
        };
        Some(field)
    }

    fn transport_field(&mut self, transport: Transport) -> Option<Field> {
        let field = match self.word() {
            "dport" => Field::Port(transport),
            "sport" => Field::SourcePort(transport),
            "flags" => Field::TcpFlags,
            "option" => Field::Other(self.option()),
            key => Field::Other(key.to_owned()),
        };
        Some(field)
    }

    /// `maxseg size`, or `maxseg` of what is asked to exist.
    fn option(&mut self) -> String {
        let name = self.word();
        match self.sees("exists") || self.sees("missing") {
            true => format!("option {name}"),
            false => format!("option {name} {}", self.word()),
        }
    }

    fn network_field(&mut self, family: FamilyOf) -> Field {
        match self.word() {
            "saddr" => Field::Source(family),
            "daddr" => Field::Destination(family),
            "protocol" | "nexthdr" => Field::Protocol(Side::Header(family)),
            key => Field::Other(format!("ip {key}")),
        }
    }

    fn tracking_field(&mut self) -> Field {
        match self.word() {
            "state" => Field::State,
            "status" => Field::Status,
            "direction" => Field::Direction,
            "mark" => Field::ConnectionMark,
            way @ ("original" | "reply") => match self.word() {
                family @ ("ip" | "ip6") => {
                    Field::Other(format!("ct {way} {family} {}", self.word()))
                }
                key => Field::Other(format!("ct {way} {key}")),
            },
            key => Field::Other(format!("ct {key}")),
        }
    }

    /// `fib daddr type`, `fib saddr . iif oif`.
    fn route_field(&mut self) -> Field {
        let mut words = vec![self.word()];
        while self.take(".") {
            words.push(self.word());
        }
        let result = self.word();
        match (words.first(), result) {
            (Some(&"daddr"), "type") => Field::AddressType,
            (Some(&"saddr"), "oif" | "oifname") => Field::ReversePath,
            (Some(&"saddr"), "check") => {
                // `check missing` and `check exists` in new versions.
                Field::ReversePath
            }
            _ => Field::Other(format!("fib {} {result}", words.join(" . "))),
        }
    }
}

fn meta_field(key: &str) -> Option<Field> {
    let field = match key {
        "l4proto" => Field::Protocol(Side::Meta),
        "nfproto" | "protocol" => Field::NetworkProtocol,
        "iif" | "iifname" | "sdifname" => Field::Interface,
        "oif" | "oifname" => Field::OutputInterface,
        "mark" => Field::Mark,
        "pkttype" => Field::PacketType,
        "skuid" | "skgid" | "iiftype" | "oiftype" | "iifgroup" | "oifgroup" | "cgroup"
        | "rtclassid" | "length" | "cpu" | "time" | "hour" | "day" | "priority" | "sdif"
        | "ibrname" | "obrname" | "nftrace" | "random" => Field::Other(key.to_owned()),
        _ => return None,
    };
    Some(field)
}
