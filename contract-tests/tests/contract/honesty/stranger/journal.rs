//! The mock's journal and admin API, not telling the truth after a fault, a race or a moved clock.

use super::tools::*;

const JOURNAL: &str = "/_mock/requests";

/// Changes the entries of the journal that an answer shows.
fn journal(call: &Passing, answer: &mut Answer, change: impl FnOnce(&mut Vec<Value>)) {
    if call.method == Method::GET && call.path == JOURNAL && answer.status == 200 {
        answer.edit(|body| {
            if let Some(entries) = list_mut(body, "/requests") {
                change(entries);
            }
        });
    }
}

/// An account's name in `/_mock/tenants/{name}/...`.
fn tenant(call: &Passing) -> &str {
    id_in(&call.path, "/_mock/tenants")
}

/// An admin GET with the caller's headers.
async fn clock(behind: &Behind, call: &Passing, path: &str) -> Option<i64> {
    seconds(text(&ask(behind, call, path, &[]).await, "/now"))
}

/// The stranger's bends of this class.
pub const BENDS: &[Bent] = &[
    Bent {
        what: "leaves calls that got no answer out of the journal",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::a_call_that_a_fault_hit_is_kept_as_it_was::suspend_endpoint",
        assertion: "calls in the journal",
        bend: Bend::Answer(|call, answer| {
            journal(call, answer, |entries| {
                entries.retain(|entry| !entry["status"].is_null());
            });
        }),
    },
    Bent {
        what: "leaves calls that the rate window refused out of the journal",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::what_is_refused_is_kept_like_the_rest",
        assertion: "calls in the journal",
        bend: Bend::Answer(|call, answer| {
            journal(call, answer, |entries| {
                entries.retain(|entry| entry["response"]["message"] != "Too Many Attempts.");
            });
        }),
    },
    Bent {
        what: "dates the journal by the server's clock, not by the account's",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::entries_follow_the_clock_of_the_account",
        assertion: "is kept as one at",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if call.method == Method::GET
                    && call.path == JOURNAL
                    && let Some(name) = asked(&call, "tenant")
                {
                    let path = format!("/_mock/tenants/{name}/clock");
                    let own = clock(&behind, &call, &path).await;
                    let server = clock(&behind, &call, "/_mock/clock").await;
                    if let (Some(own), Some(server)) = (own, server) {
                        journal(&call, &mut answer, |entries| {
                            for entry in entries {
                                if let Some(at) = seconds(text(entry, "/at")) {
                                    set(entry, "/at", json!(instant(at - (own - server))));
                                }
                            }
                        });
                    }
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "numbers the entries of one account's journal from 1",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::entries_are_found_by_what_they_are",
        assertion: "the ids of two accounts",
        bend: Bend::Answer(|call, answer| {
            if asked(call, "tenant").is_some() && asked(call, "since").is_none() {
                journal(call, answer, |entries| {
                    for (place, entry) in entries.iter_mut().enumerate() {
                        set(entry, "/id", json!(place + 1));
                    }
                });
            }
        }),
    },
    Bent {
        what: "shows sign-in tokens in the journal",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::keys_and_tokens_are_not_kept",
        assertion: "shows a key or a token",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if call.is(Method::POST, "/api/v1/sso/token") && answer.status.is_success() {
                    let token = answer.json()["data"]["token"].clone();
                    behind.keep("token", token);
                }
                journal(&call, &mut answer, |entries| {
                    for entry in entries {
                        if entry["path"] == "/api/v1/sso/token" {
                            let token = recall(&behind, "token");
                            set(entry, "/response/data/token", token);
                        }
                    }
                });
                Some(answer)
            })
        }),
    },
    Bent {
        what: "removes the faults that name no account, too, when one account is reset",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::a_reset_takes_what_is_the_accounts_alone",
        assertion: "faults of the account, of another, of nobody",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                if call.is(Method::POST, "/reset") && !tenant(&call).is_empty() {
                    let all = ask(&behind, &call, "/_mock/faults", &[]).await;
                    for fault in items(&all, "/faults") {
                        if fault["tenant"].is_null() {
                            let id = fault["id"].to_string();
                            let path = format!("/_mock/faults/{}", id.trim_matches('"'));
                            let gone = another(&call, Method::DELETE, &path, &Value::Null);
                            behind.answer(&gone).await;
                        }
                    }
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "clears every account's journal when one account's is cleared",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::entries_are_found_by_what_they_are",
        assertion: "calls in the journal",
        bend: Bend::Call(|call| {
            if call.method == Method::DELETE && call.path == JOURNAL {
                call.forget("tenant");
            }
        }),
    },
    Bent {
        what: "does not let * of the journal's path filter cross a /",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::entries_are_found_by_what_they_are",
        assertion: "the journal by",
        bend: Bend::Answer(|call, answer| {
            let pattern = decoded(&asked(call, "path").unwrap_or_default());
            if pattern.contains('*') {
                let depth = pattern.matches('/').count();
                journal(call, answer, |entries| {
                    entries.retain(|entry| text(entry, "/path").matches('/').count() == depth);
                });
            }
        }),
    },
    Bent {
        what: "lets an admin scan start the cooldown of manual scans",
        breaks: Breaks::Journal,
        case: "mechanisms::instants::a_cooldown_ends",
        assertion: "the first manual scan",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = if provisioning(&call, "scan-endpoint") {
                    let name = format!("scanned {}", text(&call.json(), "/endpoint_id"));
                    let now = now(&behind, &call).await;
                    let kept = recall(&behind, &name).as_i64();
                    let known = kept.map(|start| if start == 0 { now } else { start });
                    if let Some(start) = known {
                        behind.keep(&name, json!(start));
                        if now < start + COOLDOWN {
                            return Some(cooling(start + COOLDOWN - now, now));
                        }
                    }
                    behind.answer(&call).await?
                } else {
                    behind.answer(&call).await?
                };
                if call.path.starts_with("/_mock/endpoints/")
                    && call.is(Method::POST, "/scan")
                    && answer.status == 204
                {
                    let id = id_in(&call.path, "/_mock/endpoints");
                    behind.keep(&format!("scanned {id}"), json!(0));
                }
                Some(answer)
            })
        }),
    },
];
