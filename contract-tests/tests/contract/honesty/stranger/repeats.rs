//! A repeat, answered with a note or called twice, that touches something.

use super::tools::*;

/// Brings capacity into order for a service, as any subscription call with an effect does.
async fn reconcile(behind: &Behind, call: &Passing) {
    let body = call.json();
    let same = json!({
        "client_id": body["client_id"],
        "service_id": body["service_id"],
        "product_slug": body["product_slug"],
    });
    tell(behind, call, "/api/v1/billing/provision-subscription", same).await;
}

/// The stranger's bends of this class.
pub const BENDS: &[Bent] = &[
    Bent {
        what: "moves a server's updated_at when it is suspended a second time",
        breaks: Breaks::Idempotency,
        case: "mechanisms::again::moves_nothing_later_either::suspend_endpoint",
        assertion: "which was so already",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if provisioning(&call, "suspend") && noted(&answer) {
                    let id = text(&answer.json(), "/data/endpoint_id").to_owned();
                    behind.keep(&format!("touched {id}"), json!(instant(now_of(&answer))));
                }
                each_endpoint(&mut answer, |id, server| {
                    let touched = recall(&behind, &format!("touched {id}"));
                    let shown = server.get("updated_at").and_then(Value::as_str);
                    if touched.as_str() > shown {
                        server.insert("updated_at".to_owned(), touched);
                    }
                });
                Some(answer)
            })
        }),
    },
    Bent {
        what: "restores a deleted server as paused when the POST /endpoints that restores it says paused",
        breaks: Breaks::Idempotency,
        case: "scenes::what_comes_back_is_as_it_was",
        assertion: "`/data/status` is \"paused\"",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let body = call.json();
                if !call.is(Method::POST, "/api/v1/endpoints") || body["status"] != "paused" {
                    return behind.answer(&call).await;
                }
                let owner = customer(&call);
                let query = [("billing_customer_id", owner.as_str()), ("per_page", "100")];
                let before = ask(&behind, &call, "/api/v1/endpoints", &query).await;
                let mut answer = behind.answer(&call).await?;
                let id = text(&answer.json(), "/data/id").to_owned();
                let there = items(&before, "/data")
                    .iter()
                    .any(|server| server["id"] == id);
                if noted(&answer) && !there {
                    let change = json!({
                        "billing_customer_id": body["billing_customer_id"],
                        "status": "paused",
                    });
                    put(&behind, &call, &format!("/api/v1/endpoints/{id}"), change).await;
                    answer.edit(|json| {
                        set(json, "/data/status", json!("paused"));
                        set(json, "/data/next_scan_at", Value::Null);
                    });
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "resumes a paused domain when it is provisioned again",
        breaks: Breaks::Idempotency,
        case: "mechanisms::still::leaves_all_as_it_is::provision_domain",
        assertion: "before.assert_same(&Snapshot::in_short",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if provisioning(&call, "provision-domain")
                    && noted(&answer)
                    && text(&answer.json(), "/data/status") == "paused"
                {
                    let id = answer.json()["data"]["monitored_domain_id"].clone();
                    let path = "/api/v1/billing/resume-domain";
                    tell(&behind, &call, path, json!({"monitored_domain_id": id})).await;
                    answer.edit(|json| set(json, "/data/status", json!("active")));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "brings platform-paused records back when an already suspended (or active) subscription is told so again",
        breaks: Breaks::Idempotency,
        case: "scenes::what_is_noted_brings_nothing_back",
        assertion: "`/data/domains/0/quota_paused` is false",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                let verbs = ["suspend-subscription", "resume-subscription"];
                if verbs.iter().any(|verb| provisioning(&call, verb)) && noted(&answer) {
                    reconcile(&behind, &call).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "brings platform-paused records back with a change-subscription that changes nothing",
        breaks: Breaks::Idempotency,
        case: "scenes::what_is_noted_brings_nothing_back",
        assertion: "`/data/domains/0/quota_paused` is false",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if provisioning(&call, "change-subscription")
                    && answer.json().pointer("/data/changed") == Some(&json!(false))
                {
                    reconcile(&behind, &call).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "gives removed portal access back only with a new server, not with a provision that is answered with a note",
        breaks: Breaks::Idempotency,
        case: "mechanisms::again::gives_access_back::provision_domain",
        assertion: "{}, again",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                let name = mine(&call, "no access", &customer(&call));
                if code(&answer) == "USER_NOT_FOUND" {
                    behind.keep(&name, json!(text(&answer.json(), "/error/message")));
                } else if answer.status == 201 && !call.path.ends_with("/whitelists") {
                    behind.keep(&name, Value::Null);
                } else if call.path == "/api/v1/sso/token" && answer.status.is_success() {
                    let refused = recall(&behind, &name);
                    if let Some(sentence) = refused.as_str() {
                        let now = now_of(&answer);
                        return Some(error(500, "USER_NOT_FOUND", sentence, json!({}), now));
                    }
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "does not move a service's mapping when the provision that names it is answered with a note",
        breaks: Breaks::Idempotency,
        case: "scenes::a_service_that_is_named_again_moves",
        assertion: "step 5: get_endpoint",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if !provisioning(&call, "provision") || !call.json()["service_id"].is_i64() {
                    return behind.answer(&call).await;
                }
                let mut unmapped = call.clone();
                unmapped.set_json(&without(call.json(), &["service_id"]));
                let answer = behind.answer(&unmapped).await?;
                if answer.status == 201 {
                    behind.answer(&call).await;
                }
                Some(answer)
            })
        }),
    },
];
