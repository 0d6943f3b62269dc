//! What the engine reads off a firewall, against what a kernel does with it (E13).
//!
//! Needs root, network namespaces, `ip`, `nft` and `iptables-restore`; where one of them is missing, each test says so and
//! ends. `SECMON_RANDOM_FILTERS` sets how many random filters are tried.

#![cfg(target_os = "linux")]

mod corpus;
mod random;
mod witness;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::IpAddr;

use corpus::{Answer, Dump, Suggestion, dumps, suggestions};
use random::Random;
use witness::{HOST_V4, Probe, Witness, v4};

/// Random filters of each kind, where nothing else is said.
const RANDOM_FILTERS: u64 = 150;

fn witness(test: &str) -> Option<Witness> {
    match Witness::new(test) {
        Ok(witness) => Some(witness),
        Err(missing) => {
            eprintln!("{test} is skipped: no network namespaces or firewall here: {missing}");
            None
        }
    }
}

/// Addresses that packets come from. Those that a dump names are added to them.
fn sources(content: &str) -> Vec<IpAddr> {
    let mut sources = vec![
        v4("198.51.100.9"),
        v4("8.8.4.4"),
        "2001:db8:7::9".parse().expect("an address"),
    ];
    for word in content.split(|c: char| c.is_whitespace() || c == ',') {
        let address = word.split(['/', '-']).next().unwrap_or(word);
        let Ok(address) = address.parse::<IpAddr>() else {
            continue;
        };
        let is_public = match address {
            IpAddr::V4(address) => {
                let [first, second, ..] = address.octets();
                // What providers share among customers, 100.64.0.0/10.
                let is_shared = first == 100 && second & 0xc0 == 0x40;
                !(is_shared
                    || address.is_private()
                    || address.is_loopback()
                    || address.is_link_local())
                    && (1..224).contains(&first)
            }
            IpAddr::V6(address) => address.segments()[0] >> 13 == 1,
        };
        let is_host = [HOST_V4, witness::HOST_V6].contains(&address.to_string().as_str());
        if is_public && !is_host && !sources.contains(&address) {
            sources.push(address);
        }
    }
    sources
}

fn probes(ports: &BTreeSet<u16>, sources: &[IpAddr]) -> Vec<Probe> {
    let mut probes = Vec::new();
    for source in sources {
        for is_tcp in [true, false] {
            probes.extend(ports.iter().map(|port| Probe {
                source: *source,
                is_tcp,
                port: *port,
            }));
        }
    }
    probes
}

/// The ports that a text names, and their neighbours.
fn named_ports(content: &str) -> BTreeSet<u16> {
    let numbers = content
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse::<u16>().ok());
    let around = numbers.flat_map(|port| [port.saturating_sub(1), port, port.saturating_add(1)]);
    around.filter(|port| *port > 0).collect()
}

/// A port of one protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Port {
    number: u16,
    is_tcp: bool,
}

impl Probe {
    fn is_to(&self, port: Port) -> bool {
        self.port == port.number && self.is_tcp == port.is_tcp
    }
}

impl fmt::Debug for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = if self.is_tcp { "tcp" } else { "udp" };
        write!(f, "{}/{protocol}", self.number)
    }
}

/// The packets of one port and family, from each source.
type Reached = BTreeMap<(bool, bool, u16), Vec<bool>>;

fn reached(probes: &[Probe], let_through: &BTreeSet<Probe>) -> Reached {
    let mut reached = Reached::new();
    for probe in probes {
        let key = (probe.source.is_ipv4(), probe.is_tcp, probe.port);
        reached
            .entry(key)
            .or_default()
            .push(let_through.contains(probe));
    }
    reached
}

/// Suggestions that not every packet of either family reaches.
fn falsely_suggested(suggestions: &[Suggestion], reached: &Reached) -> BTreeSet<Port> {
    let ports: BTreeSet<Port> = reached
        .keys()
        .map(|(_, is_tcp, port)| Port {
            number: *port,
            is_tcp: *is_tcp,
        })
        .collect();
    let is_open = |port: &Port| {
        [true, false].iter().any(|is_v4| {
            let packets = reached.get(&(*is_v4, port.is_tcp, port.number));
            packets.is_some_and(|packets| packets.iter().all(|is_through| *is_through))
        })
    };
    let is_suggested = |port: &Port| {
        suggestions
            .iter()
            .any(|one| one.covers(port.number, port.is_tcp))
    };
    let wrong = ports
        .into_iter()
        .filter(|port| is_suggested(port) && !is_open(port));
    wrong.collect()
}

/// What packets did at a firewall, and which suggestions it shows to be false.
struct Judgement {
    reached: Reached,
    falsely_suggested: Vec<Port>,
}

/// Sends the packets to the firewall that is loaded. A port that they do not reach is tried again with nothing before it:
/// `connlimit` counts the connections of an address, and all ports are tried from each address within a moment.
fn judge(
    witness: &mut Witness,
    load: impl Fn(&Witness) -> Result<(), String>,
    suggestions: &[Suggestion],
    probes: &[Probe],
) -> Judgement {
    let all = reached(probes, &witness.let_through(probes));
    let mut wrong: Vec<Port> = falsely_suggested(suggestions, &all).into_iter().collect();
    wrong.retain(|port| {
        load(witness).expect("what was loaded before");
        let of_port: Vec<Probe> = probes
            .iter()
            .filter(|probe| probe.is_to(*port))
            .copied()
            .collect();
        let alone = reached(&of_port, &witness.let_through(&of_port));
        !falsely_suggested(suggestions, &alone).is_empty()
    });
    Judgement {
        reached: all,
        falsely_suggested: wrong,
    }
}

