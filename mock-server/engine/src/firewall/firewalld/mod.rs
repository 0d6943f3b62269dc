//! `firewall-cmd --list-all` and `--list-all-zones`.

mod direct;
mod fields;
mod rich_rule;
mod services;
mod wrapped;
mod zone;

use std::net::IpAddr;

use direct::direct_rules;
use fields::field;
use wrapped::is_of_comparison;
use zone::{Target, Zone, zones};

use super::addresses::AddressSet;
use super::filter::{
    Base, ChainNo, Condition, Families, Filter, Holds, Hook, Match, Policy, Reason, Rule, Verdict,
};
use super::interfaces::{External, Interfaces, is_bridge};
use super::iptables::{LooseRule, translate_loose};
use super::line::Line;

pub(super) use direct::is_direct_rule;
pub(super) use fields::is_field;
pub(super) use zone::is_about_default_zone;

/// Whether a dump tells of any zone what it lets in; else it names zones, or rules beside them.
pub(super) fn has_zone(lines: &[Line<'_>]) -> bool {
    lines.iter().any(|line| {
        let name = field(&line.text).map(|(name, _)| name);
        name.is_some_and(|name| !matches!(name, "interfaces" | "sources"))
    })
}

/// Adds the zones of a dump to a filter. Where zones are marked as active, only they count.
pub(super) fn translate(lines: &[Line<'_>], host: Option<IpAddr>, filter: &mut Filter) {
    for line in lines.iter().filter(|line| is_of_comparison(&line.text)) {
        filter.doubt(line.number, Reason::Incomplete(COMPARISON.into()));
    }
    let (mut policies, zones): (Vec<Zone>, Vec<Zone>) = zones(lines, host)
        .into_iter()
        .partition(|zone| zone.is_policy);
    policies.sort_by_key(|policy| policy.priority);
    let zones = effective(zones, filter);
    let mut interfaces = Interfaces::default();
    for zone in &zones {
        for name in &zone.interfaces {
            interfaces.mention(name, &zone.name);
        }
    }
    let external = interfaces.external();
    let direct = direct_rules(lines).into_iter().map(|rule| LooseRule {
        line: rule.line,
        family: rule.family,
        table: rule.table.to_owned(),
        text: rule.text,
    });
    translate_loose(&direct.collect::<Vec<_>>(), host, &external, filter);
    let line = zones.first().map_or(1, |zone| zone.line);
    let input = base(filter, "firewalld input", Hook::Input, line);
    go_to_zones(filter, input, &zones, &external);
    for zone in &zones {
        write_zone(filter, zone, &policies);
    }
    for policy in &policies {
        write_policy(filter, policy);
    }
}

const COMPARISON: &str =
    "it is of a comparison of two dumps: send the output of firewall-cmd --list-all as it is today";

fn base(filter: &mut Filter, name: &str, hook: Hook, line: u32) -> ChainNo {
    let chain = filter.chain(name);
    filter.set_base(
        chain,
        Base {
            hook,
            priority: 0,
            families: Families::Both,
            policy: Policy::Refuse,
            line,
        },
    );
    chain
}

/// The zones that packets may come to.
fn effective(zones: Vec<Zone>, filter: &mut Filter) -> Vec<Zone> {
    let is_used = |zone: &Zone| zone.is_active || zone.is_default;
    let is_marked = zones.iter().any(is_used);
    let public = zones.iter().position(|zone| zone.name == "public");
    let only = public.unwrap_or(0);
    let mut effective = Vec::new();
    for (place, zone) in zones.into_iter().enumerate() {
        let is_effective = match is_marked {
            _ if zone.is_unused => false,
            true => is_used(&zone),
            false => place == only,
        };
        match is_effective {
            true => effective.push(zone),
            false => skip_zone(filter, &zone),
        }
    }
    effective
}

/// Tells of each line of a zone that no packet comes to it.
fn skip_zone(filter: &mut Filter, zone: &Zone) {
    let allowed = zone.allowed.iter().map(|(line, _)| *line);
    let forwarded = zone.forwarded.iter().map(|(line, _)| *line);
    let rich = zone.rich_rules.iter();
    let rich = rich.filter(|(_, rule)| rule.verdict != Verdict::Refuse);
    let mut lines: Vec<u32> = allowed
        .chain(forwarded)
        .chain(rich.map(|(line, _)| *line))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    for line in lines {
        filter.skip(line, format!("its zone {} is not active", zone.name));
    }
}

/// Sends packets to the zone of their source, else of their interface, else to the one that is left.
fn go_to_zones(filter: &mut Filter, input: ChainNo, zones: &[Zone], external: &External) {
    for zone in zones {
        for source in &zone.sources {
            go_to_zone(filter, input, zone, from(source));
        }
    }
    for zone in zones {
        for interface in &zone.interfaces {
            let mut matches = Match::default();
            matches.require(external.condition(interface));
            go_to_zone(filter, input, zone, matches);
        }
    }
    let takes_rest = |zone: &&Zone| zone.is_default || (zones.len() == 1 && may_be_external(zone));
    for zone in zones.iter().filter(takes_rest) {
        go_to_zone(filter, input, zone, Match::default());
    }
}

/// Packets from a source, of the address family that it is of.
fn from(source: &str) -> Match {
    let mut matches = Match::default();
    match AddressSet::parse(source) {
        Some(set) => {
            matches.families = set.families();
            matches.require(set.as_sources());
        }
        None => matches.require(Condition::new(Holds::Sometimes, Reason::Sources)),
    }
    matches
}

/// Whether the internet may lead to a zone that is shown alone: not to one of sources, bridges or an inner network.
fn may_be_external(zone: &Zone) -> bool {
    if zone.interfaces.is_empty() {
        return zone.sources.is_empty();
    }
    let mut interfaces = zone.interfaces.iter();
    let is_inner = matches!(zone.name.as_str(), "internal" | "trusted");
    !is_inner && interfaces.any(|name| name != "lo" && !is_bridge(name))
}

fn go_to_zone(filter: &mut Filter, input: ChainNo, zone: &Zone, matches: Match) {
    let chain = filter.chain(&format!("firewalld zone {}", zone.name));
    let rule = Rule {
        line: zone.line,
        matches,
        verdict: Verdict::Goto(chain),
    };
    filter.push(input, rule);
}

/// The lines of a policy. Zones lead to those for packets to the host.
fn write_policy(filter: &mut Filter, policy: &Zone) {
    let chain = filter.chain(&format!("firewalld policy {}", policy.name));
    let rules = rules(policy, Vec::new(), Vec::new());
    for rule in rules {
        filter.push(chain, rule);
    }
    let from = match () {
        () if policy.egress.iter().any(|zone| zone == "HOST") => return,
        () if policy.ingress.iter().any(|zone| zone == "HOST") => {
            base(filter, "firewalld output", Hook::Output, policy.line)
        }
        () => base(filter, "firewalld forward", Hook::Forward, policy.line),
    };
    filter.push(from, jump(policy, chain));
}

fn jump(policy: &Zone, chain: ChainNo) -> Rule {
    Rule {
        line: policy.line,
        matches: Match::default(),
        verdict: Verdict::Jump(chain),
    }
}

/// The lines of a zone, with the policies for packets from it to the host in front of them and behind.
fn write_zone(filter: &mut Filter, zone: &Zone, policies: &[Zone]) {
    let is_of_zone = |name: &String| name == "ANY" || *name == zone.name;
    let to_host = |policy: &&Zone| {
        policy.egress.iter().any(|name| name == "HOST") && policy.ingress.iter().any(is_of_zone)
    };
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    for policy in policies.iter().filter(to_host) {
        let chain = filter.chain(&format!("firewalld policy {}", policy.name));
        match policy.priority < 0 {
            true => before.push(jump(policy, chain)),
            false => behind.push(jump(policy, chain)),
        }
    }
    let chain = filter.chain(&format!("firewalld zone {}", zone.name));
    filter.define(chain);
    for rule in rules(zone, before, behind) {
        filter.push(chain, rule);
    }
}

/// The rules of a zone, in the order in which firewalld asks them: what forwards, rich rules with a negative priority,
/// what denies, what allows, rich rules with a positive priority, the target.
fn rules(zone: &Zone, before: Vec<Rule>, behind: Vec<Rule>) -> Vec<Rule> {
    let mut rich: Vec<_> = zone.rich_rules.iter().collect();
    rich.sort_by_key(|(_, rule)| (rule.priority, rule.verdict != Verdict::Refuse));
    let of_rich = |wanted: fn(i32) -> bool| {
        let rules = rich.iter().filter(move |(_, rule)| wanted(rule.priority));
        rules.flat_map(|(line, rule)| {
            rule.matches.iter().map(|matches| Rule {
                line: *line,
                matches: matches.clone(),
                verdict: rule.verdict.clone(),
            })
        })
    };
    let allowed = zone.allowed.iter().map(|(line, matches)| Rule {
        line: *line,
        matches: matches.clone(),
        verdict: Verdict::Accept,
    });
    let forwarded = zone.forwarded.iter().map(|(line, matches)| Rule {
        line: *line,
        matches: matches.clone(),
        verdict: Verdict::Translate,
    });
    let (line, target) = zone.target.unwrap_or((zone.line, Target::Default));
    let target = Rule {
        line,
        matches: Match::default(),
        verdict: match target {
            Target::Accept => Verdict::Accept,
            Target::Default if zone.is_policy => Verdict::Return,
            Target::Continue => Verdict::Return,
            Target::Default | Target::Refuse => Verdict::Refuse,
        },
    };
    let is_denied = |rule: &Rule| rule.verdict == Verdict::Refuse;
    forwarded
        .chain(before)
        .chain(of_rich(|priority| priority < 0))
        .chain(of_rich(|priority| priority == 0).filter(is_denied))
        .chain(allowed)
        .chain(of_rich(|priority| priority == 0).filter(|rule| !is_denied(rule)))
        .chain(of_rich(|priority| priority > 0))
        .chain(behind)
        .chain([target])
        .collect()
}
