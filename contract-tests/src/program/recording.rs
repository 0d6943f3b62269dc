//! Answers that a run kept, and the mock held against them: what the service has and the mock has not, and the other way
//! round.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::case::{Case, Run, run_case};
use crate::cases::cases;
use crate::service::{Service, embedded};
use crate::table::TABLE;

use super::report::counted;
use super::shown::{Secrets, open};
use super::stop::Stop;

/// A line of a recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kept {
    case: String,
    operation: String,
    call: String,
    outcome: String,
    answer: Value,
}

/// The file that a run writes.
pub struct Recording {
    path: PathBuf,
    file: Mutex<File>,
    /// The service's key, which is in none of its lines.
    key: String,
}

impl Recording {
    /// Begins one.
    pub fn create(path: &Path, key: &str) -> Result<Self, Stop> {
        let file = File::create(path);
        let file = file.map_err(|error| {
            Stop::other(format!("{} cannot be written: {error}", path.display()))
        })?;
        Ok(Self {
            path: path.to_owned(),
            file: Mutex::new(file),
            key: key.to_owned(),
        })
    }

    /// Adds what a case was answered.
    pub fn add(&self, case: &Case, run: &Run) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        for kept in kept(case, run, &self.key) {
            let line = serde_json::to_string(&kept).unwrap_or_default();
            if let Err(error) = writeln!(file, "{line}") {
                eprintln!("{} cannot be written: {error}", self.path.display());
                return;
            }
        }
    }
}

fn kept(case: &Case, run: &Run, key: &str) -> Vec<Kept> {
    let exchanges = run.exchanges();
    let secrets = Secrets::of(key, exchanges.iter());
    let kept = exchanges.iter().map(|exchange| {
        let answer = secrets.hide(&open(exchange).to_string());
        Kept {
            case: case.name(),
            operation: TABLE.row_of(&exchange.method, &exchange.path).name.clone(),
            call: format!("{} {}", exchange.method, exchange.path),
            outcome: exchange.outcome(),
            answer: serde_json::from_str(&answer).unwrap_or_default(),
        }
    });
    kept.collect()
}

/// What answers look like, by operation and outcome: the members at their places, and the types seen there.
type Shapes = BTreeMap<(String, String), BTreeMap<String, BTreeSet<&'static str>>>;

/// Plays the cases of a recording against the mock, and says where the two differ.
pub fn compare(path: &Path) -> Result<ExitCode, Stop> {
    let recorded = read(path)?;
    let names: BTreeSet<&str> = recorded.iter().map(|kept| kept.case.as_str()).collect();
    let mock = embedded();
    let service = Service::of(&mock);
    let played = cases()
        .into_iter()
        .filter(|case| names.contains(case.name().as_str()));
    let ours: Vec<Kept> = played
        .flat_map(|case| kept(&case, &run_case(&case, &service), &service.key))
        .collect();
    let differences = differences(&shapes(&recorded), &shapes(&ours));
    for difference in &differences {
        println!("{difference}");
    }
    println!(
        "{} of {}, {} from the mock",
        counted(recorded.len(), "recorded answer"),
        counted(names.len(), "case"),
        counted(differences.len(), "difference")
    );
    Ok(match differences.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    })
}

fn read(path: &Path) -> Result<Vec<Kept>, Stop> {
    let unread = |why: String| Stop::usage(format!("{} cannot be read: {why}", path.display()));
    let file = File::open(path).map_err(|error| unread(error.to_string()))?;
    let lines = BufReader::new(file).lines().enumerate();
    let kept = lines.map(|(number, line)| {
        let line = line.map_err(|error| unread(error.to_string()))?;
        serde_json::from_str(&line).map_err(|error| {
            unread(format!(
                "line {} is not a recorded answer: {error}",
                number + 1
            ))
        })
    });
    kept.collect()
}

fn shapes(kept: &[Kept]) -> Shapes {
    let mut shapes = Shapes::new();
    for kept in kept {
        let key = (kept.operation.clone(), kept.outcome.clone());
        describe("", &kept.answer, shapes.entry(key).or_default());
    }
    shapes
}

fn describe(place: &str, value: &Value, shape: &mut BTreeMap<String, BTreeSet<&'static str>>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    shape.entry(place.to_owned()).or_default().insert(kind);
    match value {
        Value::Array(items) => items
            .iter()
            .for_each(|item| describe(&format!("{place}[]"), item, shape)),
        Value::Object(members) => {
            for (name, member) in members {
                // Members that are named after a record or a refused field are all alike.
                let name = match place {
                    "/errors" | "/data/enforcement" => "*",
                    _ => name,
                };
                describe(&format!("{place}/{name}"), member, shape);
            }
        }
        _ => {}
    }
}

/// Outcomes and members that one side alone has, and members whose types have nothing in common.
fn differences(theirs: &Shapes, ours: &Shapes) -> Vec<String> {
    let mut found = Vec::new();
    let outcomes: BTreeSet<_> = theirs.keys().chain(ours.keys()).collect();
    for key in outcomes {
        let what = format!("{} {}", key.0, key.1);
        match (theirs.get(key), ours.get(key)) {
            (Some(_), None) => found.push(format!("{what}: the mock never answered so")),
            (None, Some(_)) => found.push(format!("{what}: the service never answered so")),
            (Some(theirs), Some(ours)) => found.extend(members(&what, theirs, ours)),
            (None, None) => {}
        }
    }
    found
}

fn members(
    what: &str,
    theirs: &BTreeMap<String, BTreeSet<&'static str>>,
    ours: &BTreeMap<String, BTreeSet<&'static str>>,
) -> Vec<String> {
    let listed = |kinds: &BTreeSet<&str>| kinds.iter().copied().collect::<Vec<_>>().join(" or ");
    let places: BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
    let lines = places
        .into_iter()
        .filter_map(|place| match (theirs.get(place), ours.get(place)) {
            // What stands in an empty list or an absent object was met by one side only.
            (Some(_), None) if parent_is_met(place, ours) => {
                Some(format!("{what}: the mock has no {place}"))
            }
            (None, Some(_)) if parent_is_met(place, theirs) => {
                Some(format!("{what}: the service has no {place}"))
            }
            (Some(one), Some(other)) if one.is_disjoint(other) => Some(format!(
                "{what}: {place} is {} there and {} in the mock",
                listed(one),
                listed(other)
            )),
            _ => None,
        });
    lines.collect()
}

fn parent_is_met(place: &str, shape: &BTreeMap<String, BTreeSet<&'static str>>) -> bool {
    let parent = place.rsplit_once('/').map_or("", |(parent, _)| parent);
    !place.ends_with("[]")
        && shape
            .get(parent)
            .is_some_and(|kinds| kinds.contains("object"))
}
