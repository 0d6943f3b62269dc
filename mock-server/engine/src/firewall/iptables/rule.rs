//! What one rule of iptables asks of a packet, and what it does with it.

use std::net::IpAddr;

use super::known_options::{MODULES, NEGATED_WITH_OTHERS, NO_CONDITION, is_known, takes_one_value};
use super::words::{RuleOption, options};
use crate::firewall::addresses::AddressSet;
use crate::firewall::filter::{
    Condition, Families, Family, Holds, Match, Ports, Protocols, Reason,
};
use crate::firewall::interfaces::{External, is_bridge};
use crate::firewall::specs::{ports_or_reason, protocols, source_ports};

/// A rule, with its options.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Draft {
    pub(super) chain: String,
    pub(super) target: Option<Target>,
    /// Why it is not known what it does, if so.
    pub(super) doubt: Option<Reason>,
    options: Vec<RuleOption>,
}

/// Where a rule sends packets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) is_goto: bool,
}

/// What is known of the host when a rule is read.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) host: Option<IpAddr>,
    pub(super) external: &'a External,
    /// Whether the dump has the table in which packets are marked.
    pub(super) shows_marking: bool,
}

impl Draft {
    /// Whether it is the same rule, whatever `-c` and `-v` count.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.target == other.target && self.lasting().eq(other.lasting())
    }

    fn lasting(&self) -> impl Iterator<Item = &RuleOption> {
        self.options.iter().filter(|option| option.name != "-c")
    }

    /// Reads `-A CHAIN ...`; `None` when it names no chain.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let options = options(line);
        let chain = options.iter().find(|option| option.name == "-A")?;
        let chain = chain.values.first()?.clone();
        let target = options.iter().find_map(|option| {
            let is_goto = match option.name.as_str() {
                "-j" | "--jump" => false,
                "-g" | "--goto" => true,
                _ => return None,
            };
            let name = option.values.first()?.clone();
            Some(Target { name, is_goto })
        });
        let doubt = is_torn(&options, target.as_ref()).then_some(Reason::Torn);
        Some(Self {
            chain,
            target,
            doubt,
            options,
        })
    }

    fn option(&self, names: &[&str]) -> Option<&RuleOption> {
        let mut options = self.options.iter();
        options.find(|option| names.contains(&option.name.as_str()))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.option(&[name]).is_some()
    }

    /// The value of an option.
    pub(super) fn value(&self, names: &[&str]) -> Option<&str> {
        Some(self.option(names)?.value())
    }

    /// The interface that it is for, or for all but which it is.
    pub(super) fn interface(&self) -> Option<&str> {
        self.value(&["-i", "--in-interface"])
    }

    /// The interface that packets leave by, or that all do not leave by.
    pub(super) fn output_interface(&self) -> Option<&str> {
        self.value(&["-o", "--out-interface"])
    }

    /// Whether it is for packets to anywhere. Those to one network of its own get an address of the host as well, so
    /// that their answers come back by it.
    pub(super) fn is_for_all_output(&self) -> bool {
        let is_asked = |names| self.option(names).is_some_and(|option| !option.is_negated);
        is_asked(&["-o", "--out-interface"]) && !is_asked(&["-d", "--destination", "--dst-range"])
    }

    /// Whether packets get an address of the host.
    pub(super) fn translates_sources(&self) -> bool {
        let target = self.target.as_ref().map(|target| target.name.as_str());
        matches!(target, Some("MASQUERADE" | "SNAT"))
    }

    /// The address family that its addresses are of.
    pub(super) fn family(&self) -> Option<Family> {
        if self.value(&["-p", "--protocol"]).is_some_and(is_icmp6) {
            return Some(Family::V6);
        }
        let rejection = self.value(&["--reject-with"])?.strip_prefix("icmp6-");
        if rejection.is_some() {
            return Some(Family::V6);
        }
        None
    }

    /// The address family that an address of its own is of.
    pub(super) fn family_of_addresses(&self) -> Option<Family> {
        let address = self.value(&["-s", "--source", "-d", "--destination"])?;
        match AddressSet::parse(address)?.families() {
            Families::Only(family) => Some(family),
            _ => None,
        }
    }

    /// What it asks of a packet; several where any of them will do.
    pub(super) fn matches(&self, place: Place<'_>) -> Vec<Match> {
        let mut matches = Match::default();
        if self.doubt.is_some() {
            return vec![matches];
        }
        for option in &self.options {
            require(&mut matches, option, place);
        }
        if self.has_match("recent") {
            matches.require(self.recent());
        }
        if self.has_match("rpfilter") {
            let passes = !self.has("--invert");
            let holds = if passes { Holds::Always } else { Holds::Never };
            matches.require(Condition::new(holds, Reason::Sources));
        }
        if self.has_match("policy") {
            matches.require(self.ipsec_policy());
        }
        if self.has_match("connmark") {
            // That of a connection, which a packet that is not tracked has none of.
            let any = Condition::new(Holds::Always, Reason::Existing);
            matches.require_connection(any);
        }
        for option in self.options.iter().filter(|option| takes_one_value(option)) {
            // No iptables prints more; what a mail or a wiki made of a dash is among them.
            if let Some(stray @ [_, ..]) = option.values.get(1..) {
                matches.require(Condition::unknown(&stray.join(" ")));
            }
        }
        for module in self.unknown_modules() {
            matches.require(Condition::unknown(&format!("-m {module}")));
        }
        match self.option(&["--ports"]) {
            Some(option) => either_port(&matches, option),
            None => vec![matches],
        }
    }

    fn has_match(&self, name: &str) -> bool {
        let mut options = self.options.iter();
        options.any(|option| {
            matches!(option.name.as_str(), "-m" | "--match") && option.value() == name
        })
    }

    /// Modules that may ask something without an option.
    fn unknown_modules(&self) -> impl Iterator<Item = &str> {
        let modules = self
            .options
            .iter()
            .filter(|option| matches!(option.name.as_str(), "-m" | "--match"));
        modules
            .map(RuleOption::value)
            .filter(|module| !MODULES.contains(module))
    }

    /// Whether nothing can be missing of it: programs print the target last, and these have no options.
    pub(super) fn is_whole(&self) -> bool {
        let target = self.target.as_ref().map(|target| target.name.as_str());
        matches!(target, Some("ACCEPT" | "DROP" | "RETURN"))
    }

    /// A rule of which it is not known what it does.
    pub(super) fn doubtful(chain: &str, doubt: Reason) -> Self {
        Self {
            chain: chain.to_owned(),
            target: None,
            doubt: Some(doubt),
            options: Vec::new(),
        }
    }

    /// A rule that sends every packet to another chain.
    pub(super) fn jump(chain: &str, target: &str) -> Self {
        Self {
            chain: chain.to_owned(),
            target: Some(Target {
                name: target.to_owned(),
                is_goto: false,
            }),
            doubt: None,
            options: Vec::new(),
        }
    }

    /// A list of sources seen of late: with a count it is a limit, without one a set.
    fn recent(&self) -> Condition {
        let count = self
            .value(&["--hitcount"])
            .and_then(|count| count.parse::<u32>().ok());
        let is_limit = count.is_some_and(|count| count > 1);
        let looked_up = self.option(&["--rcheck", "--update", "--remove"]);
        match (looked_up, is_limit) {
            (None, _) => Condition::new(Holds::Always, Reason::Sources),
            (Some(option), true) => {
                Condition::new(Holds::Never, Reason::Excess).negated(option.is_negated)
            }
            (Some(_), false) => Condition::new(Holds::Sometimes, Reason::Sources),
        }
    }

    fn ipsec_policy(&self) -> Condition {
        let is_none = self.value(&["--pol"]) == Some("none");
        match is_none && self.value(&["--dir"]) != Some("out") {
            true => Condition::new(Holds::Always, Reason::Sources),
            false => {
                let asked = [&["--dir"], &["--pol"]].into_iter();
                let asked = asked.filter_map(|name| self.option(name));
                let words: Vec<String> = asked.map(RuleOption::as_written).collect();
                Condition::unknown(&words.join(" "))
            }
        }
    }
}

