//! Bends of shape, state and order.

use http::{Method, StatusCode};
use secmon_contract_tests::proxy::{Answer, Bend};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Bent, Breaks};

pub const BENDS: &[Bent] = &[
    Bent {
        what: "leaves the note out when a suspended server is suspended",
        breaks: Breaks::Shape,
        case: "states::every_trigger_in_every_state_of_a_server",
        assertion: "suspend of what was paused",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/suspend") {
                answer.edit(|json| remove(json, "/data", "note"));
            }
        }),
    },
    Bent {
        what: "calls the timestamp of a resource `time`",
        breaks: Breaks::Shape,
        case: "scenes::an_endpoint_is_created_read_changed_and_deleted",
        assertion: "`/data/created_at` is another time than the answer's",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/endpoints") {
                answer.edit(|json| rename(json, "/meta", "timestamp", "time"));
            }
        }),
    },
    Bent {
        what: "does not repeat the count of global rules at the top",
        breaks: Breaks::Shape,
        case: "scenes::the_summary_counts_the_rules_of_every_server",
        assertion: "`/global_count` is null, not 1",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/endpoint-summary") {
                answer.edit(|json| remove(json, "", "global_count"));
            }
        }),
    },
    Bent {
        what: "gives an unknown endpoint a code in words",
        breaks: Breaks::Shape,
        case: "mechanisms::still::leaves_all_as_it_is::get_endpoint",
        assertion: "assert_eq!(answer.outcome(), play.outcome,",
        bend: Bend::Answer(|call, answer| {
            if call.is_one_of(Method::GET, ENDPOINTS) && answer.status == StatusCode::NOT_FOUND {
                answer.edit(|json| json["error"]["code"] = json!("ENDPOINT_NOT_FOUND"));
            }
        }),
    },
    Bent {
        what: "refuses to suspend what is suspended",
        breaks: Breaks::State,
        case: "mechanisms::again::moves_nothing::suspend_endpoint",
        assertion: "assert_eq!(second.outcome(), recipe.again,",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/suspend") && answer.json()["data"]["note"].is_string() {
                *answer = Answer::new(
                    409,
                    &json!({"error": {"code": "ENDPOINT_NOT_ACTIVE", "message": "No."}}),
                );
            }
        }),
    },
    Bent {
        what: "forgets to pause a server",
        breaks: Breaks::State,
        case: "states::every_trigger_in_every_state_of_a_server",
        assertion: "then paused, step 1: get_endpoint",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await;
                if call.is(Method::POST, "/suspend") {
                    let mut resume = call.clone();
                    resume.path = resume.path.replace("suspend", "resume");
                    behind.answer(&resume).await;
                }
                answer
            })
        }),
    },
    Bent {
        what: "resumes a server that was terminated",
        breaks: Breaks::State,
        case: "states::every_trigger_in_every_state_of_a_server",
        assertion: "resume of what was",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/resume") && answer.status == StatusCode::NOT_FOUND {
                let data = json!({"endpoint_id": call.json()["endpoint_id"], "status": "active"});
                *answer = success(200, &data);
            }
        }),
    },
    Bent {
        what: "goes on showing an endpoint that was deleted",
        breaks: Breaks::State,
        case: "scenes::an_endpoint_is_created_read_changed_and_deleted",
        assertion: "step 8: get_endpoint",
        bend: Bend::Instead(|call| {
            call.is_one_of(Method::DELETE, ENDPOINTS)
                .then(|| Answer::new(204, &Value::Null))
        }),
    },
    Bent {
        what: "leaves an alert open when its port closed",
        breaks: Breaks::State,
        case: "scenes::an_open_port_raises_an_alert_that_ends_with_it",
        assertion: "`/data/alert/status` is \"open\", not \"resolved\"",
        bend: Bend::Answer(|call, answer| {
            if call.is_one_of(Method::GET, "/api/v1/alerts") {
                answer.edit(|json| json["data"]["alert"]["status"] = json!("open"));
            }
        }),
    },
    Bent {
        what: "covers udp alone with a rule for tcp",
        breaks: Breaks::State,
        case: "scenes::a_rule_resolves_the_alerts_it_covers_and_a_deleted_one_raises_them_again",
        assertion: "step 6: list_port_alerts",
        bend: Bend::Call(|call| {
            if call.is(Method::POST, "/whitelists") {
                let mut body = call.json();
                body["protocol"] = json!("udp");
                call.set_json(&body);
            }
        }),
    },
    Bent {
        what: "acknowledges an alert that is resolved",
        breaks: Breaks::State,
        case: "scenes::every_transition_of_a_domain_alert_allowed_and_refused",
        assertion: "step 15: acknowledge_domain_alert",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/acknowledge") && !answer.status.is_success() {
                let alert =
                    json!({"id": Uuid::nil(), "status": "acknowledged", "acknowledged_at": NOW});
                *answer = success(200, &json!({"message": "Done.", "alert": alert}));
            }
        }),
    },
    Bent {
        what: "resumes a subscription that was cancelled",
        breaks: Breaks::State,
        case: "states::every_trigger_in_every_state_of_a_subscription_to_slots",
        assertion: "resume of what was cancelled",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/resume-subscription")
                && answer.status == StatusCode::UNPROCESSABLE_ENTITY
            {
                *answer = success(
                    200,
                    &json!({"subscription_id": Uuid::nil(), "status": "active"}),
                );
            }
        }),
    },
    Bent {
        what: "wakes a paused domain when it is renamed",
        breaks: Breaks::State,
        case: "states::every_trigger_in_every_state_of_a_domain",
        assertion: "then paused_renamed",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await;
                if call.is(Method::POST, "/update-domain") {
                    let mut resume = call.clone();
                    resume.path = resume.path.replace("update-domain", "resume-domain");
                    behind.answer(&resume).await;
                }
                answer
            })
        }),
    },
    Bent {
        what: "gives a restored domain another identity",
        breaks: Breaks::State,
        case: "states::every_trigger_in_every_state_of_a_domain",
        assertion: "another record",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/provision-domain") && answer.status == StatusCode::OK {
                answer.edit(|json| json["data"]["monitored_domain_id"] = json!(Uuid::nil()));
            }
        }),
    },
    Bent {
        what: "counts a platform's pause as one by hand",
        breaks: Breaks::State,
        case: "model::random_walks_agree_with_the_reference",
        assertion: "panic!(",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/domains") {
                answer.edit(|json| {
                    for domain in list(json, "/data/domains") {
                        domain["quota_paused"] = json!(false);
                    }
                });
            }
        }),
    },
    Bent {
        what: "lists endpoints newest first",
        breaks: Breaks::Order,
        case: "mechanisms::lists::pages_are_the_list::list_endpoints",
        assertion: "the others, in their order",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/endpoints") {
                answer.edit(|json| list(json, "/data").reverse());
            }
        }),
    },
    Bent {
        what: "lists scans oldest first",
        breaks: Breaks::Order,
        case: "mechanisms::lists::pages_are_the_list::get_scan_history",
        assertion: "the others, in their order",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/scan-history") {
                answer.edit(|json| list(json, "/data/scans").reverse());
            }
        }),
    },
    Bent {
        what: "looks a server up before it looks at the fields",
        breaks: Breaks::Order,
        case: "mechanisms::still::leaves_all_as_it_is::suspend_endpoint",
        assertion: "assert_eq!(answer.outcome(), play.outcome,",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/suspend")
                && answer.status == StatusCode::UNPROCESSABLE_ENTITY
            {
                *answer = error(404, "ENDPOINT_NOT_FOUND");
            }
        }),
    },
    Bent {
        what: "names one bad field at a time",
        breaks: Breaks::Order,
        case: "scenes::all_bad_fields_come_back_at_once",
        assertion: "`/errors/client_name` is null, not \"any\"",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/provision") && answer.json()["errors"].is_object() {
                answer.edit(|json| {
                    if let Some(errors) = json["errors"].as_object_mut() {
                        let first = errors.keys().next().cloned();
                        errors.retain(|field, _| Some(field) == first.as_ref());
                    }
                });
            }
        }),
    },
];

