//! `iptables-save`, `ip6tables-save`, `iptables -S`.

mod known_options;
mod rule;
mod section;
mod words;

use std::collections::HashSet;
use std::net::IpAddr;

use rule::{Draft, Place};
use section::{Section, sections};

use super::filter::{
    Alteration, Base, ChainNo, Families, Family, Filter, Hook, Reason, Rule, Verdict,
};
use super::interfaces::{External, Interfaces};
use super::line::Line;
use super::shell::{Backend, Command, Surroundings, TWO_DUMPS};

pub(super) use section::{asks_or_decides, is_listing, is_start};

/// Adds the tables of a dump to a filter.
pub(super) fn translate(
    lines: &[Line<'_>],
    around: &Surroundings<'_>,
    host: Option<IpAddr>,
    filter: &mut Filter,
) {
    let programs = around.commands.iter().filter_map(Command::iptables);
    let programs: Vec<_> = programs.collect();
    let sections = sections(lines, &programs, filter);
    let families = families(&sections);
    note_others(&sections, &families, around.legacy_warning, filter);
    let external = interfaces(&sections).external();
    let place = Place {
        host,
        external: &external,
        shows_marking: sections.iter().any(|section| section.table() == "mangle"),
    };
    for (number, (section, family)) in sections.iter().zip(families).enumerate() {
        let translation = Translation {
            section,
            family,
            prefix: format!("iptables {number} "),
        };
        translation.write(filter, place);
        if filter.names_too_much() {
            return;
        }
    }
}

/// A rule that firewalld passes on to iptables, as `-A CHAIN ...`.
pub(super) struct LooseRule {
    pub(super) line: u32,
    pub(super) family: Family,
    pub(super) table: String,
    pub(super) text: String,
}

/// Adds rules that stand in front of those of a zone, and that accept nothing which a zone refuses.
pub(super) fn translate_loose(
    rules: &[LooseRule],
    host: Option<IpAddr>,
    external: &External,
    filter: &mut Filter,
) {
    let place = Place {
        host,
        external,
        shows_marking: false,
    };
    for (number, group) in rules
        .chunk_by(|one, next| one.family == next.family && one.table == next.table)
        .enumerate()
    {
        let Some(first) = group.first() else {
            continue;
        };
        let mut section = Section::of_loose_rules(&first.table, first.family);
        for rule in group {
            match Draft::parse(&rule.text) {
                Some(draft) => section.add_loose_rule(rule.line, draft),
                None => filter.skip(rule.line, "it cannot be read"),
            }
        }
        let translation = Translation {
            section: &section,
            family: first.family,
            prefix: format!("direct {number} "),
        };
        translation.write(filter, place);
    }
}

/// The interfaces, with the chains that their packets go to, and those over which packets leave translated.
fn interfaces(sections: &[Section]) -> Interfaces {
    let mut interfaces = Interfaces::default();
    for section in sections {
        let drafts = section.rules.iter().map(|(_, draft)| draft);
        let translating = drafts.clone().filter(|draft| draft.translates_sources());
        let translating: HashSet<&str> = translating.map(|draft| draft.chain.as_str()).collect();
        for draft in drafts {
            let target = draft.target.as_ref().map_or("", |target| &target.name);
            if let Some(name) = draft.interface() {
                interfaces.mention(name, target);
            }
            let translates = draft.translates_sources() || translating.contains(target);
            match draft.output_interface() {
                Some(name) if translates && draft.is_for_all_output() => {
                    interfaces.mention_translated(name);
                }
                Some(name) => interfaces.mention(name, ""),
                None => {}
            }
        }
    }
    interfaces
}

/// The address family of each section. Of those that do not say, the first of a table is taken for IPv4, the next
/// for IPv6: that is how the two dumps of a host come one after the other.
fn families(sections: &[Section]) -> Vec<Family> {
    let mut families: Vec<Option<Family>> = sections.iter().map(|section| section.family).collect();
    for place in 0..sections.len() {
        if families[place].is_some() {
            continue;
        }
        let is_taken = |family: Family| {
            let mut known = sections.iter().zip(&families);
            known.any(|(section, known)| {
                *known == Some(family) && section.table() == sections[place].table()
            })
        };
        let is_second = is_taken(Family::V4) && !is_taken(Family::V6);
        families[place] = Some(if is_second { Family::V6 } else { Family::V4 });
    }
    let families = families.into_iter();
    families
        .map(|family| family.unwrap_or(Family::V4))
        .collect()
}

/// Notes what a host cannot have at once, and what the dump says of rules that are not in it. A host may have a table
/// twice, by iptables-legacy and by iptables-nft; every packet goes through both.
fn note_others(
    sections: &[Section],
    families: &[Family],
    legacy_warning: Option<u32>,
    filter: &mut Filter,
) {
    let mut has_both = sections
        .iter()
        .any(|section| section.backend == Some(Backend::Legacy));
    for (place, section) in sections.iter().enumerate() {
        let mut earlier = sections[..place].iter().zip(families);
        let twin = earlier.find(|(earlier, family)| {
            **family == families[place] && section.is_of_same_table(earlier)
        });
        let Some((twin, _)) = twin else {
            continue;
        };
        let may_be_other = twin.backend != section.backend
            || (section.backend.is_none() && legacy_warning.is_some());
        has_both |= may_be_other;
        if !may_be_other && !section.has_same_rules(twin) {
            filter.doubt(section.line(), Reason::Incomplete(TWO_DUMPS.into()));
        }
    }
    if let Some(line) = legacy_warning.filter(|_| !has_both) {
        filter.skip(line, LEGACY_IS_MISSING);
    }
}

const LEGACY_IS_MISSING: &str = "the rules that it warns of are not in the dump, and may refuse what is accepted here: send the output of iptables-legacy-save with it";

/// A section on its way into a filter.
struct Translation<'a> {
    section: &'a Section,
    family: Family,
    /// Makes its chains' names its own.
    prefix: String,
}

