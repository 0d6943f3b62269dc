//! Taking away what a case made: by the partner API where the account is shared, whole accounts where they are the
//! case's own.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use crate::exchange::Exchange;
use crate::http_calls::RawCall;
use crate::service::{Repeatability, Service, Steering};
use crate::stage::Event;
use crate::table::TABLE;

/// A call that takes something away: method, path and body.
type Undo = (Method, String, Value);

/// Takes away what the answers say was made. What is gone already is fine.
pub(crate) async fn clean_up(service: &Service, events: &[Event], accounts: &[String]) {
    if service.steering == Steering::Possible {
        // An embedded mock is gone with the process.
        if service.repeatability == Repeatability::Loose {
            for name in accounts {
                let path = format!("/_mock/tenants/{name}");
                service.admin(Method::DELETE, &path, &Value::Null).await;
            }
        }
        return;
    }
    let answers = events.iter().filter_map(|event| match event {
        Event::Answered(exchange) if exchange.status.is_success() => Some(exchange),
        _ => None,
    });
    // What was made last goes first: rules before their servers, domains before their slots.
    let made: Vec<Undo> = answers.flat_map(|exchange| undone_by(exchange)).collect();
    let mut done = BTreeSet::new();
    for (method, path, body) in made.into_iter().rev() {
        if !done.insert(format!("{method} {path} {body}")) {
            continue;
        }
        let address = format!("{}{path}", service.url);
        let mut call = RawCall::new(method.clone(), &address).bearer(&service.key);
        if !body.is_null() {
            call = call.json(&body);
        }
        let answer = call.send().await.expect("an answer");
        let status = answer.status.as_u16();
        let gone = answer.status.is_success() || [404, 422].contains(&status);
        assert!(
            gone,
            "cleaning up, {method} {path}: {status} {}",
            answer.json
        );
    }
}

/// The calls that take away what an answer says was made.
fn undone_by(exchange: &Exchange) -> Vec<Undo> {
    let (sent, json) = (&exchange.sent, &exchange.json);
    let delete = |group: &str, id: &Value| {
        let id = id.as_str().unwrap_or_default();
        vec![(Method::DELETE, format!("/api/v1/{group}/{id}"), Value::Null)]
    };
    let bill =
        |verb: &str, body: Value| vec![(Method::POST, format!("/api/v1/billing/{verb}"), body)];
    match TABLE.row_of(&exchange.method, &exchange.path).name.as_str() {
        "provision_endpoint" => delete("endpoints", &json["data"]["endpoint_id"]),
        "create_endpoint" => delete("endpoints", &json["data"]["id"]),
        "create_rule" => delete("whitelists", &json["data"]["id"]),
        "ingest_firewall" => {
            let rules = json["data"]["suggested"].as_array().into_iter().flatten();
            rules
                .flat_map(|rule| delete("whitelists", &rule["id"]))
                .collect()
        }
        "provision_domain" => {
            let id = &json["data"]["monitored_domain_id"];
            bill("terminate-domain", json!({"monitored_domain_id": id}))
        }
        "provision_subscription" => {
            let body = ["client_id", "service_id", "product_slug"].map(|name| (name, &sent[name]));
            let body = body
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.clone()));
            bill("terminate-subscription", Value::Object(body.collect()))
        }
        "set_price" => {
            let body =
                json!({"product_slug": sent["product_slug"], "plan_slug": sent["plan_slug"]});
            vec![(Method::DELETE, "/api/v1/billing/pricing".to_owned(), body)]
        }
        _ => Vec::new(),
    }
}
