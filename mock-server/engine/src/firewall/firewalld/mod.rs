//! `firewall-cmd --list-all` and `--list-all-zones`.

mod rich_rule;
mod services;
mod zone;

use std::net::IpAddr;

use zone::{Target, Zone, zones};

use super::addresses::AddressSet;
use super::filter::{
    Base, ChainNo, Condition, Families, Filter, Holds, Hook, Match, Policy, Reason, Rule, Verdict,
};
use super::interfaces::{External, Interfaces};
use super::line::Line;

pub(super) use zone::is_field;

/// Adds the zones of a dump to a filter. Where zones are marked as active, only they count.
pub(super) fn translate(lines: &[Line<'_>], host: Option<IpAddr>, filter: &mut Filter) {
    let (policies, zones): (Vec<Zone>, Vec<Zone>) = zones(lines, host)
        .into_iter()
        .partition(|zone| zone.is_policy);
    let zones = effective(zones);
    let mut interfaces = Interfaces::default();
    for zone in &zones {
        for name in &zone.interfaces {
            interfaces.mention(name, &zone.name);
        }
    }
    let external = interfaces.external();
    let input = filter.chain("firewalld input");
    let line = zones.first().map_or(1, |zone| zone.line);
    filter.set_base(
        input,
        Base {
            hook: Hook::Input,
            priority: 0,
            families: Families::Both,
            policy: Policy::Refuse,
            line,
        },
    );
    let is_early = |policy: &&Zone| policy.priority < 0;
    for policy in policies.iter().filter(is_early) {
        jump_to_policy(filter, input, policy);
    }
    go_to_zones(filter, input, &zones, &external);
    for policy in policies.iter().filter(|policy| !is_early(policy)) {
        jump_to_policy(filter, input, policy);
    }
}

/// The zones that packets may come to.
fn effective(mut zones: Vec<Zone>) -> Vec<Zone> {
    let is_used = |zone: &Zone| zone.is_active || zone.is_default;
    if zones.iter().any(is_used) {
        zones.retain(is_used);
    } else if zones.len() > 1 {
        let public = zones.iter().position(|zone| zone.name == "public");
        zones = vec![zones.swap_remove(public.unwrap_or(0))];
    }
    zones
}

/// Sends packets to the zone of their source, else of their interface, else to the one that is left.
fn go_to_zones(filter: &mut Filter, input: ChainNo, zones: &[Zone], external: &External) {
    for zone in zones {
        for source in &zone.sources {
            let condition = match AddressSet::parse(source) {
                Some(set) => set.as_sources(),
                None => Condition::new(Holds::Sometimes, Reason::Sources),
            };
            go_to_zone(filter, input, zone, Some(condition));
        }
    }
    for zone in zones {
        for interface in &zone.interfaces {
            go_to_zone(filter, input, zone, Some(external.condition(interface)));
        }
    }
    let unbound: Vec<&Zone> = zones
        .iter()
        .filter(|zone| zone.is_default || zones.len() == 1)
        .collect();
    for zone in unbound {
        go_to_zone(filter, input, zone, None);
    }
    for zone in zones {
        write_zone(filter, zone);
    }
}

fn go_to_zone(filter: &mut Filter, input: ChainNo, zone: &Zone, condition: Option<Condition>) {
    let chain = filter.chain(&format!("firewalld zone {}", zone.name));
    let mut matches = Match::default();
    if let Some(condition) = condition {
        matches.require(condition);
    }
    let rule = Rule {
        line: zone.line,
        matches,
        verdict: Verdict::Goto(chain),
    };
    filter.push(input, rule);
}

/// A policy for packets to the host stands before or behind the zones.
fn jump_to_policy(filter: &mut Filter, input: ChainNo, policy: &Zone) {
    let chain = filter.chain(&format!("firewalld policy {}", policy.name));
    let mut matches = Match::default();
    if !policy.egress.iter().any(|zone| zone == "HOST") {
        matches.require(Condition::new(Holds::Never, Reason::Destinations));
    }
    if !policy.ingress.iter().any(|zone| zone == "ANY") {
        matches.require(Condition::new(Holds::Sometimes, Reason::Sources));
    }
    let rule = Rule {
        line: policy.line,
        matches,
        verdict: Verdict::Jump(chain),
    };
    filter.push(input, rule);
    write_zone(filter, policy);
}

/// The rules of a zone, in the order in which firewalld asks them: what forwards, rich rules with a negative priority,
/// what denies, what allows, rich rules with a positive priority, the target.
fn write_zone(filter: &mut Filter, zone: &Zone) {
    let kind = if zone.is_policy { "policy" } else { "zone" };
    let chain = filter.chain(&format!("firewalld {kind} {}", zone.name));
    filter.define(chain);
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
            Target::Continue => Verdict::Return,
            Target::Default | Target::Refuse => Verdict::Refuse,
        },
    };
    let is_denied = |rule: &Rule| rule.verdict == Verdict::Refuse;
    let rules: Vec<Rule> = forwarded
        .chain(of_rich(|priority| priority < 0))
        .chain(of_rich(|priority| priority == 0).filter(is_denied))
        .chain(allowed)
        .chain(of_rich(|priority| priority == 0).filter(|rule| !is_denied(rule)))
        .chain(of_rich(|priority| priority > 0))
        .chain([target])
        .collect();
    for rule in rules {
        filter.push(chain, rule);
    }
}
