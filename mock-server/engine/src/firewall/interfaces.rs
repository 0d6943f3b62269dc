//! The interface over which packets from the internet come, judged by the
//! names in a dump.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::filter::{Condition, Holds, Reason};

/// What the names of interfaces begin with that lead to containers, tunnels and bridges of the host itself.
const INNER: [&str; 36] = [
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
    "as0t",
    "vboxnet",
    "vif",
];

/// The same, where a number follows: `vmbr0` is no virtual machine.
const INNER_NUMBERED: [&str; 3] = ["bat", "pan", "vm"];

/// Words for what is outside, in names of zones, chains and interfaces.
const OUTER_WORDS: [&str; 9] = [
    "wan", "net", "public", "external", "world", "internet", "inet", "outside", "ext",
];

/// Words for what is inside.
const INNER_WORDS: [&str; 13] = [
    "lan", "loc", "local", "internal", "intern", "int", "private", "trusted", "dmz", "vpn", "mgmt",
    "home", "guest",
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
    /// Whether whatever leaves over it gets an address of the host.
    is_translated: bool,
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
                is_translated: false,
            }),
        }
    }

    /// Takes note of an interface over which packets leave with an address of the host: an inner network has no need
    /// of that, so it is the one to the internet.
    pub(super) fn mention_translated(&mut self, name: &str) {
        self.mention(name, "");
        if let Some(known) = self.mentions.iter_mut().find(|known| known.name == name) {
            known.is_translated = true;
        }
    }

    /// The external interface, where the dump tells it: by the name of a zone or chain, by what is translated there,
    /// and only then by the order of names.
    pub(super) fn external(&self) -> External {
        let is_outer = |mention: &&Mention| mention.side == Side::Outer;
        let mut outer = self.mentions.iter().filter(is_outer);
        let translated = outer.clone().find(|mention| mention.is_translated);
        if let Some(mention) = translated.or_else(|| outer.next()) {
            return External::named(&mention.name);
        }
        let is_translated =
            |mention: &Mention| mention.is_translated && mention.side != Side::Inner;
        let translated = self.firsts_of_kinds(is_translated);
        if !translated.names.is_empty() {
            return translated;
        }
        let unsaid = self.firsts_of_kinds(|mention| mention.side == Side::Unsaid);
        // A host on the internet may have given its only interface to a zone of any name.
        let external = match unsaid.names.is_empty() {
            true => self.firsts_of_kinds(|mention| !mention.is_inner_by_name),
            false => unsaid,
        };
        external.with_lowest_number()
    }

    /// The first Ethernet interface, else the first of each kind: nothing tells which of those leads outside.
    fn firsts_of_kinds(&self, may_be: impl Fn(&Mention) -> bool) -> External {
        let mut firsts: BTreeMap<&str, &Mention> = BTreeMap::new();
        for mention in self.mentions.iter().filter(|mention| may_be(mention)) {
            let first = firsts.entry(kind(&mention.name)).or_insert(mention);
            if numbers(&mention.name) < numbers(&first.name) {
                *first = mention;
            }
        }
        let ethernet = firsts.values().filter(|first| is_ethernet(&first.name));
        let rank = |name: &str| (Reverse(name.starts_with("eth")), numbers(name));
        match ethernet.min_by_key(|first| rank(&first.name)) {
            Some(first) => External::named(&first.name),
            None => External {
                names: firsts.values().map(|first| first.name.clone()).collect(),
            },
        }
    }
}

/// The interface that packets from the internet come over; several where it may be any of them.
#[derive(Clone, Default, Debug)]
pub(super) struct External {
    names: BTreeSet<String>,
}

impl External {
    fn named(name: &str) -> Self {
        Self {
            names: BTreeSet::from([name.to_owned()]),
        }
    }

    /// Where there is an eth1 there is an eth0.
    fn with_lowest_number(self) -> Self {
        let number = self.names.first().and_then(|name| name.strip_prefix("eth"));
        match number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit())) {
            true => Self::named("eth0"),
            false => self,
        }
    }

    /// That a packet comes over the interface of this name or pattern.
    pub(super) fn condition(&self, pattern: &str) -> Condition {
        let prefix = pattern.strip_suffix(['+', '*']);
        let holds = match prefix {
            // `nft -n` prints numbers; the first is of the loopback interface, the others may be any.
            None if pattern == "1" => Holds::Never,
            None if is_number(pattern) || is_variable(pattern) => Holds::Sometimes,
            Some("") => Holds::Always,
            Some(prefix) if is_inner(prefix) => Holds::Never,
            Some(prefix) => self.begins_with(prefix),
            None if !self.names.contains(pattern) => Holds::Never,
            None if self.names.len() == 1 => Holds::Always,
            None => Holds::Sometimes,
        };
        let reason = match pattern {
            "lo" | "1" => Reason::Loopback,
            name => Reason::Interface(name.chars().take(40).collect::<String>().into()),
        };
        Condition::new(holds, reason)
    }

    fn begins_with(&self, prefix: &str) -> Holds {
        let (Some(first), Some(last)) = (self.names.first(), self.names.last()) else {
            return Holds::from("eth0".starts_with(prefix));
        };
        // In order, all names begin so if the first and the last do.
        let next = self.names.range(prefix.to_owned()..).next();
        match first.starts_with(prefix) && last.starts_with(prefix) {
            true => Holds::Always,
            false if next.is_some_and(|name| name.starts_with(prefix)) => Holds::Sometimes,
            false => Holds::Never,
        }
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
    let is_numbered = |prefix: &&str| {
        let number = name.strip_prefix(*prefix);
        number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
    };
    name == "lo"
        || INNER.iter().any(|prefix| name.starts_with(prefix))
        || INNER_NUMBERED.iter().any(is_numbered)
}

fn is_ethernet(name: &str) -> bool {
    name.starts_with("eth") || name.starts_with("en")
}

/// What interfaces of one kind have in common: the name up to its first digit.
fn kind(name: &str) -> &str {
    let end = name.find(|c: char| c.is_ascii_digit());
    &name[..end.unwrap_or(name.len())]
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
