//! Every answer of every test is held against the descriptions of the partner API and of the admin API.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::client::Reply;
use crate::strict::strict;

pub const PUBLISHED: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

pub const OF_ADMIN: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi-mock.json"));

/// What answers are held against: both, which have no name in common.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let read = |text| serde_json::from_str(text).expect("a description is JSON");
    let (mut both, admin): (Value, Value) = (read(PUBLISHED), read(OF_ADMIN));
    for place in [
        "/paths",
        "/components/schemas",
        "/components/responses",
        "/components/parameters",
    ] {
        let there = both
            .pointer_mut(place)
            .and_then(Value::as_object_mut)
            .expect(place);
        for (name, value) in admin
            .pointer(place)
            .and_then(Value::as_object)
            .expect(place)
        {
            let earlier = there.insert(name.clone(), value.clone());
            assert!(earlier.is_none(), "{place} has {name} twice");
        }
    }
    strict(both)
});

/// What a `$ref` stands for, or the value itself.
pub fn resolved(value: &'static Value) -> &'static Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(reference) => {
            let target = DOCUMENT.pointer(reference.trim_start_matches('#'));
            resolved(target.unwrap_or_else(|| panic!("{reference} leads nowhere")))
        }
        None => value,
    }
}

pub fn object(value: &'static Value) -> &'static Map<String, Value> {
    value
        .as_object()
        .unwrap_or_else(|| panic!("{value} is no object"))
}

/// The description of a path; a literal path before one with parts.
pub fn path_item(path: &str) -> Option<&'static Value> {
    let fits = |template: &str| {
        let (mut ours, mut theirs) = (template.split('/'), path.split('/'));
        loop {
            match (ours.next(), theirs.next()) {
                (None, None) => return true,
                (Some(part), Some(text))
                    if part == text || (part.starts_with('{') && !text.is_empty()) => {}
                _ => return false,
            }
        }
    };
    let paths = object(&DOCUMENT["paths"]);
    let item = paths.get(path).or_else(|| {
        paths
            .iter()
            .find(|(template, _)| fits(template))
            .map(|(_, item)| item)
    });
    item.map(resolved)
}

/// Panics when a documented operation answers what the description does not have.
pub fn check(method: &str, target: &str, reply: &Reply) {
    let path = target.split('?').next().unwrap_or_default();
    let operation = path_item(path).and_then(|item| item.get(method.to_ascii_lowercase()));
    let Some(operation) = operation else { return };
    let status = reply.status.to_string();
    let responses = &operation["responses"];
    let response = responses.get(&status);
    let response = response.or_else(|| responses.get(format!("{}XX", &status[..1])));
    let response = resolved(response.unwrap_or_else(|| {
        panic!(
            "{method} {path} does not document {status}: {}",
            reply.text()
        )
    }));
    match response.pointer("/content/application~1json/schema") {
        Some(schema) => {
            let problem = mismatch(schema, &reply.json());
            assert_eq!(problem, None, "{method} {path} {status}: {}", reply.text());
            check_code(
                &format!("{method} {path} {status}"),
                response,
                &reply.json(),
            );
        }
        None => assert!(
            reply.body.is_empty() || response.get("content").is_some(),
            "{method} {path} {status} has a body"
        ),
    }
    for name in response
        .get("headers")
        .map(object)
        .into_iter()
        .flat_map(Map::keys)
    {
        assert!(
            reply.header(name).is_some(),
            "{method} {path} {status} has no {name}"
        );
    }
}

