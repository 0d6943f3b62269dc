//! The same request in another dress, answered differently.

use super::tools::*;

/// The members of a JSON object as written: name and raw value, in order.
fn members(text: &str) -> Option<Vec<(String, String)>> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let (mut depth, mut quoted, mut escaped, mut start) = (0, false, false, 0);
    let mut parts = Vec::new();
    for (at, sign) in inner.char_indices() {
        match sign {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let pairs = parts.into_iter().map(|part| {
        let (name, rest) = part.trim().strip_prefix('"')?.split_once('"')?;
        let raw = rest.trim_start().strip_prefix(':')?;
        Some((name.to_owned(), raw.to_owned()))
    });
    pairs.collect()
}

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
        what: "takes the first of two members of one name in a body",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::each_alone::suspend_endpoint",
        assertion: "is answered otherwise",
        bend: Bend::Call(|call| {
            let text = String::from_utf8_lossy(&call.body).into_owned();
            if call.json().is_object()
                && let Some(all) = members(&text)
            {
                let mut names: Vec<String> = Vec::new();
                let mut kept = Vec::new();
                for (name, raw) in all {
                    if !names.contains(&name) {
                        kept.push(format!("\"{name}\":{raw}"));
                        names.push(name);
                    }
                }
                call.body = format!("{{{}}}", kept.join(",")).into();
            }
        }),
    },
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
        what: "knows no domain alert whose id in the path is written in capitals",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::each_alone::get_domain_alert",
        assertion: "is answered otherwise",
        bend: Bend::Call(|call| {
            let last = match call.path.strip_prefix("/api/v1/domains/") {
                Some(rest) => rest.split('/').nth(2).unwrap_or_default().to_owned(),
                None => String::new(),
            };
            if last != last.to_lowercase() {
                let other = "00000000-0000-4000-8000-000000000000";
                call.path = call.path.replace(&last, other);
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
        what: "takes \"42\" as a service's client_id in sync-services",
        breaks: Breaks::Dress,
        case: "mechanisms::still::leaves_all_as_it_is::sync_services",
        assertion: "assert_eq!(answer.outcome(), play.outcome,",
        bend: Bend::Call(|call| {
            let mut body = call.json();
            if provisioning(call, "sync-services") && body.is_object() {
                for entry in list_mut(&mut body, "/services").into_iter().flatten() {
                    let read = text(entry, "/client_id").parse::<i64>();
                    if let Ok(id) = read {
                        set(entry, "/client_id", json!(id));
                    }
                }
                call.set_json(&body);
            }
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
        what: "lets a client set auto_suggested of a rule that it creates",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::each_alone::create_rule",
        assertion: "is answered otherwise",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let mut answer = behind.answer(&call).await?;
                if call.is(Method::POST, "/api/v1/whitelists")
                    && call.json()["auto_suggested"] == true
                    && answer.status == 201
                {
                    let id = answer.json()["data"]["id"].clone();
                    behind.keep(&format!("suggested {id}"), json!(true));
                }
                if call.path.starts_with("/api/v1/whitelists")
                    && answer.status.is_success()
                    && answer.json().is_object()
                {
                    answer.edit(|body| {
                        walk(body, &mut |map| {
                            let id = map.get("id").cloned().unwrap_or_default();
                            let set = recall(&behind, &format!("suggested {id}"));
                            if set == true && map.contains_key("auto_suggested") {
                                map.insert("auto_suggested".to_owned(), set);
                            }
                        });
                    });
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "takes a nickname in provision, which knows none",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::each_alone::provision_endpoint",
        assertion: "does something else",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                let answer = behind.answer(&call).await?;
                let body = call.json();
                if provisioning(&call, "provision")
                    && answer.status == 201
                    && body["nickname"].is_string()
                {
                    let id = answer.json();
                    let path = format!("/api/v1/endpoints/{}", text(&id, "/data/endpoint_id"));
                    let named = json!({
                        "billing_customer_id": body["client_id"],
                        "nickname": body["nickname"],
                    });
                    put(&behind, &call, &path, named).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "reads billing_customer_id from the body of a DELETE of a server or rule",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::each_alone::delete_rule",
        assertion: "is answered otherwise",
        bend: Bend::Call(|call| {
            let owner = call.json()["billing_customer_id"].clone();
            if call.method == Method::DELETE
                && asked(call, "billing_customer_id").is_none()
                && owner.is_i64()
            {
                let pair = ("billing_customer_id".to_owned(), owner.to_string());
                call.query.push(pair);
            }
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
        what: "takes the nickname back to the address when an update sends null",
        breaks: Breaks::Dress,
        case: "mechanisms::dress::each_alone::update_endpoint",
        assertion: "is answered otherwise",
        bend: Bend::Whole(|mut call, behind| {
            Box::pin(async move {
                let mut body = call.json();
                if call.is_one_of(Method::PUT, "/api/v1/endpoints")
                    && body.get("nickname").is_some_and(Value::is_null)
                {
                    let known = ask(&behind, &call, &call.path, &[]).await;
                    body["nickname"] = known["data"]["ip_address"].clone();
                    call.set_json(&body);
                }
                behind.answer(&call).await
            })
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
