//! Ports as people type them: `22`, `22/tcp`, `tcp/22`, `53/*`, `8000-8100/udp`, `80,443`, `ssh`.

use crate::error::CliError;
use secmon::model::{PortRange, Protocol, Rule};

/// Names that people use for ports. A plain name is the port's usual protocol.
const NAMES: &[(&str, u16)] = &[
    ("ftp", 21),
    ("ssh", 22),
    ("telnet", 23),
    ("smtp", 25),
    ("dns", 53),
    ("http", 80),
    ("pop3", 110),
    ("ntp", 123),
    ("imap", 143),
    ("snmp", 161),
    ("ldap", 389),
    ("https", 443),
    ("smb", 445),
    ("submission", 587),
    ("imaps", 993),
    ("pop3s", 995),
    ("mssql", 1433),
    ("mysql", 3306),
    ("rdp", 3389),
    ("postgresql", 5432),
    ("vnc", 5900),
    ("redis", 6379),
    ("mongodb", 27017),
];

/// The names that ports can be given by.
pub fn names() -> impl Iterator<Item = (&'static str, u16)> {
    NAMES.iter().copied()
}

/// A range of ports with its protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortSpec {
    /// The ports.
    pub range: PortRange,
    /// The protocol; tcp where none was typed.
    pub protocol: Protocol,
}

/// Whether each port has a word of its own; of those written together one protocol could be meant for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Apart,
    Together,
}

impl PortSpec {
    /// Reads all that was typed: each word a port, and `80,443` or `22 tcp` too.
    pub fn parse_all(words: &[String]) -> Result<Vec<Self>, CliError> {
        let mut ports: Vec<String> = Vec::new();
        let mut written = Written::Apart;
        for word in words {
            let pieces = word.split([',', ' ']).filter(|piece| !piece.is_empty());
            if pieces.clone().next().is_none() {
                return Err(CliError::usage(format!("{word:?} is not a port"))
                    .hint("a variable that is not set? A port is 22, 53/udp or ssh"));
            }
            for (place, piece) in pieces.enumerate() {
                let protocol = matches!(piece.to_ascii_lowercase().as_str(), "tcp" | "udp");
                if place > 0 || protocol {
                    written = Written::Together;
                }
                match ports.last_mut() {
                    Some(port) if protocol && !port.contains('/') => *port += &format!("/{piece}"),
                    _ => ports.push(piece.to_owned()),
                }
            }
        }
        let with_protocol = ports.iter().filter(|port| port.contains('/')).count();
        if written == Written::Together && with_protocol != 0 && with_protocol != ports.len() {
            return Err(CliError::usage(format!(
                "{}: it is not clear which ports the protocol is for",
                words.join(" ")
            ))
            .hint("give every port its own, as 53/udp,123/udp"));
        }
        let mut specs: Vec<Self> = Vec::new();
        for port in ports {
            let spec = Self::parse(&port)?;
            // A port that is typed twice is one rule.
            if !specs.contains(&spec) {
                specs.push(spec);
            }
        }
        Ok(specs)
    }

    /// Reads what was typed.
    pub fn parse(text: &str) -> Result<Self, CliError> {
        let wrong = |reason: String| {
            CliError::usage(reason).hint(
                "a port is 22, 22/tcp, 53/udp, 53/* for both, 8000-8100/tcp, or a name such as ssh",
            )
        };
        let (ports, protocol) = match text.split_once('/').unwrap_or((text, "tcp")) {
            (protocol @ ("tcp" | "udp"), ports) => (ports, protocol),
            in_order => in_order,
        };
        let protocol = match protocol.to_ascii_lowercase().as_str() {
            "tcp" => Protocol::Tcp,
            "udp" => Protocol::Udp,
            "*" | "both" | "any" => Protocol::Any,
            other => {
                return Err(wrong(format!(
                    "{text:?}: unknown protocol {other:?}: use tcp, udp or *"
                )));
            }
        };
        let named = NAMES
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(ports))
            .map(|(_, port)| port.to_string());
        let range = named.as_deref().unwrap_or(ports).parse::<PortRange>();
        let range =
            range.map_err(|_| wrong(format!("{text:?} is not a port{}", why_not(ports))))?;
        Ok(Self { range, protocol })
    }

    /// Whether a word could only be a port.
    pub fn looks_like_port(word: &str) -> bool {
        word.starts_with(|c: char| c.is_ascii_digit()) && Self::parse(word).is_ok()
    }

    /// Whether a port is one of these, whatever its protocol.
    pub fn has(&self, port: u16) -> bool {
        (self.range.start().get()..=self.range.end().get()).contains(&port)
    }

    /// Whether a rule has a port and a protocol in common with it.
    pub fn meets(&self, rule: &Rule) -> bool {
        let Some(ports) = rule.ports() else {
            return false;
        };
        let protocols = self.protocol == rule.protocol
            || self.protocol == Protocol::Any
            || rule.protocol == Protocol::Any;
        protocols && ports.start() <= self.range.end() && self.range.start() <= ports.end()
    }

    /// What is said of a range that is wider than anybody has in mind.
    pub fn if_wide(&self) -> Option<String> {
        const WIDE: usize = 1024;
        let count = usize::from(self.range.end().get() - self.range.start().get()) + 1;
        (count > WIDE)
            .then(|| format!("{self} covers {count} ports: none of them will raise an alert."))
    }

    /// Whether a rule allows all of it.
    pub fn is_within(&self, rule: &Rule) -> bool {
        let protocol = rule.protocol == self.protocol || rule.protocol == Protocol::Any;
        let holds = |ports: PortRange| {
            ports.start() <= self.range.start() && self.range.end() <= ports.end()
        };
        protocol && rule.ports().is_some_and(holds)
    }

    /// Whether a rule is for exactly this.
    pub fn is_same(&self, rule: &Rule) -> bool {
        rule.ports() == Some(self.range) && rule.protocol == self.protocol
    }
}

/// What is wrong with digits that are not a port, or a range of ports.
fn why_not(ports: &str) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let bounds = ports.split_once('-').unwrap_or((ports, ports));
    let numbers = (bounds.0.parse::<u16>(), bounds.1.parse::<u16>());
    match numbers {
        (Ok(first), Ok(last)) if first > last && last > 0 => {
            ": a range begins with the lower port, as in 20-30".to_owned()
        }
        _ if is_number(bounds.0) && is_number(bounds.1) => ": ports are 1 to 65535".to_owned(),
        _ => {
            let otherwise = [":", "..", "\u{2013}"].iter();
            let mut parts = otherwise.filter_map(|sign| ports.split_once(sign));
            let range = parts.find(|(first, last)| is_number(first) && is_number(last));
            range.map_or_else(String::new, |(first, last)| {
                format!(": write the range as {first}-{last}")
            })
        }
    }
}

impl std::fmt::Display for PortSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.range, self.protocol)
    }
}