/// Whether a rule ends in the middle of an option. What follows a target is of that target.
fn is_torn(options: &[RuleOption], target: Option<&Target>) -> bool {
    options.last().is_some_and(|last| {
        let lacks_value = takes_one_value(last) || (target.is_none() && !is_known(&last.name));
        last.values.is_empty() && lacks_value
    })
}

fn is_icmp6(protocol: &str) -> bool {
    matches!(protocol, "ipv6-icmp" | "icmpv6" | "58")
}

/// `--ports`: the source port, or that of the host; negated, neither.
fn either_port(matches: &Match, option: &RuleOption) -> Vec<Match> {
    let mut by_destination = matches.clone();
    require_ports(&mut by_destination, option);
    let source = source_ports(option.value(), ':');
    if option.is_negated {
        by_destination.require(source.negated(true));
        return vec![by_destination];
    }
    let mut by_source = matches.clone();
    by_source.require(source);
    match by_source.holds {
        Holds::Never => vec![by_destination],
        _ => vec![by_destination, by_source],
    }
}

fn require_ports(matches: &mut Match, option: &RuleOption) {
    match ports_or_reason(option.value(), ':') {
        Ok(ranges) => matches.require_ports(Ports::Listed(ranges).negated(option.is_negated)),
        Err(reason) => matches.require(Condition::new(Holds::Sometimes, reason)),
    }
}