impl Translation<'_> {
    fn write(&self, filter: &mut Filter, place: Place<'_>) {
        for (name, line, policy) in &self.section.chains {
            let chain = self.chain(filter, name);
            filter.define(chain);
            if let Some((hook, priority)) = builtin(self.section.table(), name) {
                let base = Base {
                    hook,
                    priority,
                    families: Families::Only(self.family),
                    policy: *policy,
                    line: *line,
                };
                filter.set_base(chain, base);
            }
        }
        for (line, draft) in &self.section.rules {
            let chain = self.chain(filter, &draft.chain);
            let verdict = self.verdict(filter, draft);
            for matches in draft.matches(place) {
                let rule = Rule {
                    line: *line,
                    matches,
                    verdict: verdict.clone(),
                };
                filter.push(chain, rule);
            }
        }
    }

    fn chain(&self, filter: &mut Filter, name: &str) -> ChainNo {
        filter.chain(&format!("{}{name}", self.prefix))
    }

    fn verdict(&self, filter: &mut Filter, draft: &Draft) -> Verdict {
        if let Some(doubt) = &draft.doubt {
            return Verdict::Unknown(doubt.clone());
        }
        let Some(target) = &draft.target else {
            return Verdict::Continue;
        };
        let is_zero = draft
            .value(&["--set-xmark", "--set-mark"])
            .is_some_and(|mark| mark.starts_with("0x0/") || mark == "0x0" || mark == "0");
        match target.name.as_str() {
            "ACCEPT" => Verdict::Accept,
            "DROP" | "REJECT" | "TARPIT" => Verdict::Refuse,
            "RETURN" => Verdict::Return,
            "DNAT" | "REDIRECT" | "NETMAP" | "TPROXY" => Verdict::Translate,
            "MARK" | "CONNMARK" if is_zero => Verdict::Continue,
            "MARK" => Verdict::Alter(Alteration::Mark),
            "CONNMARK" if draft.has("--set-xmark") || draft.has("--set-mark") => {
                Verdict::Alter(Alteration::Mark)
            }
            "NOTRACK" => Verdict::Alter(Alteration::Untrack),
            "CT" if draft.has("--notrack") => Verdict::Alter(Alteration::Untrack),
            name if CONTINUE.contains(&name) => Verdict::Continue,
            "QUEUE" | "NFQUEUE" | "SYNPROXY" => {
                Verdict::Unknown(Reason::Target(target.name.as_str().into()))
            }
            name => {
                let chain = self.chain(filter, name);
                match target.is_goto {
                    true => Verdict::Goto(chain),
                    false => Verdict::Jump(chain),
                }
            }
        }
    }
}

/// Targets after which the next rule decides.
const CONTINUE: [&str; 29] = [
    "LOG",
    "NFLOG",
    "ULOG",
    "AUDIT",
    "TRACE",
    "CONNMARK",
    "CLASSIFY",
    "CT",
    "DSCP",
    "TOS",
    "TTL",
    "HL",
    "TCPMSS",
    "TCPOPTSTRIP",
    "CHECKSUM",
    "SET",
    "IDLETIMER",
    "RATEEST",
    "SECMARK",
    "CONNSECMARK",
    "ECN",
    "TEE",
    "LED",
    "HMARK",
    "ACCOUNT",
    "MASQUERADE",
    "SNAT",
    "SAME",
    "DNETMAP",
];

/// Where a chain of the kernel stands.
fn builtin(table: &str, chain: &str) -> Option<(Hook, i32)> {
    let hook = match chain {
        "PREROUTING" => Hook::Prerouting,
        "INPUT" => Hook::Input,
        "FORWARD" => Hook::Forward,
        "OUTPUT" | "POSTROUTING" => Hook::Output,
        _ => return None,
    };
    let priority = match table {
        "raw" => -300,
        "mangle" => -150,
        "nat" if chain == "INPUT" => 100,
        "nat" => -100,
        "security" => 50,
        _ => 0,
    };
    Some((hook, priority))
}

/// The shortest line that a terminal breaks, and the longest rule that is put together again.
const NARROWEST: usize = 60;
const LONGEST: usize = 4096;

/// A rule that a terminal broke in two; `None` where the second line is no part of it.
pub(super) fn joined(rule: &str, rest: &str) -> Option<String> {
    let is_whole = rule.contains(" -j ") || rule.contains(" -g ");
    let is_prompt = rest.starts_with('#') || rest.trim_end().ends_with(['#', '$', '>']);
    if is_prompt || rule.len() > LONGEST || (is_whole && rule.chars().count() < NARROWEST) {
        return None;
    }
    let candidates = [format!("{rule}{rest}"), format!("{rule} {rest}")];
    let best = candidates
        .into_iter()
        .min_by_key(|joined| known_options::misfits(joined))?;
    (known_options::misfits(&best) <= known_options::misfits(rule)).then_some(best)
}
