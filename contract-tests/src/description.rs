//! The third witness: `openapi.yaml`, against which every answer is held.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use http::header;
use jsonschema::{Draft, Registry, Validator};
use serde_json::{Value, json};

use crate::exchange::{Exchange, Forced};
use crate::table::{Row, TABLE};
use strict::strict;

#[path = "../../mock-server/tests/it/strict.rs"]
mod strict;

const NAME: &str = "urn:partner-api";

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../mock-server/openapi.yaml");
    serde_yaml_ng::from_str(text).expect("openapi.yaml can be read")
});

/// As our own mock answers.
static STRICT_DOCUMENT: LazyLock<Value> = LazyLock::new(|| strict(DOCUMENT.clone()));

/// The same, in which every object may have further members (F1), and what only our own mock fixes may be otherwise.
static OPEN_DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = STRICT_DOCUMENT.clone();
    let unfixed = include_str!("../unfixed.toml");
    let unfixed: HashMap<String, Value> = toml::from_str(unfixed).expect("schemas by place");
    for (place, schema) in unfixed {
        *document.pointer_mut(&place).expect(&place) = schema;
    }
    open(&mut document);
    document
});

static STRICT: LazyLock<Form> = LazyLock::new(|| Form::of(&STRICT_DOCUMENT));
static OPEN: LazyLock<Form> = LazyLock::new(|| Form::of(&OPEN_DOCUMENT));

/// The description as answers are held against it.
struct Form {
    registry: Registry<'static>,
    /// The validators made so far, by the place of their schema.
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

fn open(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, value| {
                let closes = ["additionalProperties", "unevaluatedProperties"];
                !(closes.contains(&name.as_str()) && *value == false)
            });
            members.values_mut().for_each(open);
        }
        Value::Array(items) => items.iter_mut().for_each(open),
        _ => {}
    }
}

/// What is to be said of an answer.
#[derive(Debug, Default)]
pub struct Findings {
    /// What the description excludes.
    pub violations: Vec<String>,
    /// What it does not have and does not exclude: further members (F1).
    pub differences: Vec<String>,
}

/// Something in an answer that is not as a form of the description has it.
struct Problem {
    /// With the value.
    told: String,
    /// Without what no two answers share, so that what is told of many is told once.
    in_short: String,
}

impl From<String> for Problem {
    fn from(told: String) -> Self {
        Self {
            in_short: told.clone(),
            told,
        }
    }
}

/// What of an answer the description excludes, and what it allows without having described it.
pub fn findings(exchange: &Exchange) -> Findings {
    let strict = judged(&STRICT, exchange);
    let excluded = match strict.is_empty() {
        true => Vec::new(),
        false => judged(&OPEN, exchange),
    };
    let differences = strict.into_iter().filter(|problem| {
        let mut excluded = excluded.iter();
        excluded.all(|other| other.in_short != problem.in_short)
    });
    Findings {
        differences: differences.map(|problem| problem.in_short).collect(),
        violations: excluded.into_iter().map(|problem| problem.told).collect(),
    }
}

/// What of an answer is not as the description has it to the letter; empty when all is.
pub fn problems(exchange: &Exchange) -> Vec<String> {
    let problems = judged(&STRICT, exchange).into_iter();
    problems.map(|problem| problem.told).collect()
}

fn judged(form: &'static Form, exchange: &Exchange) -> Vec<Problem> {
    let row = TABLE.row_of(&exchange.method, &exchange.path);
    let status = exchange.status.as_u16();
    let Some(place) = place_of(row, status) else {
        // A case may order any status.
        if exchange.forced != Forced::No {
            return Vec::new();
        }
        return vec![format!("{} does not document {status}", row.name).into()];
    };
    let found = found_problems(form, &place, exchange);
    let named = |problem: &str| format!("{} {status}: {problem}", row.name);
    let problems = found.into_iter().map(|problem| Problem {
        told: named(&problem.told),
        in_short: named(&problem.in_short),
    });
    problems.collect()
}

/// The codes that the description gives an operation, with their statuses, as in `404 ENDPOINT_NOT_FOUND`.
pub fn codes(row: &Row) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for status in statuses(row) {
        let place = place_of(row, status).expect("a status of the description");
        let examples = value_at(&place).pointer("/content/application~1json/examples");
        let examples = examples.and_then(Value::as_object).into_iter().flatten();
        let names = examples.map(|(name, _)| name.as_str());
        let in_capitals = names.filter(|name| *name == name.to_uppercase());
        codes.extend(in_capitals.map(|code| format!("{status} {code}")));
    }
    codes
}

