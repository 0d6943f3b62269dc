//! The strict form of `openapi.yaml`, which is open as it is published. The contract suite uses it too.

use serde_json::{Value, json};

/// What our own mock adds or fixes where the specification leaves it open, laid over the schemas of answers.
fn fixed() -> Vec<(&'static str, Value)> {
    let uuid = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
    let time = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$";
    let count = json!({"type": "integer", "minimum": 0});
    let counts = json!({
        "required": ["active", "paused"],
        "properties": {"active": count, "paused": count},
        "additionalProperties": false,
    });
    vec![
        ("/Uuid", json!({"pattern": uuid})),
        ("/NullableUuid", json!({"pattern": uuid})),
        ("/Timestamp", json!({"pattern": time})),
        ("/NullableTimestamp", json!({"pattern": time})),
        ("/Endpoint", json!({"required": ["quota_paused"]})),
        ("/EndpointOfRule", json!({"required": ["quota_paused"]})),
        ("/CreatedEndpoint", json!({"required": ["quota_paused"]})),
        (
            "/EndpointList/properties/meta",
            json!({"required": ["version", "timestamp"]}),
        ),
        (
            "/EndpointList/properties/meta/properties/status_counts",
            counts,
        ),
        (
            "/RuleList/properties/meta",
            json!({"required": ["version", "timestamp"]}),
        ),
        // Of a global rule and of an endpoint's.
        (
            "/Rule",
            json!({
                "if": {"properties": {"endpoint_id": {"type": "null"}}},
                "then": {"not": {"required": ["endpoint"]}},
                "else": {"required": ["endpoint"]},
            }),
        ),
        (
            "/EndpointDetail/properties/whitelisted_ports/items",
            json!({"pattern": r"^\d+:(tcp|udp)$"}),
        ),
        (
            "/DomainList",
            json!({"required": ["domains", "slots_used", "slots_total", "portal_add_path"]}),
        ),
        ("/DomainItem", json!({"required": ["quota_paused"]})),
        ("/DomainSummary", json!({"required": ["quota_paused"]})),
        (
            "/UnreachableLeakPage",
            json!({"required": ["enabled", "total", "page", "page_size"]}),
        ),
        (
            "/UnreachableLeakPage/properties/total",
            json!({"maximum": 0}),
        ),
        (
            "/ReleasedDomain/properties/released",
            json!({"const": true}),
        ),
        (
            "/ChangedSubscription",
            json!({"required": ["direction", "quantity"]}),
        ),
        (
            "/Price/properties/currency",
            json!({"minLength": 3, "maxLength": 3}),
        ),
        ("/SsoToken/properties/token", json!({"minLength": 16})),
    ]
}

/// The description with its answers closed: no further members, no other values than the known ones, what stands under
/// `x-strict`, and what the mock fixes.
pub fn strict(mut document: Value) -> Value {
    let schemas = &mut document["components"]["schemas"];
    for (name, schema) in schemas.as_object_mut().expect("schemas") {
        // What a caller sends besides is ignored.
        if !name.ends_with("Request") {
            close(schema);
        }
        if let Some(success) = schema.pointer_mut("/properties/success") {
            success["const"] = Value::Bool(!name.contains("Error"));
        }
    }
    for (place, more) in fixed() {
        let schema = schemas.pointer_mut(place).expect(place);
        for (keyword, value) in more.as_object().expect("keywords") {
            match schema.get_mut(keyword).and_then(Value::as_array_mut) {
                Some(there) => there.extend(value.as_array().expect(place).clone()),
                None => schema[keyword] = value.clone(),
            }
        }
    }
    apply_strict_rules(&mut document);
    document
}

/// Puts what is published under `x-strict`, since generators do not take it, in its place: into the schema that it stands
/// in, or beside the schema of an answer.
fn apply_strict_rules(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(rules) = members.remove("x-strict") {
                match members.remove("schema") {
                    Some(schema) => {
                        members.insert("schema".to_owned(), json!({"allOf": [schema, rules]}));
                    }
                    None => {
                        for (keyword, rule) in rules.as_object().expect("keywords") {
                            let replaced = members.insert(keyword.clone(), rule.clone());
                            assert_eq!(replaced, None, "{keyword} stands twice");
                        }
                    }
                }
            }
            members.values_mut().for_each(apply_strict_rules);
        }
        Value::Array(items) => items.iter_mut().for_each(apply_strict_rules),
        _ => {}
    }
}

fn close(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if members.contains_key("properties") {
                let closed = members.entry("additionalProperties");
                closed.or_insert(Value::Bool(false));
            }
            if let Some(Value::Array(mut known)) = members.remove("x-extensible-enum") {
                // A type beside it may be `[string, 'null']`.
                if members["type"].is_array() {
                    known.push(Value::Null);
                }
                members.insert("enum".to_owned(), known.into());
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