/// Ports that every packet of a family reaches.
fn open_ports(reached: &Reached) -> BTreeSet<(bool, u16)> {
    let open = reached
        .iter()
        .filter(|(_, packets)| packets.iter().all(|is_through| *is_through));
    open.map(|((_, is_tcp, port), _)| (*is_tcp, *port))
        .collect()
}

/// Whatever is open and named is suggested, or told of a line that names it.
fn assert_nothing_is_lost(dump: &Dump, answer: &Answer, reached: &Reached) {
    for (is_tcp, port) in open_ports(reached) {
        let is_suggested = answer
            .suggestions
            .iter()
            .any(|one| one.covers(port, is_tcp));
        let lost = dump
            .lines_that_let_in(port, is_tcp)
            .find(|line| !answer.told_lines.contains(line));
        assert!(
            is_suggested || lost.is_none(),
            "{}: {port} of line {lost:?} is open, and lost",
            dump.name
        );
        let mut naming = dump.lines_that_name(port, is_tcp).peekable();
        let is_named = naming.peek().is_some();
        assert!(
            is_suggested || !is_named || naming.any(|line| answer.told_lines.contains(&line)),
            "{}: {port} is open and named, and no line tells of it",
            dump.name
        );
    }
}

#[test]
fn a_kernel_with_the_dump_lets_in_what_is_suggested_e13() {
    let Some(mut witness) = witness("dumps") else {
        return;
    };
    let (mut loaded, mut sent) = (0, 0);
    let mut left_out = Vec::new();
    for dump in dumps() {
        let Some(firewall) = dump.firewall() else {
            continue;
        };
        for name in &firewall.interfaces {
            witness.add_interface(name);
        }
        for (name, family) in dump.sets() {
            witness.add_set(name, family);
        }
        let load = |witness: &Witness| witness.load(&firewall.ruleset, &firewall.restores());
        if let Err(error) = load(&witness) {
            left_out.push(format!(
                "{}: {}",
                dump.name,
                error.lines().next().unwrap_or_default()
            ));
            continue;
        }
        let answer = suggestions(&dump.content);
        let ports = named_ports(&dump.content);
        let mut sources = sources(&dump.content);
        sources.retain(|source| firewall.is_about(*source));
        let probes = probes(&ports, &sources);
        let judged = judge(&mut witness, load, &answer.suggestions, &probes);
        let wrong = judged.falsely_suggested;
        assert!(
            wrong.is_empty(),
            "{}: {wrong:?} is suggested, and not open",
            dump.name
        );
        assert_nothing_is_lost(&dump, &answer, &judged.reached);
        loaded += 1;
        sent += probes.len();
    }
    println!("{loaded} dumps loaded, {sent} packets sent; not loaded: {left_out:#?}");
    assert!(loaded > 20, "{left_out:#?}");
}

/// How many random filters are tried, of each kind.
fn how_many() -> u64 {
    let set = std::env::var("SECMON_RANDOM_FILTERS").ok();
    set.and_then(|set| set.parse().ok())
        .unwrap_or(RANDOM_FILTERS)
}

/// Tries random filters; gives how many ports were open by name and how many of those suggested.
fn try_random(test: &str, write: impl Fn(&mut Random) -> String, is_nft: bool) {
    let Some(mut witness) = witness(test) else {
        return;
    };
    let mut sources = vec![
        "2001:db8:7::9".parse().expect("an address"),
        v4("198.51.100.9"),
        v4("192.0.2.7"),
        v4("203.0.113.200"),
        v4("8.8.4.4"),
    ];
    if !is_nft {
        sources.retain(IpAddr::is_ipv4);
    }
    let probes = probes(&random::PORTS.collect(), &sources);
    let (mut open, mut suggested) = (0, 0);
    let mut false_ones = Vec::new();
    for seed in 1..=how_many() {
        let text = write(&mut Random::new(seed));
        let restores: &[(&str, &str)] = &[("iptables-restore", &text)];
        let load = |witness: &Witness| match is_nft {
            true => witness.load(&text, &[]),
            false => witness.load("", restores),
        };
        load(&witness).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let answer = suggestions(&text);
        let judged = judge(&mut witness, load, &answer.suggestions, &probes);
        let wrong = judged.falsely_suggested;
        if !wrong.is_empty() {
            false_ones.push(format!(
                "seed {seed}: {wrong:?} is suggested, and not open\n{text}"
            ));
        }
        for (is_tcp, port) in open_ports(&judged.reached) {
            open += 1;
            suggested += usize::from(
                answer
                    .suggestions
                    .iter()
                    .any(|one| one.covers(port, is_tcp)),
            );
        }
    }
    println!(
        "{test}: {} filters, {} packets each; {suggested} of {open} open ports suggested",
        how_many(),
        probes.len()
    );
    assert!(
        false_ones.is_empty(),
        "{} are read falsely, the first of them:\n{}",
        false_ones.len(),
        false_ones.iter().take(3).cloned().collect::<String>()
    );
}

#[test]
fn no_random_ruleset_of_nftables_is_falsely_read_e13() {
    try_random("nftables", random::nftables, true);
}

#[test]
fn no_random_dump_of_iptables_is_falsely_read_e13() {
    try_random("iptables", random::iptables, false);
}
