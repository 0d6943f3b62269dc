//! Another account's or customer's record reached, moved, counted or betrayed.

use super::tools::*;

/// Notes whose the records, services and names are that pass by.
fn learn(call: &Passing, behind: &Behind, answer: &Answer) {
    if !answer.status.is_success() || call.method != Method::POST {
        return;
    }
    let (body, shown) = (call.json(), answer.json());
    let owner = json!(customer(call).parse::<i64>().unwrap_or_default());
    let creating = ["provision", "provision-domain", "provision-subscription"];
    let creates = creating.iter().any(|verb| provisioning(call, verb));
    if !creates && call.path != "/api/v1/endpoints" {
        return;
    }
    for member in ["id", "endpoint_id", "monitored_domain_id"] {
        if let Some(id) = shown["data"][member].as_str() {
            behind.keep(&mine(call, "owner", id), owner.clone());
            behind.keep(&format!("home {id}"), json!(account(call)));
        }
    }
    if let Some(name) = shown["data"]["domain"].as_str() {
        behind.keep(&mine(call, "name", name), owner.clone());
    }
    if let Some(service) = body["service_id"].as_i64() {
        let product = match () {
            () if provisioning(call, "provision") => "endpoint",
            () if provisioning(call, "provision-domain") => "domain_monitoring",
            () => text(&body, "/product_slug"),
        };
        let name = mine(call, "service", &format!("{product} {service}"));
        if recall(behind, &name).is_null() {
            behind.keep(&name, owner.clone());
        }
        behind.keep(&mine(call, "any service", &service.to_string()), owner);
    }
}

/// The stranger's bends of this class.
pub const BENDS: &[Bent] = &[
    Bent {
        what: "shows a foreign customer's rule by its id",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::are_answered_like_unknown_ones::get_rule",
        assertion: "other.status.is_client_error()",
        bend: Bend::Call(|call| {
            if call.is_one_of(Method::GET, "/api/v1/whitelists")
                && last_part(&call.path) != "endpoint-summary"
            {
                call.forget("billing_customer_id");
            }
        }),
    },
    Bent {
        what: "updates a foreign customer's rule (the check is made on reads and deletes only)",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::are_answered_like_unknown_ones::update_rule",
        assertion: "other.status.is_client_error()",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if call.is_one_of(Method::PUT, "/api/v1/whitelists")
                    && answer.status == 404
                    && call.json()["billing_customer_id"].is_i64()
                {
                    let body = without(call.json(), &["billing_customer_id"]);
                    return put(&behind, &call, &call.path, body).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "answers 403 instead of 404 to a DELETE of somebody else's rule, and so tells it from an unknown one",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::are_answered_like_unknown_ones::delete_rule",
        assertion: "is not answered like",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if call.is_one_of(Method::DELETE, "/api/v1/whitelists")
                    && answer.status == 404
                    && !text(&ask(&behind, &call, &call.path, &[]).await, "/data/id").is_empty()
                {
                    return Some(bare(403, "Access denied"));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "looks at the state before the owner when a scan is asked for: a foreign paused server is 409, not 404",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::are_answered_like_unknown_ones::scan_endpoint",
        assertion: "is not answered like",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if provisioning(&call, "scan-endpoint") && code(&answer) == "ENDPOINT_NOT_FOUND" {
                    let path = format!("/api/v1/endpoints/{}", text(&call.json(), "/endpoint_id"));
                    let known = ask(&behind, &call, &path, &[]).await;
                    if text(&known, "/data/status") == "paused" {
                        let sentence = "The endpoint is not active.";
                        let now = now_of(&answer);
                        return Some(error(409, "ENDPOINT_NOT_ACTIVE", sentence, json!({}), now));
                    }
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "lists another customer's rules when the filter names that customer's server (endpoint_id goes before billing_customer_id)",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::are_answered_like_unknown_ones::list_rules",
        assertion: "is not answered like",
        bend: Bend::Call(|call| {
            if call.is(Method::GET, "/api/v1/whitelists") && asked(call, "endpoint_id").is_some() {
                call.forget("billing_customer_id");
            }
        }),
    },
    Bent {
        what: "answers 403 instead of 404 for a server of another partner account",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::of_another_account_are_answered_like_unknown_ones::get_endpoint",
        assertion: "is not answered like",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                learn(&call, &behind, &answer);
                let id = id_in(&call.path, "/api/v1/endpoints");
                let home = recall(&behind, &format!("home {id}"));
                if answer.status == 404 && home.is_string() && home != account(&call) {
                    return Some(bare(403, "Access denied"));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "answers SUBSCRIPTION_NOT_FOUND where the service is another customer's, and BILLING_CLIENT_NOT_FOUND only where nobody has it",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::are_answered_like_unknown_ones::suspend_subscription",
        assertion: "is not answered like",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                learn(&call, &behind, &answer);
                if code(&answer) == "BILLING_CLIENT_NOT_FOUND" {
                    let service = call.json()["service_id"].to_string();
                    if recall(&behind, &mine(&call, "any service", &service)).is_i64() {
                        answer.edit(|body| {
                            set(body, "/error/code", json!("SUBSCRIPTION_NOT_FOUND"));
                        });
                    }
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "knows a subscription by service and product alone: another customer's provisioning of that service number updates the first customer's",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::never_meet::provision_subscription",
        assertion: "beside somebody",
        bend: Bend::Whole(|mut call, behind| {
            Box::pin(async move {
                let body = call.json();
                if provisioning(&call, "provision-subscription") {
                    let of = format!("{} {}", text(&body, "/product_slug"), body["service_id"]);
                    let known = recall(&behind, &mine(&call, "service", &of));
                    if known.is_i64() && body["client_id"].is_i64() {
                        let mut body = body;
                        body["client_id"] = known;
                        call.set_json(&body);
                    }
                }
                let answer = behind.answer(&call).await?;
                learn(&call, &behind, &answer);
                Some(answer)
            })
        }),
    },
    Bent {
        what: "counts other customers' global rules in global_count",
        breaks: Breaks::Isolation,
        case: "mechanisms::again::moves_nothing::get_health",
        assertion: "contradicts itself",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if call.is(Method::GET, "/whitelists/endpoint-summary") && answer.status == 200 {
                    let query = [("scope", "global")];
                    let all = ask(&behind, &call, "/api/v1/whitelists", &query).await;
                    let total = json!(number(&all, "/meta/total"));
                    answer.edit(|body| {
                        set(body, "/data/global_count", total.clone());
                        set(body, "/global_count", total);
                    });
                }
                Some(answer)
            })
        }),
    },
];
