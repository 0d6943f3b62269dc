//! A paste, read: each of its dumps by the front end of its tool.

use std::net::IpAddr;

use super::accepted_line::AcceptedLine;
use super::agreement::OtherRefusals;
use super::filter::{Filter, Reading, Reason, SkippedLine, evaluate};
use super::format::FirewallFormat;
use super::paste::Paste;
use super::shell::{PART, doubts, parts};
use super::tidy::tidied;
use super::{firewalld, iptables, nftables, ufw};

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
    let content = tidied(content);
    if has_lost_line_ends(&content) {
        return None;
    }
    let paste = Paste::of(&content);
    let mut formats = paste.formats();
    formats.retain(|found| format.is_none_or(|format| format == *found));
    // Names of zones, or rules beside them, say nothing of what their zones let in.
    formats.retain(|found| {
        *found != FirewallFormat::Firewalld || firewalld::has_zone(&paste.lines(*found))
    });
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
    let mut readings = Vec::new();
    for mut dump in dumps(&paste, &formats, host) {
        for (line, doubt) in &doubts {
            dump.filter.doubt(*line, doubt.clone());
        }
        for (format, line) in &paste.omissions {
            if dump.formats.contains(format) {
                dump.filter.doubt(*line, left_out(*format));
            }
        }
        reading.names_too_much |= dump.filter.names_too_much();
        if !reading.names_too_much {
            readings.push(evaluate(&dump.filter));
        }
    }
    for (place, one) in readings.iter().enumerate() {
        let refusals = OtherRefusals::of(&readings, place);
        reading.add(one, &refusals, &paste);
    }
    reading.accepted.sort_by_key(|accepted| accepted.line);
    reading.skipped.sort_by_key(|skipped| skipped.line);
    // What is in doubt of the paste is so in each of its filters.
    reading.skipped.dedup();
    Some(reading)
}

/// Whether a whole dump of iptables stands in one line, where nothing tells a rule from the comment of the one before.
pub(super) fn has_lost_line_ends(content: &str) -> bool {
    let mut lines = content.lines().filter(|line| !line.trim().is_empty());
    let (Some(line), None) = (lines.next(), lines.next()) else {
        return false;
    };
    let parts = [" -A ", " -P ", " :INPUT ", " *filter ", " COMMIT"];
    let is_start = iptables::is_start(line.trim());
    is_start && parts.iter().any(|part| line.contains(part))
}

/// A filter, with the tools whose dumps it is made of.
struct Dump {
    formats: &'static [FirewallFormat],
    filter: Filter,
}

const KERNEL: [FirewallFormat; 2] = [FirewallFormat::Iptables, FirewallFormat::Nftables];

/// What iptables and nftables set up is one filter in the kernel; the others tell theirs alone.
fn dumps(paste: &Paste<'_>, formats: &[FirewallFormat], host: Option<IpAddr>) -> Vec<Dump> {
    let mut kernel = Filter::default();
    let mut dumps = Vec::new();
    for format in formats {
        let lines = paste.lines(*format);
        let mut filter = Filter::default();
        let own: &[FirewallFormat] = match format {
            FirewallFormat::Iptables => {
                iptables::translate(&lines, &paste.around, host, &mut kernel);
                continue;
            }
            FirewallFormat::Nftables => {
                nftables::translate(&lines, host, &mut kernel);
                nftables::note_headless(&paste.headless, &mut kernel);
                continue;
            }
            FirewallFormat::Ufw => {
                ufw::translate(&lines, host, &mut filter);
                &[FirewallFormat::Ufw]
            }
            FirewallFormat::Firewalld => {
                firewalld::translate(&lines, host, &mut filter);
                &[FirewallFormat::Firewalld]
            }
        };
        dumps.push(Dump {
            formats: own,
            filter,
        });
    }
    dumps.push(Dump {
        formats: &KERNEL,
        filter: kernel,
    });
    dumps
}

/// That lines are missing of a dump, of whose rules each may refuse what others accept.
fn left_out(format: FirewallFormat) -> Reason {
    let command = format.command();
    Reason::Incomplete(
        format!(
            "lines are left out here, which may refuse anything: send all of the output of {command}"
        )
        .into(),
    )
}

impl PasteReading {
    pub(super) fn skip(&mut self, line: usize, reason: String) {
        self.skipped.push(SkippedLine { line, reason });
    }

    fn add(&mut self, reading: &Reading, refusals: &OtherRefusals<'_>, paste: &Paste<'_>) {
        for accepted in &reading.accepted {
            let Some((format, text)) = paste.quote(accepted.line) else {
                continue;
            };
            let accepted = AcceptedLine {
                format,
                line: accepted.line,
                text: text.trim().chars().take(QUOTED).collect(),
                ports: accepted.ports,
                protocol: accepted.protocol,
            };
            let line = accepted.line;
            let (left, reason) = refusals.left_of(accepted);
            self.accepted.extend(left);
            if let Some(reason) = reason {
                self.skip(line, reason);
            }
        }
        self.skipped.extend(reading.skipped.iter().cloned());
    }
}
