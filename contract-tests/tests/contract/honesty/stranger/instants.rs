//! Wrong by a second, or by a zone, at a boundary.

use super::tools::*;

const DAY: i64 = 86_400;

/// The instant of a member.
fn at(map: &Map<String, Value>, member: &str) -> Option<i64> {
    seconds(map.get(member)?.as_str()?)
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
        what: "counts the interval to next_scan_at from the last scan's start, two seconds before its end",
        breaks: Breaks::Time,
        case: "mechanisms::instants::the_first_scan_of_a_server_ends",
        assertion: "the next scan, so long after",
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
