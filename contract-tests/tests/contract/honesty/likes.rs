//! The legal variants.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, FixedOffset, SecondsFormat};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use secmon_contract_tests::proxy::{Answer, Bend};
use secmon_contract_tests::{Exchange, nobody};
use secmon_mock::{Config, Instant, Manners};
use serde_json::{Value, json};
use uuid::Uuid;

use super::legal::{Legal, legal};

/// A name that this variant's resolver knows, as it is told to the suite.
const KNOWN: &str = "host.partner.example";

#[rustfmt::skip]
pub fn all() -> Vec<Legal> {
    vec![
        // Members.
        legal("has a further member in every object", "F1").answers(|_, answer| {
            answer.edit(|json| objects("", json, &mut |object| object["added_later"] = json!({"by": "us"})));
        }).at(&[SNAPSHOTS, DRESS]),
        legal("counts servers of a further status", "F1").answers(|_, answer| {
            answer.edit(|json| members(json, &mut |name, value| if name == "status_counts" {
                value["terminated"] = json!(0);
            }));
        }),
        legal("has more to say in the details of an error", "F1").answers(|_, answer| {
            answer.edit(|json| members(json, &mut |name, value| if name == "details" && value.is_object() {
                value["hint"] = json!("See our help pages.");
            }));
        }),
        legal("gives details of domain alerts", "the specification").answers(|_, answer| {
            answer.edit(|json| members(json, &mut |name, value| if name == "details" && value.is_null() {
                *value = json!({"dump": "collection-1", "records": [1, 2]});
            }));
        }).at(&["mechanisms::lists::pages_are_the_list::list_domain_alerts"]),
        legal("rates passwords in its own words", "the specification").answers(|_, answer| {
            answer.edit(|json| members(json, &mut |name, value| if name == "password_strength" && value.is_object() {
                *value = json!({"score": 3, "of": 5});
            }));
        }).at(&[LEAKS]),
        legal("rates no passwords", "the specification").answers(|_, answer| {
            answer.edit(|json| members(json, &mut |name, value| if name == "password_strength" {
                *value = Value::Null;
            }));
        }).at(&[LEAKS]),
        legal("shows leaked records as its sources have them", "the specification").answers(|call, answer| {
            if call.is(Method::GET, "/credential-leaks") {
                answer.edit(|json| for item in items(json, "/data/items") {
                    *item = json!({"login": item["email"], "source": item["source"], "email": item["email"],
                        "leaked_at": item["leaked_at"], "category": item["category"], "dump": {"line": 4}});
                });
            }
        }).at(&[LEAKS]),
        legal("writes empty maps as PHP does", "F8").answers(|_, answer| {
            answer.edit(|json| members(json, &mut |name, value| {
                if ["errors", "details"].contains(&name) && *value == json!({}) {
                    *value = json!([]);
                }
            }));
        }).at(&["mechanisms::refused::a_wrong_key_learns_nothing_and_does_nothing", SNAPSHOTS]),
        // Sentences and words.
        legal("has two sentences for a field", "A8").answers(|_, answer| {
            answer.edit(|json| if let Some(errors) = json["errors"].as_object_mut() {
                errors.values_mut().for_each(|field| {
                    field.as_array_mut().into_iter().for_each(|all| all.push(json!("Please look at this field again.")));
                });
            });
        }),
        legal("says everything in other sentences", "free text").answers(|_, answer| {
            answer.edit(|json| {
                sentences(json);
                for sentence in json["errors"].as_object_mut().into_iter().flat_map(|errors| errors.values_mut()) {
                    *sentence = json!(["Das geht so nicht: \u{201e}nein\u{201c}."]);
                }
            });
        }).at(&["mechanisms::refused::a_full_window_refuses_every_operation_that_counts_in_it"]),
        legal("has other titles, labels and names of services", "free text").answers(|_, answer| {
            answer.edit(|json| members(json, &mut |name, value| {
                let free = ["title", "explanation", "content_preview", "author", "source_name", "platform", "description", "reason"];
                if free.contains(&name) && value.is_string() {
                    *value = json!("Lorem ipsum");
                }
            }));
        }).at(&["scenes::an_open_port_raises_an_alert_that_ends_with_it", "scenes::mentions_are_new_until_they_were_read"]),
        legal("calls the scope of global rules otherwise", "the specification").answers(|_, answer| {
            answer.edit(|json| members(json, &mut |name, value| if name == "scope_label" && *value == "Global" {
                *value = json!("Everywhere");
            }));
        }).at(&["scenes::a_rule_of_the_whole_account_is_shown_to_every_customer"]),
        legal("knows further levels of risk", "F1").answers(|_, answer| {
            answer.edit(|json| members(json, &mut |name, value| if name == "risk_level" && *value == "high" {
                *value = json!("severe");
            }));
        }).at(&["scenes::an_open_port_raises_an_alert_that_ends_with_it"]),
        legal("has further words for how a scan ended", "F1").answers(|_, answer| {
            answer.edit(|json| members(json, &mut |name, value| match (name, value.as_str()) {
                ("scan_status" | "status", Some("completed")) => *value = json!("finished"),
                ("scan_status", Some("pending")) => *value = json!("queued"),
                _ => {}
            }));
        }).at(&["mechanisms::instants::the_first_scan_of_a_domain_ends", "mechanisms::instants::the_first_scan_of_a_server_ends"]),
        // Identifiers.
        legal("has identifiers that are no UUIDs of RFC 9562", "the specification").bent(Bend::Whole(|call, behind| Box::pin(async move {
            let mut call = call;
            (call.path, call.body) = (odd_ids(&call.path), odd_ids(&text(&call.body)).into());
            call.query.iter_mut().for_each(|(_, value)| *value = odd_ids(value));
            let mut answer = behind.answer(&call).await?;
            answer.body = odd_ids(&text(&answer.body)).into();
            Some(answer)
        }))).wholly().at(&[SNAPSHOTS, DRESS]),
        legal("writes identifiers in capitals", "A16").answers(|_, answer| {
            answer.body = ids_in(&text(&answer.body), &|id| id.to_ascii_uppercase()).into();
        }).at(&[SNAPSHOTS, DRESS]),
        legal("refuses identifiers that are no UUIDs of RFC 9562", "the specification").bent(Bend::Instead(|call| {
            let odd = |value: &Value| value.as_str().and_then(|id| Uuid::parse_str(id).ok()).is_some_and(|id| id.get_version_num() != 4);
            let body = call.json();
            let query = json!(call.query.iter().cloned().collect::<HashMap<_, _>>());
            let field = ["endpoint_id", "monitored_domain_id"].into_iter().find(|field| odd(&body[*field]) || odd(&query[*field]))?;
            Some(Answer::new(422, &json!({"status": "error", "message": "No.", "errors": {field: ["This is no UUID."]}})))
        })).shown(|exchange| exchange.sent["endpoint_id"] == json!(nobody())).at(&["mechanisms::still::leaves_all_as_it_is::suspend_endpoint", "mechanisms::strangers::are_answered_like_unknown_ones::suspend_endpoint"]),
        legal("mints tokens of another form", "E14").bent(Bend::Whole(|call, behind| Box::pin(async move {
            let mut call = call;
            call.query.iter_mut().filter(|(name, _)| name == "token").for_each(|(_, token)| *token = token.replacen("eyJh.", "", 1));
            let mut answer = behind.answer(&call).await?;
            if call.is(Method::POST, "/sso/token") {
                answer.edit(|json| members(json, &mut |name, value| if name == "token" {
                    *value = json!(format!("eyJh.{}", value.as_str().unwrap_or_default()));
                }));
            }
            Some(answer)
        }))).at(&["mechanisms::instants::a_sign_in_token_ends", "mechanisms::still::a_refused_sign_in_leaves_earlier_tokens_as_they_are"]),
        // Times.
        legal("shows microseconds", "ISO 8601").answers(|_, answer| answer.edit(|json| times(json, &|time| {
            time.to_rfc3339_opts(SecondsFormat::Micros, false)
        }))).at(&[SNAPSHOTS]),
        legal("writes `Z` for UTC", "ISO 8601").answers(|_, answer| answer.edit(|json| times(json, &|time| {
            time.to_rfc3339_opts(SecondsFormat::Secs, true)
        }))),
        legal("lives in another zone", "ISO 8601").answers(|_, answer| answer.edit(|json| times(json, &|time| {
            let east = FixedOffset::east_opt(5 * 3600 + 1800).expect("a zone");
            time.with_timezone(&east).to_rfc3339()
        }))),
        legal("started late on a leap day, in the midst of a second", "A19").started(|builder| {
            builder.manual_clock(Instant::from_unix_millis(1_835_481_598_750))
        }, |exchange| time_of(exchange).starts_with("2028-02-29T")),
        legal("has a clock that runs", "A19").started(|_| secmon_mock::MockServer::builder().seed(1), |exchange| {
            exchange.json["meta"]["timestamp"].is_string() && !time_of(exchange).starts_with("2026-01-")
        }),
        legal("takes other times for scans, cooldowns and tokens", "E1").started(|builder| builder.config(config(
            "[timings]\nscan_duration = 7\nscan_interval = 21600\nscan_cooldown = 77\nsso_token = 20\n",
        )), |exchange| exchange.json["data"]["nmap_cooldown_seconds"] == 77).at(&["scenes::each_server_has_a_cooldown_of_its_own", "scenes::a_server_that_was_paused_for_long_is_scanned_at_once", "mechanisms::instants::a_cooldown_ends", "mechanisms::instants::the_next_scan_of_a_server_ends"]),
        // Plans, limits and names.
        legal("sells other plans", "B4").started(|builder| builder.config(config(
            "[products.port_monitoring]\nmini = 2\nmidi = 6\nmaxi = 9\n",
        )), |exchange| exchange.json["data"]["plan_slug"] == "midi").told(|service| service.plans = [("mini", 2), ("midi", 6), ("maxi", 9)].map(|(plan, places)| (plan.to_owned(), places)).to_vec())
            .at(&["scenes::places_are_the_sum_of_active_plans", SNAPSHOTS]),
        legal("has one limit for customers and accounts", "B5").started(|builder| builder.config(config(
            "[limits]\ndefault_endpoint_limit = 25\naccount_endpoint_limit = 25\n",
        )), |exchange| !exchange.query.contains("customer") && exchange.json["meta"]["endpoint_limit"] == 25)
            .at(&["scenes::a_list_without_a_customer_is_that_of_the_account"]),
        legal("has other limits", "B5").started(|builder| builder.config(config(
            "[limits]\ndefault_endpoint_limit = 40\naccount_endpoint_limit = 300\n",
        )), |exchange| exchange.json["meta"]["endpoint_limit"] == 40).at(&["scenes::a_page_shows_where_it_stands_and_the_limits"]),
        legal("resolves few names", "B2").bent(Bend::Instead(|call| {
            let body = call.json();
            let name = match call.is(Method::POST, "/endpoints") {
                true => &body["ip_address"],
                false if call.is(Method::POST, "/provision") && body["ip_address"].as_str().is_none_or(str::is_empty) => &body["hostname"],
                false => return None,
            };
            let name = name.as_str().filter(|name| name.contains('.') && name.ends_with(|last: char| last.is_ascii_alphabetic()))?;
            (name != KNOWN).then(|| refusal(422, "DNS_RESOLUTION_FAILED"))
        })).told(|service| service.hostname = KNOWN.to_owned()).at(&[NAMED, CREATED]),
        legal("resolves names to addresses of the sixth version", "B2").started(|builder| builder.config(config(
            "[dns]\n\"web.example.com\" = \"2001:db8::77\"\n",
        )), |exchange| exchange.json.to_string().contains("2001:db8::77")).at(&[NAMED, CREATED]),
        legal("is unkind", "F1").started(|builder| builder.manners(Manners::Unkind), |exchange| {
            exchange.json["added_later"] == true
        }),
        // Lists.
        legal("gives small pages where nobody says", "the specification").bent(Bend::Call(|call| {
            let lists = call.path.ends_with("/endpoints") || call.path.ends_with("/alerts") || call.path.ends_with("/dark-web-mentions");
            if call.method == Method::GET && lists && call.query.iter().all(|(name, _)| name != "per_page") {
                call.query.push(("per_page".to_owned(), "2".to_owned()));
            }
        })).at(&["mechanisms::lists::pages_are_the_list::list_domain_alerts", "mechanisms::lists::pages_are_the_list::list_endpoints"]),
        legal("writes the parameters of links in another order", "A13").answers(|_, answer| answer.edit(|json| {
            for link in json["links"].as_object_mut().into_iter().flat_map(|links| links.values_mut()) {
                let text = link.as_str().and_then(|link| link.split_once('?'));
                let turned = text.map(|(path, query)| (path, query.rsplit('&').collect::<Vec<_>>().join("&")));
                if let Some(turned) = turned.map(|(path, query)| format!("{path}?{query}")) {
                    *link = json!(turned);
                }
            }
        })).at(&["mechanisms::lists::pages_are_the_list::list_rules"]),
        legal("gives sets in any order", "E5").answers(|_, answer| answer.edit(|json| members(json, &mut |name, value| {
            let sets = ["open_ports", "new_ports", "closed_ports", "unknown_services"];
            if let (true, Some(set)) = (sets.contains(&name), value.as_array_mut()) {
                set.reverse();
            }
        }))).at(&["scenes::drift_is_corrected_and_reported_by_customer", "scenes::the_detail_shows_what_the_scans_found"]),
        legal("gives leaked records in any order", "the specification").answers(|call, answer| {
            if call.is(Method::GET, "/credential-leaks") {
                answer.edit(|json| items(json, "/data/items").reverse());
            }
        }).at(&[LEAKS, "mechanisms::lists::pages_are_the_list::list_credential_leaks"]),
        // JSON and HTTP.
        legal("writes JSON in another order, over many lines", "RFC 8259").answers(|_, answer| {
            rewritten(answer, &|value| written(value, "\n\t ", &|text| Value::from(text).to_string()));
        }),
        legal("writes every letter as an escape", "RFC 8259").answers(|_, answer| {
            rewritten(answer, &|value| written(value, "", &|text| {
                let units = text.encode_utf16().map(|unit| format!("\\u{unit:04X}"));
                format!("\"{}\"", units.collect::<String>())
            }));
        }),
        legal("writes prices with decimals", "RFC 8259").answers(|call, answer| {
            if call.is(Method::POST, "/pricing") {
                answer.edit(|json| members(json, &mut |name, value| if name == "price" {
                    *value = json!(value.as_f64());
                }));
            }
        }).at(&["scenes::a_price_is_stored_and_removed"]),
        legal("says in which letters it writes", "RFC 9110").answers(|_, answer| kind(answer, "application/json; charset=utf-8")),
        legal("calls JSON by capitals", "RFC 9110").answers(|_, answer| kind(answer, "Application/JSON")),
        legal("has a kind for an answer without content", "RFC 9110").answers(|_, answer| {
            if answer.status == StatusCode::NO_CONTENT {
                answer.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=UTF-8"));
            }
        }),
        legal("sends further headers", "RFC 9110").answers(|_, answer| {
            for (name, value) in [
                ("server", "nginx"), ("date", "Thu, 01 Jan 2026 00:00:00 GMT"), ("x-request-id", "7"), ("vary", "Accept, Authorization"),
                ("set-cookie", "session=1; HttpOnly"), ("set-cookie", "other=2"), ("cache-control", "no-cache, private"),
                ("etag", "W/\"1\""), ("x-ratelimit-limit", "60"), ("x-ratelimit-remaining", "0"), ("www-authenticate", "Bearer"),
            ] {
                answer.headers.append(name, HeaderValue::from_static(value));
            }
        }),
        legal("writes `Allow` without a blank, in another order", "RFC 9110").answers(|_, answer| allow(answer, |methods| {
            vec![methods.into_iter().rev().collect::<Vec<_>>().join(",")]
        })).at(&[NOWHERE]),
        legal("writes a line of `Allow` for each method", "RFC 9110").answers(|_, answer| allow(answer, |methods| methods)).at(&[NOWHERE]),
        legal("is slow", "no document").bent(Bend::Whole(|call, behind| Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(2)).await;
            behind.answer(&call).await
        }))),
        legal("closes each connection", "RFC 9112").answers(|_, answer| {
            answer.headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }),
        legal("sends answers in chunks", "RFC 9112").answers(|_, answer| {
            if !answer.body.is_empty() {
                answer.headers.insert(header::TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
            }
        }),
    ]
}

