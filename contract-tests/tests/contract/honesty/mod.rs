//! The suite is honest: a service that is bent in one place falls to a named case, at a named assertion.

pub mod legal;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::{env, fs, iter, thread};

use secmon_contract_tests::{Case, Failure, Service, embedded, run_case};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::deviation::{Deviation, Doing, On, Rule};
use crate::jq::directory;
use crate::proxy::Proxy;

checks! {
    every_case_holds_before_a_proxy_that_bends_nothing(Embedded),
    every_deviation_falls_to_its_case_and_assertion(Embedded),
}

/// What of the contract the deviations break: a file of `deviations/` each.
const CLASSES: &str = "shape state order limits headers time idempotency isolation paging race sum refusal encodings derived \
                       journal";

/// With this variable only the deviations and variants are tried that have it in their text.
const ONLY: &str = "SECMON_CONTRACT_DEVIATIONS";

static DEVIATIONS: LazyLock<Vec<DeviationEntry>> = LazyLock::new(|| {
    let deviations = CLASSES.split_whitespace().flat_map(|class| {
        let file: File = read(&directory().join(format!("{class}.toml")));
        let define = Arc::<str>::from(file.define);
        file.deviation.into_iter().map(move |entry| DeviationEntry {
            class,
            define: Arc::clone(&define),
            entry,
        })
    });
    deviations.collect()
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// What the programs of the file share.
    #[serde(default)]
    define: String,
    deviation: Vec<Entry>,
}

/// A way in which a service may be wrong, and what notices it, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    what: String,
    /// The case that falls.
    case: String,
    /// Its assertion, or enough of it.
    assertion: String,
    #[serde(default = "On::all")]
    on: On,
    #[serde(flatten)]
    doing: Doing,
}

struct DeviationEntry {
    class: &'static str,
    define: Arc<str>,
    entry: Entry,
}

fn read<T: DeserializeOwned>(path: &Path) -> T {
    let text = fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    toml::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Whether an entry is to be tried.
fn wanted(entry: &impl Debug) -> bool {
    let only = env::var(ONLY).ok();
    only.is_none_or(|part| format!("{entry:?}").contains(&part))
}

/// What the cases say of a service that is not bent: nothing, so that a fall is the bend's doing.
fn every_case_holds_before_a_proxy_that_bends_nothing() {
    let cases = secmon_contract_tests::cases();
    let named: BTreeSet<&str> = DEVIATIONS
        .iter()
        .map(|bent| bent.entry.case.as_str())
        .collect();
    // Of a mechanism that is put to many operations one is enough.
    let mut paths = BTreeSet::new();
    let named = cases
        .iter()
        .filter(|case| named.contains(case.name().as_str()) && paths.insert(case.path));
    let falls = named.filter_map(|case| {
        let failure =
            failure_of(case, Deviation::Nothing, true).expect("no program, no trouble")?;
        Some(format!("{}: {}", case.name(), failure.message))
    });
    assert_none(&falls.collect::<Vec<_>>());
}

fn every_deviation_falls_to_its_case_and_assertion() {
    let cases = secmon_contract_tests::cases().into_iter();
    let cases: BTreeMap<String, Case> = cases.map(|case| (case.name(), case)).collect();
    let deviations: Vec<&DeviationEntry> = DEVIATIONS
        .iter()
        .filter(|bent| wanted(&bent.entry))
        .collect();
    assert_none(&side_by_side(processors(), &deviations, |_, bent| {
        let problem = falls(bent, &cases).err().into_iter();
        problem
            .map(|why| format!("{}: {why}", bent.entry.what))
            .collect()
    }));
}

/// Whether a bend falls to its case, at its assertion.
fn falls(bent: &DeviationEntry, cases: &BTreeMap<String, Case>) -> Result<(), String> {
    let (case, on, doing) = (&bent.entry.case, &bent.entry.on, &bent.entry.doing);
    let rule = Rule::parse(on.clone(), doing.clone(), &bent.define)?;
    let known = cases
        .get(case)
        .ok_or_else(|| format!("there is no case {case}"))?;
    let failure = failure_of(
        known,
        Deviation::By(Arc::new(rule)),
        bent.class == "journal",
    )?;
    let Failure { message, place } = failure.ok_or_else(|| format!("{case} did not notice"))?;
    // A mechanism says in one place what it finds of any operation: there the sentence tells.
    let assertion = squeezed(&bent.entry.assertion);
    let said = source_at(&place).contains(&assertion) || squeezed(&message).contains(&assertion);
    match said {
        true => Ok(()),
        false => Err(format!("{case} fell at {place}: {message}")),
    }
}

/// Why a case falls when its service is bent, a service that nobody has used before; or what the bend could not do.
fn failure_of(case: &Case, bend: Deviation, wholly: bool) -> Result<Option<Failure>, String> {
    let mock = embedded();
    let service = Service::of(&mock);
    let proxy = Proxy::start(&service.url, bend);
    let bent = match wholly {
        true => service.wholly_through(proxy.url()),
        false => service.through(proxy.url()),
    };
    let failure = run_case(case, &bent).failure;
    match proxy.troubles().first() {
        Some(trouble) => Err(trouble.clone()),
        None => Ok(failure),
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// What some work finds of all items, done by so many threads.
fn side_by_side<T: Sync>(
    workers: usize,
    items: &[T],
    work: impl Fn(usize, &T) -> Vec<String> + Sync,
) -> Vec<String> {
    let next = Mutex::new(items.iter().enumerate());
    let take = || next.lock().expect("no worker panics").next();
    let labour = || {
        let all = iter::from_fn(take).flat_map(|(number, item)| work(number, item));
        all.collect::<Vec<String>>()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(labour)).collect();
        let found = threads.into_iter().map(|thread| thread.join());
        found
            .flat_map(|found| found.expect("no worker panics"))
            .collect()
    })
}

fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
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
