//! The third witness: `openapi.yaml`, against which every answer is held.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use http::header;
use jsonschema::{Draft, Registry, Validator};
use serde_json::{Value, json};

use secmon_contract_tests::table::{Row, TABLE};
use secmon_contract_tests::{Exchange, Findings, Forced};

const NAME: &str = "urn:partner-api";

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../../mock-server/openapi.yaml");
    serde_yaml_ng::from_str(text).expect("openapi.yaml can be read")
});

/// The same, in which every object may have further members (F1).
static OPEN_DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = DOCUMENT.clone();
    open(&mut document);
    document
});

static STRICT: LazyLock<Form> = LazyLock::new(|| Form::of(&DOCUMENT));
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

/// What of an answer the description excludes, and what it allows without having described it.
pub fn findings(exchange: &Exchange) -> Findings {
    let strict = problems(exchange);
    let violations = match strict.is_empty() {
        true => Vec::new(),
        false => judged(&OPEN, exchange),
    };
    let differences = strict.into_iter();
    let differences = differences.filter(|problem| !violations.contains(problem));
    Findings {
        differences: differences.collect(),
        violations,
    }
}

/// What of an answer is not as the description has it to the letter; empty when all is.
pub fn problems(exchange: &Exchange) -> Vec<String> {
    judged(&STRICT, exchange)
}

fn judged(form: &'static Form, exchange: &Exchange) -> Vec<String> {
    let row = TABLE.row_of(&exchange.method, &exchange.path);
    let status = exchange.status.as_u16();
    let Some(place) = place_of(row, status) else {
        // A case may order any status.
        if exchange.forced != Forced::No {
            return Vec::new();
        }
        return vec![format!("{} does not document {status}", row.name)];
    };
    let found = found_problems(form, &place, exchange);
    let name = &row.name;
    let named = found
        .into_iter()
        .map(|problem| format!("{name} {status}: {problem}"));
    named.collect()
}

/// The statuses that the description gives an operation.
pub fn statuses(row: &Row) -> Vec<u16> {
    let place = format!("{}/responses", operation(row));
    let responses = value_at(&place).as_object();
    let statuses = responses.into_iter().flat_map(|responses| responses.keys());
    statuses.filter_map(|status| status.parse().ok()).collect()
}

fn found_problems(form: &'static Form, place: &str, exchange: &Exchange) -> Vec<String> {
    let response = value_at(place);
    let mut problems = Vec::new();
    for name in response["headers"]
        .as_object()
        .into_iter()
        .flat_map(|headers| headers.keys())
    {
        if !exchange.headers.contains_key(name.to_ascii_lowercase()) {
            problems.push(format!("the header {name} is missing"));
        }
    }
    if response
        .pointer("/content/application~1json/schema")
        .is_none()
    {
        if !exchange.body.is_empty() {
            problems.push(format!("a body where there is none: {}", exchange.json));
        }
        return problems;
    }
    let kind = exchange.headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().map(str::trim) != Some("application/json") {
        problems.push(format!("JSON that is called {kind:?}"));
    }
    let validator = form.validator(&format!("{place}/content/application~1json/schema"));
    let errors = validator.iter_errors(&exchange.json);
    problems.extend(errors.map(|error| format!("{error} at `{}`", error.instance_path())));
    problems
}

/// The place of an operation, in its namespace.
fn operation(row: &Row) -> String {
    let path = row
        .path
        .replace("{namespace}", row.namespace)
        .replace('/', "~1");
    let item = followed(format!("/paths/{path}"));
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
