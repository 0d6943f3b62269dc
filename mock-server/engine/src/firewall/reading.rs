//! A paste, read: each of its dumps by the front end of its tool.

use std::net::IpAddr;

use super::filter::{Accepted, Filter, Reading, SkippedLine, evaluate};
use super::format::FirewallFormat;
use super::paste::{Paste, clean, unquoted};
use super::shell::{PART, doubts, parts};
use super::{firewalld, iptables, nftables, ufw};
use crate::values::{PortRange, RuleProtocol};

/// What a paste accepts.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PasteReading {
    /// The format of its first dump.
    pub(super) format: FirewallFormat,
    /// In the order of the paste.
    pub(super) accepted: Vec<AcceptedLine>,
    pub(super) skipped: Vec<SkippedLine>,
    /// Whether it names more ports than one call may ask for; what comes after that was not looked at.
    pub(super) names_too_much: bool,
}

/// Ports that a line accepts.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AcceptedLine {
    pub(super) format: FirewallFormat,
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) ports: PortRange,
    pub(super) protocol: RuleProtocol,
}

const LISTING: &str =
    "it begins a listing for reading, which is not read: send the output of iptables-save";

/// Characters of a line that are kept to be quoted.
const QUOTED: usize = 400;

/// Reads the dumps of a paste, or those of one format; `None` when there are none.
pub(super) fn read(
    content: &str,
    format: Option<FirewallFormat>,
    host: Option<IpAddr>,
) -> Option<PasteReading> {
    let content = clean(content);
    let content = unquoted(&content);
    let paste = Paste::of(&content);
    let mut formats = paste.formats();
    formats.retain(|found| format.is_none_or(|format| format == *found));
    let mut reading = PasteReading {
        format: *formats.first()?,
        accepted: Vec::new(),
        skipped: Vec::new(),
        names_too_much: false,
    };
    if let Some(line) = paste.around.listing {
        reading.skip(line as usize, LISTING.to_owned());
    }
    for line in parts(&paste.around.commands) {
        reading.skip(line as usize, PART.to_owned());
    }
    let doubts = doubts(&paste.around.commands, &paste.dumped());
    for mut filter in filters(&paste, &formats, host) {
        for (line, doubt) in &doubts {
            filter.doubt(*line, doubt.clone());
        }
        reading.names_too_much |= filter.names_too_much();
        if !reading.names_too_much {
            reading.add(evaluate(&filter), &paste);
        }
    }
    reading.accepted.sort_by_key(|accepted| accepted.line);
    reading.skipped.sort_by_key(|skipped| skipped.line);
    // What is in doubt of the paste is so in each of its filters.
    reading.skipped.dedup();
    Some(reading)
}

/// What iptables and nftables set up is one filter in the kernel; the others tell theirs alone.
fn filters(paste: &Paste<'_>, formats: &[FirewallFormat], host: Option<IpAddr>) -> Vec<Filter> {
    let mut kernel = Filter::default();
    let mut filters = Vec::new();
    for format in formats {
        let lines = paste.lines(*format);
        let mut own = Filter::default();
        match format {
            FirewallFormat::Iptables => {
                iptables::translate(&lines, &paste.around, host, &mut kernel)
            }
            FirewallFormat::Nftables => {
                nftables::translate(&lines, host, &mut kernel);
                nftables::note_headless(&paste.headless, &mut kernel);
            }
            FirewallFormat::Ufw => {
                ufw::translate(&lines, host, &mut own);
                filters.push(own);
            }
            FirewallFormat::Firewalld => {
                firewalld::translate(&lines, host, &mut own);
                filters.push(own);
            }
        }
    }
    filters.push(kernel);
    filters
}

impl PasteReading {
    pub(super) fn skip(&mut self, line: usize, reason: String) {
        self.skipped.push(SkippedLine { line, reason });
    }

    fn add(&mut self, reading: Reading, paste: &Paste<'_>) {
        let accepted = reading.accepted.into_iter();
        self.accepted.extend(accepted.filter_map(|accepted| {
            let Accepted {
                line,
                ports,
                protocol,
            } = accepted;
            let (format, text) = paste.quote(line)?;
            Some(AcceptedLine {
                format,
                line,
                text: text.trim().chars().take(QUOTED).collect(),
                ports,
                protocol,
            })
        }));
        self.skipped.extend(reading.skipped);
    }
}