pub const ENDPOINTS: &str = "/api/v1/endpoints";
pub const NOW: &str = "2026-01-01T00:00:00+00:00";

/// A success in its envelope.
pub fn success(status: u16, data: &Value) -> Answer {
    let meta = json!({"version": "v1", "timestamp": NOW});
    Answer::new(
        status,
        &json!({"success": true, "data": data, "meta": meta}),
    )
}

/// An error in its envelope.
pub fn error(status: u16, code: &str) -> Answer {
    let meta = json!({"version": "v1", "timestamp": NOW});
    let error = json!({"code": code, "message": "No.", "details": {}});
    Answer::new(
        status,
        &json!({"success": false, "error": error, "meta": meta}),
    )
}

/// The items at a place.
pub fn list<'a>(json: &'a mut Value, place: &str) -> &'a mut [Value] {
    let items = json.pointer_mut(place).and_then(Value::as_array_mut);
    items.map(Vec::as_mut_slice).unwrap_or_default()
}

pub fn remove(json: &mut Value, place: &str, member: &str) {
    if let Some(object) = json.pointer_mut(place).and_then(Value::as_object_mut) {
        object.remove(member);
    }
}

fn rename(json: &mut Value, place: &str, from: &str, to: &str) {
    if let Some(object) = json.pointer_mut(place).and_then(Value::as_object_mut)
        && let Some(value) = object.remove(from)
    {
        object.insert(to.to_owned(), value);
    }
}