/// Panics when an error has a code, or details of a code, that its response does not name.
fn check_code(call: &str, response: &'static Value, answer: &Value) {
    let Some(code) = answer.pointer("/error/code").and_then(Value::as_str) else {
        return;
    };
    let examples = &response["content"]["application/json"]["examples"];
    let example = resolved(&examples[code]);
    assert!(!example.is_null(), "{call} does not document {code}");
    let members = |answer: &Value| {
        let details = answer["error"]["details"].as_object().into_iter().flatten();
        details.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    let (shown, documented) = (members(answer), members(&example["value"]));
    assert_eq!(shown, documented, "{call}: the details of {code}");
}

/// Why a value does not fit a schema, if it does not. Every keyword that occurs is known here.
pub fn mismatch(schema: &'static Value, value: &Value) -> Option<String> {
    let schema = resolved(schema);
    object(schema).iter().find_map(|(keyword, rule)| {
        let fits = match keyword.as_str() {
            "description" | "format" | "examples" => true,
            "properties" => {
                return object(rule)
                    .iter()
                    .find_map(|(name, schema)| mismatch(schema, value.get(name)?));
            }
            "if" | "then" | "else" => return conditional(schema, keyword, value),
            "not" => mismatch(rule, value).is_some(),
            "allOf" => {
                let mut all = rule.as_array().into_iter().flatten();
                return all.find_map(|one| mismatch(one, value));
            }
            "anyOf" => {
                let mut choices = rule.as_array().into_iter().flatten();
                choices.any(|choice| mismatch(choice, value).is_none())
            }
            "type" => has_type(rule, value),
            "const" => rule == value,
            "enum" => rule.as_array().is_some_and(|values| values.contains(value)),
            "oneOf" => return one_of(rule, value),
            "required" => rule.as_array().into_iter().flatten().all(|name| {
                value.is_null() || name.as_str().is_some_and(|name| value.get(name).is_some())
            }),
            "additionalProperties" => return additional(schema, rule, value),
            "items" => {
                return value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .find_map(|item| mismatch(rule, item));
            }
            "minimum" => value
                .as_f64()
                .is_none_or(|number| Some(number) >= rule.as_f64()),
            "maximum" => value
                .as_f64()
                .is_none_or(|number| Some(number) <= rule.as_f64()),
            "minLength" => value
                .as_str()
                .is_none_or(|text| text.chars().count() as u64 >= size(rule)),
            "maxLength" => value
                .as_str()
                .is_none_or(|text| text.chars().count() as u64 <= size(rule)),
            "minItems" => value
                .as_array()
                .is_none_or(|items| items.len() as u64 >= size(rule)),
            "maxItems" => value
                .as_array()
                .is_none_or(|items| items.len() as u64 <= size(rule)),
            "pattern" => value.as_str().is_none_or(|text| fits_pattern(rule, text)),
            other => panic!("the keyword {other} is not checked"),
        };
        (!fits).then(|| format!("{keyword} {rule} against {value}"))
    })
}

fn size(rule: &Value) -> u64 {
    rule.as_u64().unwrap_or_else(|| panic!("{rule} is no size"))
}

fn has_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known"),
    };
    match rule {
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        name => name.as_str().is_some_and(is),
    }
}

/// What `then` or `else` has against a value, whichever holds by `if`.
fn conditional(schema: &'static Value, keyword: &str, value: &Value) -> Option<String> {
    let branch = match mismatch(&schema["if"], value) {
        None => "then",
        Some(_) => "else",
    };
    match keyword == branch {
        true => mismatch(&schema[branch], value),
        false => None,
    }
}

fn one_of(choices: &'static Value, value: &Value) -> Option<String> {
    let choices = choices.as_array().into_iter().flatten();
    let problems: Vec<Option<String>> = choices.map(|choice| mismatch(choice, value)).collect();
    match problems.iter().filter(|problem| problem.is_none()).count() {
        1 => None,
        fitting => Some(format!("{fitting} of oneOf fit {value}: {problems:?}")),
    }
}

fn additional(schema: &'static Value, rule: &'static Value, value: &Value) -> Option<String> {
    let named = |name: &String| schema.get("properties")?.get(name);
    let mut others = value.as_object()?.iter();
    others.find_map(|(name, field)| match named(name) {
        Some(_) => None,
        None if rule == &json!(false) => Some(format!("{name} is not documented")),
        None => mismatch(rule, field),
    })
}

/// The patterns of answers, read without a regular expression.
fn fits_pattern(rule: &Value, text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|character| match character {
            '0'..='9' => '9',
            other => other,
        })
        .collect();
    match rule.as_str() {
        Some(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$") => {
            shape == "9999-99-99T99:99:99+99:99" && text.ends_with("+00:00")
        }
        Some(r"^\d+:(tcp|udp)$") => text.split_once(':').is_some_and(|(port, protocol)| {
            port.parse::<u16>().is_ok() && ["tcp", "udp"].contains(&protocol)
        }),
        Some(pattern) if pattern.starts_with("^[0-9a-f]{8}-") => {
            text.len() == 36 && text.parse::<uuid::Uuid>().is_ok()
        }
        other => panic!("the pattern {other:?} is not known"),
    }
}

/// The operations that are described, in the partner API or in the admin API.

#[test]
fn the_judge_of_answers_sees_what_is_wrong() {
    let schema = &DOCUMENT["components"]["schemas"]["Meta"];
    let good = json!({ "version": "v1", "timestamp": "2026-01-01T00:00:00+00:00" });
    assert_eq!(mismatch(schema, &good), None);
    for (field, wrong) in [
        ("version", json!("v2")),
        ("timestamp", json!("2026-01-01T00:00:00Z")),
        ("timestamp", Value::Null),
        ("extra", json!(1)),
    ] {
        let mut value = good.clone();
        value[field] = wrong;
        assert!(mismatch(schema, &value).is_some(), "{value}");
    }
    assert!(mismatch(schema, &json!({ "version": "v1" })).is_some());
}
