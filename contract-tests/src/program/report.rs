//! What a run found, for a person, a CI and the vendor of the service.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::time::Duration;

use crate::case::{Body, Case, INTERRUPTED, Run};
use crate::cleanup::Leftovers;
use crate::exchange::Exchange;
use crate::judge::{Judgement, Violation};
use crate::junit::{self, Line};
use crate::matrix::Matrix;
use crate::service::Service;
use crate::table::{Row, TABLE};

use super::plain::{for_a_reader, for_a_vendor};
use super::shown::{Secrets, Shown, cut};
use super::spec_refs::Cited;
use super::specification::{Quote, quoted};

/// Something that is not as a case has it.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The case.
    pub case: String,
    /// What it breaks: of all that its case names, what speaks of what was found.
    pub breaks: Cited,
    /// What was found.
    pub what: String,
    /// Where the suite noticed it.
    pub place: Option<String>,
    /// The files of client and mock that go with what is assumed; empty where it is more than that.
    pub goes_with: String,
    /// The calls that show it, oldest first.
    pub calls: Vec<Shown>,
    /// Whether nothing but an assumption of this project says otherwise.
    pub is_assumed: bool,
    /// What the specification says of it.
    pub specified: Vec<&'static Quote>,
}

/// A finding, and how often it was made.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// The first of them.
    pub finding: &'a Finding,
    /// How many there are.
    pub times: usize,
}

impl Told<'_> {
    /// How often, where it is more than once.
    pub fn often(&self) -> String {
        match self.times {
            1 => String::new(),
            times => format!(" ({times} times)"),
        }
    }
}

/// How a case ended.
#[derive(Debug, Clone)]
pub enum Ending {
    /// Everything held.
    Held,
    /// Something did not.
    Found(Vec<Finding>),
    /// The service cannot be put to it, for this reason.
    NotReached(String),
    /// It was stopped.
    Stopped,
}

/// How many cases did not hold.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// With something that breaks the specification.
    pub violating: usize,
    /// With what only an assumption excludes.
    pub differing: usize,
    /// Stopped before their end.
    pub stopped: usize,
}

/// A case that was played, or not.
#[derive(Debug, Clone)]
pub struct Played {
    /// File and function.
    pub name: String,
    /// How it ended.
    pub ending: Ending,
    /// How long it took.
    pub time: Duration,
    /// Calls that it sent.
    pub calls: usize,
}

/// Whom a report is for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Whoever keeps the service.
    #[default]
    Vendor,
    /// Whoever keeps this project: our own files are named.
    Developer,
}

/// All of a run.
#[derive(Debug, Default)]
pub struct Report {
    /// Whom it is for.
    pub reader: Reader,
    /// The address of the service.
    pub url: String,
    /// How much was asked for, as in `smoke, reading only`.
    pub level: String,
    /// When it began.
    pub started: String,
    /// Every case, in the order in which they ended.
    pub played: Vec<Played>,
    /// What the documents do not have and do not exclude.
    pub differences: BTreeSet<String>,
    /// What was observed, cell by cell.
    pub matrix: Matrix,
    /// What no call of the API takes away.
    pub leftovers: Leftovers,
    /// Things that could have been taken away and were not.
    pub left_behind: Vec<String>,
}

impl Report {
    /// Adds a run of a case.
    pub fn add(&mut self, case: &Case, service: &Service, run: &Run, time: Duration) {
        let exchanges = run.exchanges();
        for exchange in &exchanges {
            self.matrix.observe(&case.name(), case.needs, exchange);
        }
        let secrets = Secrets::of(&service.key, exchanges.iter());
        let judgement = Judgement::of(case, service, run);
        let differences = judgement.differences.iter();
        self.differences
            .extend(differences.map(|difference| secrets.hide(difference)));
        self.leftovers.add(run.leftovers.clone());
        self.left_behind.extend(
            run.not_cleaned_up
                .iter()
                .map(|left| secrets.hide(&left.message)),
        );
        let stopped = run
            .failure
            .as_ref()
            .is_some_and(|failure| failure.message == INTERRUPTED);
        let findings = judgement.violations.iter().map(|violation| {
            let finding = Finding::new(case, &service.url, violation, &exchanges).hiding(&secrets);
            match self.reader {
                Reader::Vendor => finding.without_our_files(),
                Reader::Developer => finding,
            }
        });
        let ending = match (judgement.violations.is_empty(), run.untold) {
            _ if stopped => Ending::Stopped,
            (true, Some(untold)) => Ending::NotReached(untold.to_string()),
            (true, None) => Ending::Held,
            (false, _) => Ending::Found(findings.collect()),
        };
        self.played.push(Played {
            name: case.name(),
            ending,
            time,
            calls: exchanges.len(),
        });
    }

