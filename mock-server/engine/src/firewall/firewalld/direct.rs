//! `firewall-cmd --direct --get-all-rules`: rules of iptables, which every packet meets besides those of its zone.

use crate::firewall::filter::Family;
use crate::firewall::line::Line;

/// A rule as `-A CHAIN ...`, with its table.
#[derive(Clone, Debug)]
pub(super) struct DirectRule<'a> {
    pub(super) line: u32,
    pub(super) family: Family,
    pub(super) table: &'a str,
    pub(super) text: String,
    priority: i32,
}

const TABLES: [&str; 5] = ["filter", "nat", "mangle", "raw", "security"];

/// Whether a line is a direct rule: `ipv4 filter INPUT 0 -p tcp --dport 8443 -j DROP`.
pub(crate) fn is_direct_rule(line: &str) -> bool {
    parts(line).is_some()
}

/// Family, table, chain, priority and the rule itself.
fn parts(line: &str) -> Option<(&str, &str, &str, i32, &str)> {
    let mut parts = line.trim().splitn(5, ' ');
    let (family, table, chain) = (parts.next()?, parts.next()?, parts.next()?);
    let is_known = matches!(family, "ipv4" | "ipv6" | "eb") && TABLES.contains(&table);
    let priority = parts.next()?.parse().ok()?;
    is_known.then_some((family, table, chain, priority, parts.next()?))
}

/// The direct rules of a dump, in the order in which firewalld sets them up.
pub(super) fn direct_rules<'a>(lines: &'a [Line<'_>]) -> Vec<DirectRule<'a>> {
    let mut rules: Vec<DirectRule<'a>> = Vec::new();
    for line in lines {
        let Some((family, table, chain, priority, rule)) = parts(&line.text) else {
            continue;
        };
        let family = match family {
            "ipv4" => Family::V4,
            "ipv6" => Family::V6,
            // Bridges are none of the host's ports.
            _ => continue,
        };
        rules.push(DirectRule {
            line: line.number,
            family,
            table,
            text: format!("-A {chain} {rule}"),
            priority,
        });
    }
    rules.sort_by_key(|rule| rule.priority);
    rules
}
