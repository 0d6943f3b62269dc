//! Arithmetic of several: services, suspended ones, repeated and omitted members, restored records.

use super::tools::*;

const UPDATE: &str = "/api/v1/billing/provision-subscription";

/// The customer's slots: used, and in all.
async fn slots(behind: &Behind, call: &Passing) -> (i64, i64) {
    let owner = customer(call);
    let query = [("billing_customer_id", owner.as_str())];
    let known = ask(behind, call, "/api/v1/domains", &query).await;
    (
        number(&known, "/data/slots_used"),
        number(&known, "/data/slots_total"),
    )
}

/// The service that a subscription call names, as a name in the memory.
fn service(call: &Passing) -> String {
    let body = call.json();
    let of = format!("{} {}", body["service_id"], body["product_slug"]);
    mine(call, "service", &format!("{of} {}", customer(call)))
}

/// Notes quantity and status of the subscriptions that pass by.
fn learn(call: &Passing, behind: &Behind, answer: &Answer) {
    if !call.path.ends_with("-subscription") || !answer.status.is_success() {
        return;
    }
    let mut known = recall(behind, &service(call));
    let shown = answer.json();
    for member in ["quantity", "status"] {
        if !shown["data"][member].is_null() {
            known[member] = shown["data"][member].clone();
        }
    }
    behind.keep(&service(call), known);
}

/// The refusal of a downgrade.
fn exceeded(used: i64, limit: i64, now: i64) -> Answer {
    let details = json!({"current_usage": used, "new_limit": limit});
    let sentence = "The current usage exceeds the new limit.";
    error(422, "DOWNGRADE_USAGE_EXCEEDED", sentence, details, now)
}

/// An entry of a sync without its status.
fn named(entry: &Value) -> Value {
    without(entry.clone(), &["status"])
}

/// Whether every entry of a sync has exactly what it needs.
fn plain(entries: &[Value]) -> bool {
    entries.iter().all(|entry| {
        let ids = ["service_id", "client_id"];
        let words = ["product_slug", "status"];
        ids.iter()
            .all(|id| entry[*id].as_i64().is_some_and(|id| id > 0))
            && words.iter().all(|word| entry[*word].is_string())
            && entry.as_object().is_some_and(|entry| entry.len() == 4)
            && ["active", "suspended", "cancelled"].contains(&text(entry, "/status"))
    })
}

