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
        case: "times::what_is_made_now_says_so",
        assertion: "assert!(is_now,",
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
        case: "domain_monitoring::an_alert_is_acknowledged_and_then_resolved",
        assertion: "assert!(at >= raised,",
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
        case: "sandbox::a_call_that_asks_to_be_simulated_is_answered_like_any_other",
        assertion: "assert_eq!(simulated, plain)",
        bend: Bend::Answer(|call, answer| {
            if call.headers.contains_key("x-sandbox") && call.is(Method::POST, "/suspend-domain") {
                *answer = error(500, "SCAN_DISPATCH_FAILED");
            }
        }),
    },
    Bent {
        what: "shows a rule of the whole account to no customer",
        breaks: Breaks::Isolation,
        case: "account_rules::a_rule_of_the_whole_account_is_shown_to_every_customer",
        assertion: "assert_eq!(listed(&account, list.clone()).await, expected)",
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
        case: "account_rules::no_customer_changes_a_rule_of_the_whole_account",
        assertion: "assert_api_error(deleted, 404, ErrorCode::Number(404))",
        bend: Bend::Call(|call| {
            if call.is_one_of(Method::DELETE, "/api/v1/whitelists") {
                call.forget("billing_customer_id");
            }
        }),
    },
    Bent {
        what: "shows one alert more than ten in the detail",
        breaks: Breaks::Limits,
        case: "mechanisms::derived::a_server_of_fifteen_alerts_shows_ten",
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
        case: "domain_monitoring::an_alert_counts_what_was_found_now_and_before",
        assertion: "assert_eq!(second, BTreeSet::from(grew))",
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
        case: "endpoints::the_limit_of_the_account_holds_for_all_customers_together",
        assertion: "assert_eq!(meta.endpoint_limit, Some(2))",
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
