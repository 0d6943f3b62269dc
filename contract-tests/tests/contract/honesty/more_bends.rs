//! Bends of limits, headers, time, idempotency, isolation and paging.

use http::{Method, StatusCode, header};
use secmon_contract_tests::proxy::{Answer, Bend};
use serde_json::{Value, json};
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
        case: "domains::slots_bound_the_domains",
        assertion: "assert_api_error(refused, 403, ErrorCode::DomainLimitExceeded)",
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
        case: "servers::a_plan_bounds_the_servers_of_a_customer",
        assertion: "(details.limit(), details.current_usage())",
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
        case: "health_and_access::a_full_window_is_a_429_with_the_wait",
        assertion: "assert_api_error(account.client.servers().suspend(nobody()).await, 429, None)",
        bend: Bend::Answer(|_, answer| {
            if answer.status == StatusCode::TOO_MANY_REQUESTS {
                *answer = error(404, "ENDPOINT_NOT_FOUND");
            }
        }),
    },
    Bent {
        what: "takes 501 services in one report",
        breaks: Breaks::Limits,
        case: "sync::bad_entries_reject_the_whole_report_by_their_place",
        assertion: "StatusCode::UNPROCESSABLE_ENTITY, \"{field}\"",
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
        case: "subscriptions::a_downgrade_below_the_usage_names_usage_and_limit",
        assertion: "(details.current_usage(), details.new_limit())",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::POST, "/change-subscription") && !answer.status.is_success() {
                answer.edit(|json| json["error"]["details"]["current_usage"] = json!(2));
            }
        }),
    },
    Bent {
        what: "sends no Retry-After with a full window",
        breaks: Breaks::Headers,
        case: "health_and_access::a_full_window_is_a_429_with_the_wait",
        assertion: "error.retry_after().expect(\"a wait\")",
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
        case: "rules::a_rule_of_one_server_is_created_read_changed_and_deleted",
        assertion: "starts_with(\"2199-12-31T23:59:59\")",
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
        case: "endpoints::an_endpoint_is_created_read_changed_and_deleted",
        assertion: "assert_eq!(paused.next_scan_at, None)",
        bend: Bend::Answer(|call, answer| {
            if call.is_one_of(Method::PUT, ENDPOINTS) {
                answer
                    .edit(|json| json["data"]["next_scan_at"] = json["data"]["created_at"].clone());
            }
        }),
    },
    Bent {
        what: "never ends a cooldown",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_cooldown_ends",
        assertion: "right: \"202\"",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if !call.is(Method::POST, "/scan-endpoint") {
                    return Some(answer);
                }
                let scanned = behind.keep("scanned", json!(true)) == true;
                let again = scanned && answer.status == StatusCode::ACCEPTED;
                Some(if again {
                    error(429, "RATE_LIMITED")
                } else {
                    answer
                })
            })
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
        case: "servers::provisioning_twice_finds_the_same_server",
        assertion: "assert_eq!(found.status(), StatusCode::OK)",
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
        case: "sync::nothing_changed_is_an_empty_list",
        assertion: "assert_eq!((done.data.changed, done.data.unchanged), (Some(0), Some(1)))",
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
        case: "domains::a_released_domain_is_gone_with_its_slot",
        assertion: "domains.release(customer.id, service, id).await, 404, ErrorCode::DomainNotFound",
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
        assertion: "assert_eq!(watch.statuses().await, expected,",
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
        case: "subscriptions::a_change_says_what_it_changed",
        assertion: "(same.changed, same.plan_slug)",
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
        what: "lets another partner suspend a server",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::of_another_account_are_answered_like_unknown_ones::suspend_endpoint",
        assertion: "is not answered like",
        bend: Bend::Whole(|mut call, behind| {
            Box::pin(async move {
                let key = call
                    .headers
                    .get(header::AUTHORIZATION)?
                    .to_str()
                    .ok()?
                    .to_owned();
                if call.is(Method::POST, "/provision") {
                    behind.keep("owner", json!(key));
                } else if let Value::String(owner) = behind.keep("owner", Value::Null) {
                    call.headers
                        .insert(header::AUTHORIZATION, owner.parse().ok()?);
                }
                behind.answer(&call).await
            })
        }),
    },
    Bent {
        what: "shows an alert to whoever asks",
        breaks: Breaks::Isolation,
        case: "mechanisms::strangers::of_another_account_are_answered_like_unknown_ones::get_port_alert",
        assertion: "other.status.is_client_error()",
        bend: Bend::Whole(|mut call, behind| {
            Box::pin(async move {
                let customer = call
                    .query
                    .iter()
                    .position(|(name, _)| name == "billing_customer_id");
                let is_alert = call.is_one_of(Method::GET, "/api/v1/alerts");
                if let Some(at) = customer.filter(|_| is_alert) {
                    let asking = json!(call.query[at].1);
                    if let Value::String(first) = behind.keep("first", asking.clone()) {
                        behind.keep("first", json!(first));
                        call.query[at].1 = first;
                    }
                }
                behind.answer(&call).await
            })
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
        case: "endpoints::a_page_shows_where_it_stands_and_the_limits",
        assertion: "(meta.current_page, meta.per_page, meta.total)",
        bend: Bend::Call(|call| {
            if call.is(Method::GET, "/endpoints") {
                call.forget("per_page");
            }
        }),
    },
    Bent {
        what: "links to a page before the first",
        breaks: Breaks::Paging,
        case: "endpoints::a_page_shows_where_it_stands_and_the_limits",
        assertion: "links.prev.clone()",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/endpoints") {
                answer.edit(|json| json["links"]["prev"] = json["links"]["first"].clone());
            }
        }),
    },
    Bent {
        what: "gives the first page of alerts whatever page is asked for",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_domain_alerts",
        assertion: "the list begins again",
        bend: Bend::Whole(|mut call, behind| {
            Box::pin(async move {
                let page = call.query.iter().find(|(name, _)| name == "page");
                let page: Option<u64> = page.and_then(|(_, page)| page.parse().ok());
                if !call.is(Method::GET, "/alerts") || page.is_none() {
                    return behind.answer(&call).await;
                }
                let mut asked = behind.answer(&call).await?;
                call.forget("page");
                let first = behind.answer(&call).await?.json()["data"]["alerts"].clone();
                asked.edit(|json| json["data"]["alerts"] = first);
                Some(asked)
            })
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
        what: "gives the last page again beyond the end",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_endpoints",
        assertion: "what is on the page",
        bend: Bend::Whole(|mut call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                let asked = answer.json();
                if call.is(Method::GET, "/endpoints") && asked["data"] == json!([]) {
                    call.forget("page");
                    answer = behind.answer(&call).await?;
                    answer.edit(|json| json["meta"] = asked["meta"].clone());
                }
                Some(answer)
            })
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
    Bent {
        what: "keeps mentions new after they were read",
        breaks: Breaks::State,
        case: "domain_monitoring::mentions_are_new_until_they_were_read",
        assertion: "assert_eq!(count(list.clone().is_new(true)).await, 0)",
        bend: Bend::Answer(|call, answer| {
            let new_only = call
                .query
                .iter()
                .any(|(name, value)| name == "is_new" && value == "true");
            if new_only && list(&mut answer.json(), "/data/mentions").is_empty() {
                let mention = json!({
                    "id": Uuid::nil(), "title": "Seen", "content_preview": "", "source_name": "", "author": "",
                    "published_at": super::bends::NOW, "is_new": true, "created_at": super::bends::NOW,
                });
                let data = json!({"mentions": [mention], "total": 1, "current_page": 1, "last_page": 1, "has_more": false});
                *answer = Answer {
                    body: success(200, &data).body,
                    ..answer.clone()
                };
            }
        }),
    },
];