/// The statuses that the description gives an operation.
pub fn statuses(row: &Row) -> Vec<u16> {
    let place = format!("{}/responses", operation(row));
    let responses = value_at(&place).as_object();
    let statuses = responses.into_iter().flat_map(|responses| responses.keys());
    statuses
        .filter_map(|status| status.parse::<u16>().ok())
        .collect()
}

fn found_problems(form: &'static Form, place: &str, exchange: &Exchange) -> Vec<Problem> {
    let response = value_at(place);
    let mut problems = Vec::new();
    let headers = response["headers"].as_object().into_iter();
    for name in headers.flat_map(|headers| headers.keys()) {
        if !exchange.headers.contains_key(name.to_ascii_lowercase()) {
            problems.push(format!("the header {name} is missing").into());
        }
    }
    let schema = response.pointer("/content/application~1json/schema");
    if schema.is_none() {
        if !exchange.body.is_empty() {
            problems.push(format!("a body where there is none: {}", exchange.json).into());
        }
        return problems;
    }
    let kind = exchange.headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        problems.push(format!("JSON that is called {kind:?}").into());
    }
    let validator = form.validator(&format!("{place}/content/application~1json/schema"));
    let errors = validator.iter_errors(&exchange.json);
    problems.extend(errors.map(|error| {
        let place = error.instance_path().to_string();
        let place = format!("/{}", place.trim_start_matches('/'));
        Problem {
            told: format!("{error} at `{place}`"),
            in_short: format!("{} at `{}`", error.masked(), unnumbered(&place)),
        }
    }));
    problems
}

/// A place without the numbers of items.
fn unnumbered(place: &str) -> String {
    let parts = place.split('/').map(|part| match part.parse::<u64>() {
        Ok(_) => "*",
        Err(_) => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// The place of an operation, in its namespace.
fn operation(row: &Row) -> String {
    let path = row.path.replace("{namespace}", row.namespace);
    let item = followed(format!("/paths/{}", path.replace('/', "~1")));
    format!("{item}/{}", row.method.to_ascii_lowercase())
}

/// The place of an answer; what is no operation has its answers at no path.
fn place_of(row: &Row, status: u16) -> Option<String> {
    if row.group == "none" {
        let name = match status {
            404 => "NoSuchPath",
            405 => "NoSuchMethod",
            _ => return None,
        };
        return Some(format!("/components/responses/{name}"));
    }
    let place = format!("{}/responses/{status}", operation(row));
    DOCUMENT.pointer(&place).map(|_| followed(place))
}

/// Where a place that is only a reference leads.
fn followed(place: String) -> String {
    match value_at(&place)["$ref"].as_str() {
        Some(reference) => followed(reference.trim_start_matches('#').to_owned()),
        None => place,
    }
}

/// The schemas of the description as our own mock answers.
pub fn strict_schemas() -> &'static Value {
    &STRICT_DOCUMENT["components"]["schemas"]
}

/// The names of all members that the description has, of answers and of requests.
pub(crate) fn members() -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    let mut rest = vec![&*DOCUMENT];
    while let Some(value) = rest.pop() {
        if let Some(properties) = value["properties"].as_object() {
            names.extend(properties.keys().map(String::as_str));
        }
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(members) => rest.extend(members.values()),
            _ => {}
        }
    }
    names
}

/// What stands at a place of the description.
pub fn value_at(place: &str) -> &'static Value {
    let value = DOCUMENT.pointer(place);
    value.unwrap_or_else(|| panic!("openapi.yaml has nothing at {place}"))
}

impl Form {
    fn of(document: &'static Value) -> Self {
        let document = Draft::Draft202012.create_resource(document.clone());
        let added = Registry::new().add(NAME, document);
        let prepared = added.and_then(|registry| registry.prepare());
        Self {
            registry: prepared.expect("every reference of openapi.yaml leads somewhere"),
            validators: Mutex::default(),
        }
    }

    fn validator(&'static self, place: &str) -> Arc<Validator> {
        let mut validators = self
            .validators
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let made = validators.entry(place.to_owned()).or_insert_with(|| {
            let fragment = place.replace('{', "%7B").replace('}', "%7D");
            let schema = json!({"$ref": format!("{NAME}#{fragment}")});
            let options = jsonschema::options().with_draft(Draft::Draft202012);
            let validator = options.with_registry(&self.registry).build(&schema);
            Arc::new(validator.unwrap_or_else(|error| panic!("{place}: {error}")))
        });
        Arc::clone(made)
    }
}