/// The stranger's bends of this class.
pub const BENDS: &[Bent] = &[
    Bent {
        what: "applies only the last of several sync entries for one service",
        // D6: a service listed twice applies twice (changed and unchanged count both)
        breaks: Breaks::Sum,
        case: "scenes::a_service_reported_twice_is_moved_twice",
        assertion: "assert_eq!(answer.outcome(), is,",
        bend: Bend::Call(|call| {
            if provisioning(call, "sync-services") {
                let mut body = call.json();
                let all = items(&body, "/services");
                if plain(&all) {
                    let last = all.iter().enumerate().filter(|(place, entry)| {
                        all[place + 1..]
                            .iter()
                            .all(|later| named(later) != named(entry))
                    });
                    let last: Vec<Value> = last.map(|(_, entry)| entry.clone()).collect();
                    set(&mut body, "/services", json!(last));
                    call.set_json(&body);
                }
            }
        }),
    },
    Bent {
        what: "checks a downgrade's usage against the changed service alone, not against all of the customer's services",
        // D5: usage against the customer's capacity after the change (all its active services)
        breaks: Breaks::Sum,
        case: "scenes::a_downgrade_is_checked_against_all_active_services",
        assertion: "assert!(lacks.is_empty()",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let body = call.json();
                if provisioning(&call, "change-subscription") && body["force"] != true {
                    let known = recall(&behind, &service(&call));
                    let old = number(&known, "/quantity");
                    let new = number(&body, "/new_quantity");
                    let ours = body["product_slug"] == "domain_monitoring";
                    if ours && (1..old).contains(&new) && known["status"] == "active" {
                        let (used, _) = slots(&behind, &call).await;
                        if used > new {
                            let now = now(&behind, &call).await;
                            return Some(exceeded(used, new, now));
                        }
                    }
                }
                let answer = behind.answer(&call).await?;
                learn(&call, &behind, &answer);
                if answer.status == 200 && provisioning(&call, "change-subscription") {
                    let mut known = recall(&behind, &service(&call));
                    known["quantity"] = answer.json()["data"]["quantity"].clone();
                    behind.keep(&service(&call), known);
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "calls every change of a suspended subscription an upgrade, since its capacity was 0 before",
        // D4: direction is upgrade or downgrade, by capacity of the plans or quantities
        breaks: Breaks::Sum,
        case: "scenes::a_suspended_service_is_changed_without_a_check_and_in_the_right_direction",
        assertion: "assert!(lacks.is_empty()",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                learn(&call, &behind, &answer);
                if provisioning(&call, "change-subscription")
                    && answer.json().pointer("/data/changed") == Some(&json!(true))
                    && recall(&behind, &service(&call))["status"] == "suspended"
                {
                    answer.edit(|body| set(body, "/data/direction", json!("upgrade")));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "revives a cancelled subscription with the default quantity when none is given",
        // D2: provisioning a cancelled subscription again revives it; given values replace the stored ones, omitted ones stay
        breaks: Breaks::Sum,
        case: "scenes::slots_are_the_sum_of_active_services",
        assertion: "assert!(lacks.is_empty()",
        bend: Bend::Whole(|mut call, behind| {
            Box::pin(async move {
                let mut body = call.json();
                if provisioning(&call, "provision-subscription")
                    && body["product_slug"] == "domain_monitoring"
                    && body["quantity"].is_null()
                    && recall(&behind, &service(&call))["status"] == "cancelled"
                {
                    body["quantity"] = json!(1);
                    call.set_json(&body);
                }
                let answer = behind.answer(&call).await?;
                learn(&call, &behind, &answer);
                Some(answer)
            })
        }),
    },
    Bent {
        what: "names newly_paused of a sync oldest first",
        // D6: paused newest first, unpaused oldest first
        breaks: Breaks::Sum,
        case: "scenes::a_report_names_who_is_paused_newest_first_and_who_comes_back_oldest_first",
        assertion: "assert!(lacks.is_empty()",
        bend: Bend::Answer(|call, answer| {
            if provisioning(call, "sync-services") && answer.status == 200 {
                answer.edit(|body| {
                    walk(body, &mut |map| {
                        if let Some(list) =
                            map.get_mut("newly_paused").and_then(Value::as_array_mut)
                        {
                            list.reverse();
                        }
                    });
                });
            }
        }),
    },
    Bent {
        what: "calls a customer over quota who uses exactly its capacity",
        // B7: over_quota = usage > capacity
        breaks: Breaks::Sum,
        case: "scenes::a_customer_that_uses_just_what_it_has_is_within_its_quota",
        assertion: "assert!(lacks.is_empty()",
        bend: Bend::Answer(|call, answer| {
            if provisioning(call, "sync-services") && answer.status == 200 {
                answer.edit(|body| {
                    walk(body, &mut |map| {
                        let usage = map.get("usage").and_then(Value::as_i64);
                        let capacity = map.get("capacity").and_then(Value::as_i64);
                        if usage.is_some_and(|usage| usage > 0) && usage == capacity {
                            map.insert("over_quota".to_owned(), json!(true));
                        }
                    });
                });
            }
        }),
    },
    Bent {
        what: "pauses the mapped server when its endpoint subscription is suspended",
        // D9: suspending a subscription of product endpoint moves its status and touches no server
        breaks: Breaks::Sum,
        case: "scenes::a_subscription_to_a_server_moves_no_server",
        assertion: "assert!(lacks.is_empty()",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                let body = call.json();
                let of = format!("{} {}", body["service_id"], customer(&call));
                let name = mine(&call, "mapped", &of);
                if provisioning(&call, "provision") && answer.status.is_success() {
                    behind.keep(&name, answer.json()["data"]["endpoint_id"].clone());
                } else if provisioning(&call, "suspend-subscription")
                    && body["product_slug"] == "endpoint"
                    && answer.status == 200
                {
                    let id = recall(&behind, &name);
                    let path = "/api/v1/billing/suspend";
                    tell(&behind, &call, path, json!({"endpoint_id": id})).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "never takes a service's last slot: releasing from a quantity of one leaves it active with one",
        // C7: the quantity drops by one; a quantity of one cancels the service
        breaks: Breaks::Sum,
        case: "scenes::the_last_slot_given_up_ends_the_service",
        assertion: "assert!(lacks.is_empty()",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if provisioning(&call, "release-domain")
                    && answer.status == 200
                    && number(&answer.json(), "/data/slots_total") == 0
                {
                    let body = call.json();
                    let again = json!({
                        "client_id": body["client_id"],
                        "service_id": body["service_id"],
                        "product_slug": "domain_monitoring",
                        "quantity": 1,
                    });
                    tell(&behind, &call, UPDATE, again).await;
                    answer.edit(|body| set(body, "/data/slots_total", json!(1)));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "refuses to resume a server paused by hand when the customer's places are all used",
        // B8: a hand-paused one counts as live already and is not checked
        breaks: Breaks::Sum,
        case: "scenes::a_pause_by_hand_is_ended_by_hand_whatever_room_there_is",
        assertion: "assert_eq!(answer.outcome(), is,",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let id = text(&call.json(), "/endpoint_id").to_owned();
                if provisioning(&call, "resume") && !id.is_empty() {
                    let path = format!("/api/v1/endpoints/{id}");
                    let server = ask(&behind, &call, &path, &[]).await;
                    let owner = number(&server, "/data/billing_customer_id").to_string();
                    if text(&server, "/data/status") == "paused"
                        && server["data"]["quota_paused"] == false
                    {
                        let query = [("billing_customer_id", owner.as_str())];
                        let all = ask(&behind, &call, "/api/v1/endpoints", &query).await;
                        let used = number(&all, "/meta/current_endpoint_count");
                        let limit = number(&all, "/meta/endpoint_limit");
                        if used >= limit {
                            let now = now(&behind, &call).await;
                            let details = json!({"limit": limit, "current_usage": used});
                            let sentence = "The endpoint limit is reached.";
                            let code = "ENDPOINT_LIMIT_EXCEEDED";
                            return Some(error(403, code, sentence, details, now));
                        }
                    }
                }
                behind.answer(&call).await
            })
        }),
    },
];
