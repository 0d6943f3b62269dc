//! `ufw status`, plain, verbose or numbered, in any language: what ufw does
//! not translate is the row of dashes, the actions and the policies.

use std::net::IpAddr;

use super::addresses::AddressSet;
use super::filter::{
    Base, ChainNo, Condition, Families, Family, Filter, Holds, Hook, Match, Policy, Ports,
    Protocols, Reason, Rule, Verdict,
};
use super::interfaces::{External, Interfaces};
use super::line::Line;
use super::specs::{ports_with_protocol, protocols, source_ports};
use super::ufw_profiles::profile;
use crate::values::{PortRange, RuleProtocol};

/// What ufw says where it is on or off, in every language that it has been translated to, without blanks around the
/// colon.
const STATUS: [&str; 65] = [
    "durum:etkin",
    "durum:etkin değil",
    "durum:etkisiz",
    "estado:active",
    "estado:activo",
    "estado:ativo",
    "estado:inactiu",
    "estado:inactivo",
    "estado:inativo",
    "estat:actiu",
    "estat:inactiu",
    "estáu:activu",
    "estáu:inactivu",
    "staatus:aktiivne",
    "staatus:väljas",
    "stan:aktywna",
    "stan:aktywny",
    "stan:nieaktywna",
    "stan:nieaktywny",
    "stanje nedejavno",
    "stanje:dejavno",
    "stare:activ",
    "stare:inactiv",
    "stato:attivo",
    "stato:inattivo",
    "stato:non attivo",
    "status:actief",
    "status:active",
    "status:aktiv",
    "status:aktivan",
    "status:aktivno",
    "status:ativo",
    "status:inactief",
    "status:inactive",
    "status:inaktiv",
    "status:inativo",
    "status:neaktivno",
    "status:niet actief",
    "statut:actif",
    "statut:inactif",
    "statv:aktívny",
    "stav:aktivní",
    "stav:aktívny",
    "stav:neaktivní",
    "stav:neaktívny",
    "tila:aktiivinen",
    "tila:ei käytössä",
    "tila:käytössä",
    "tila:passiivinen",
    "állapot:aktív",
    "állapot:inaktív",
    "état:actif",
    "état:inactif",
    "κατάσταση:ανενεργό",
    "κατάσταση:ενεργό",
    "состояние:активен",
    "состояние:неактивен",
    "стан:активний",
    "стан:неактивний",
    "状态:不活动",
    "状态:激活",
    "状態:アクティブ",
    "状態:非アクティブ",
    "狀態:不活動",
    "狀態:啓用",
];

/// Whether a line is one by which a status is known.
pub(super) fn is_start(line: &str) -> bool {
    is_rule_of_dashes(line)
        || default_policy(line).is_some()
        || STATUS.contains(&plain(line).as_str())
}

/// In small letters, without blanks around the colon, which is written in several ways.
fn plain(line: &str) -> String {
    let line = line.to_lowercase().replace('：', ":");
    let parts: Vec<&str> = line.split(':').map(str::trim).collect();
    parts.join(":")
}

/// The line under the headings.
fn is_rule_of_dashes(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.len() == 3
        && words
            .iter()
            .all(|word| word.bytes().all(|byte| byte == b'-'))
}

/// The policy for what comes in, out of `Default: deny (incoming), allow (outgoing), ...`; something may stand in front.
fn default_policy(line: &str) -> Option<Policy> {
    let mut rest = line;
    while let Some((_, behind)) = rest.split_once([':', '：']) {
        let mut policies = behind.split(['(', ',', '、']).map(str::trim);
        let is_policy = |word: &str| matches!(word, "deny" | "allow" | "reject" | "disabled");
        let first = policies.next().unwrap_or_default();
        if is_policy(first) && policies.any(is_policy) {
            return Some(match first {
                "allow" => Policy::Accept,
                _ => Policy::Refuse,
            });
        }
        rest = behind;
    }
    None
}

/// What is in the words for being switched off, of every language that ufw has been translated to.
const INACTIVE: [&str; 19] = [
    "inact",
    "inatt",
    "inati",
    "inakt",
    "neakt",
    "nieakt",
    "niet",
    "non ",
    "değil",
    "etkisiz",
    "väljas",
    "nedejavno",
    "ei käytössä",
    "passiivinen",
    "ανενεργ",
    "неактив",
    "不活动",
    "非アクティブ",
    "不活動",
];

/// Whether a line says that ufw is switched off.
fn is_off(line: &str) -> bool {
    let line = plain(line);
    STATUS.contains(&line.as_str()) && INACTIVE.iter().any(|word| line.contains(word))
}

const OFF: &str = "ufw is inactive and refuses nothing: unless another firewall does, every port is open that a program listens on. Switch ufw on, or send the output of nft list ruleset";