    /// Findings that the specification excludes, then those that only an assumption does; what many answers show once.
    pub fn findings(&self) -> (Vec<Told<'_>>, Vec<Told<'_>>) {
        let played = self.played.iter();
        let findings = played.flat_map(|played| match &played.ending {
            Ending::Found(findings) => findings.as_slice(),
            _ => &[],
        });
        let mut all: Vec<Told> = Vec::new();
        let mut places = HashMap::new();
        for finding in findings {
            let place = *places.entry(kind(&finding.what)).or_insert(all.len());
            match all.get_mut(place) {
                Some(told) => told.times += 1,
                None => all.push(Told { finding, times: 1 }),
            }
        }
        all.into_iter().partition(|told| !told.finding.is_assumed)
    }

    /// Outcomes that no document gives an operation.
    pub fn undocumented(&self, service: &Service) -> Vec<String> {
        self.matrix.judged(&service.abilities).undocumented
    }

    /// Cases that were not played, with the reason.
    pub fn not_reached(&self) -> impl Iterator<Item = (&str, &str)> {
        self.played
            .iter()
            .filter_map(|played| match &played.ending {
                Ending::NotReached(why) => Some((played.name.as_str(), why.as_str())),
                _ => None,
            })
    }

    /// Why cases were not played, and which, by reason.
    pub fn reasons(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, why) in self.not_reached() {
            reasons.entry(why).or_default().push(name);
        }
        reasons
    }

    /// How many cases held.
    pub fn held(&self) -> usize {
        let played = self.played.iter();
        played
            .filter(|played| matches!(played.ending, Ending::Held))
            .count()
    }

    /// How many cases the findings are of: those that break the specification, and those that only differ.
    pub fn found(&self) -> Found {
        let mut found = Found::default();
        for played in &self.played {
            match &played.ending {
                Ending::Found(findings) if findings.iter().all(|finding| finding.is_assumed) => {
                    found.differing += 1;
                }
                Ending::Found(_) => found.violating += 1,
                Ending::Stopped => found.stopped += 1,
                Ending::Held | Ending::NotReached(_) => {}
            }
        }
        found
    }

    /// How many calls were sent, but for those that tidied up.
    pub fn calls(&self) -> usize {
        self.played.iter().map(|played| played.calls).sum()
    }

    /// For a CI.
    pub fn junit(&self) -> String {
        let lines = self.played.iter().map(|played| Line {
            name: played.name.clone(),
            time: played.time,
            ending: match &played.ending {
                Ending::Held => junit::Ending::Passed,
                Ending::NotReached(why) => junit::Ending::Skipped(why.clone()),
                Ending::Stopped => junit::Ending::Skipped("the run was stopped".to_owned()),
                Ending::Found(findings) if findings.iter().all(|finding| finding.is_assumed) => {
                    junit::Ending::Skipped(format!("a difference: {}", told(findings)))
                }
                Ending::Found(findings) => junit::Ending::Failed(told(findings)),
            },
        });
        junit::document(&lines.collect::<Vec<_>>())
    }

    /// For a terminal.
    pub fn text(&self, service: &Service) -> String {
        let (violations, assumed) = self.findings();
        let mut text = String::new();
        for told in &violations {
            let _ = writeln!(text, "violation{}: {}\n", told.often(), told.finding.text());
        }
        for outcome in self.undocumented(service) {
            let _ = writeln!(text, "violation: {outcome}, which no document has\n");
        }
        for told in &assumed {
            let _ = writeln!(
                text,
                "difference{}: {}\n",
                told.often(),
                told.finding.text()
            );
        }
        for difference in &self.differences {
            let _ = writeln!(text, "difference: {difference}");
        }
        for (why, cases) in self.reasons() {
            let _ = writeln!(text, "{} not reached: {why}", counted(cases.len(), "case"));
        }
        let undocumented = self.undocumented(service).len();
        let sums = self.sums(violations.len() + undocumented, assumed.len());
        format!("{text}{sums}\n{}", self.remains())
    }

    /// How many there are of everything: findings, and the cases that they were made in, each of which ended in one way.
    pub fn sums(&self, violations: usize, assumed: usize) -> String {
        let found = self.found();
        let stopped = match found.stopped {
            0 => String::new(),
            count => format!(", {} stopped", counted(count, "case")),
        };
        format!(
            "{} of {} held, {}, {}, {} not reached{stopped}; {}",
            self.held(),
            counted(self.played.len(), "case"),
            in_cases(&counted(violations, "violation"), found.violating),
            in_cases(
                &counted(assumed + self.differences.len(), "difference"),
                found.differing
            ),
            counted(self.not_reached().count(), "case"),
            counted(self.calls(), "call"),
        )
    }

    /// What the run leaves in the account; empty when it is nothing.
    pub fn remains(&self) -> String {
        let mut text = String::new();
        for left in &self.left_behind {
            let _ = writeln!(text, "left behind: {left}");
        }
        let Leftovers {
            customers,
            domains,
            subscriptions,
        } = &self.leftovers;
        // A run numbers its customers one after the other.
        if let (Some(first), Some(last)) = (customers.first(), customers.last()) {
            let _ = writeln!(
                text,
                "What the API cannot delete stays: terminated domains ({domains}), cancelled subscriptions \
                 ({subscriptions}), and customers who have nothing else ({}, from {first} to {last}).",
                customers.len()
            );
        }
        text
    }
}

