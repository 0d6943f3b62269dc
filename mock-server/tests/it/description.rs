//! The descriptions of the partner API and of the admin API: every answer of every test is held against them.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::client::{Reply, Stage};
use crate::program::{command, run};
use crate::strict::strict;

const PUBLISHED: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

const OF_ADMIN: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi-mock.json"));

/// What answers are held against: both, which have no name in common.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
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
fn resolved(value: &'static Value) -> &'static Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(reference) => {
            let target = DOCUMENT.pointer(reference.trim_start_matches('#'));
            resolved(target.unwrap_or_else(|| panic!("{reference} leads nowhere")))
        }
        None => value,
    }
}

fn object(value: &'static Value) -> &'static Map<String, Value> {
    value
        .as_object()
        .unwrap_or_else(|| panic!("{value} is no object"))
}

/// The description of a path; a literal path before one with parts.
fn path_item(path: &str) -> Option<&'static Value> {
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
fn mismatch(schema: &'static Value, value: &Value) -> Option<String> {
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
fn documented(below: &str) -> Vec<String> {
    let mut operations = Vec::new();
    let paths = object(&DOCUMENT["paths"]).iter();
    for (path, item) in paths.filter(|(path, _)| path.starts_with(below)) {
        let methods = object(resolved(item))
            .keys()
            .filter(|name| *name != "parameters");
        operations.extend(methods.map(|method| format!("{} {path}", method.to_uppercase())));
    }
    operations.sort();
    operations
}

#[test]
fn every_documented_operation_is_routed_and_every_route_documented() {
    let (_, out, _) = run(&mut command(&["routes"]));
    let named = out.lines().filter_map(|line| line.rsplit_once(' '));
    let routed = named.map(|(route, _)| route.to_owned());
    // The landing page of sign-in tokens is the mock's own.
    let mut routed: Vec<String> = routed.filter(|route| route != "GET /sso").collect();
    routed.sort();
    assert_eq!(routed, documented("/api/"));
}

#[test]
fn the_description_is_served_to_everybody_and_printed() {
    let stage = Stage::of(|builder| {
        builder
            .admin_key("opensesame")
            .admin_listen(([127, 0, 0, 1], 0).into())
    });
    let admin = crate::client::Caller::new(stage.server.admin_url());
    for caller in [&stage.anyone, &admin] {
        let served = caller.get("/openapi.json").expect(200);
        assert_eq!(served.header("content-type"), Some("application/json"));
        assert_eq!(served.text(), PUBLISHED);
        assert_eq!(
            caller.delete("/openapi.json").expect(405).header("allow"),
            Some("GET")
        );
    }
    // In the order of the YAML.
    assert!(PUBLISHED.starts_with(r#"{"openapi":"3.1.0","info":{"title":"#));
    let (code, out, _) = run(&mut command(&["openapi"]));
    assert_eq!(code, Some(0));
    assert!(out.contains("openapi: 3.1.0"));
}

#[test]
fn every_admin_call_is_described_with_its_parameters() {
    let stage = Stage::new();
    let refused = stage.anyone.get("/_mock/nonsense").expect(404).json();
    let sentence = refused["error"].as_str().expect("a sentence");
    let (_, listed) = sentence.split_once("there are ").expect("the calls");
    let mut calls: Vec<String> = listed
        .trim_end_matches('.')
        .split(", ")
        .map(str::to_owned)
        .collect();
    calls.sort();
    assert_eq!(calls, documented("/_mock/"));

    for call in calls {
        let (method, path) = call.split_once(' ').expect("a method");
        let operation = &DOCUMENT["paths"][path][method.to_ascii_lowercase()];
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let query = parameters.map(resolved).filter(|one| one["in"] == "query");
        let described: Vec<&str> = query.filter_map(|one| one["name"].as_str()).collect();
        let refused = stage
            .anyone
            .send(method, &format!("{path}?nonsense=1"), b"")
            .expect(400)
            .json();
        let sentence = refused["error"].as_str().expect("a sentence");
        let taken = sentence
            .trim_end_matches('.')
            .rsplit_once("akes ")
            .map_or("", |(_, names)| names);
        match described.is_empty() {
            true => assert_eq!(taken, "none", "{call}"),
            false => assert_eq!(taken, described.join(", "), "{call}"),
        }
    }
}

#[test]
fn the_page_of_the_reference_needs_no_key_and_nothing_from_elsewhere() {
    let stage = Stage::of(|builder| builder.admin_key("opensesame"));
    let page = stage.anyone.get("/_mock/docs").expect(200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(page.text().contains(r#"fetch("/openapi.json")"#));
    for elsewhere in ["http:", "https:", "src=", "<link", "import "] {
        assert!(!page.text().contains(elsewhere), "{elsewhere}");
    }
    let described = stage.anyone.get("/_mock/openapi.json").expect(200);
    assert_eq!(described.text(), OF_ADMIN);
}

#[test]
fn every_reference_of_the_description_leads_somewhere() {
    fn follow(value: &'static Value) {
        match value {
            Value::Object(object) => {
                resolved(value);
                object.values().for_each(follow);
            }
            Value::Array(items) => items.iter().for_each(follow),
            _ => {}
        }
    }
    follow(&DOCUMENT);
}

/// The examples of a request or an answer, and the schema that they are of.
fn examples(part: &'static Value) -> (&'static Value, Vec<&'static Value>) {
    let media = &resolved(part)["content"]["application/json"];
    let named = media["examples"].as_object().into_iter().flatten();
    let mut examples: Vec<_> = named.map(|(_, one)| &resolved(one)["value"]).collect();
    examples.extend(media.get("example"));
    (&media["schema"], examples)
}

#[test]
fn every_request_and_answer_has_an_example_which_is_as_the_mock_answers() {
    for call in documented("/") {
        let (method, path) = call.split_once(' ').expect("a method");
        let operation = &DOCUMENT["paths"][path][method.to_ascii_lowercase()];
        if let Some(body) = operation.get("requestBody") {
            assert!(!examples(body).1.is_empty(), "{call} shows no request");
        }
        for (status, response) in object(&operation["responses"]) {
            let (schema, shown) = examples(response);
            let is_document = schema["$ref"] == "#/components/schemas/Document";
            assert!(
                schema.is_null() || is_document || !shown.is_empty(),
                "{call} shows no {status}"
            );
            for example in shown {
                assert_eq!(mismatch(schema, example), None, "{call} {status}");
            }
        }
    }
}

/// The schema of an answer of the partner API, as it is held against answers.
fn schema_of(method: &str, path: &str, status: &str) -> &'static Value {
    let operation = &path_item(path).expect(path)[method];
    &resolved(&operation["responses"][status])["content"]["application/json"]["schema"]
}

#[test]
fn what_is_published_open_for_generators_is_closed_here() {
    let meta = json!({ "version": "v1", "timestamp": "2026-01-01T00:00:00+00:00" });
    let id = "2f9c1d4e-7a53-4b60-8d21-5e6f7a8b9c0d";
    let success = |data: Value| json!({ "success": true, "data": data, "meta": meta });
    let new = success(json!({ "endpoint_id": id, "status": "active" }));
    let paused = success(json!({ "endpoint_id": id, "status": "paused" }));
    let known = success(json!({ "endpoint_id": id, "status": "paused", "note": "It is there." }));
    let domain = json!({ "monitored_domain_id": id, "domain": "shop.example", "status": "active" });
    let new_domain = success(domain.clone());
    let mut known_domain = success(domain);
    known_domain["data"]["note"] = json!("It is there.");
    let sync = |enforcement: Value| {
        success(json!({
            "changed": 0, "unchanged": 2, "unknown_services": [], "enforcement": enforcement,
        }))
    };
    let failure = json!({ "status": "error", "message": "Unauthenticated.", "errors": {} });
    let coded = |code: Value| json!({ "code": code, "message": "No.", "details": {} });
    let envelope =
        |code: Value| json!({ "success": false, "error": coded(code), "meta": meta.clone() });
    let mut both = failure.clone();
    both["success"] = json!(false);
    let bare = |code: Value| json!({ "error": { "code": code, "message": "Access denied" } });

    let provision = ("post", "/api/v1/billing/provision");
    let alias = ("post", "/api/v1/provisioning/provision");
    let provision_domain = ("post", "/api/v1/billing/provision-domain");
    let sync_services = ("post", "/api/v1/billing/sync-services");
    let create_rule = ("post", "/api/v1/whitelists");
    for (fits, (method, path), status, answer) in [
        // A note tells that nothing was made: always with 200, never with 201.
        (true, provision, "201", &new),
        (false, provision, "201", &known),
        (false, provision, "201", &paused),
        (true, provision, "200", &known),
        (false, provision, "200", &new),
        (false, alias, "200", &new),
        (true, provision_domain, "201", &new_domain),
        (false, provision_domain, "201", &known_domain),
        (true, provision_domain, "200", &known_domain),
        (false, provision_domain, "200", &new_domain),
        // When no customer changed there is an empty list, never one with something in it.
        (true, sync_services, "200", &sync(json!([]))),
        (true, sync_services, "200", &sync(json!({}))),
        (false, sync_services, "200", &sync(json!([1]))),
        (false, sync_services, "200", &sync(json!({ "42": {} }))),
        (false, sync_services, "200", &sync(Value::Null)),
        (false, sync_services, "200", &sync(json!("none"))),
        // One shape or the other, never a mixture and never none.
        (true, provision, "401", &failure),
        (true, provision, "401", &envelope(json!("TENANT_NOT_FOUND"))),
        (false, provision, "401", &envelope(json!(401))),
        (false, provision, "401", &both),
        (false, provision, "401", &json!({})),
        (true, create_rule, "403", &bare(json!(403))),
        (false, create_rule, "403", &bare(json!("ACCOUNT_SUSPENDED"))),
        (
            true,
            create_rule,
            "403",
            &envelope(json!("ACCOUNT_SUSPENDED")),
        ),
        (false, create_rule, "403", &envelope(json!(403))),
    ] {
        let problem = mismatch(schema_of(method, path, status), answer);
        assert_eq!(
            problem.is_none(),
            fits,
            "{path} {status} {answer}: {problem:?}"
        );
    }

    let created = ("post", "/api/v1/endpoints");
    for (status, other) in [("201", "200"), ("200", "201")] {
        let response = &path_item(created.1).expect("a path")["post"]["responses"][status];
        let example = examples(response).1[0];
        assert_eq!(
            mismatch(schema_of(created.0, created.1, status), example),
            None
        );
        assert!(mismatch(schema_of(created.0, created.1, other), example).is_some());
    }
}

#[test]
fn no_keyword_is_published_that_generators_fail_at() {
    fn look(place: &str, value: &Value, found: &mut Vec<String>) {
        for (name, member) in value.as_object().into_iter().flatten() {
            let place = format!("{place}/{name}");
            match name.as_str() {
                // Generators pass over extensions, and examples are no schemas.
                "x-strict" | "example" | "examples" | "value" => continue,
                "not" | "const" | "anyOf" | "allOf" | "if" | "prefixItems"
                | "patternProperties" => {
                    found.push(place.clone());
                }
                "oneOf" => {
                    let choices = member.as_array().expect("choices");
                    let or_null = choices.len() == 2 && choices[1]["type"] == "null";
                    found.extend((!or_null).then(|| place.clone()));
                }
                "type" => {
                    let types = member.as_array().map_or(&[][..], Vec::as_slice);
                    let or_null = types.is_empty() || (types.len() == 2 && types[1] == "null");
                    found.extend((!or_null).then(|| place.clone()));
                    let number = |name: &Value| name == "integer" || name == "number";
                    let is_number = number(member) || types.iter().any(number);
                    found.extend(
                        (is_number && value.get("format").is_none()).then(|| place.clone()),
                    );
                }
                // Look-around, which regular expressions of Go and Rust do not have.
                "pattern"
                    if member
                        .as_str()
                        .is_some_and(|text| text.contains("(?=") || text.contains("(?!")) =>
                {
                    found.push(place.clone());
                }
                "additionalProperties" if member == false && !place.contains("Request/") => {
                    found.push(place.clone());
                }
                _ => {}
            }
            look(&place, member, found);
        }
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            look(&format!("{place}/{index}"), item, found);
        }
    }
    let published: Value = serde_json::from_str(PUBLISHED).expect("a description is JSON");
    let mut found = Vec::new();
    for part in [
        "/components/schemas",
        "/components/parameters",
        "/components/headers",
        "/components/responses",
        "/paths",
    ] {
        look(part, published.pointer(part).expect(part), &mut found);
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn an_alias_is_the_operation_that_it_names() {
    let paths = object(&DOCUMENT["paths"]);
    let operations: Vec<_> = paths
        .iter()
        .flat_map(|(path, item)| object(item).values().map(move |one| (path, one)))
        .collect();
    let aliases: Vec<_> = operations
        .iter()
        .filter(|(path, _)| path.starts_with("/api/v1/provisioning/"))
        .collect();
    assert!(!aliases.is_empty());
    for (path, alias) in aliases {
        let name = &alias["x-alias-of"];
        let found = operations
            .iter()
            .find(|(_, one)| one["operationId"] == *name);
        let (other, operation) = found.unwrap_or_else(|| panic!("{path} is an alias of {name}"));
        assert_eq!(path.replace("/provisioning/", "/billing/"), **other);
        for part in ["summary", "parameters", "requestBody", "responses"] {
            assert_eq!(alias[part], operation[part], "{part} of {path}");
        }
    }
}

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
