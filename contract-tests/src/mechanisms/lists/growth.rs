//! How lists grow and shrink: whoever adds an operation with pages says so here.

use http::Method;
use serde_json::{Value, json};

use crate::SampleAccount;

/// How a record leaves a list: of which filter, and by which call.
pub fn leaving(operation: &str) -> Option<(Option<(&'static str, &'static str)>, &'static str)> {
    Some(match operation {
        "list_endpoints" => (None, "endpoints/{id}"),
        "list_rules" => (None, "whitelists/{id}"),
        "list_port_alerts" => (Some(("status", "open")), "alerts/{id}/resolve"),
        "list_domain_alerts" => (
            Some(("status", "open")),
            "domains/{domain}/alerts/{id}/acknowledge",
        ),
        _ => return None,
    })
}

/// Makes records that a list must show, in the order in which it must; says how many.
pub async fn grow(sample: &SampleAccount, operation: &str, step: u64) -> usize {
    match operation {
        "list_endpoints" => servers(sample, step).await,
        "list_rules" => rules(sample, step).await,
        "list_domains" => domains(sample, step).await,
        "list_port_alerts" => port_alerts(sample, step).await,
        "list_domain_alerts" => found(
            sample,
            8,
            |n| json!({"employees": n, "customers": n, "third_parties": n / 2, "mentions": n / 4}),
            step,
            22,
        )
        .await,
        "list_mentions" => {
            let count = [2, 5, 35, 36][step as usize % 4];
            let more = count - [0, 2, 5, 35][step as usize % 4];
            found(sample, 1, |_| json!({"mentions": count}), step, more).await
        }
        "list_credential_leaks" => {
            let counts = [
                (1, 0, 0, 1),
                (40, 5, 3, 47),
                (52, 45, 3, 52),
                (52, 46, 53, 51),
            ];
            let (employees, customers, third_parties, more) = counts[step as usize % 4];
            let found_now = json!({"employees": employees, "customers": customers, "third_parties": third_parties});
            found(sample, 1, |_| found_now.clone(), step, more).await
        }
        "get_scan_history" => found(sample, 9, |n| json!({"employees": n}), step, 9).await,
        other => panic!("nobody knows how {other} grows: say so here"),
    }
}

async fn servers(sample: &SampleAccount, step: u64) -> usize {
    let customer = sample.value("customer").await;
    // Somebody else's are never listed.
    sample.value("others_server").await;
    // A customer without a plan may have room for fewer.
    sample.value("room_service").await;
    for number in 0..2 {
        let address = format!("198.51.100.{}", 10 * step + number);
        let by_hand = json!({"billing_customer_id": customer, "ip_address": address, "status": if number == 0 { "active" } else { "paused" }});
        sample.post("endpoints", &by_hand).await;
    }
    // What was changed last is not last in the list.
    let first = sample.value("server").await;
    let renamed = json!({"billing_customer_id": customer, "nickname": format!("server {step}")});
    let path = format!("/api/v1/endpoints/{}", first.as_str().expect("an id"));
    sample.ask(Method::PUT, &path, &renamed).await;
    // The sample account's own is made by the first step.
    2 + usize::from(step == 0)
}

async fn rules(sample: &SampleAccount, step: u64) -> usize {
    let customer = sample.value("customer").await;
    let server = sample.value("server").await;
    let mapped = sample.value("mapped_server").await;
    sample.value("others_server").await;
    let soon = sample.account.day_in(3).await;
    for (number, server) in [&server, &mapped, &Value::Null].into_iter().enumerate() {
        let mut rule = json!({
            "port_start": 7000 + 10 * step + number as u64, "protocol": "tcp", "justification": "Part of a list.",
            "billing_customer_id": customer, "scope": if server.is_null() { "global" } else { "endpoint" }, "endpoint_id": server,
        });
        if (step as usize + number).is_multiple_of(2) {
            rule["expires_at"] = json!(soon);
        }
        sample.post("whitelists", &rule).await;
    }
    3
}

async fn domains(sample: &SampleAccount, step: u64) -> usize {
    let (customer, service) = (
        sample.value("customer").await,
        sample.value("slots_service").await,
    );
    for number in 0..2 {
        let domain = format!("{}{step}.example.com", ["z", "a"][number]);
        let body = json!({"client_id": customer, "service_id": service, "domain": domain});
        sample.post("billing/provision-domain", &body).await;
    }
    2
}

/// Scans of two servers, whose ports of the step before are closed.
async fn port_alerts(sample: &SampleAccount, step: u64) -> usize {
    sample.value("others_server").await;
    let mut count = 0;
    for name in ["server", "mapped_server"] {
        let id = sample.value(name).await;
        let known = [22, 23, 80, 161, 445, 8080, 21, 9000, 3389, 10_000];
        let ports = known
            .iter()
            .skip(step as usize)
            .take(7)
            .map(|port| port + 100 * step);
        let open = ports.flat_map(|port| {
            ["udp", "tcp"].map(|protocol| json!({"port": port, "protocol": protocol}))
        });
        let open: Vec<Value> = open.collect();
        count += open.len();
        let record = format!("endpoints/{}", id.as_str().expect("an id"));
        sample
            .account
            .found(&record, "ports", &json!({"open": open}))
            .await;
    }
    count
}

/// Scans of the domain, by what each finds; so many records come of them.
async fn found(
    sample: &SampleAccount,
    scans: u64,
    finds: impl Fn(u64) -> Value,
    step: u64,
    more: usize,
) -> usize {
    let domain = sample.value("domain").await;
    let record = format!("domains/{}", domain.as_str().expect("an id"));
    for scan in 1..=scans {
        sample
            .account
            .found(&record, "findings", &finds(step * scans + scan))
            .await;
    }
    more
}
