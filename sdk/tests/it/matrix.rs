//! Every operation, every documented answer, every member of it: missing, null, of every wrong type. What comes of each
//! follows from the table in `specified`: the same result, a member that is absent, or an error that names the place.
//! No cell is silently wrong.

mod another_record;
mod cells;
mod contradictions;
mod errors;
mod lists;
mod outcomes;
mod spellings;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use secmon::testing::MockTransport;
use secmon::{Client, Error, ErrorKind, Group, OPERATIONS};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::specified::answers::{self, Answer, Done};
use crate::support::*;
use cells::{Cell, Change, NUMBER, Outcome, TEXT};

/// Sends operations one after another, each answered as the test says.
pub struct Desk {
    runtime: Runtime,
}

impl Desk {
    pub fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        Self {
            runtime: runtime.expect("a runtime"),
        }
    }

    /// What comes of an operation that is answered like this, and sent once.
    pub fn answered(
        &self,
        row: &Answer,
        status: u16,
        body: impl Into<bytes::Bytes>,
    ) -> Result<Done, Error> {
        let script = MockTransport::new();
        script.answer(StatusCode::from_u16(status).expect("a status"), body);
        self.runtime.block_on(row.send(&once(&script)))
    }
}

/// A client that sends every call once, without a rate budget.
pub fn once(script: &Arc<MockTransport>) -> Client {
    let client = builder(script).no_rate_limit();
    let client = client.with(|calls| calls.max_retries(0).queue_timeout(Duration::ZERO));
    client.build().expect("a client")
}

/// The result of the good answer, changed as a cell says.
fn expected(row: &Answer, cell: &Cell, got: &Value) -> Value {
    let mut whole = match row.is_enveloped() {
        true => json!({"data": row.result()}),
        false => row.result(),
    };
    let (parent, name) = cell.place.pointer.rsplit_once('/').unwrap_or_default();
    if let Some(parent) = whole.pointer_mut(parent) {
        let own = || {
            got.pointer(own_pointer(row, cell))
                .filter(|text| is_text(text))
                .cloned()
        };
        match &cell.outcome {
            Outcome::Absent => put(parent, name, Value::Null),
            Outcome::Becomes(value) => put(parent, name, value.clone()),
            Outcome::Own => put(parent, name, own().unwrap_or(json!("a text"))),
            Outcome::Same
            | Outcome::Fails
            | Outcome::FailsAt(_)
            | Outcome::Lacks(_)
            | Outcome::AbsentAt(_) => {}
        }
    }
    if let Outcome::AbsentAt(pointer) = &cell.outcome
        && let Some(place) = whole.pointer_mut(pointer)
    {
        *place = Value::Null;
    }
    match row.is_enveloped() {
        true => whole["data"].take(),
        false => whole,
    }
}

/// Where the place of a cell is in the result.
fn own_pointer<'c>(row: &Answer, cell: &'c Cell) -> &'c str {
    let pointer = cell.place.pointer.as_str();
    match row.is_enveloped() {
        true => pointer.strip_prefix("/data").unwrap_or(pointer),
        false => pointer,
    }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// Replaces a member or an item that is there.
fn put(parent: &mut Value, name: &str, value: Value) {
    let place = match parent {
        Value::Object(members) => members.get_mut(name),
        Value::Array(items) => name.parse().ok().and_then(|at: usize| items.get_mut(at)),
        _ => None,
    };
    if let Some(place) = place {
        *place = value;
    }
}

/// The answer with one thing wrong.
fn changed(mut answer: Value, cell: &Cell) -> Value {
    let (parent, name) = cell.place.pointer.rsplit_once('/').unwrap_or_default();
    match (&cell.change, answer.pointer_mut(parent)) {
        (Change::Put(value), _) if cell.place.pointer.is_empty() => return value.clone(),
        (Change::Put(value), Some(Value::Object(members))) => {
            members.insert(name.to_owned(), value.clone());
        }
        (Change::Remove, Some(Value::Object(members))) => {
            members.remove(name);
        }
        (Change::Put(value), Some(parent)) => put(parent, name, value.clone()),
        _ => panic!("{} is no place of {answer}", cell.place.pointer),
    }
    answer
}

/// The same with absent members left out, every number written as one with decimals, and reports as a list: they are
/// written under the product that each names.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(members)
            if members
                .values()
                .any(|value| value["product_type"].is_string()) =>
        {
            let mut reports: Vec<Value> = members
                .values()
                .filter(|report| !report.is_null())
                .map(plain)
                .collect();
            reports.sort_by_key(Value::to_string);
            reports.into()
        }
        Value::Object(members) => {
            let present = members.iter().filter(|(_, value)| !value.is_null());
            let plain = present.map(|(name, value)| (name.clone(), plain(value)));
            Value::Object(plain.collect())
        }
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Number(number) => json!(number.as_f64()),
        other => other.clone(),
    }
}

/// What is wrong with the outcome of a cell.
fn judge(row: &Answer, cell: &Cell, ended: Result<Done, Error>) -> Result<(), String> {
    let fails = match &cell.outcome {
        Outcome::Fails | Outcome::FailsAt(_) | Outcome::Lacks(_) => true,
        _ => contradicts(row, cell),
    };
    match (fails, ended) {
        (true, Ok(done)) => Err(format!("a result where none can be: {}", done.data)),
        (true, Err(error)) => judge_error(row, cell, &error),
        (_, Err(error)) => Err(format!("no result: {error}")),
        (_, Ok(done)) => {
            let expected = plain(&expected(row, cell, &done.data));
            match plain(&done.data) == expected {
                true => Ok(()),
                false => Err(format!("read as {}, not {expected}", done.data)),
            }
        }
    }
}