const SNAPSHOTS: &str = "mechanisms::again::moves_nothing::suspend_endpoint";
const DRESS: &str = "mechanisms::dress::all_at_once::suspend_endpoint";
const LEAKS: &str = "scenes::leaks_are_listed_unconfigured_or_unreachable";
const NAMED: &str = "scenes::a_hostname_is_resolved_when_it_is_created";
const CREATED: &str = "scenes::a_hostname_is_resolved_when_it_is_created";
const NOWHERE: &str = "mechanisms::refused::a_path_or_method_that_is_none_is_refused_by_name";

fn config(text: &str) -> Config {
    Config::parse(text).expect("a configuration")
}

/// Every object but those that map names to values, where a further member would say something.
fn objects(name: &str, value: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| objects("", item, change)),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                objects(name, member, change);
            }
            let is_map = ["errors", "enforcement", "status_counts"].contains(&name);
            if !is_map {
                change(value);
            }
        }
        _ => {}
    }
}

/// Every member of every object.
fn members(value: &mut Value, change: &mut dyn FnMut(&str, &mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| members(item, change)),
        Value::Object(all) => {
            for (name, member) in all.iter_mut() {
                change(name, member);
                members(member, change);
            }
        }
        _ => {}
    }
}

fn items<'a>(json: &'a mut Value, place: &str) -> &'a mut [Value] {
    super::bends::list(json, place)
}

