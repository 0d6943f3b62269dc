//! Turns the descriptions into the JSON that is embedded and served, and into the names that each operation knows.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use serde_yaml_ng::Value;

const SOURCES: [&str; 2] = ["openapi", "openapi-mock"];

fn main() -> Result<(), Box<dyn Error>> {
    let target = env::var("OUT_DIR")?;
    let target = Path::new(&target);
    for name in SOURCES {
        let source = format!("{name}.yaml");
        println!("cargo::rerun-if-changed={source}");
        // YAML's own type of value keeps the order of the file.
        let document: Value = serde_yaml_ng::from_str(&fs::read_to_string(source)?)?;
        fs::write(
            target.join(format!("{name}.json")),
            serde_json::to_vec(&document)?,
        )?;
        if name == SOURCES[0] {
            fs::write(target.join("known.rs"), known_names(&document)?)?;
        }
    }
    Ok(())
}

/// A Rust table: an operation, and what it knows, as `src/operations/known_names.rs` has it.
fn known_names(document: &Value) -> Result<String, Box<dyn Error>> {
    let mut rows = String::from("&[\n");
    let paths = document["paths"].as_mapping().ok_or("no paths")?;
    for (method, operation) in paths.values().filter_map(Value::as_mapping).flatten() {
        let Some(name) = operation["operationId"].as_str() else {
            return Err(format!("{method:?} has no operationId").into());
        };
        let parameters: BTreeSet<_> = operation["parameters"]
            .as_sequence()
            .into_iter()
            .flatten()
            .map(|parameter| resolved(document, parameter))
            .filter(|parameter| parameter["in"] == "query")
            .filter_map(|parameter| parameter["name"].as_str())
            .collect();
        let body = resolved(document, &operation["requestBody"]);
        let schema = &body["content"]["application/json"]["schema"];
        let parameters = Vec::from_iter(parameters);
        let mut fields = BTreeMap::new();
        collect_fields(document, schema, "", &mut fields);
        let (fields, types): (Vec<String>, Vec<String>) = fields.into_iter().unzip();
        let outcomes = Vec::from_iter(outcomes(document, &operation["responses"]));
        writeln!(
            rows,
            "    ({name:?}, Known {{ parameters: &{parameters:?}, fields: &{fields:?}, types: &{types:?}, outcomes: &{outcomes:?} }}),"
        )?;
    }
    Ok(rows + "]\n")
}

/// The names of an object's fields with their types, and those of the objects in it behind a dot.
fn collect_fields(
    document: &Value,
    schema: &Value,
    prefix: &str,
    fields: &mut BTreeMap<String, String>,
) {
    let schema = resolved(document, schema);
    if !schema["items"].is_null() {
        collect_fields(document, &schema["items"], prefix, fields);
    }
    for (name, schema) in schema["properties"].as_mapping().into_iter().flatten() {
        let Some(name) = name.as_str() else { continue };
        let types = types(resolved(document, schema));
        fields.insert(format!("{prefix}{name}"), types);
        collect_fields(document, schema, &format!("{prefix}{name}."), fields);
    }
}

/// The types of a value, with ` or ` between them; empty where a schema does not say.
fn types(schema: &Value) -> String {
    let names = match &schema["type"] {
        Value::Sequence(names) => names.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect::<Vec<_>>(),
    };
    names.join(" or ")
}

/// Statuses, with the string code behind where there is one: those are the names of the examples.
fn outcomes(document: &Value, responses: &Value) -> BTreeSet<String> {
    let mut outcomes = BTreeSet::new();
    for (status, response) in responses.as_mapping().into_iter().flatten() {
        let Some(status) = status.as_str() else {
            continue;
        };
        let response = resolved(document, response);
        let examples = &response["content"]["application/json"]["examples"];
        let names = examples.as_mapping().into_iter().flatten();
        let names: Vec<&str> = names.filter_map(|(name, _)| name.as_str()).collect();
        let is_code = |name: &&&str| name.contains('_') && !name.contains(char::is_lowercase);
        let codes = names.iter().filter(is_code);
        outcomes.extend(codes.map(|code| format!("{status} {code}")));
        if names.is_empty() || !names.iter().all(|name| is_code(&name)) {
            outcomes.insert(status.to_owned());
        }
    }
    outcomes
}

/// What stands where a reference points to.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let Some(reference) = value["$ref"].as_str() else {
        return value;
    };
    let parts = reference.trim_start_matches("#/").split('/');
    resolved(document, parts.fold(document, |value, part| &value[part]))
}
