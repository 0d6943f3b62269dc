//! Bends of times, of rules for the whole account, of calls that ask to be simulated, and of limits.

use chrono::{DateTime, Duration};
use http::Method;
use secmon_contract_tests::proxy::Bend;
use serde_json::{Value, json};

use super::bends::{ENDPOINTS, error, list};
use super::{Bent, Breaks};

pub const BENDS: &[Bent] = &[
    Bent {
        what: "dates a new server back by 30 hours",
        breaks: Breaks::Time,
        case: "scenes::an_endpoint_is_created_read_changed_and_deleted",
        assertion: "`/data/created_at` is another time than the answer's",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, ENDPOINTS) {
                answer.edit(|json| move_time(json, "/data/created_at", Duration::hours(-30)));
            }
        }),
    },
    Bent {
        what: "says that a server is scanned again after 23 hours",
        breaks: Breaks::Time,
        case: "mechanisms::instants::the_next_scan_of_a_server_ends",
        assertion: "the server by itself and in its detail",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/detail") {
                answer.edit(|json| move_time(json, "/data/next_scan_at", Duration::hours(-1)));
            }
        }),
    },
    Bent {
        what: "acknowledges an alert yesterday",
        breaks: Breaks::Time,
        case: "scenes::every_transition_of_a_domain_alert_allowed_and_refused",
        assertion: "`/data/alert/acknowledged_at` is another time than the answer's",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/acknowledge") {
                answer.edit(|json| {
                    move_time(json, "/data/alert/acknowledged_at", Duration::days(-1));
                });
            }
        }),
    },
    Bent {
        what: "fails when a call asks to be simulated",
        breaks: Breaks::Headers,
        case: "scenes::a_call_that_asks_to_be_simulated_is_answered_like_any_other",
        assertion: "step 10: suspend_domain",
        bend: Bend::Answer(|call, answer| {
            if call.headers.contains_key("x-sandbox") && call.is(Method::POST, "/suspend-domain") {
                *answer = error(500, "SCAN_DISPATCH_FAILED");
            }
        }),
    },
    Bent {
        what: "shows a rule of the whole account to no customer",
        breaks: Breaks::Isolation,
        case: "scenes::a_rule_of_the_whole_account_is_shown_to_every_customer",
        assertion: "step 5: list_rules",
        bend: Bend::Answer(|call, answer| {
            let of_customer = call
                .query
                .iter()
                .any(|(name, _)| name == "billing_customer_id");
            if of_customer && call.is(Method::GET, "/whitelists") {
                answer.edit(|json| {
                    json["data"] = json!([]);
                    json["meta"]["total"] = json!(0);
                });
            }
        }),
    },
    Bent {
        what: "lets a customer delete a rule of the whole account",
        breaks: Breaks::Isolation,
        case: "scenes::no_customer_changes_a_rule_of_the_whole_account",
        assertion: "step 3: delete_rule",
        bend: Bend::Call(|call| {
            if call.is_one_of(Method::DELETE, "/api/v1/whitelists") {
                call.forget("billing_customer_id");
            }
        }),
    },
    Bent {
        what: "shows one alert more than ten in the detail",
        breaks: Breaks::Limits,
        case: "scenes::a_server_of_fifteen_alerts_shows_ten",
        assertion: "alerts in the detail of",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/detail") {
                answer.edit(|json| {
                    if let Some(alerts) = json["alerts"].as_array_mut() {
                        alerts.extend(alerts.last().cloned());
                    }
                });
            }
        }),
    },
    Bent {
        what: "forgets what the scan before found",
        breaks: Breaks::State,
        case: "scenes::a_scan_raises_alerts_for_what_grew",
        assertion: "`/data/alerts/0/previous_count` is 0, not 5",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/alerts") {
                answer.edit(|json| {
                    for alert in list(json, "/data/alerts") {
                        alert["previous_count"] = json!(0);
                    }
                });
            }
        }),
    },
    Bent {
        what: "reports a customer's limit as that of the account",
        breaks: Breaks::Limits,
        case: "scenes::the_limit_of_the_account_holds_for_all_customers_together",
        assertion: "`/meta/endpoint_limit` is 25, not 2",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, ENDPOINTS) && call.query.is_empty() {
                answer.edit(|json| json["meta"]["endpoint_limit"] = json!(25));
            }
        }),
    },
    Bent {
        what: "leads to the first page as the last",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_rules",
        assertion: "the query of last",
        bend: Bend::Answer(|call, answer| {
            if call.method == Method::GET && answer.json()["links"].is_object() {
                answer.edit(|json| json["links"]["last"] = json["links"]["first"].clone());
            }
        }),
    },
    Bent {
        what: "lists the oldest port alerts of a page first",
        breaks: Breaks::Order,
        case: "mechanisms::lists::pages_are_the_list::list_port_alerts",
        assertion: "the others, in their order",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/api/v1/alerts") {
                answer.edit(|json| list(json, "/data/alerts").sort_by_key(port_of));
            }
        }),
    },
];

fn port_of(alert: &Value) -> Option<u64> {
    alert["port"].as_u64()
}

fn move_time(json: &mut Value, place: &str, by: Duration) {
    let Some(value) = json.pointer_mut(place) else {
        return;
    };
    let time = value
        .as_str()
        .and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    if let Some(time) = time {
        *value = json!((time + by).to_rfc3339());
    }
}