/// Adds what an option asks.
fn require(matches: &mut Match, option: &RuleOption, place: Place<'_>) {
    let value = option.value();
    let name = option.name.as_str();
    let condition = match name {
        "-p" | "--protocol" => return require_protocol(matches, option),
        "--dport" | "--dports" | "--destination-port" | "--destination-ports" => {
            return require_ports(matches, option);
        }
        "-d" | "--destination" | "--dst" | "--dst-range" => {
            return require_destination(matches, option, place);
        }
        // Which of the flags a new connection has is the kernel's own business.
        "--ctstatus" if value.split(',').any(|status| status == "NONE") => {
            Condition::unknown(&option.as_written())
        }
        "--ctstate" | "--state" => return require_state(matches, option),
        "--ctstatus" => {
            return matches.require_connection(state(value).negated(option.is_negated));
        }
        "--ctdir" => {
            return matches.require_connection(direction(value).negated(option.is_negated));
        }
        "--mark" if place.shows_marking => {
            return matches.require_mark(mark(option).negated(option.is_negated));
        }
        "-s" | "--source" | "--src" | "--src-range" => source(option),
        "-i" | "--in-interface" => {
            matches.is_past_bridge |= option.is_negated && is_bridge(value);
            place.external.condition(value)
        }
        "-o" | "--out-interface" => Condition::new(Holds::Never, Reason::Interface(value.into())),
        "--sport" | "--sports" | "--source-port" | "--source-ports" => source_ports(value, ':'),
        "-f" | "--fragment" => Condition::new(Holds::Never, Reason::Existing),
        "--syn" => Condition::new(Holds::Always, Reason::Existing),
        "--tcp-flags" => tcp_flags(value, option.values.get(1).map_or("", String::as_str)),
        "--mss" => segment_size(option),
        // No system forwards or takes packets with the routing header that this is about.
        "--rt-type" if value == "0" => Condition::new(Holds::Never, Reason::Existing),
        "--connlimit-above" | "--hashlimit-above" => Condition::new(Holds::Never, Reason::Excess),
        "--connlimit-upto" => Condition::new(Holds::Always, Reason::Excess),
        "--pkt-type" => one_of(value, &["unicast", "host"]),
        "--dst-type" => one_of(value, &["LOCAL"]),
        "--src-type" => Condition {
            reason: Reason::Sources,
            ..one_of(value, &["UNICAST"])
        },
        "--match-set" => match option
            .values
            .get(1)
            .is_some_and(|way| way.starts_with("src"))
        {
            true => Condition::new(Holds::Sometimes, Reason::Sources),
            false => Condition::unknown(&option.as_written()),
        },
        "--src-cc" | "--source-country" | "--mac-source" => {
            Condition::new(Holds::Sometimes, Reason::Sources)
        }
        _ if option.is_negated && !NEGATED_WITH_OTHERS.contains(&name) => {
            Condition::unknown(&option.as_written())
        }
        _ if NO_CONDITION.contains(&name) => return,
        _ => Condition::unknown(&option.as_written()),
    };
    matches.require(condition.negated(option.is_negated));
}