/// Free text; two sentences are the specification's.
fn sentences(json: &mut Value) {
    members(json, &mut |name, value| {
        let fixed = ["Unauthenticated.", "Access denied"];
        let free = ["message", "note", "explanation"].contains(&name)
            && value.as_str().is_some_and(|text| !fixed.contains(&text));
        if free {
            *value = json!("Tout va bien ; ou presque.");
        }
    });
}

fn times(json: &mut Value, change: &dyn Fn(DateTime<FixedOffset>) -> String) {
    members(json, &mut |_, value| {
        let time = value
            .as_str()
            .and_then(|text| DateTime::parse_from_rfc3339(text).ok());
        if let Some(time) = time {
            *value = json!(change(time));
        }
    });
}

fn text(body: &[u8]) -> String {
    String::from_utf8_lossy(body).into_owned()
}

/// A text with other identifiers.
fn ids_in(text: &str, change: &dyn Fn(&str) -> String) -> String {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
    let parts = text.split_inclusive(|sign| !is_part(sign)).map(|part| {
        let id = part.trim_end_matches(|sign| !is_part(sign));
        match id.len() == 36 && Uuid::parse_str(id).is_ok() {
            true => format!("{}{}", change(id), &part[id.len()..]),
            false => part.to_owned(),
        }
    });
    parts.collect()
}