/// Adds a status to a filter.
pub(super) fn translate(lines: &[Line<'_>], host: Option<IpAddr>, filter: &mut Filter) {
    let chains = Chains::of(lines, filter);
    if let Some(line) = lines.iter().find(|line| is_off(&line.text)) {
        filter.skip(line.number, OFF);
    }
    note_jumps(lines, filter);
    let rows = rows(lines, filter);
    let mut interfaces = Interfaces::default();
    for (_, row) in &rows {
        if let Some((_, name)) = row.to.split_once(" on ") {
            interfaces.mention(name, "");
        }
    }
    let external = interfaces.external();
    let is_of_v6 = |(_, row): &(u32, Row)| row.family() == Family::V6;
    if let Some((line, _)) = rows.first().filter(|_| !rows.iter().any(is_of_v6)) {
        filter.push(chains.input, without_v6(*line));
    }
    for (line, row) in rows {
        let chain = chains.of_direction(row.direction);
        for (matches, verdict) in row.rules(host, &external) {
            filter.push(
                chain,
                Rule {
                    line,
                    matches,
                    verdict,
                },
            );
        }
    }
}

/// Notes where the numbers of rows first tell that some are left out.
fn note_jumps(lines: &[Line<'_>], filter: &mut Filter) {
    let mut last = 0;
    for line in lines {
        let Some(number) = row_number(line.text.trim()) else {
            continue;
        };
        if number != 1 && number != last + 1 {
            filter.doubt(line.number, Reason::Incomplete(JUMP.into()));
            return;
        }
        last = number;
    }
}

const JUMP: &str = "the rows in front of it are left out, which may refuse anything: send all of the output of LC_ALL=C ufw status verbose";

/// Every rule has a row of IPv6 beside it unless IPv6 is off, and then ufw lets none of it in.
fn without_v6(line: u32) -> Rule {
    let matches = Match {
        families: Families::Only(Family::V6),
        ..Match::default()
    };
    Rule {
        line,
        matches,
        verdict: Verdict::Refuse,
    }
}

/// The rows of the table; what a terminal moved to the next line is put back.
fn rows(lines: &[Line<'_>], filter: &mut Filter) -> Vec<(u32, Row)> {
    let mut rows: Vec<(u32, Row)> = Vec::new();
    for line in lines {
        if let Some(row) = Row::parse(&line.text) {
            rows.push((line.number, row));
            continue;
        }
        match rows.last_mut().filter(|(_, row)| row.from.is_empty()) {
            Some((_, row)) => row.from = without_remarks(line.text.trim()).to_owned(),
            None if may_be_row(&line.text) => filter.skip(line.number, "it cannot be read"),
            None => {}
        }
    }
    rows
}

/// A chain for each direction.
struct Chains {
    input: ChainNo,
    output: ChainNo,
    forward: ChainNo,
}

impl Chains {
    fn of(lines: &[Line<'_>], filter: &mut Filter) -> Self {
        let policy = lines
            .iter()
            .find_map(|line| Some((default_policy(&line.text)?, line.number)));
        let (policy, line) = policy.unwrap_or((Policy::Unknown, 1));
        let mut chain = |name: &str, hook, policy| {
            let chain = filter.chain(name);
            let base = Base {
                hook,
                priority: 0,
                families: Families::Both,
                policy,
                line,
            };
            filter.set_base(chain, base);
            chain
        };
        Self {
            input: chain("ufw in", Hook::Input, policy),
            output: chain("ufw out", Hook::Output, Policy::Unknown),
            forward: chain("ufw forward", Hook::Forward, Policy::Unknown),
        }
    }

    fn of_direction(&self, direction: Direction) -> ChainNo {
        match direction {
            Direction::In => self.input,
            Direction::Out => self.output,
            Direction::Forward => self.forward,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    In,
    Out,
    Forward,
}

/// A line of the table.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    to: String,
    verdict: Verdict,
    direction: Direction,
    from: String,
}

const ACTIONS: [(&str, Verdict); 4] = [
    (" ALLOW ", Verdict::Accept),
    (" LIMIT ", Verdict::Accept),
    (" DENY ", Verdict::Refuse),
    (" REJECT ", Verdict::Refuse),
];

/// Whether a line that could not be read has the columns of a row.
fn may_be_row(line: &str) -> bool {
    let columns = line
        .trim()
        .split("  ")
        .filter(|column| !column.trim().is_empty());
    columns.count() >= 3 && line.contains(|c: char| c.is_ascii_digit())
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let line = line.replace('\t', "  ");
        let line = line.split(" # ").next().unwrap_or(&line);
        let line = format!("{} ", without_number(line.trim()));
        let actions = ACTIONS.iter();
        let (place, action, verdict) = actions
            .filter_map(|(action, verdict)| Some((line.find(action)?, action, verdict)))
            .min_by_key(|(place, ..)| *place)?;
        let after = line[place + action.len()..].trim();
        let (direction, from) = match after.split_once(' ').unwrap_or((after, "")) {
            ("IN", from) => (Direction::In, from),
            ("OUT", from) => (Direction::Out, from),
            ("FWD", from) => (Direction::Forward, from),
            _ => (Direction::In, after),
        };
        Some(Self {
            to: line[..place].trim().to_owned(),
            verdict: verdict.clone(),
            direction,
            from: without_remarks(from).to_owned(),
        })
    }

    fn family(&self) -> Family {
        let is_v6 = |text: &str| {
            let mut words = text.split_whitespace();
            text.contains("(v6)") || words.any(|word| word.matches(':').count() > 1)
        };
        match is_v6(&self.to) || is_v6(&self.from) {
            true => Family::V6,
            false => Family::V4,
        }
    }

    fn rules(&self, host: Option<IpAddr>, external: &External) -> Vec<(Match, Verdict)> {
        let mut matches = Match {
            families: Families::Only(self.family()),
            ..Match::default()
        };
        require_source(&mut matches, &self.from);
        let (to, interface) = match self.to.split_once(" on ") {
            Some((to, interface)) => (to, Some(interface.trim())),
            None => (self.to.as_str(), None),
        };
        if let Some(interface) = interface {
            matches.require(external.condition(interface));
        }
        let to = to.replace("(v6)", "");
        let to = require_address(&mut matches, to.trim(), host);
        let alternatives = targets(to).into_iter().map(|target| {
            let mut matches = matches.clone();
            match target {
                Ok((ports, protocol)) => {
                    matches.require_protocols(protocol);
                    matches.require_ports(ports);
                }
                Err(reason) => matches.require(Condition::new(Holds::Sometimes, reason)),
            }
            (matches, self.verdict.clone())
        });
        alternatives.collect()
    }
}

/// The column From without what ufw says of a rule behind it.
fn without_remarks(from: &str) -> &str {
    let from = from.split(" # ").next().unwrap_or(from);
    let remarks = from.rfind(" (log").or_else(|| from.rfind(" (out)"));
    from[..remarks.unwrap_or(from.len())].trim()
}

/// The number of a row in a numbered status.
fn row_number(line: &str) -> Option<u32> {
    let (number, _) = line.strip_prefix('[')?.split_once(']')?;
    number.trim().parse().ok()
}

/// Without the `[ 1]` of a numbered status.
fn without_number(line: &str) -> &str {
    match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) => rest.trim(),
        None => line,
    }
}

/// Asks that a packet comes from what the column From says.
fn require_source(matches: &mut Match, from: &str) {
    let from = from.replace("(v6)", "");
    if from.is_empty() {
        matches.require(Condition::new(Holds::Sometimes, Reason::Torn));
    }
    for word in from.split_whitespace() {
        if word == "Anywhere" {
            continue;
        }
        if let Some(set) = AddressSet::parse(word) {
            matches.require(set.as_sources());
            continue;
        }
        match ports_with_protocol(word, ':') {
            Some((_, protocol)) => {
                let ports = word.split('/').next().unwrap_or(word);
                matches.require_protocols(protocol.into());
                matches.require(source_ports(ports, ':'));
            }
            None => matches.require(Condition::new(Holds::Sometimes, Reason::Sources)),
        }
    }
}

/// Asks that a packet goes to the address in the column To, and gives what is behind that.
fn require_address<'a>(matches: &mut Match, to: &'a str, host: Option<IpAddr>) -> &'a str {
    let (first, rest) = to.split_once(' ').unwrap_or((to, ""));
    // `203.0.113.7/udp` is every port of one protocol.
    let address = first.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let is_of_protocol = address.len() < first.len() && address.ends_with('/');
    let address = if is_of_protocol {
        address.trim_end_matches('/')
    } else {
        first
    };
    let Some(set) = AddressSet::parse(address) else {
        return to;
    };
    set.require_as_destinations(matches, host, false);
    // ufw's rules for the host name an address of it, which may be one that a router translates.
    matches.is_inner_destination = false;
    match rest.trim() {
        "" if is_of_protocol => first,
        "" => "Anywhere",
        rest => rest,
    }
}

