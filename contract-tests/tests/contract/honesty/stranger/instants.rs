//! Wrong by a second, or by a zone, at a boundary.

use super::tools::*;

const DAY: i64 = 86_400;

/// The instant of a member.
fn at(map: &Map<String, Value>, member: &str) -> Option<i64> {
    seconds(map.get(member)?.as_str()?)
}

/// A call of the window of 60 that only reads.
fn strict_read(call: &Passing) -> bool {
    call.method == Method::GET
        && (call.path.starts_with("/api/v1/domains") || call.path.starts_with("/api/v1/alerts"))
}

/// The stranger's bends of this class.
pub const BENDS: &[Bent] = &[
    Bent {
        what: "rounds Retry-After of the rate window down instead of up",
        breaks: Breaks::Time,
        case: "mechanisms::instants::the_window_of_provisioning_ends",
        assertion: "Retry-After is 29",
        bend: Bend::Answer(|_, answer| {
            let limited = answer.json()["message"] == "Too Many Attempts.";
            let left = answer.headers.get(header::RETRY_AFTER);
            let left = left.and_then(|left| left.to_str().ok()?.parse::<i64>().ok());
            if limited && let Some(left) = left {
                let fewer = HeaderValue::from((left - 1).max(1));
                answer.headers.insert(header::RETRY_AFTER, fewer);
            }
        }),
    },
    Bent {
        what: "opens the next rate window one second after the last one's end",
        breaks: Breaks::Time,
        case: "mechanisms::instants::the_window_of_provisioning_ends",
        assertion: "call 0 of a window of 60",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let name = mine(&call, "window", "");
                let end = recall(&behind, &name).as_i64();
                if strict_read(&call)
                    && let Some(end) = end
                    && now(&behind, &call).await == end
                {
                    return Some(throttled(1));
                }
                let answer = behind.answer(&call).await?;
                if strict_read(&call) && answer.status == 429 {
                    let left = answer.headers.get(header::RETRY_AFTER);
                    let left = left.and_then(|left| left.to_str().ok()?.parse::<i64>().ok());
                    let end = now(&behind, &call).await + left.unwrap_or_default();
                    behind.keep(&name, json!(end));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "still refuses a manual scan at the very end of the cooldown",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_cooldown_ends",
        assertion: "left: \"429 RATE_LIMITED",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if !provisioning(&call, "scan-endpoint") {
                    return behind.answer(&call).await;
                }
                let name = mine(&call, "cooldown", text(&call.json(), "/endpoint_id"));
                if let Some(end) = recall(&behind, &name).as_i64() {
                    let now = now(&behind, &call).await;
                    if now == end {
                        return Some(cooling(1, now));
                    }
                }
                let answer = behind.answer(&call).await?;
                if answer.status == 202 {
                    let length = number(&answer.json(), "/data/cooldown_seconds");
                    behind.keep(&name, json!(now_of(&answer) + length));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "accepts a manual scan in the last second of the cooldown",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_cooldown_ends",
        assertion: "Retry-After is -1, and 1 seconds are left",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                let left = number(&answer.json(), "/error/details/retry_after_seconds");
                if code(&answer) == "RATE_LIMITED" && left == 1 {
                    let data = json!({
                        "scan_id": made_up(&behind),
                        "status": "pending",
                        "cooldown_seconds": COOLDOWN,
                    });
                    return Some(success(202, data, now_of(&answer)));
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "gives Retry-After of a scan's cooldown one second shorter than details.retry_after_seconds",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_cooldown_ends",
        assertion: "Retry-After is 199",
        bend: Bend::Answer(|_, answer| {
            let left = number(&answer.json(), "/error/details/retry_after_seconds");
            if code(answer) == "RATE_LIMITED" && left > 1 {
                let fewer = HeaderValue::from(left - 1);
                answer.headers.insert(header::RETRY_AFTER, fewer);
            }
        }),
    },
    Bent {
        what: "takes a sign-in token at the very instant of its expires_at",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_sign_in_token_ends",
        assertion: "left: \"200, then 200",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if call.is(Method::POST, "/api/v1/sso/token") && answer.status.is_success() {
                    let body = answer.json();
                    let end = seconds(text(&body, "/data/expires_at"));
                    let kept = json!({
                        "end": end,
                        "key": account(&call),
                        "customer": call.json()["billing_customer_id"],
                    });
                    behind.keep(&format!("token {}", text(&body, "/data/token")), kept);
                } else if call.is(Method::GET, "/sso") {
                    let token = asked(&call, "token").unwrap_or_default();
                    let name = format!("token {token}");
                    if answer.status == 200 {
                        behind.keep(&name, Value::Null);
                    }
                    let kept = recall(&behind, &name);
                    if kept.is_object() {
                        let mut caller = call.clone();
                        let key = HeaderValue::from_str(text(&kept, "/key")).ok()?;
                        caller.headers.insert(header::AUTHORIZATION, key);
                        if Some(now(&behind, &caller).await) == kept["end"].as_i64() {
                            let body = json!({"billing_customer_id": kept["customer"]});
                            let fresh = tell(&behind, &caller, "/api/v1/sso/token", body).await?;
                            let fresh = fresh.json();
                            let page = with_query(&call, "token", text(&fresh, "/data/token"));
                            answer = behind.answer(&page).await?;
                        }
                    }
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "refuses a sign-in token in its last second",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_sign_in_token_ends",
        assertion: "left: \"401, then 401",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if call.is(Method::GET, "/sso") {
                    let token = asked(&call, "token").unwrap_or_default();
                    let kept = recall(&behind, &format!("token {token}"));
                    if let Some(end) = kept["end"].as_i64() {
                        let mut caller = call.clone();
                        let key = HeaderValue::from_str(text(&kept, "/key")).ok()?;
                        caller.headers.insert(header::AUTHORIZATION, key);
                        if now(&behind, &caller).await >= end - 1 {
                            let unknown = with_query(&call, "token", "expired");
                            return behind.answer(&unknown).await;
                        }
                    }
                }
                let answer = behind.answer(&call).await?;
                if call.is(Method::POST, "/api/v1/sso/token") && answer.status.is_success() {
                    let body = answer.json();
                    let end = seconds(text(&body, "/data/expires_at"));
                    let kept = json!({"end": end, "key": account(&call)});
                    behind.keep(&format!("token {}", text(&body, "/data/token")), kept);
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "shows a rule as no longer active in the second that its expires_at shows",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_rule_of_a_date_ends",
        assertion: "left: \"torn: [false, true, true, true]",
        bend: Bend::Answer(|call, answer| {
            let now = now_of(answer);
            if call.path.starts_with("/api/v1/whitelists") && answer.status == 200 {
                answer.edit(|body| {
                    walk(body, &mut |map| {
                        if at(map, "expires_at") == Some(now) {
                            map.insert("is_active".to_owned(), json!(false));
                        }
                    });
                });
            }
        }),
    },
    Bent {
        what: "shows a rule as active for one second more than its expires_at",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_rule_of_a_date_ends",
        assertion: "left: \"torn: [true, false, false, false]",
        bend: Bend::Answer(|call, answer| {
            let now = now_of(answer);
            if call.path.starts_with("/api/v1/whitelists") && answer.status == 200 {
                answer.edit(|body| {
                    walk(body, &mut |map| {
                        if at(map, "expires_at") == Some(now - 1) {
                            map.insert("is_active".to_owned(), json!(true));
                        }
                    });
                });
            }
        }),
    },
    Bent {
        what: "reads a rule's bare expires_at as the beginning of that day",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_rule_of_a_date_ends",
        assertion: "a rule given until",
        bend: Bend::Call(|call| {
            let mut body = call.json();
            let writes = call.method == Method::POST || call.method == Method::PUT;
            let date = text(&body, "/expires_at").to_owned();
            if writes
                && call.path.starts_with("/api/v1/whitelists")
                && date.len() == 10
                && seconds(&format!("{date}T00:00:00Z")).is_some()
            {
                body["expires_at"] = json!(format!("{date}T00:00:00+00:00"));
                call.set_json(&body);
            }
        }),
    },
    Bent {
        what: "drops the offset of a rule's expires_at and takes its local time as UTC",
        breaks: Breaks::Time,
        case: "mechanisms::instants::a_rule_of_a_moment_in_the_east_ends",
        assertion: "a rule given until",
        bend: Bend::Call(|call| {
            let mut body = call.json();
            let writes = call.method == Method::POST || call.method == Method::PUT;
            let written = text(&body, "/expires_at").to_owned();
            if writes
                && call.path.starts_with("/api/v1/whitelists")
                && written.len() == 25
                && seconds(&written).is_some()
            {
                body["expires_at"] = json!(format!("{}+00:00", &written[..19]));
                call.set_json(&body);
            }
        }),
    },
    Bent {
        what: "shows a record's first scan one second late: at the instant of its end it is still outstanding",
        breaks: Breaks::Time,
        case: "mechanisms::instants::the_first_scan_of_a_server_ends",
        assertion: "the server by itself and in its detail",
        bend: Bend::Answer(|_, answer| {
            let now = now_of(answer);
            each_endpoint(answer, |_, server| {
                let (made, last) = (at(server, "created_at"), at(server, "last_scan_at"));
                if last == Some(now) && made.is_some_and(|made| made + 2 == now) {
                    let due = server.get("created_at").cloned().unwrap_or_default();
                    server.insert("last_scan_at".to_owned(), Value::Null);
                    server.insert("platform".to_owned(), Value::Null);
                    server.insert("next_scan_at".to_owned(), due);
                }
            });
        }),
    },
    Bent {
        what: "counts the interval to next_scan_at from the last scan's start, two seconds before its end",
        breaks: Breaks::Time,
        case: "mechanisms::instants::the_first_scan_of_a_server_ends",
        assertion: "the next scan, a day after",
        bend: Bend::Answer(|_, answer| {
            each_endpoint(answer, |_, server| {
                if let (Some(last), Some(next)) =
                    (at(server, "last_scan_at"), at(server, "next_scan_at"))
                    && next == last + DAY
                {
                    server.insert("next_scan_at".to_owned(), json!(instant(next - 2)));
                }
            });
        }),
    },
    Bent {
        what: "gives in the scan history when a scan started, not when it was completed",
        breaks: Breaks::Time,
        case: "mechanisms::instants::the_first_scan_of_a_domain_ends",
        assertion: "last_scan_at, dark_web_last_scan_at and the history",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/scan-history") && answer.status == 200 {
                answer.edit(|body| {
                    for scan in list_mut(body, "/data/scans").into_iter().flatten() {
                        if let Some(end) = seconds(text(scan, "/created_at")) {
                            set(scan, "/created_at", json!(instant(end - 2)));
                        }
                    }
                });
            }
        }),
    },
];
