//! The same request in another dress, answered differently.

use super::tools::*;

/// Changes a member of the body, where there is one.
fn change(call: &mut Passing, member: &str, to: impl FnOnce(&Value) -> Option<Value>) {
    let mut body = call.json();
    if let Some(new) = body.get(member).and_then(to) {
        body[member] = new;
        call.set_json(&body);
    }
}

/// `1.0` as `1`.
fn whole(value: &Value) -> Option<Value> {
    let written = value.as_f64().filter(|_| value.is_f64())?;
    let text = format!("{written}");
    text.parse::<i64>().ok().map(|number| json!(number))
}

/// The stranger's bends of this class.
pub const BENDS: &[Bent] = &[
    Bent {
        what: "takes the first of two billing_customer_id in a query",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::each_alone::list_domains",
        assertion: "is answered otherwise",
        bend: Bend::Call(|call| {
            let mut seen = false;
            call.query.retain(|(name, _)| {
                let again = name == "billing_customer_id" && seen;
                seen |= name == "billing_customer_id";
                !again
            });
        }),
    },
    Bent {
        what: "finds no port alerts when the endpoint_id of the filter is written in capitals",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::each_alone::list_port_alerts",
        assertion: "is answered otherwise",
        bend: Bend::Call(|call| {
            if call.is(Method::GET, "/api/v1/alerts") {
                for (name, value) in &mut call.query {
                    if name == "endpoint_id" && *value != value.to_lowercase() && value.len() == 36
                    {
                        *value = "00000000-0000-4000-8000-000000000000".to_owned();
                    }
                }
            }
        }),
    },
    Bent {
        what: "takes 3.0 as a quantity",
        breaks: Breaks::Dress,
        case: "mechanisms::still::leaves_all_as_it_is::provision_subscription",
        assertion: "assert_eq!(answer.outcome(), play.outcome,",
        bend: Bend::Call(|call| {
            change(call, "quantity", whole);
            change(call, "new_quantity", whole);
        }),
    },
    Bent {
        what: "takes TRUE and True for the is_new of mentions",
        breaks: Breaks::Dress,
        case: "mechanisms::still::leaves_all_as_it_is::list_mentions",
        assertion: "assert_eq!(answer.outcome(), play.outcome,",
        bend: Bend::Call(|call| {
            for (name, value) in &mut call.query {
                if name == "is_new" {
                    *value = value.to_lowercase();
                }
            }
        }),
    },
    Bent {
        what: "takes force: 1 and force: \"true\" in a change-subscription",
        breaks: Breaks::Dress,
        case: "mechanisms::still::leaves_all_as_it_is::change_subscription",
        assertion: "assert_eq!(answer.outcome(), play.outcome,",
        bend: Bend::Call(|call| {
            if provisioning(call, "change-subscription") {
                change(call, "force", |force| {
                    (*force == 1 || *force == "1" || *force == "true").then_some(json!(true))
                });
            }
        }),
    },
    Bent {
        what: "takes an empty status or endpoint_id of a query as not sent",
        breaks: Breaks::Dress,
        case: "mechanisms::still::leaves_all_as_it_is::list_endpoints",
        assertion: "assert_eq!(answer.outcome(), play.outcome,",
        bend: Bend::Call(|call| {
            call.query.retain(|(name, value)| {
                !value.is_empty() || !["status", "endpoint_id"].contains(&name.as_str())
            });
        }),
    },
    Bent {
        what: "reads a body only where the Content-Type says JSON",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::each_alone::resume_endpoint",
        assertion: "is answered otherwise",
        bend: Bend::Call(|call| {
            let kind = call.headers.get(header::CONTENT_TYPE);
            let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
            if !kind.contains("json") && call.path.starts_with("/api/") {
                call.body = Bytes::new();
            }
        }),
    },
    Bent {
        what: "knows no key after `bearer` in small letters or `BEARER` in capitals",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::each_alone::terminate_endpoint",
        assertion: "is answered otherwise",
        bend: Bend::Call(|call| {
            if call.path.starts_with("/api/") && !account(call).starts_with("Bearer ") {
                call.headers.remove(header::AUTHORIZATION);
            }
        }),
    },
    Bent {
        what: "records no service for a server that is provisioned under /provisioning/",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::each_alone::provision_endpoint",
        assertion: "does something else",
        bend: Bend::Call(|call| {
            let mut body = call.json();
            if call.is(Method::POST, "/api/v1/provisioning/provision")
                && body["service_id"].as_i64().is_some_and(|id| id > 0)
            {
                body = without(body, &["service_id"]);
                call.set_json(&body);
            }
        }),
    },
    Bent {
        what: "shows an IPv6 address in the answer to its creation as it was written",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::values_at_the_edge_and_in_other_spellings::create_endpoint",
        assertion: "is answered otherwise",
        bend: Bend::Answer(|call, answer| {
            let written = call.json()["ip_address"].clone();
            let v6 = written.as_str().is_some_and(|text| text.contains(':'));
            if call.is(Method::POST, "/api/v1/endpoints") && answer.status == 201 && v6 {
                answer.edit(|body| set(body, "/data/ip_address", written));
            }
        }),
    },
    Bent {
        what: "drops a leading www. of a domain",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::values_at_the_edge_and_in_other_spellings::provision_domain",
        assertion: "is answered otherwise",
        bend: Bend::Call(|call| {
            if provisioning(call, "provision-domain") || provisioning(call, "update-domain") {
                change(call, "domain", |name| {
                    let rest = name.as_str()?.strip_prefix("www.")?;
                    rest.contains('.').then(|| json!(rest))
                });
            }
        }),
    },
    Bent {
        what: "counts a nickname's length in bytes",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::values_at_the_edge_and_in_other_spellings::update_endpoint",
        assertion: "answer.status.is_success()",
        bend: Bend::Instead(|call| {
            let body = call.json();
            let nickname = text(&body, "/nickname");
            let long = nickname.len() > 255 && nickname.chars().count() <= 255;
            let sentence = "The nickname may not be longer than 255 characters.";
            (call.path.starts_with("/api/v1/endpoints") && long)
                .then(|| invalid("nickname", sentence))
        }),
    },
    Bent {
        what: "takes a path with a trailing slash for the path without",
        breaks: Breaks::Dress,
        case: "mechanisms::refused::a_path_or_method_that_is_none_is_refused_by_name",
        assertion: "404 NOT_FOUND",
        bend: Bend::Call(|call| {
            if call.path.starts_with("/api/")
                && let Some(path) = call.path.strip_suffix('/')
            {
                call.path = path.to_owned();
            }
        }),
    },
];