/// What an answer cannot say, although it can be read (F11): a subscription without its domains, and an empty token.
fn contradicts(row: &Answer, cell: &Cell) -> bool {
    let Outcome::Becomes(value) = &cell.outcome else {
        return false;
    };
    match (row.operation.name, cell.place.pointer.as_str()) {
        ("list_domains", "/data/subscribed") => {
            *value == true && row.result().get("domains").is_none()
        }
        ("create_sso_token", "/data/token") => *value == "",
        ("sync_services", "/data/unknown_services/0") => {
            *value == NUMBER || *value == *NUMBER.to_string()
        }
        _ => false,
    }
}

/// An error names the place and what is wrong there, and repeats no value of the answer.
fn judge_error(row: &Answer, cell: &Cell, error: &Error) -> Result<(), String> {
    let text = error.to_string();
    let name = &cell.place.name;
    let named = match &cell.outcome {
        _ if name.is_empty() || says_itself_whether_it_is_a_result(row, cell) => true,
        Outcome::Becomes(_) => true,
        Outcome::FailsAt(place) => text.contains(&format!("`{place}")),
        Outcome::Lacks(what) => text.contains(what),
        _ => ["`", ".", "["]
            .iter()
            .any(|end| text.contains(&format!("`{name}{end}"))),
    };
    // A 503 that does not call itself a success is no answer of the service.
    let is_of_a_gateway =
        row.status == 503 && (name.is_empty() || says_itself_whether_it_is_a_result(row, cell));
    let kind = match is_of_a_gateway {
        true => ErrorKind::Gateway,
        false => ErrorKind::Decode,
    };
    if error.kind() != kind {
        return Err(format!(
            "another kind of error: {:?}: {error}",
            error.kind()
        ));
    }
    if !named {
        return Err(format!("the place is not named: {error}"));
    }
    match shown_values(row).iter().find(|value| text.contains(*value)) {
        Some(value) => Err(format!("`{value}` is repeated: {error}")),
        None => Ok(()),
    }
}

/// Where the answer's own word makes it a result, another word makes it none, and no place is to blame.
fn says_itself_whether_it_is_a_result(row: &Answer, cell: &Cell) -> bool {
    row.status == 503 && cell.place.pointer == "/success"
}

/// What an error must not repeat: what a cell puts in, and the values of the good answer that are no ordinary words.
fn shown_values(row: &Answer) -> Vec<String> {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            Value::Object(members) => members.values().for_each(|value| collect(value, found)),
            _ => {}
        }
    }
    let mut found = vec![TEXT.to_owned(), NUMBER.to_string()];
    collect(&row.result(), &mut found);
    found.retain(|text| text.len() > 5 && text.contains(|c: char| !c.is_alphabetic() && c != '_'));
    found
}

/// Goes through all cells of the answers of some groups.
fn walk(groups: &[Group]) {
    let desk = Desk::new();
    let (mut walked, mut wrong) = (0, Vec::new());
    for row in answers::all()
        .iter()
        .filter(|row| groups.contains(&row.operation.group))
    {
        let Some(body) = &row.body else { continue };
        let (good, name) = (body.value(), row.operation.name);
        let done = desk
            .answered(row, row.status, row.text())
            .expect("the good answer is read");
        assert_eq!(plain(&done.data), plain(&row.result()), "{name}");
        let note = good.pointer("/data/note").and_then(Value::as_str);
        assert_eq!(done.note.as_deref(), note, "{name}");
        for cell in cells::cells(body) {
            let ended = desk.answered(row, row.status, changed(good.clone(), &cell).to_string());
            walked += 1;
            if let Err(problem) = judge(row, &cell, ended) {
                let (place, change) = (&cell.place.pointer, &cell.change);
                wrong.push(format!(
                    "{name} {} {place} {change:?}: {problem}",
                    row.status
                ));
            }
        }
    }
    assert_none_wrong(walked, &wrong);
}

/// Fails with the first of the cells that are wrong, each short enough to be read.
pub fn assert_none_wrong(walked: usize, wrong: &[String]) {
    let short = |problem: &String| problem.chars().take(400).collect::<String>();
    let first: Vec<String> = wrong.iter().take(60).map(short).collect();
    let count = wrong.len();
    assert!(
        wrong.is_empty(),
        "{count} of {walked} cells are wrong:\n{}",
        first.join("\n")
    );
}

#[test]
fn the_matrix_has_every_operation() {
    let rows = answers::all();
    let names: BTreeSet<&str> = rows.iter().map(|row| row.operation.name).collect();
    let table: BTreeSet<&str> = OPERATIONS.iter().map(|info| info.name).collect();
    assert_eq!(names, table);
    assert_eq!(names.len(), OPERATIONS.len());
}

#[test]
fn no_answer_of_health_provisioning_or_prices_is_silently_wrong() {
    walk(&[Group::Health, Group::Provisioning]);
}

#[test]
fn no_answer_about_a_domain_is_silently_wrong() {
    walk(&[Group::DomainMonitoring]);
}

#[test]
fn no_answer_about_rules_and_servers_is_silently_wrong() {
    walk(&[Group::AllowedPorts, Group::Endpoints]);
}

#[test]
fn no_answer_of_an_assumed_shape_is_silently_wrong() {
    walk(&[Group::Alerts, Group::Sso, Group::Firewall, Group::Sandbox]);
}
