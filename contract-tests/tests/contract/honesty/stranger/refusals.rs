//! A refused call that leaves something behind.

use super::tools::*;

/// The stranger's bends of this class.
pub const BENDS: &[Bent] = &[
    Bent {
        what: "saves a provision-subscription's quantity and plan before it refuses the call for its mrr or its client_email",
        breaks: Breaks::Refusal,
        case: "mechanisms::still::leaves_all_as_it_is::provision_subscription",
        assertion: "before.assert_same(&Snapshot::in_short",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                let late = ["mrr", "client_name", "client_email"];
                if provisioning(&call, "provision-subscription")
                    && answer.status == 422
                    && only(&answer, &late)
                {
                    tell(&behind, &call, &call.path, without(call.json(), &late)).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "lets a manual scan that is refused in the cooldown start the cooldown again",
        breaks: Breaks::Refusal,
        case: "mechanisms::still::a_refused_scan_moves_no_cooldown",
        assertion: "asked {asked} times",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if !provisioning(&call, "scan-endpoint") {
                    return behind.answer(&call).await;
                }
                let name = mine(&call, "cooldown", text(&call.json(), "/endpoint_id"));
                if let Some(end) = recall(&behind, &name)["end"].as_i64() {
                    let now = now(&behind, &call).await;
                    if now < end {
                        behind.keep(&name, json!({"end": now + COOLDOWN}));
                        return Some(cooling(end - now, now));
                    }
                }
                let answer = behind.answer(&call).await?;
                if code(&answer) == "RATE_LIMITED" {
                    behind.keep(&name, json!({"end": now_of(&answer) + COOLDOWN}));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "saves the nickname of an update whose resume it refuses with ENDPOINT_LIMIT_EXCEEDED",
        breaks: Breaks::Refusal,
        case: "mechanisms::still::leaves_all_as_it_is::update_endpoint",
        assertion: "before.assert_same(&Snapshot::in_short",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if call.is_one_of(Method::PUT, "/api/v1/endpoints")
                    && code(&answer) == "ENDPOINT_LIMIT_EXCEEDED"
                {
                    let body = without(call.json(), &["status"]);
                    put(&behind, &call, &call.path, body).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "saves the nickname of an update that it refuses because the server is another customer's",
        breaks: Breaks::Refusal,
        case: "mechanisms::still::leaves_all_as_it_is::update_endpoint",
        assertion: "before.assert_same(&Snapshot::in_short",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if call.is_one_of(Method::PUT, "/api/v1/endpoints") && answer.status == 403 {
                    let known = ask(&behind, &call, &call.path, &[]).await;
                    let owner = number(&known, "/data/billing_customer_id");
                    let nickname = text(&call.json(), "/nickname").to_owned();
                    if owner != call.json()["billing_customer_id"] && !nickname.is_empty() {
                        let body = json!({"billing_customer_id": owner, "nickname": nickname});
                        put(&behind, &call, &call.path, body).await;
                    }
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "creates the customer's portal account before it refuses a domain for which there is no slot",
        breaks: Breaks::Refusal,
        case: "mechanisms::still::leaves_all_as_it_is::provision_domain",
        assertion: "before.assert_same(&Snapshot::in_short",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if code(&answer) == "DOMAIN_LIMIT_EXCEEDED"
                    && provisioning(&call, "provision-domain")
                {
                    give_access(&behind, &call, &customer(&call)).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "keeps the smaller quantity or plan of a change that it refuses with DOWNGRADE_USAGE_EXCEEDED, and reconciles",
        breaks: Breaks::Refusal,
        case: "mechanisms::still::leaves_all_as_it_is::change_subscription",
        assertion: "before.assert_same(&Snapshot::in_short",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if code(&answer) == "DOWNGRADE_USAGE_EXCEEDED" {
                    let mut body = call.json();
                    body["force"] = json!(true);
                    tell(&behind, &call, &call.path, body).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "leaves a domain alert acknowledged whose resolution it refuses with ALERT_NOT_ACKNOWLEDGED",
        breaks: Breaks::Refusal,
        case: "mechanisms::still::leaves_all_as_it_is_with_findings::resolve_domain_alert",
        assertion: "before.assert_same(&Snapshot::in_short",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if code(&answer) == "ALERT_NOT_ACKNOWLEDGED" {
                    let path = call.path.replace("/resolve", "/acknowledge");
                    tell(&behind, &call, &path, call.json()).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "withdraws a customer's sign-in token when it refuses the request for another one",
        breaks: Breaks::Refusal,
        case: "mechanisms::still::a_refused_sign_in_leaves_earlier_tokens_as_they_are",
        assertion: "the token from before",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if call.is(Method::POST, "/api/v1/sso/token") {
                    let name = mine(&call, "token", &customer(&call));
                    if answer.status.is_success() {
                        behind.keep(&name, answer.json()["data"]["token"].clone());
                    } else if answer.status == 422 {
                        let token = recall(&behind, &name);
                        let query = [("token", token.as_str().unwrap_or("none"))];
                        ask(&behind, &call, "/sso", &query).await;
                    }
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "has terminated the domain already when it refuses a release-domain for its cancelled service",
        breaks: Breaks::Refusal,
        case: "mechanisms::still::leaves_all_as_it_is::release_domain",
        assertion: "before.assert_same(&Snapshot::in_short",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if provisioning(&call, "release-domain")
                    && code(&answer) == "SUBSCRIPTION_NOT_CHANGEABLE"
                {
                    let id = call.json()["monitored_domain_id"].clone();
                    let path = "/api/v1/billing/terminate-domain";
                    tell(&behind, &call, path, json!({"monitored_domain_id": id})).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "gives a customer's portal access back with the acknowledgement that it refuses with USER_NOT_FOUND",
        breaks: Breaks::Refusal,
        case: "mechanisms::still::gives_no_access_back::acknowledge_domain_alert",
        assertion: "before.assert_same",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if code(&answer) == "USER_NOT_FOUND" && call.path.ends_with("/acknowledge") {
                    give_access(&behind, &call, &customer(&call)).await;
                }
                Some(answer)
            })
        }),
    },
];
