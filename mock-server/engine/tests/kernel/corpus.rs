//! The dumps of the corpus, as a kernel takes them, and what the engine reads off a dump.

use std::collections::BTreeSet;
use std::fs;
use std::net::IpAddr;
use std::path::Path;

use secmon_engine::{
    Account, AccountSettings, Call, Client, ClientId, IngestFirewall, Instant, ProvisionEndpoint,
    SandboxHeader, Target,
};

use crate::witness::HOST_V4;

/// Ports that a dump suggests.
pub struct Suggestion {
    first: u16,
    last: u16,
    protocol: String,
}

impl Suggestion {
    pub fn covers(&self, port: u16, is_tcp: bool) -> bool {
        let named = if is_tcp { "tcp" } else { "udp" };
        (self.first..=self.last).contains(&port) && (self.protocol == "*" || self.protocol == named)
    }
}

/// What the engine says of a dump.
pub struct Answer {
    pub suggestions: Vec<Suggestion>,
    /// The lines that are suggested, or skipped with a reason.
    pub told_lines: BTreeSet<usize>,
}

pub fn suggestions(content: &str) -> Answer {
    let mut account = Account::new(AccountSettings::new("acme", "portal.acme.test", 7));
    let call = Call {
        now: Instant::parse("2026-01-01T00:00:00+00:00").expect("a time"),
        key: account.add_key("test_key_acme"),
        sandbox: SandboxHeader::Absent,
    };
    let client = ClientId::new(42).expect("a number");
    let request = ProvisionEndpoint {
        client: Client::new(client),
        target: Target::parse(HOST_V4).expect("an address"),
        service: None,
    };
    let endpoint = account
        .at(call)
        .provision(request)
        .expect("a server")
        .value
        .endpoint_id;
    let request = IngestFirewall {
        endpoint,
        client,
        content: content.to_owned(),
        format: None,
    };
    let answer = account
        .at(call)
        .ingest_firewall(&request)
        .expect("a reading");
    let mut told_lines: BTreeSet<usize> =
        answer.skipped.iter().map(|skipped| skipped.line).collect();
    let suggestions = answer.suggested.iter().map(|rule| {
        let (_, quote) = rule.justification.split_once(" line ").expect("a line");
        told_lines.extend(
            quote
                .split(':')
                .next()
                .and_then(|line| line.parse::<usize>().ok()),
        );
        let shown = serde_json::to_value(rule).expect("json");
        let (first, last) = rule
            .range_label
            .split_once('-')
            .unwrap_or((&rule.range_label, &rule.range_label));
        Suggestion {
            first: first.parse().expect("a port"),
            last: last.parse().expect("a port"),
            protocol: shown["protocol"].as_str().expect("a protocol").to_owned(),
        }
    });
    let suggestions = suggestions.collect();
    Answer {
        suggestions,
        told_lines,
    }
}

/// A dump of the corpus.
pub struct Dump {
    pub name: String,
    pub content: String,
}

/// A firewall in the words that its programs restore it from.
#[derive(Default)]
pub struct Firewall {
    pub ruleset: String,
    v4: String,
    v6: String,
    /// Interfaces that must be there when it is loaded.
    pub interfaces: Vec<String>,
}

impl Firewall {
    /// Whether it says anything of the family of an address; of the other it lets in everything.
    pub fn is_about(&self, address: IpAddr) -> bool {
        let names = |table: &str| self.ruleset.contains(&format!("table {table} "));
        match address {
            IpAddr::V4(_) => names("ip") || names("inet") || !self.v4.is_empty(),
            IpAddr::V6(_) => names("ip6") || names("inet") || !self.v6.is_empty(),
        }
    }

    pub fn restores(&self) -> Vec<(&str, &str)> {
        let dumps = [
            ("iptables-restore", self.v4.as_str()),
            ("ip6tables-restore", self.v6.as_str()),
        ];
        dumps
            .into_iter()
            .filter(|(_, dump)| !dump.is_empty())
            .collect()
    }
}

pub fn dumps() -> Vec<Dump> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firewall/dumps");
    let entries = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path());
    let texts = entries.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let mut dumps: Vec<Dump> = texts
        .filter_map(|path| {
            let name = path.file_stem()?.to_string_lossy().into_owned();
            // What is UTF-16 is the same as a dump that is not.
            let content = String::from_utf8(fs::read(&path).expect("a dump")).ok()?;
            Some(Dump { name, content })
        })
        .collect();
    dumps.sort_by(|one, other| one.name.cmp(&other.name));
    dumps
}

impl Dump {
    /// The firewall, if the dump is one of nftables or iptables. Its name may say which interface leads to the internet,
    /// which on the host of the test is eth0.
    pub fn firewall(&self) -> Option<Firewall> {
        let Some((_, uplink)) = self.name.split_once("uplink-is-") else {
            return self.as_listed();
        };
        let exchanged = self
            .content
            .replace(uplink, "the uplink")
            .replace("eth0", uplink);
        let content = exchanged.replace("the uplink", "eth0");
        let name = String::new();
        Self { name, content }.as_listed()
    }