/// Findings with the number of cases that they were made in; what single answers show is in none.
fn in_cases(findings: &str, cases: usize) -> String {
    match cases {
        0 => findings.to_owned(),
        _ => format!("{findings} in {}", counted(cases, "case")),
    }
}

/// What a finding says, whosever record it says it of: without numbers and identifiers as long as those of records.
fn kind(what: &str) -> String {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
    let words = what.split_inclusive(|sign| !is_part(sign));
    let is_name =
        |word: &&str| word.len() > 12 && word.contains(|sign: char| sign.is_ascii_digit());
    words.filter(|word| !is_name(word)).collect()
}

fn told(findings: &[Finding]) -> String {
    let told = findings.iter().map(Finding::text);
    told.collect::<Vec<_>>().join("\n\n")
}

impl Finding {
    fn new(case: &Case, url: &str, violation: &Violation, exchanges: &[Exchange]) -> Self {
        let what = for_a_reader(&violation.message);
        let calls: Vec<Exchange> = match &violation.answer {
            Some(exchange) => vec![exchange.as_ref().clone()],
            None => telling(case, exchanges, &what),
        };
        let rows = calls
            .iter()
            .map(|call| TABLE.row_of(&call.method, &call.path));
        let rows: Vec<&Row> = rows.collect();
        // An answer whose shape nobody gives can break nothing but an assumption.
        let answered = violation.answer.as_ref().and(rows.last());
        let assumed = answered.and_then(|row| row.assumed.clone());
        let is_assumed = assumed.is_some() || Cited::read(case.spec_ref()).is_assumed();
        let spec_ref = assumed.unwrap_or_else(|| case.spec_ref().to_owned());
        let operations: Vec<&str> = rows.iter().map(|row| row.operation.as_str()).collect();
        // The call that did something stands first.
        let put_to = match case.body {
            Body::Of(_, row) => Some(row.operation.as_str()),
            _ => operations.first().copied(),
        };
        let cited = Cited::read(&spec_ref).about(&what, put_to.unwrap_or_default());
        let code = cited
            .spec_refs
            .iter()
            .map(|spec_ref| spec_ref.code.as_str());
        let goes_with = match is_assumed {
            true => code.collect::<Vec<_>>().join(" "),
            false => String::new(),
        };
        Self {
            case: case.name(),
            is_assumed,
            specified: quoted(&operations, &what, &cited.sections),
            breaks: cited,
            what,
            place: violation.place.clone(),
            goes_with,
            calls: calls.iter().map(|call| Shown::of(call, url)).collect(),
        }
    }

