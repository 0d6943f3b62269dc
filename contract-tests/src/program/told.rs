//! Asks at the start of a run for what was not told of the service, so that a person learns it before an hour is gone.

use std::sync::Arc;

use http::Method;
use serde_json::json;

use crate::account::Account;
use crate::case::{Body, Case, Playing, run_case};
use crate::service::Service;
use crate::stage::Stage;
use crate::untold::Untold;

/// What is assumed of a service and is otherwise there.
pub fn otherwise(service: &Service) -> Vec<Untold> {
    let questions = [
        (Untold::Plans, case(|stage| Box::pin(a_plan_is_sold(stage)))),
        (
            Untold::Hostname,
            case(|stage| Box::pin(a_name_resolves(stage))),
        ),
    ];
    let asked = questions
        .iter()
        .filter(|(untold, _)| service.untold.contains(untold));
    asked
        .filter_map(|(_, case)| run_case(case, service).untold)
        .collect()
}

fn case(play: fn(Arc<Stage>) -> Playing) -> Case {
    Case {
        path: concat!(module_path!(), "::otherwise"),
        spec_ref: "B2, B4",
        needs: &[],
        namespace: crate::Namespace::Billing,
        body: Body::Alone(play),
    }
}

/// A call that is refused for its other fields does nothing, and names the plan if there is none of that name (B4).
async fn a_plan_is_sold(stage: Arc<Stage>) {
    let account = Account::new(&stage).await;
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

async fn a_name_resolves(stage: Arc<Stage>) {
    let account = Account::new(&stage).await;
    let customer = account.customer();
    let body = json!({"billing_customer_id": customer.id, "ip_address": account.hostname()});
    let call = account.raw(Method::POST, "/api/v1/endpoints");
    let answer = call.json(&body).send().await.expect("an answer");
    assert!(answer.status.is_success(), "{}", answer.json);
}
