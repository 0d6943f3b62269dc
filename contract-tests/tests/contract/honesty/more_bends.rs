//! Bends of limits, headers, time, idempotency, isolation and paging.

use http::{Method, StatusCode, header};
use secmon_contract_tests::proxy::Bend;
use serde_json::json;
use uuid::Uuid;

use super::bends::{ENDPOINTS, error, list, success};
use super::{Bent, Breaks};

pub const BENDS: &[Bent] = &[
    Bent {
        what: "shows one scan more than 25",
        breaks: Breaks::Limits,
        case: "mechanisms::lists::pages_are_the_list::get_scan_history",
        assertion: "records listed",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/scan-history") {
                answer.edit(|json| {
                    if let Some(scans) = json["data"]["scans"].as_array_mut() {
                        scans.extend(scans.last().cloned());
                    }
                });
            }
        }),
    },
    Bent {
        what: "takes a domain for which there is no slot",
        breaks: Breaks::Limits,
        case: "scenes::slots_bound_the_domains",
        assertion: "step 1: provision_domain",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/provision-domain") && answer.status == StatusCode::FORBIDDEN
            {
                let id = Uuid::nil();
                *answer = success(
                    201,
                    &json!({"monitored_domain_id": id, "domain": "example.com", "status": "active"}),
                );
            }
        }),
    },
    Bent {
        what: "counts the limit of a plan in `details` wrongly",
        breaks: Breaks::Limits,
        case: "scenes::a_plan_bounds_the_servers_of_a_customer",
        assertion: "`/error/details/limit` is 4, not 5",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/provision") && answer.status == StatusCode::FORBIDDEN {
                answer.edit(|json| json["error"]["details"]["limit"] = json!(4));
            }
        }),
    },
    Bent {
        what: "reads bodies of any size",
        breaks: Breaks::Limits,
        case: "mechanisms::refused::a_body_of_more_than_a_mebibyte_does_nothing",
        assertion: "assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE",
        bend: Bend::Answer(|_, answer| {
            if answer.status == StatusCode::PAYLOAD_TOO_LARGE {
                answer.status = StatusCode::UNPROCESSABLE_ENTITY;
            }
        }),
    },
    Bent {
        what: "lets the 61st call of a window pass",
        breaks: Breaks::Limits,
        case: "mechanisms::refused::a_full_window_refuses_every_operation_that_counts_in_it",
        assertion: "assert_eq!(refused.outcome(), \"429 window\"",
        bend: Bend::Answer(|_, answer| {
            if answer.status == StatusCode::TOO_MANY_REQUESTS {
                *answer = error(404, "ENDPOINT_NOT_FOUND");
            }
        }),
    },
    Bent {
        what: "takes 501 services in one report",
        breaks: Breaks::Limits,
        case: "mechanisms::still::leaves_all_as_it_is::sync_services",
        assertion: "assert_eq!(answer.outcome(), play.outcome,",
        bend: Bend::Instead(|call| {
            let many = call.json()["services"]
                .as_array()
                .is_some_and(|services| services.len() > 500);
            let done =
                json!({"changed": 0, "unchanged": 501, "unknown_services": [], "enforcement": []});
            (call.is(Method::POST, "/sync-services") && many).then(|| success(200, &done))
        }),
    },
    Bent {
        what: "refuses a downgrade by the wrong usage",
        breaks: Breaks::Limits,
        case: "scenes::a_downgrade_below_the_usage_names_usage_and_limit",
        assertion: "`/error/details/current_usage` is 2, not 3",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/change-subscription") && !answer.status.is_success() {
                answer.edit(|json| json["error"]["details"]["current_usage"] = json!(2));
            }
        }),
    },
    Bent {
        what: "sends no Retry-After with a full window",
        breaks: Breaks::Headers,
        case: "mechanisms::refused::a_full_window_refuses_every_operation_that_counts_in_it",
        assertion: "(1..=60).contains(&wait_of(&refused))",
        bend: Bend::Answer(|_, answer| {
            answer.headers.remove(header::RETRY_AFTER);
        }),
    },
    Bent {
        what: "sends a Retry-After that is not the cooldown's",
        breaks: Breaks::Headers,
        case: "mechanisms::instants::a_cooldown_ends",
        assertion: "Retry-After is",
        bend: Bend::Answer(|_, answer| {
            if answer.headers.contains_key(header::RETRY_AFTER) {
                answer
                    .headers
                    .insert(header::RETRY_AFTER, header::HeaderValue::from_static("60"));
            }
        }),
    },
    Bent {
        what: "allows methods that a path has not",
        breaks: Breaks::Headers,
        case: "mechanisms::refused::a_path_or_method_that_is_none_is_refused_by_name",
        assertion: "assert_eq!(methods, [",
        bend: Bend::Answer(|_, answer| {
            if answer.headers.contains_key(header::ALLOW) {
                answer.headers.insert(
                    header::ALLOW,
                    header::HeaderValue::from_static("GET, POST, PATCH"),
                );
            }
        }),
    },
    Bent {
        what: "reads the host in lower case only",
        breaks: Breaks::Headers,
        case: "mechanisms::refused::a_foreign_portal_domain_does_nothing_in_provisioning_and_sign_in",
        assertion: "assert_ne!(own.json[\"error\"][\"code\"], \"TENANT_MISMATCH\"",
        bend: Bend::Instead(|call| {
            let host = call
                .headers
                .get(header::HOST)
                .and_then(|host| host.to_str().ok());
            let upper = host.is_some_and(|host| host.contains(char::is_uppercase));
            upper.then(|| error(403, "TENANT_MISMATCH"))
        }),
    },
    Bent {
        what: "keeps a rule active when it has expired",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_rule_of_a_date_ends",
        assertion: "torn:",
        bend: Bend::Answer(|call, answer| {
            if call.is_one_of(Method::GET, "/api/v1/whitelists") {
                answer.edit(|json| json["data"]["is_active"] = json!(true));
            }
        }),
    },
    Bent {
        what: "lets a rule expire when its last day begins",
        breaks: Breaks::Time,
        case: "scenes::a_rule_of_one_server_is_created_read_changed_and_deleted",
        assertion: "`/data/expires_at` is",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/whitelists")
                && answer.json()["data"]["expires_at"].is_string()
            {
                answer.edit(|json| json["data"]["expires_at"] = json!("2199-12-31T00:00:00+00:00"));
            }
        }),
    },
    Bent {
        what: "goes on planning scans of a paused endpoint",
        breaks: Breaks::Time,
        case: "scenes::an_endpoint_is_created_read_changed_and_deleted",
        assertion: "`/data/next_scan_at` is",
        bend: Bend::Answer(|call, answer| {
            if call.is_one_of(Method::PUT, ENDPOINTS) {
                answer
                    .edit(|json| json["data"]["next_scan_at"] = json["data"]["created_at"].clone());
            }
        }),
    },
    Bent {
        what: "takes a sign-in token twice",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_sign_in_token_ends",
        assertion: "left: \"200, then 200\"",
        bend: Bend::Answer(|call, answer| {
            if call.path == "/sso" {
                answer.status = StatusCode::OK;
            }
        }),
    },
    Bent {
        what: "makes a second server of an address that is there",
        breaks: Breaks::Idempotency,
        case: "scenes::an_address_is_one_server_for_each_customer",
        assertion: "step 2: provision_endpoint",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/provision") && answer.status == StatusCode::OK {
                *answer = success(
                    201,
                    &json!({"endpoint_id": Uuid::nil(), "status": "active"}),
                );
            }
        }),
    },
    Bent {
        what: "counts a service that is as reported as changed",
        breaks: Breaks::Idempotency,
        case: "scenes::drift_is_corrected_and_reported_by_customer",
        assertion: "`/data/changed` is 1, not 0",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/sync-services") {
                answer.edit(|json| {
                    json["data"]["changed"] = json["data"]["unchanged"].take();
                    json["data"]["unchanged"] = json!(0);
                });
            }
        }),
    },
    Bent {
        what: "releases a domain twice",
        breaks: Breaks::Idempotency,
        case: "scenes::a_released_domain_is_gone_with_its_slot",
        assertion: "step 5: release_domain",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/release-domain")
                && answer.json()["error"]["code"] == "DOMAIN_NOT_FOUND"
            {
                let id = call.json()["monitored_domain_id"].clone();
                *answer = success(
                    200,
                    &json!({"monitored_domain_id": id, "released": true, "slots_total": 0, "slots_used": 0}),
                );
            }
        }),
    },
    Bent {
        what: "is asked twice for each sign-in token on its way there",
        breaks: Breaks::Idempotency,
        case: "faults::every_fault_of_a_sign_in_mints_one_token_at_most",
        assertion: "assert_eq!(watch.statuses().await, statuses,",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await;
                let made = answer.as_ref().map(|answer| answer.status);
                if call.is(Method::POST, "/sso/token") && made == Some(StatusCode::OK) {
                    behind.answer(&call).await;
                }
                answer
            })
        }),
    },
    Bent {
        what: "answers a change to the same plan as if it were one",
        breaks: Breaks::Idempotency,
        case: "states::every_trigger_in_every_state_of_a_subscription_to_a_plan",
        assertion: "change_nothing of what was active",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/change-subscription") {
                answer.edit(|json| json["data"]["changed"] = json!(true));
            }
        }),
    },
    Bent {
        what: "shows an endpoint to whoever asks",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::are_answered_like_unknown_ones::get_endpoint",
        assertion: "other.status.is_client_error()",
        bend: Bend::Call(|call| {
            if call.is_one_of(Method::GET, ENDPOINTS) {
                call.forget("billing_customer_id");
            }
        }),
    },
    Bent {
        what: "lists everybody's endpoints to a customer who has none",
        breaks: Breaks::Isolation,
        case: "mechanisms::lists::pages_are_the_list::list_endpoints",
        assertion: "the query of first",
        bend: Bend::Call(|call| {
            if call.is(Method::GET, "/endpoints") {
                call.forget("billing_customer_id");
            }
        }),
    },
    Bent {
        what: "deletes a rule for whoever asks",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::are_answered_like_unknown_ones::delete_rule",
        assertion: "is not answered like",
        bend: Bend::Call(|call| {
            if call.is_one_of(Method::DELETE, "/api/v1/whitelists") {
                call.forget("billing_customer_id");
            }
        }),
    },
    Bent {
        what: "gives pages of its own size",
        breaks: Breaks::Paging,
        case: "scenes::a_page_shows_where_it_stands_and_the_limits",
        assertion: "`/meta/per_page` is 25, not 2",
        bend: Bend::Call(|call| {
            if call.is(Method::GET, "/endpoints") {
                call.forget("per_page");
            }
        }),
    },
    Bent {
        what: "links to a page before the first",
        breaks: Breaks::Paging,
        case: "scenes::a_page_shows_where_it_stands_and_the_limits",
        assertion: "`/links/prev` is",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/endpoints") {
                answer.edit(|json| json["links"]["prev"] = json["links"]["first"].clone());
            }
        }),
    },
    Bent {
        what: "does not look at the filter of domain alerts by severity",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_domain_alerts",
        assertion: "what is on the page",
        bend: Bend::Call(|call| {
            if call.is(Method::GET, "/alerts") {
                call.forget("severity");
            }
        }),
    },
    Bent {
        what: "counts items that the filter leaves out",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_rules",
        assertion: "total, per_page, current_page",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/whitelists") && !list(&mut answer.json(), "/data").is_empty()
            {
                answer.edit(|json| json["meta"]["total"] = json!(3));
            }
        }),
    },
    Bent {
        what: "does not look at the filter of rules by scope",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_rules",
        assertion: "total, per_page, current_page",
        bend: Bend::Call(|call| {
            if call.is(Method::GET, "/whitelists") {
                call.forget("scope");
            }
        }),
    },
];
