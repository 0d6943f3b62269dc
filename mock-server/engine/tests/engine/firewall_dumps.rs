//! Whole dumps, in the shapes that administrators post, and what each comes to (E13).
//!
//! `tests/firewall/reachable.tsv` says which ports every packet from the internet reaches, as an administrator reads
//! the dump; what stands beside a dump as `.expected` says what is told of its lines.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use secmon_engine::{FirewallIngested, Refusal};

use crate::bench::Bench;
use crate::firewall::ingest;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firewall")
}

/// The names of the dumps, with their texts.
pub fn dumps() -> Vec<(String, String)> {
    let entries = fs::read_dir(folder().join("dumps")).expect("the folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_dump = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "txt");
    let mut paths: Vec<PathBuf> = paths.filter(is_dump).collect();
    paths.sort();
    let named = paths.iter().map(|path| {
        let name = path.file_stem().expect("a name").to_string_lossy();
        (name.into_owned(), text(path))
    });
    named.collect()
}

/// The text of a dump; one is UTF-16, as PowerShell writes it.
fn text(path: &Path) -> String {
    let bytes = fs::read(path).expect("a dump");
    match bytes.strip_prefix(&[0xff, 0xfe]) {
        Some(rest) => {
            let units = rest
                .chunks_exact(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
            String::from_utf16(&units.collect::<Vec<_>>()).expect("UTF-16")
        }
        None => String::from_utf8(bytes).expect("UTF-8"),
    }
}

pub fn answer(content: &str) -> Result<FirewallIngested, Refusal> {
    let mut bench = Bench::new();
    let id = bench.provision(42, "203.0.113.10");
    ingest(&mut bench, id, content, None)
}

/// The suggestions, each with its protocol and its line.
pub fn suggested(answer: &FirewallIngested) -> Vec<(String, String, usize)> {
    let rules = answer.suggested.iter().map(|rule| {
        let shown = serde_json::to_value(rule).expect("json");
        let protocol = shown["protocol"].as_str().expect("a protocol").to_owned();
        let (_, quote) = rule.justification.split_once(" line ").expect("a line");
        let line = quote.split(':').next().and_then(|line| line.parse().ok());
        (rule.range_label.clone(), protocol, line.expect("a number"))
    });
    rules.collect()
}

/// What a dump comes to, a line for each suggestion, skipped line or refusal.
fn outcome(content: &str) -> String {
    let answer = match answer(content) {
        Ok(answer) => answer,
        Err(Refusal::Invalid(fields)) => {
            return format!("refused: {}\n", fields["content"].join(" "));
        }
        Err(refusal) => panic!("{refusal:?}"),
    };
    let mut lines = vec![format!("format {}", answer.format.name())];
    for (ports, protocol, line) in suggested(&answer) {
        lines.push(format!("suggest {ports}/{protocol} line {line}"));
    }
    for skipped in &answer.skipped {
        lines.push(format!("skip {}: {}", skipped.line, skipped.reason));
    }
    lines.join("\n") + "\n"
}

#[test]
fn each_dump_suggests_what_every_packet_from_the_internet_reaches_e13() {
    let table = fs::read_to_string(folder().join("reachable.tsv")).expect("the table");
    let mut rows = 0;
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let (name, expected) = (columns[0], columns[1]);
        let (_, content) = dumps()
            .into_iter()
            .find(|(dump, _)| dump == name)
            .expect(name);
        let found = match answer(&content) {
            Ok(answer) => suggested(&answer)
                .into_iter()
                .map(|(ports, protocol, _)| format!("{ports}/{protocol}"))
                .collect::<BTreeSet<String>>(),
            Err(_) => BTreeSet::from(["refused".to_owned()]),
        };
        let expected: BTreeSet<String> = expected.split_whitespace().map(str::to_owned).collect();
        assert_eq!(found, expected, "{name}");
        rows += 1;
    }
    assert_eq!(rows, dumps().len(), "a dump without a row");
}

#[test]
fn each_dump_says_of_each_line_why_it_is_not_suggested_e13() {
    for (name, content) in dumps() {
        let path = folder().join("dumps").join(format!("{name}.expected"));
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(outcome(&content), expected, "{name}");
    }
}

/// Words for letting something in, in front of or behind a port.
const LETS_IN: [&str; 6] = ["ACCEPT", "accept", "ALLOW", "LIMIT", "DNAT", "REDIRECT"];

fn names_a_port(line: &str) -> bool {
    let has_number = line.contains(|c: char| c.is_ascii_digit());
    let marks = ["dport", "/tcp", "/udp", "ALLOW", "LIMIT", "th dport"];
    let is_field = line.trim().starts_with("services: ") || line.trim().starts_with("ports: ");
    has_number && marks.iter().any(|mark| line.contains(mark)) || is_field
}

#[test]
fn no_line_that_lets_a_port_in_is_lost_e13() {
    for (name, content) in dumps() {
        let Ok(answer) = answer(&content) else {
            continue;
        };
        let mut told: BTreeSet<usize> = suggested(&answer)
            .into_iter()
            .map(|(_, _, line)| line)
            .collect();
        told.extend(answer.skipped.iter().map(|skipped| skipped.line));
        for (place, line) in content.lines().enumerate() {
            let is_field =
                line.trim().starts_with("services: ") || line.trim().starts_with("ports: ");
            let has_values = line
                .split_once(':')
                .is_some_and(|(_, values)| !values.trim().is_empty());
            let lets_in = LETS_IN.iter().any(|word| line.contains(word)) || is_field && has_values;
            // A line that was broken is told as one, by its first.
            let is_told =
                told.contains(&(place + 1)) || (name.contains("wrapped") && told.contains(&place));
            // Words of letting in may stand in a comment, or in what is logged.
            let refuses = line.trim_end().ends_with("-j DROP") || line.contains("-j LOG ");
            if lets_in
                && !refuses
                && names_a_port(line)
                && !line.trim_start().starts_with([':', '#'])
            {
                assert!(is_told, "{name} line {}: {line}", place + 1);
            }
        }
    }
}