    fn hiding(mut self, secrets: &Secrets) -> Self {
        self.what = cut(secrets.hide(&self.what));
        for call in &mut self.calls {
            for text in [&mut call.request, &mut call.answer, &mut call.curl] {
                *text = secrets.hide(text);
            }
        }
        self
    }

    /// What it breaks, in sentences.
    pub fn spec_refs(&self) -> Vec<String> {
        let spec_refs = self.breaks.spec_refs.iter().map(|spec_ref| {
            let said = [
                ("", &spec_ref.specified),
                ("Assumed here: ", &spec_ref.assumed),
            ];
            let said = said.iter().filter(|(_, text)| !text.is_empty());
            let said: Vec<String> = said.map(|(kind, text)| format!("{kind}{text}")).collect();
            format!("{} {}: {}", spec_ref.id, spec_ref.title, said.join(" "))
        });
        let quotes = self.specified.iter().map(ToString::to_string);
        quotes.chain(spec_refs).collect()
    }

    fn without_our_files(self) -> Self {
        Self {
            what: for_a_vendor(&self.what),
            place: None,
            goes_with: String::new(),
            ..self
        }
    }

    /// In a few lines.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n  {}", self.case, self.what.replace('\n', "\n  "));
        let _ = write!(text, "\n  breaks: {}", self.breaks);
        for quote in &self.specified {
            let _ = write!(text, "\n  {quote}");
        }
        if !self.goes_with.is_empty() {
            let _ = write!(text, "\n  goes with it: {}", self.goes_with);
        }
        if let Some(place) = &self.place {
            let _ = write!(text, "\n  noticed at {place}");
        }
        for call in &self.calls {
            let _ = write!(text, "\n  {}", call.curl);
        }
        text
    }
}

/// Of the calls of a case that fell, the one that did something and the one that shows it: the last of the operation that the
/// case is put to, else the last that changed something; and the last that the message names, else the last of all.
fn telling(case: &Case, exchanges: &[Exchange], message: &str) -> Vec<Exchange> {
    let named = |call: &Exchange| names(message, &called(call));
    let shows = exchanges.iter().rposition(named);
    let Some(shows) = shows.or(exchanges.len().checked_sub(1)) else {
        return Vec::new();
    };
    let operation = |call: &Exchange| &TABLE.row_of(&call.method, &call.path).operation;
    let acts = |call: &Exchange| match case.body {
        // What looks at everything afterwards sends writes, too.
        Body::Of(_, row) => *operation(call) == row.operation,
        _ => call.method != http::Method::GET,
    };
    let did = exchanges[..=shows].iter().rposition(acts);
    let calls = BTreeSet::from_iter(did.into_iter().chain([shows]));
    calls.into_iter().map(|at| exchanges[at].clone()).collect()
}

/// Whether a message has this path in it, and not as the beginning of a longer one.
fn names(message: &str, path: &str) -> bool {
    let goes_on = |sign: char| sign.is_ascii_alphanumeric() || "/?&-_".contains(sign);
    let mut places = message.match_indices(path);
    places.any(|(at, _)| !message[at + path.len()..].starts_with(goes_on))
}

/// Path and query, as a message names a call.
fn called(call: &Exchange) -> String {
    match call.query.as_str() {
        "" => call.path.clone(),
        query => format!("{}?{query}", call.path),
    }
}

/// A number of things: `1 case`, `2 cases`.
pub(super) fn counted(count: usize, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {one}{plural}")
}
