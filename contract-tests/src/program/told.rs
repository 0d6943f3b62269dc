//! Asks at the start of a run for what was not told of the service, so that a person learns it before an hour is gone.

use http::Method;
use serde_json::json;

use crate::account::Account;
use crate::case::{Body, Case, run_case};
use crate::service::Service;
use crate::untold::Untold;

/// What is assumed of a service and is otherwise there.
pub fn otherwise(service: &Service) -> Vec<Untold> {
    let questions = [
        (Untold::Plans, case(|| Box::pin(a_plan_is_sold()))),
        (Untold::Hostname, case(|| Box::pin(a_name_resolves()))),
    ];
    let asked = questions
        .iter()
        .filter(|(untold, _)| service.untold.contains(untold));
    asked
        .filter_map(|(_, case)| run_case(case, service).untold)
        .collect()
}

fn case(play: fn() -> crate::case::Playing) -> Case {
    Case {
        path: concat!(module_path!(), "::otherwise"),
        spec_ref: "B2, B4",
        needs: &[],
        namespace: crate::Namespace::Billing,
        body: Body::Alone(play),
    }
}

/// A call that is refused for its other fields does nothing, and names the plan if there is none of that name (B4).
async fn a_plan_is_sold() {
    let account = Account::new().await;
    let body = json!({
        "client_id": 0, "service_id": 0, "product_slug": "port_monitoring", "new_plan_slug": account.plans()[0].0,
    });
    let call = account.raw(Method::POST, "/api/v1/billing/change-subscription");
    let answer = call.json(&body).send().await.expect("an answer");
    assert!(
        answer.json["errors"]["new_plan_slug"].is_null(),
        "{}",
        answer.json
    );
}

async fn a_name_resolves() {
    let account = Account::new().await;
    let customer = account.customer();
    let body = json!({"billing_customer_id": customer.id, "ip_address": account.hostname()});
    let call = account.raw(Method::POST, "/api/v1/endpoints");
    let answer = call.json(&body).send().await.expect("an answer");
    assert!(answer.status.is_success(), "{}", answer.json);
}
