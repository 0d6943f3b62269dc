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
        what: "shows one hit too few of a fault that is used up",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::a_call_that_a_fault_hit_is_kept_as_it_was::suspend_endpoint",
        assertion: "hits and times of",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/_mock/faults") && answer.status == 200 {
                answer.edit(|body| {
                    for fault in list_mut(body, "/faults").into_iter().flatten() {
                        let (hits, times) = (number(fault, "/hits"), number(fault, "/times"));
                        if times > 1 && hits == times {
                            set(fault, "/hits", json!(hits - 1));
                        }
                    }
                });
            }
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
        what: "gives the oldest n entries for limit=n",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::entries_are_found_by_what_they_are",
        assertion: "the journal by",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let limit = asked(&call, "limit").and_then(|limit| limit.parse::<usize>().ok());
                if call.path != JOURNAL || limit.is_none() {
                    return behind.answer(&call).await;
                }
                let mut all = call.clone();
                all.forget("limit");
                let mut answer = behind.answer(&all).await?;
                journal(&call, &mut answer, |entries| {
                    entries.truncate(limit.unwrap_or_default());
                });
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
        what: "mixes up the answers of two neighbouring calls of one path that came in the same second",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::what_is_refused_is_kept_like_the_rest",
        assertion: "`status` is not",
        bend: Bend::Answer(|call, answer| {
            journal(call, answer, |entries| {
                let mut place = 1;
                while place < entries.len() {
                    let (before, rest) = entries.split_at_mut(place);
                    let (one, two) = (&mut before[place - 1], &mut rest[0]);
                    let alike = ["method", "path", "tenant", "at"];
                    let same = alike.iter().all(|member| one[*member] == two[*member]);
                    if same && one["status"] != two["status"] {
                        for member in ["status", "response"] {
                            let kept = one[member].take();
                            one[member] = two[member].take();
                            two[member] = kept;
                        }
                        place += 1;
                    }
                    place += 1;
                }
            });
        }),
    },
    Bent {
        what: "shows the raw text of a journal entry's query with its percent escapes read",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::entries_are_found_by_what_they_are",
        assertion: "`query` is not",
        bend: Bend::Answer(|call, answer| {
            journal(call, answer, |entries| {
                for entry in entries {
                    let plain = decoded(text(entry, "/query"));
                    if !plain.is_empty() {
                        set(entry, "/query", json!(plain));
                    }
                }
            });
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
        what: "keeps an account's clock where it was moved to when that account is reset",
        breaks: Breaks::Journal,
        case: "mechanisms::journal::a_reset_takes_what_is_the_accounts_alone",
        assertion: "the clock of an account that was reset",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if !call.is(Method::POST, "/reset") || tenant(&call).is_empty() {
                    return behind.answer(&call).await;
                }
                let path = format!("/_mock/tenants/{}/clock", tenant(&call));
                let before = clock(&behind, &call, &path).await;
                let answer = behind.answer(&call).await?;
                let after = clock(&behind, &call, &path).await;
                if let (Some(before), Some(after)) = (before, after)
                    && before > after
                {
                    let on = json!({"advance_seconds": before - after});
                    tell(&behind, &call, &path, on).await;
                }
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
