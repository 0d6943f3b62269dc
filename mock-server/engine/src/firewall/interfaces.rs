//! The interface over which packets from the internet come, judged by the
//! names in a dump.

use std::cmp::Reverse;

use super::filter::{Condition, Holds, Reason};

/// What the names of interfaces begin with that lead to containers, tunnels and bridges of the host itself.
const INNER: [&str; 33] = [
    "docker",
    "br-",
    "virbr",
    "lxc",
    "lxdbr",
    "incusbr",
    "veth",
    "vnet",
    "wg",
    "tun",
    "tap",
    "tailscale",
    "cni",
    "flannel",
    "cali",
    "cilium",
    "weave",
    "kube",
    "nodelocaldns",
    "podman",
    "dummy",
    "zt",
    "nordlynx",
    "ipsec",
    "fwbr",
    "fwpr",
    "fwln",
    "ifb",
    "vxlan",
    "gre",
    "nebula",
    "utun",
    "hassio",
];

/// Words for what is outside, in names of zones, chains and interfaces.
const OUTER_WORDS: [&str; 9] = [
    "wan", "net", "public", "external", "world", "internet", "inet", "outside", "ext",
];

/// Words for what is inside.
const INNER_WORDS: [&str; 12] = [
    "lan", "loc", "local", "internal", "int", "private", "trusted", "dmz", "vpn", "mgmt", "home",
    "guest",
];

/// The names of interfaces in a dump.
#[derive(Clone, Default, Debug)]
pub(super) struct Interfaces {
    mentions: Vec<Mention>,
}

#[derive(Clone, Debug)]
struct Mention {
    name: String,
    side: Side,
    /// Whether the name itself says that it leads inside.
    is_inner_by_name: bool,
}

/// Where a name says that an interface leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Outer,
    Unsaid,
    Inner,
}

impl Interfaces {
    /// Takes note of an interface, and of the zone or chain that its packets go to.
    pub(super) fn mention(&mut self, name: &str, leads_to: &str) {
        if is_pattern(name) || is_inner(name) || is_number(name) || is_variable(name) {
            return;
        }
        let side = match (side(name), side(leads_to)) {
            (Side::Unsaid, side) | (side, _) => side,
        };
        let known = self.mentions.iter_mut().find(|known| known.name == name);
        match known {
            Some(known) if known.side == Side::Unsaid => known.side = side,
            Some(_) => {}
            None => self.mentions.push(Mention {
                name: name.to_owned(),
                side,
                is_inner_by_name: self::side(name) == Side::Inner,
            }),
        }
    }

    /// The external interface, where the names tell it.
    pub(super) fn external(&self) -> External {
        let outer = self
            .mentions
            .iter()
            .find(|mention| mention.side == Side::Outer);
        // A host on the internet may have given its only interface to a zone of any name.
        let name = match outer {
            Some(mention) => Some(mention.name.clone()),
            None => self
                .first_of_its_kind(|mention| mention.side == Side::Unsaid)
                .or_else(|| self.first_of_its_kind(|mention| !mention.is_inner_by_name)),
        };
        External { name }
    }

    fn first_of_its_kind(&self, may_be: impl Fn(&Mention) -> bool) -> Option<String> {
        let unsaid = self.mentions.iter().filter(|mention| may_be(mention));
        let kind_rank = |name: &str| (name.starts_with("eth"), name.starts_with("en"));
        let first = unsaid.min_by_key(|mention| {
            let kind = kind_rank(&mention.name);
            (Reverse(kind), numbers(&mention.name))
        })?;
        // Where there is an eth1 there is an eth0.
        match first.name.strip_prefix("eth") {
            Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => {
                Some("eth0".to_owned())
            }
            _ => Some(first.name.clone()),
        }
    }
}

/// The interface that packets from the internet come over.
#[derive(Clone, Default, Debug)]
pub(super) struct External {
    name: Option<String>,
}

impl External {
    /// That a packet comes over the interface of this name or pattern.
    pub(super) fn condition(&self, pattern: &str) -> Condition {
        let external = self.name.as_deref();
        let prefix = pattern.strip_suffix(['+', '*']);
        let holds = match prefix {
            // `nft -n` prints numbers; the first is of the loopback interface, the others may be any.
            None if pattern == "1" => Holds::Never,
            None if is_number(pattern) || is_variable(pattern) => Holds::Sometimes,
            Some("") => Holds::Always,
            Some(prefix) if is_inner(prefix) => Holds::Never,
            Some(prefix) => match external {
                Some(name) if name.starts_with(prefix) => Holds::Always,
                None if "eth0".starts_with(prefix) => Holds::Always,
                _ => Holds::Never,
            },
            None if external == Some(pattern) => Holds::Always,
            None => Holds::Never,
        };
        let reason = match pattern {
            "lo" | "1" => Reason::Loopback,
            name => Reason::Interface(name.chars().take(40).collect::<String>().into()),
        };
        Condition::new(holds, reason)
    }
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// A name that is defined elsewhere, as in a file of rules.
fn is_variable(name: &str) -> bool {
    name.starts_with('$')
}

fn is_pattern(name: &str) -> bool {
    name.ends_with(['+', '*'])
}

/// Whether this is the name of a bridge or a tunnel of the host.
pub(super) fn is_bridge(name: &str) -> bool {
    name != "lo" && is_inner(name)
}

fn is_inner(name: &str) -> bool {
    name == "lo" || INNER.iter().any(|prefix| name.starts_with(prefix))
}

fn side(name: &str) -> Side {
    let lower = name.to_ascii_lowercase();
    let is_word = |words: &[&str]| {
        let mut found = lower.split(|c: char| !c.is_ascii_alphabetic());
        found.any(|word| words.contains(&word))
    };
    match (is_word(&OUTER_WORDS), is_word(&INNER_WORDS)) {
        (true, _) => Side::Outer,
        (_, true) => Side::Inner,
        _ => Side::Unsaid,
    }
}

/// The numbers in a name.
fn numbers(name: &str) -> Vec<u64> {
    let digits = name.split(|c: char| !c.is_ascii_digit());
    digits.filter_map(|number| number.parse().ok()).collect()
}