    fn as_listed(&self) -> Option<Firewall> {
        let mut firewall = Firewall::default();
        let is_ruleset = self
            .content
            .lines()
            .any(|line| line.trim().starts_with("table ") && line.contains('{'));
        if is_ruleset {
            let lines = self.content.lines().map(without_limit);
            firewall.ruleset = lines.collect::<Vec<String>>().join("\n");
            let indexed = self
                .content
                .split("iif \"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next());
            firewall.interfaces = indexed
                .filter(|name| *name != "lo")
                .map(str::to_owned)
                .collect();
            return Some(firewall);
        }
        if self.content.lines().any(|line| line.starts_with('*')) {
            self.restore_sections(&mut firewall);
            return Some(firewall);
        }
        if self
            .content
            .lines()
            .any(|line| line.starts_with("-P INPUT"))
            && !self.content.contains("Status:")
        {
            firewall.v4 = restored(&self.content);
            return Some(firewall);
        }
        None
    }

    fn restore_sections(&self, firewall: &mut Firewall) {
        let mut is_v6 = self.content.contains("ipv6-icmp");
        for line in self.content.lines() {
            if line.starts_with("# Generated by") {
                is_v6 = line.contains("ip6tables");
            }
            let text = if is_v6 {
                &mut firewall.v6
            } else {
                &mut firewall.v4
            };
            text.push_str(line);
            text.push('\n');
        }
    }

    /// The sets of addresses outside the dump that its rules ask for, with their families.
    pub fn sets(&self) -> BTreeSet<(&str, &str)> {
        let named = self.content.split("--match-set ").skip(1);
        let names = named.filter_map(|rest| rest.split(' ').next());
        let family = |name: &str| match name.ends_with("v6") {
            true => "inet6",
            false => "inet",
        };
        names.map(|name| (name, family(name))).collect()
    }

    /// The numbers of the lines that name this port, by its number, and do not refuse it.
    pub fn lines_that_name(&self, port: u16, is_tcp: bool) -> impl Iterator<Item = usize> {
        let port = port.to_string();
        let other = if is_tcp { "udp" } else { "tcp" };
        let lines = self.content.lines().enumerate().filter(move |(_, line)| {
            let mut numbers = line.split(|c: char| !c.is_ascii_digit());
            let refuses = ["DROP", "REJECT", "drop", "reject", "sport"]
                .iter()
                .any(|word| line.contains(word));
            let names = numbers.any(|number| number == port) && line.contains("dport");
            names && !refuses && !line.contains(other)
        });
        let numbers: Vec<usize> = lines.map(|(place, _)| place + 1).collect();
        numbers.into_iter()
    }

    /// The numbers of the lines that let this port in, by its number.
    pub fn lines_that_let_in(&self, port: u16, is_tcp: bool) -> impl Iterator<Item = usize> {
        let port = port.to_string();
        let other = if is_tcp { "udp" } else { "tcp" };
        let lines = self.content.lines().enumerate().filter(move |(_, line)| {
            let mut numbers = line.split(|c: char| !c.is_ascii_digit());
            let lets_in = ["ACCEPT", " accept", "REDIRECT", "DNAT"]
                .iter()
                .any(|word| line.contains(word));
            let names = numbers.any(|number| number == port) && line.contains("dport");
            lets_in && names && !line.contains(other)
        });
        let numbers: Vec<usize> = lines.map(|(place, _)| place + 1).collect();
        numbers.into_iter()
    }
}

/// A rule without its rate limit, which is no condition (E13), and which the packets of a test are over.
fn without_limit(line: &str) -> String {
    let Some((before, limit)) = line.split_once("limit rate ") else {
        return line.to_owned();
    };
    if limit.starts_with("over ") {
        return line.to_owned();
    }
    let words = limit.split(' ').collect::<Vec<_>>();
    let length = if words.get(1) == Some(&"burst") { 4 } else { 1 };
    format!("{before}{}", words[length.min(words.len())..].join(" "))
}

/// What `iptables -S` prints, as `iptables-restore` takes it.
fn restored(listing: &str) -> String {
    let mut tables: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for line in listing.lines() {
        let policy = line
            .strip_prefix("-P ")
            .map(|rest| format!(":{rest} [0:0]"));
        let chain = line
            .strip_prefix("-N ")
            .map(|name| format!(":{name} - [0:0]"));
        let starts = policy.is_some() && tables.last().is_none_or(|(_, rules)| !rules.is_empty());
        if starts {
            tables.push((Vec::new(), Vec::new()));
        }
        let Some((chains, rules)) = tables.last_mut() else {
            continue;
        };
        match policy.or(chain) {
            Some(header) => chains.push(header),
            None if line.starts_with("-A ") => rules.push(line.to_owned()),
            None => {}
        }
    }
    let tables = tables.into_iter().map(|(chains, rules)| {
        let is_nat = chains.iter().any(|chain| chain.starts_with(":POSTROUTING"));
        let table = if is_nat { "nat" } else { "filter" };
        format!(
            "*{table}\n{}\n{}\nCOMMIT\n",
            chains.join("\n"),
            rules.join("\n")
        )
    });
    tables.collect()
}
