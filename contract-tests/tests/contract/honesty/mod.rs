//! The suite is honest: a service that is bent in one place falls to a named case, at a named assertion.

mod bends;
mod further_bends;
pub mod legal;
mod likes;
mod more_bends;
mod stranger;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use secmon_contract_tests::proxy::{Bend, Proxy};
use secmon_contract_tests::{Case, Failure, Service, embedded, run_case};

checks! {
    every_case_holds_before_a_proxy_that_bends_nothing(Embedded),
    every_bend_falls_to_its_case_and_assertion(Embedded),
    the_documentation_lists_every_bend(Embedded),
}

/// What of the contract a bend breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breaks {
    Shape,
    State,
    Order,
    Limits,
    Headers,
    Time,
    Idempotency,
    Isolation,
    Paging,
    Race,
    Sum,
    Refusal,
    Dress,
    Derived,
    Journal,
}

/// A way in which a service may be wrong, and what notices it.
pub struct Bent {
    pub what: &'static str,
    pub breaks: Breaks,
    /// The case that falls.
    pub case: &'static str,
    /// Its assertion, or enough of it.
    pub assertion: &'static str,
    pub bend: Bend,
}

fn all() -> impl Iterator<Item = &'static Bent> {
    let own = [bends::BENDS, more_bends::BENDS, further_bends::BENDS];
    own.into_iter().flatten().chain(stranger::all())
}

/// What the cases say of a service that is not bent: nothing, so that a fall is the bend's doing.
fn every_case_holds_before_a_proxy_that_bends_nothing() {
    let cases = secmon_contract_tests::cases();
    let named: BTreeSet<&str> = all().map(|bent| bent.case).collect();
    // Of a mechanism that is put to many operations one is enough.
    let mut paths = BTreeSet::new();
    let named = cases
        .iter()
        .filter(|case| named.contains(case.name().as_str()) && paths.insert(case.path));
    let falls = named.filter_map(|case| {
        let failure = failure_of(case, Bend::Call(|_| {}), Breaks::Journal)?;
        Some(format!("{}: {}", case.name(), failure.message))
    });
    let falls: Vec<String> = falls.collect();
    assert!(falls.is_empty(), "{}", falls.join("\n"));
}

fn every_bend_falls_to_its_case_and_assertion() {
    let cases: BTreeMap<String, Case> = secmon_contract_tests::cases()
        .into_iter()
        .map(|case| (case.name(), case))
        .collect();
    let bends: Vec<&Bent> = all().collect();
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(bent) = bends.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(problem) = falls(bent, &cases) {
                        let mut problems = problems.lock().expect("no worker panics");
                        problems.push(format!("{}: {problem}", bent.what));
                    }
                }
            });
        }
    });
    let problems = problems.into_inner().expect("no worker panics");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Whether a bend falls to its case, at its assertion.
fn falls(bent: &Bent, cases: &BTreeMap<String, Case>) -> Result<(), String> {
    let case = cases.get(bent.case);
    let case = case.ok_or_else(|| format!("there is no case {}", bent.case))?;
    let failure = failure_of(case, bent.bend, bent.breaks);
    let Failure { message, place } =
        failure.ok_or_else(|| format!("{} did not notice", bent.case))?;
    // A mechanism says in one place what it finds of any operation: there the sentence tells.
    let assertion = squeezed(bent.assertion);
    let said = source_at(&place).contains(&assertion) || squeezed(&message).contains(&assertion);
    match said {
        true => Ok(()),
        false => Err(format!("{} fell at {place}: {message}", bent.case)),
    }
}

/// Why a case falls when its service is bent, a service that nobody has used before.
fn failure_of(case: &Case, bend: Bend, breaks: Breaks) -> Option<Failure> {
    let mock = embedded();
    let service = Service::of(&mock);
    let proxy = Proxy::start(&service.url, bend);
    let bent = match breaks {
        Breaks::Journal => service.wholly_through(proxy.url()),
        _ => service.through(proxy.url()),
    };
    run_case(case, &bent).failure
}

/// The statement at a place, without spaces: from its line to the end of the statement.
fn source_at(place: &str) -> String {
    let (file, line) = place.rsplit_once(':').expect("file and line");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let source = fs::read_to_string(root.join(file)).unwrap_or_default();
    let line: usize = line.parse().expect("a line");
    let mut statement = String::new();
    for line in source.lines().skip(line - 1) {
        statement.push_str(line);
        if [';', '{', '}'].iter().any(|end| line.ends_with(*end)) {
            break;
        }
    }
    squeezed(&statement)
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

fn the_documentation_lists_every_bend() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/bends.md");
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        fs::write(&path, documented()).expect("the documentation can be written");
    }
    let written = fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == documented(),
        "INSTA_UPDATE=always writes docs/bends.md anew"
    );
}

fn documented() -> String {
    let mut text = String::from(
        "# Bends\n\nWays in which a service may be wrong, and the case and assertion of the contract suite that notice \
         it. Each was tried:\na proxy before the mock bends its answers, or what it is asked, and the case must fall at \
         that assertion. No two fall to the\nsame one with the same words. Written by the suite; `contract-tests/tests/contract/honesty` \
         has the bends themselves.\n\n| a service that | breaks | falls to | at |\n| --- | --- | --- | --- |\n",
    );
    for bent in all() {
        let breaks = format!("{:?}", bent.breaks).to_lowercase();
        let assertion = bent.assertion.replace('|', "\\|");
        text += &format!(
            "| {} | {breaks} | `{}` | `{assertion}` |\n",
            bent.what, bent.case
        );
    }
    text + &legal::documented()
}
