//! Something derived that is stale or miscounted, most of it right after a write.

use super::tools::*;

const DETAIL: &str = "/detail";

/// The stranger's bends of this class.
pub const BENDS: &[Bent] = &[
    Bent {
        what: "shows inside a rule of the list its server's nickname as it was when the rule was made",
        breaks: Breaks::Derived,
        case: "scenes::servers_and_their_limit_are_counted",
        assertion: "the server inside the rule",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                let shown = answer.json();
                if call.is(Method::POST, "/api/v1/whitelists") && answer.status == 201 {
                    let name = format!("rule {}", text(&shown, "/data/id"));
                    behind.keep(&name, shown["data"]["endpoint"]["nickname"].clone());
                } else if call.is(Method::GET, "/api/v1/whitelists") && answer.status == 200 {
                    answer.edit(|body| {
                        for rule in list_mut(body, "/data").into_iter().flatten() {
                            let old = recall(&behind, &format!("rule {}", text(rule, "/id")));
                            if old.is_string() {
                                set(rule, "/endpoint/nickname", old);
                            }
                        }
                    });
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "shows a paused server inside a rule, read by its id, as active",
        breaks: Breaks::Derived,
        case: "scenes::servers_and_their_limit_are_counted",
        assertion: "read by itself",
        bend: Bend::Answer(|call, answer| {
            if call.is_one_of(Method::GET, "/api/v1/whitelists") && answer.status == 200 {
                answer.edit(|body| set(body, "/data/endpoint/status", json!("active")));
            }
        }),
    },
    Bent {
        what: "leaves expired rules out of rule_count",
        breaks: Breaks::Derived,
        case: "scenes::what_expires_or_was_seen_is_counted",
        assertion: "endpoint-summary of",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if call.is(Method::GET, "/whitelists/endpoint-summary") && answer.status == 200 {
                    let owner = customer(&call);
                    let query = [
                        ("billing_customer_id", owner.as_str()),
                        ("status", "expired"),
                    ];
                    let expired = ask(&behind, &call, "/api/v1/whitelists", &query).await;
                    let expired = items(&expired, "/data");
                    answer.edit(|body| {
                        walk(body, &mut |map| {
                            let id = map.get("endpoint_id").cloned().unwrap_or_default();
                            let gone = expired.iter().filter(|rule| rule["endpoint_id"] == id);
                            let gone = i64::try_from(gone.count()).unwrap_or_default();
                            if let Some(count) = map.get("rule_count").and_then(Value::as_i64) {
                                map.insert("rule_count".to_owned(), json!(count - gone));
                            }
                        });
                    });
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "does not count platform-paused domains in slots_used of the list",
        breaks: Breaks::Derived,
        case: "scenes::domains_and_their_slots_are_counted",
        assertion: "slots_used of",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/api/v1/domains") && answer.status == 200 {
                answer.edit(|body| {
                    let paused = items(body, "/data/domains");
                    let paused = paused
                        .iter()
                        .filter(|domain| domain["quota_paused"] == true);
                    let paused = i64::try_from(paused.count()).unwrap_or_default();
                    let used = number(body, "/data/slots_used") - paused;
                    set(body, "/data/slots_used", json!(used));
                });
            }
        }),
    },
    Bent {
        what: "counts a suspended service's slots in slots_total of a domain's summary (the list is right)",
        breaks: Breaks::Derived,
        case: "scenes::domains_and_their_slots_are_counted",
        assertion: "slots_total in the summary",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let owner = customer(&call);
                let name = mine(&call, "slots", &owner);
                let of_domains = call.json()["product_slug"] == "domain_monitoring";
                if of_domains && provisioning(&call, "suspend-subscription") {
                    let query = [("billing_customer_id", owner.as_str())];
                    let known = ask(&behind, &call, "/api/v1/domains", &query).await;
                    behind.keep(&name, known["data"]["slots_total"].clone());
                } else if of_domains && call.method == Method::POST {
                    behind.keep(&name, Value::Null);
                }
                let mut answer = behind.answer(&call).await?;
                let before = recall(&behind, &name);
                if call.is(Method::GET, "/summary") && before.is_i64() && answer.status == 200 {
                    answer.edit(|body| set(body, "/data/slots_total", before));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "lets current_endpoint_count follow the status filter",
        breaks: Breaks::Derived,
        case: "scenes::servers_and_their_limit_are_counted",
        assertion: "current_endpoint_count of",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/api/v1/endpoints")
                && answer.status == 200
                && asked(call, "status").is_some()
            {
                answer.edit(|body| {
                    let total = body["meta"]["total"].clone();
                    set(body, "/meta/current_endpoint_count", total);
                });
            }
        }),
    },
    Bent {
        what: "shows the account's default as endpoint_limit of a customer whose services are all suspended or cancelled",
        breaks: Breaks::Derived,
        case: "scenes::servers_and_their_limit_are_counted",
        assertion: "counts, which it moves limit=0",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/api/v1/endpoints")
                && answer.status == 200
                && asked(call, "billing_customer_id").is_some()
            {
                answer.edit(|body| {
                    if body["meta"]["endpoint_limit"] == 0 {
                        set(body, "/meta/endpoint_limit", json!(25));
                    }
                });
            }
        }),
    },
    Bent {
        what: "shows no new_ports and closed_ports after a failed scan",
        breaks: Breaks::Derived,
        case: "scenes::alerts_and_findings_are_counted",
        assertion: "after a scan that failed",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, DETAIL) && answer.status == 200 {
                answer.edit(|body| {
                    if text(body, "/latest_scan/status") == "failed" {
                        set(body, "/new_ports", json!([]));
                        set(body, "/closed_ports", json!([]));
                    }
                });
            }
        }),
    },
    Bent {
        what: "counts only unseen mentions in dark_web_mentions_count of the summary",
        breaks: Breaks::Derived,
        case: "scenes::alerts_and_findings_are_counted",
        assertion: "dark_web_mentions_count in the summary",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if call.is(Method::GET, "/summary") && answer.status == 200 {
                    let owner = customer(&call);
                    let path = call.path.replace("/summary", "/dark-web-mentions");
                    let query = [("billing_customer_id", owner.as_str()), ("is_new", "true")];
                    let fresh = ask(&behind, &call, &path, &query).await;
                    let fresh = number(&fresh, "/data/total");
                    answer.edit(|body| set(body, "/data/dark_web_mentions_count", json!(fresh)));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "shows a port that is allowed for both protocols as tcp alone in whitelisted_ports",
        breaks: Breaks::Derived,
        case: "scenes::rules_and_the_ports_they_allow_are_counted",
        assertion: "whitelisted_ports of",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, DETAIL) && answer.status == 200 {
                answer.edit(|body| {
                    if let Some(list) = list_mut(body, "/whitelisted_ports") {
                        let all = list.clone();
                        list.retain(|entry| {
                            let entry = entry.as_str().unwrap_or_default();
                            let both = entry.replace(":udp", ":tcp");
                            entry.ends_with(":tcp") || !all.contains(&json!(both))
                        });
                    }
                });
            }
        }),
    },
];
