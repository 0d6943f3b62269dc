//! Pages, filters, totals, links, order, sizes.

use super::tools::*;

/// Whether it reads a list of this name below a domain.
fn of_domain(call: &Passing, list: &str) -> bool {
    call.path.starts_with("/api/v1/domains/") && call.is(Method::GET, list)
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

/// The stranger's bends of this class.
pub const BENDS: &[Bent] = &[
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
];