fn require_state(matches: &mut Match, option: &RuleOption) {
    let states = option.value();
    let is_untracked = states.split(',').any(|state| state == "UNTRACKED");
    let untracked = Condition::new(Holds::from(is_untracked), Reason::Untracked);
    let untracked = untracked.negated(option.is_negated).holds;
    matches.require_connection_state(state(states).negated(option.is_negated), untracked);
}

fn require_protocol(matches: &mut Match, option: &RuleOption) {
    let named = match option.value() {
        "all" | "0" => Protocols::BOTH,
        name => protocols(name),
    };
    matches.require_protocols(if option.is_negated { !named } else { named });
}

fn require_destination(matches: &mut Match, option: &RuleOption, place: Place<'_>) {
    match addresses(option.value()) {
        Some(set) => set.require_as_destinations(matches, place.host, option.is_negated),
        None => matches.require(Condition::unknown(&option.as_written())),
    }
}

fn source(option: &RuleOption) -> Condition {
    match addresses(option.value()) {
        Some(set) => set.as_sources(),
        None => Condition::unknown(&option.as_written()),
    }
}

/// Addresses with commas between.
fn addresses(text: &str) -> Option<AddressSet> {
    let mut set = AddressSet::default();
    text.split(',')
        .all(|address| set.add(address))
        .then_some(set)
}

/// A new connection that no address translation changed.
fn state(states: &str) -> Condition {
    let mut states = states.split(',');
    let is_translated = states.clone().all(|state| matches!(state, "DNAT" | "SNAT"));
    let is_untracked = states
        .clone()
        .all(|state| matches!(state, "UNTRACKED" | "INVALID"));
    let holds = match states.any(|state| matches!(state, "NEW" | "NONE")) {
        true => Holds::Always,
        false => Holds::Never,
    };
    let reason = match () {
        () if is_translated => Reason::Translated,
        () if is_untracked => Reason::Untracked,
        () => Reason::Existing,
    };
    Condition::new(holds, reason)
}

/// A packet comes without a mark.
fn mark(option: &RuleOption) -> Condition {
    let value = option.value();
    let value = value.split('/').next().unwrap_or(value);
    let digits = value.strip_prefix("0x").unwrap_or(value);
    let is_zero = !digits.is_empty() && digits.bytes().all(|digit| digit == b'0');
    let holds = if is_zero { Holds::Always } else { Holds::Never };
    Condition::new(holds, Reason::Condition(option.as_written().into()))
}

/// A new connection begins with SYN alone.
fn tcp_flags(mask: &str, set: &str) -> Condition {
    let names = |flags: &str| {
        match flags {
            "ALL" => vec!["FIN", "SYN", "RST", "PSH", "ACK", "URG"],
            "NONE" => Vec::new(),
            flags => flags.split(',').collect(),
        }
        .into_iter()
        .map(str::to_owned)
        .collect::<Vec<String>>()
    };
    let mut seen = names(mask);
    seen.retain(|flag| flag == "SYN");
    let holds = if seen == names(set) {
        Holds::Always
    } else {
        Holds::Never
    };
    Condition::new(holds, Reason::Existing)
}

/// The segment sizes that connections over the internet have.
fn segment_size(option: &RuleOption) -> Condition {
    let range = option.value();
    let (first, last) = range.split_once(':').unwrap_or((range, range));
    let holds = match (first.parse::<u32>(), last.parse::<u32>()) {
        (Ok(first), Ok(last)) if first <= 1200 && last >= 1460 => Holds::Always,
        (Ok(_), Ok(last)) if last < 1200 => Holds::Never,
        _ => Holds::Sometimes,
    };
    Condition::new(holds, Reason::Condition(option.as_written().into()))
}

fn direction(value: &str) -> Condition {
    let holds = match value.eq_ignore_ascii_case("original") {
        true => Holds::Always,
        false => Holds::Never,
    };
    Condition::new(holds, Reason::Existing)
}

/// A type of packet or address, of which these are those that come in from the internet.
fn one_of(value: &str, usual: &[&str]) -> Condition {
    let mut values = value.split(',');
    let holds = match values.any(|value| usual.contains(&value)) {
        true => Holds::Always,
        false => Holds::Never,
    };
    Condition::new(holds, Reason::Destinations)
}