/// With other bits of version and variant, twice the same ones.
fn odd_ids(text: &str) -> String {
    let bits = 0xf000_c000_0000_0000_0000_u128;
    ids_in(text, &|id| {
        let id = Uuid::parse_str(id).unwrap_or_default().as_u128();
        Uuid::from_u128(id ^ bits).to_string()
    })
}

fn refusal(status: u16, code: &str) -> Answer {
    super::bends::error(status, code)
}

fn kind(answer: &mut Answer, kind: &'static str) {
    if answer.headers.contains_key(header::CONTENT_TYPE) {
        answer
            .headers
            .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
}

fn allow(answer: &mut Answer, written: fn(Vec<String>) -> Vec<String>) {
    let methods = |headers: &HeaderMap| {
        let allow = headers.get(header::ALLOW)?.to_str().ok()?;
        Some(allow.split(", ").map(str::to_owned).collect::<Vec<_>>())
    };
    if let Some(methods) = methods(&answer.headers) {
        answer.headers.remove(header::ALLOW);
        for line in written(methods) {
            answer
                .headers
                .append(header::ALLOW, line.parse().expect("a header"));
        }
    }
}

fn rewritten(answer: &mut Answer, write: &dyn Fn(&Value) -> String) {
    if let Ok(json) = serde_json::from_slice(&answer.body) {
        answer.body = write(&json).into();
    }
}

/// JSON with its members turned round, these blanks between its parts, and texts written so.
fn written(value: &Value, gap: &str, text: &dyn Fn(&str) -> String) -> String {
    let joined = |parts: Vec<String>| parts.join(&format!("{gap},{gap}"));
    match value {
        Value::String(string) => text(string),
        Value::Array(items) => {
            let items = items.iter().map(|item| written(item, gap, text));
            format!("[{gap}{}{gap}]", joined(items.collect()))
        }
        Value::Object(members) => {
            let members = members.iter().rev().map(|(name, member)| {
                format!("{}{gap}:{gap}{}", text(name), written(member, gap, text))
            });
            format!("{{{gap}{}{gap}}}", joined(members.collect()))
        }
        other => other.to_string(),
    }
}

fn time_of(exchange: &Exchange) -> &str {
    exchange.json["meta"]["timestamp"]
        .as_str()
        .unwrap_or_default()
}
