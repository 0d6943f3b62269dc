//! Pages, filters, totals, links, order, sizes.

use super::tools::*;

/// Whether it reads a list of this name below a domain.
fn of_domain(call: &Passing, list: &str) -> bool {
    call.path.starts_with("/api/v1/domains/") && call.is(Method::GET, list)
}

/// The parameter as a number.
fn asked_number(call: &Passing, name: &str, otherwise: i64) -> i64 {
    let given = asked(call, name).and_then(|text| text.parse().ok());
    given.unwrap_or(otherwise)
}

/// A link without one of its parameters.
fn cut(link: &str, parameter: &str) -> String {
    let Some((path, query)) = link.split_once('?') else {
        return link.to_owned();
    };
    let start = format!("{parameter}=");
    let rest = query.split('&').filter(|pair| !pair.starts_with(&start));
    format!("{path}?{}", rest.collect::<Vec<_>>().join("&"))
}

/// A number in a link's query.
fn parameter(link: &str, name: &str) -> Option<i64> {
    let (_, query) = link.split_once('?')?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name)?.1.parse().ok()
}

/// The stranger's bends of this class.
pub const BENDS: &[Bent] = &[
    Bent {
        what: "counts one last_page too many when the alerts fill their pages exactly",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_domain_alerts",
        assertion: "total, current_page, last_page",
        bend: Bend::Answer(|call, answer| {
            if call.method == Method::GET && call.path.ends_with("/alerts") && answer.status == 200
            {
                let size = asked_number(call, "per_page", 25).max(1);
                answer.edit(|body| {
                    let total = number(body, "/data/total");
                    if total > 0 && total % size == 0 {
                        set(body, "/data/last_page", json!(total / size + 1));
                    }
                });
            }
        }),
    },
    Bent {
        what: "says has_more on a last page of mentions that happens to be full",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_mentions",
        assertion: "has_more",
        bend: Bend::Answer(|call, answer| {
            if of_domain(call, "/dark-web-mentions") && answer.status == 200 {
                let size = asked_number(call, "per_page", 25);
                answer.edit(|body| {
                    let shown = items(body, "/data/mentions").len();
                    set(
                        body,
                        "/data/has_more",
                        json!(i64::try_from(shown) == Ok(size)),
                    );
                });
            }
        }),
    },
    Bent {
        what: "forgets the status filter in the next link of the rules and servers",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_rules",
        assertion: "the query of next",
        bend: Bend::Answer(|_, answer| {
            if answer.json()["links"]["next"].is_string() {
                answer.edit(|body| {
                    let link = cut(text(body, "/links/next"), "status");
                    set(body, "/links/next", json!(link));
                });
            }
        }),
    },
    Bent {
        what: "forgets per_page in the last link",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_rules",
        assertion: "the query of last",
        bend: Bend::Answer(|_, answer| {
            if answer.json()["links"]["last"].is_string() {
                answer.edit(|body| {
                    let link = cut(text(body, "/links/last"), "per_page");
                    set(body, "/links/last", json!(link));
                });
            }
        }),
    },
    Bent {
        what: "links prev of a page past the end to the last page that holds something, instead of the page before it",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_rules",
        assertion: "the query of prev",
        bend: Bend::Answer(|call, answer| {
            let page = asked_number(call, "page", 1);
            let last = answer.json()["links"]["last"].clone();
            let held = last.as_str().and_then(|link| parameter(link, "page"));
            if let Some(held) = held
                && page > held + 1
            {
                answer.edit(|body| set(body, "/links/prev", last));
            }
        }),
    },
    Bent {
        what: "cuts a per_page above the bound of domain alerts and mentions to 50 instead of refusing it",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_domain_alerts",
        assertion: "answer.outcome() == \"422 fields\" && named",
        bend: Bend::Call(|call| {
            if of_domain(call, "/alerts") || of_domain(call, "/dark-web-mentions") {
                for (name, value) in &mut call.query {
                    if name == "per_page" && value.parse::<i64>().is_ok_and(|size| size > 50) {
                        *value = "50".to_owned();
                    }
                }
            }
        }),
    },
    Bent {
        what: "takes a per_page of up to 200 for rules (and gives 100)",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_rules",
        assertion: "answer.outcome() == \"422 fields\" && named",
        bend: Bend::Call(|call| {
            if call.is(Method::GET, "/api/v1/whitelists") {
                for (name, value) in &mut call.query {
                    let size = value.parse::<i64>().unwrap_or_default();
                    if name == "per_page" && (101..=200).contains(&size) {
                        *value = "100".to_owned();
                    }
                }
            }
        }),
    },
    Bent {
        what: "lists the port alerts of one moment oldest first within a newest-first list",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_port_alerts",
        assertion: "was made before",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/api/v1/alerts") && answer.status == 200 {
                answer.edit(|body| {
                    if let Some(list) = list_mut(body, "/data/alerts") {
                        list.reverse();
                        list.sort_by_key(|alert| {
                            let seen = text(alert, "/first_detected_at");
                            std::cmp::Reverse(seen.to_owned())
                        });
                    }
                });
            }
        }),
    },
    Bent {
        what: "begins every later page of domain alerts with the last alert of the page before",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_domain_alerts",
        assertion: "the others, in their order",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                let page = asked_number(&call, "page", 1);
                if of_domain(&call, "/alerts") && answer.status == 200 && page > 1 {
                    let before = with_query(&call, "page", &(page - 1).to_string());
                    let before = behind.answer(&before).await?.json();
                    if let Some(last) = items(&before, "/data/alerts").pop() {
                        answer.edit(|body| {
                            if let Some(list) = list_mut(body, "/data/alerts")
                                && !list.is_empty()
                            {
                                list.pop();
                                list.insert(0, last);
                            }
                        });
                    }
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "ignores the severity filter of port alerts when a status filter stands beside it",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_port_alerts",
        assertion: "what is on the page",
        bend: Bend::Call(|call| {
            if call.is(Method::GET, "/api/v1/alerts")
                && asked(call, "status").is_some()
                && asked(call, "severity").is_some_and(|severity| !severity.is_empty())
            {
                call.forget("severity");
            }
        }),
    },
    Bent {
        what: "ignores the category filter of domain alerts when the type is dark_web_mention",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_domain_alerts",
        assertion: "what is on the page",
        bend: Bend::Call(|call| {
            if of_domain(call, "/alerts")
                && asked(call, "type").as_deref() == Some("dark_web_mention")
                && asked(call, "category")
                    .is_some_and(|one| one == "customers" || one == "third_parties")
            {
                call.forget("category");
            }
        }),
    },
    Bent {
        what: "leaves rules that never expire out of the rules of status active",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_rules",
        assertion: "what is on the page",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/api/v1/whitelists")
                && asked(call, "status").as_deref() == Some("active")
                && answer.status == 200
            {
                answer.edit(|body| {
                    let mut gone = 0;
                    if let Some(list) = list_mut(body, "/data") {
                        let before = list.len();
                        list.retain(|rule| rule["expires_at"].is_string());
                        gone = i64::try_from(before - list.len()).unwrap_or_default();
                    }
                    let total = number(body, "/meta/total") - gone;
                    set(body, "/meta/total", json!(total));
                });
            }
        }),
    },
    Bent {
        what: "keeps 24 scans in the history",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::get_scan_history",
        assertion: "records listed",
        bend: Bend::Answer(|call, answer| {
            if of_domain(call, "/scan-history") && answer.status == 200 {
                answer.edit(|body| {
                    if let Some(list) = list_mut(body, "/data/scans") {
                        list.truncate(24);
                    }
                });
            }
        }),
    },
    Bent {
        what: "gives pages of 20 mentions where no per_page is sent",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_mentions",
        assertion: "what is on the page",
        bend: Bend::Call(|call| {
            if of_domain(call, "/dark-web-mentions") && asked(call, "per_page").is_none() {
                call.query.push(("per_page".to_owned(), "20".to_owned()));
            }
        }),
    },
    Bent {
        what: "gives as total of credential leaks what the page holds, once there is more than one page",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_credential_leaks",
        assertion: "total, page, page_size",
        bend: Bend::Answer(|call, answer| {
            if of_domain(call, "/credential-leaks") && answer.status == 200 {
                answer.edit(|body| {
                    let shown = items(body, "/data/items").len();
                    set(body, "/data/total", json!(shown));
                });
            }
        }),
    },
    Bent {
        what: "answers a page of port alerts past the end with the last page",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_port_alerts",
        assertion: "what is on the page",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                let last = number(&answer.json(), "/data/last_page");
                if call.is(Method::GET, "/api/v1/alerts")
                    && answer.status == 200
                    && asked_number(&call, "page", 1) > last
                {
                    return behind
                        .answer(&with_query(&call, "page", &last.to_string()))
                        .await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "orders servers by updated_at, so that a renamed one moves to the end",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list_as_time_goes_on::list_endpoints",
        assertion: "the others, in their order",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/api/v1/endpoints") && answer.status == 200 {
                answer.edit(|body| {
                    if let Some(list) = list_mut(body, "/data") {
                        list.sort_by_key(|server| text(server, "/updated_at").to_owned());
                    }
                });
            }
        }),
    },
    Bent {
        what: "numbers the last page of an empty list of servers 0 in its last link",
        breaks: Breaks::Paging,
        case: "mechanisms::lists::pages_are_the_list::list_endpoints",
        assertion: "the query of last",
        bend: Bend::Answer(|call, answer| {
            if call.is(Method::GET, "/api/v1/endpoints") && answer.status == 200 {
                answer.edit(|body| {
                    if body["meta"]["total"] == 0 {
                        let link = cut(text(body, "/links/last"), "page");
                        let link = match link.strip_suffix('?') {
                            Some(path) => format!("{path}?page=0"),
                            None => format!("{link}&page=0"),
                        };
                        set(body, "/links/last", json!(link));
                    }
                });
            }
        }),
    },
];