type Target = Result<(Ports, Protocols), Reason>;

/// The ports in the column To: `Anywhere`, ports, or the name of a profile.
fn targets(to: &str) -> Vec<Target> {
    // A verbose status shows the profile behind its ports.
    let spec = to.split(" (").next().unwrap_or(to).trim();
    if spec == "Anywhere" || spec.is_empty() {
        return vec![Ok((Ports::Every, Protocols::BOTH))];
    }
    let of_every_port = spec.split_once('/').filter(|(place, protocol)| {
        let is_protocol = !protocol.is_empty() && protocol.bytes().all(|c| c.is_ascii_lowercase());
        is_protocol && (*place == "Anywhere" || AddressSet::parse(place).is_some())
    });
    if let Some((_, protocol)) = of_every_port {
        return vec![Ok((Ports::Every, protocols(protocol)))];
    }
    if let Some((ports, protocol)) = ports_with_protocol(spec, ':') {
        return vec![Ok((Ports::Listed(ports), protocol.into()))];
    }
    match profile(to).or_else(|| profile(spec)) {
        Some(specs) => specs
            .iter()
            .filter_map(|spec| ports_with_protocol(spec, ':'))
            .map(|(ports, protocol)| listed(ports, protocol))
            .collect(),
        None => vec![Err(Reason::UnknownService(
            spec.chars().take(60).collect::<String>().into(),
        ))],
    }
}

fn listed(ports: Vec<PortRange>, protocol: RuleProtocol) -> Target {
    Ok((Ports::Listed(ports), protocol.into()))
}
