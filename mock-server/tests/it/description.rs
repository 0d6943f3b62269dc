//! What the descriptions of the partner API and of the admin API say, and what is said of them.

use serde_json::{Value, json};

use crate::answer_judge::{DOCUMENT, OF_ADMIN, PUBLISHED, mismatch, object, path_item, resolved};
use crate::client::Stage;
use crate::program::{command, run};

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
