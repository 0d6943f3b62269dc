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
        what: "takes the nickname of a POST /endpoints for an address that is there already",
        breaks: Breaks::Idempotency,
        case: "mechanisms::still::leaves_all_as_it_is::create_endpoint",
        assertion: "before.assert_same(&Snapshot::in_short",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                let body = call.json();
                if call.is(Method::POST, "/api/v1/endpoints")
                    && noted(&answer)
                    && body["nickname"].is_string()
                {
                    let path = format!("/api/v1/endpoints/{}", text(&answer.json(), "/data/id"));
                    let change = json!({
                        "billing_customer_id": body["billing_customer_id"],
                        "nickname": body["nickname"],
                    });
                    put(&behind, &call, &path, change).await;
                    answer.edit(|json| set(json, "/data/nickname", body["nickname"].clone()));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "makes the pause of a platform-paused server the customer's own when it is suspended",
        breaks: Breaks::Idempotency,
        case: "mechanisms::still::leaves_all_as_it_is::suspend_endpoint",
        assertion: "all.assert_same(&Snapshot::of",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let name = mine(&call, "by hand", "");
                let mut answer = behind.answer(&call).await?;
                if provisioning(&call, "suspend") && noted(&answer) {
                    let id = text(&answer.json(), "/data/endpoint_id").to_owned();
                    let mut known = recall(&behind, &name);
                    known[id.as_str()] = json!(true);
                    behind.keep(&name, known);
                } else if provisioning(&call, "resume") && answer.status.is_success() {
                    let id = text(&answer.json(), "/data/endpoint_id").to_owned();
                    let known = without(recall(&behind, &name), &[&id]);
                    behind.keep(&name, known);
                } else if (call.path.ends_with("-subscription")
                    || call.path.ends_with("/sync-services"))
                    && answer.status.is_success()
                {
                    let known = recall(&behind, &name);
                    for id in known.as_object().into_iter().flat_map(Map::keys) {
                        let path = format!("/api/v1/endpoints/{id}");
                        let server = ask(&behind, &call, &path, &[]).await;
                        if text(&server, "/data/status") == "active" {
                            let path = "/api/v1/billing/suspend";
                            tell(&behind, &call, path, json!({"endpoint_id": id})).await;
                        }
                    }
                }
                let known = recall(&behind, &name);
                each_endpoint(&mut answer, |id, server| {
                    if known.get(id).is_some() && server.contains_key("quota_paused") {
                        server.insert("quota_paused".to_owned(), json!(false));
                    }
                });
                Some(answer)
            })
        }),
    },
    Bent {
        what: "makes the next scan of an active server due at once when it is resumed once more",
        breaks: Breaks::Idempotency,
        case: "mechanisms::again::moves_nothing_later_either::resume_endpoint",
        assertion: "which was so already",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if provisioning(&call, "resume") && noted(&answer) {
                    let id = text(&answer.json(), "/data/endpoint_id").to_owned();
                    behind.keep(&format!("due {id}"), json!(instant(now_of(&answer))));
                }
                each_endpoint(&mut answer, |id, server| {
                    let due = recall(&behind, &format!("due {id}"));
                    let last = server.get("last_scan_at").and_then(Value::as_str);
                    let next = server.get("next_scan_at").and_then(Value::as_str);
                    if due.is_string()
                        && next > due.as_str()
                        && last.is_some()
                        && last < due.as_str()
                    {
                        server.insert("next_scan_at".to_owned(), due);
                    }
                });
                Some(answer)
            })
        }),
    },
    Bent {
        what: "restores a deleted server as paused when the POST /endpoints that restores it says paused",
        breaks: Breaks::Idempotency,
        case: "mechanisms::again::what_comes_back_is_as_it_was",
        assertion: "{member} after",
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
        case: "mechanisms::again::what_is_noted_brings_nothing_back",
        assertion: "after {verb}",
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
        case: "mechanisms::again::what_is_noted_brings_nothing_back",
        assertion: "after {verb}",
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
        what: "moves resolved_at of a port alert that is resolved a second time",
        breaks: Breaks::Idempotency,
        case: "mechanisms::again::moves_nothing_later_either::resolve_port_alert",
        assertion: "which was so already",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if call.path.starts_with("/api/v1/alerts/")
                    && call.is(Method::POST, "/resolve")
                    && answer.status == 200
                {
                    let now = instant(now_of(&answer));
                    let id = text(&answer.json(), "/data/alert/id").to_owned();
                    behind.keep(&format!("resolved {id}"), json!(now));
                }
                if call.path.starts_with("/api/v1/alerts") && answer.status == 200 {
                    answer.edit(|body| {
                        walk(body, &mut |map| {
                            let id = map.get("id").and_then(Value::as_str).unwrap_or("-");
                            let moved = recall(&behind, &format!("resolved {id}"));
                            if moved.is_string() && map.contains_key("resolved_at") {
                                map.insert("resolved_at".to_owned(), moved);
                            }
                        });
                    });
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "moves acknowledged_at of a domain alert that is acknowledged a second time",
        breaks: Breaks::Idempotency,
        case: "mechanisms::again::moves_nothing_later_either::acknowledge_domain_alert",
        assertion: "which was so already",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if !call.path.starts_with("/api/v1/domains/") || answer.status != 200 {
                    return Some(answer);
                }
                if call.is(Method::POST, "/acknowledge") {
                    let now = instant(now_of(&answer));
                    let id = text(&answer.json(), "/data/alert/id").to_owned();
                    behind.keep(&format!("acknowledged {id}"), json!(now));
                }
                answer.edit(|body| {
                    walk(body, &mut |map| {
                        let id = map.get("id").and_then(Value::as_str).unwrap_or("-");
                        let moved = recall(&behind, &format!("acknowledged {id}"));
                        if moved.is_string() && map.contains_key("acknowledged_at") {
                            map.insert("acknowledged_at".to_owned(), moved);
                        }
                    });
                });
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
        case: "mechanisms::again::a_service_that_is_named_again_moves",
        assertion: "after the service moved",
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
    Bent {
        what: "lists a server last after a POST /endpoints for its address, which was there already",
        breaks: Breaks::Idempotency,
        case: "mechanisms::still::leaves_all_as_it_is::create_endpoint",
        assertion: "contradicts itself",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                let name = mine(&call, "last", &customer(&call));
                if call.is(Method::POST, "/api/v1/endpoints") && noted(&answer) {
                    behind.keep(&name, answer.json()["data"]["id"].clone());
                } else if call.is(Method::GET, "/api/v1/endpoints") && answer.status == 200 {
                    let last = recall(&behind, &name);
                    answer.edit(|body| {
                        if let Some(list) = list_mut(body, "/data") {
                            list.sort_by_key(|server| server["id"] == last);
                        }
                    });
                }
                Some(answer)
            })
        }),
    },
];
