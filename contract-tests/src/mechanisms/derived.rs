//! What is shown is what is: right after each write that moves something derived, up and down, all of it has moved so far
//! and nothing else has; and all that is shown of it agrees (`Snapshot::of` sees to that).

use std::collections::{BTreeMap, BTreeSet};

use crate::table::TABLE;
use crate::{Estate, Members, Need, Request, Snapshot, plans};
use http::Method;
use serde_json::{Value, json};

use super::day_in;

cases! {
    law: "B6, B7, B13, E5, E11";
    anywhere:
        servers_and_their_limit_are_counted,
        domains_and_their_slots_are_counted,
        rules_and_the_ports_they_allow_are_counted;
    steered:
        alerts_and_findings_are_counted(Accounts, World),
        what_expires_or_was_seen_is_counted(Accounts, Clock, World),
        a_server_of_fifteen_alerts_shows_ten(World)
}

/// Counts of the estate's customer, by their names.
type Counts = BTreeMap<&'static str, i64>;

/// What is done, with what, and how far counts move (`+1`, `-1`) or where to (`=0`); all others stay.
type Step = (&'static str, Value, String);

fn step(what: &'static str, over: Value, moves: impl Into<String>) -> Step {
    (what, over, moves.into())
}

/// Does one after the other, and looks at all of it after each.
async fn counted(estate: &Estate, steps: Vec<Step>) {
    let mut before = counts(estate).await;
    for (what, over, moves) in steps {
        let over = over.as_object().cloned().unwrap_or_default();
        act(estate, what, &over).await;
        let after = counts(estate).await;
        let mut expected = before.clone();
        for one in moves.split_whitespace() {
            let at = one
                .find(['=', '+', '-'])
                .unwrap_or_else(|| panic!("no move: {one}"));
            let number: i64 = one[at..]
                .trim_start_matches(['=', '+'])
                .parse()
                .expect("a number");
            // What a service that cannot be steered moves of itself is not counted.
            if let Some(count) = expected.get_mut(&one[..at]) {
                *count = if one[at..].starts_with('=') {
                    number
                } else {
                    *count + number
                };
            }
        }
        assert_eq!(
            after,
            expected,
            "counts after {what} {}, which moves {moves}",
            json!(over)
        );
        before = after;
    }
}

/// An operation of the table, or what the case itself sees to.
async fn act(estate: &Estate, what: &str, over: &Members) {
    if let Some(row) = TABLE.row(what) {
        let recipe = row.recipe.as_ref().expect("an operation that is called");
        let request = Request::new(row, &recipe.with(over), estate).await;
        let answer = request.send(&estate.account).await;
        let body = request.body.unwrap_or_default();
        assert!(
            answer.status.is_success(),
            "{what} {body}: {} {}",
            answer.outcome(),
            answer.json
        );
        return;
    }
    let over = Value::Object(estate.filled(over).await);
    let id = over["of"].as_str().unwrap_or_default();
    match what {
        "ports" => scanned(estate, id, &over).await,
        "findings" => {
            estate
                .account
                .found(&format!("domains/{id}"), "findings", &over["findings"])
                .await
        }
        "time" => {
            estate
                .account
                .advance(over["seconds"].as_u64().unwrap_or_default())
                .await
        }
        other => panic!("nobody knows how to do {other}"),
    }
}

/// Lets a scan find ports, and holds what the detail says of it against the last scan that was completed.
async fn scanned(estate: &Estate, id: &str, over: &Value) {
    let path = format!("/api/v1/endpoints/{id}/detail");
    let detail = async || {
        estate
            .account
            .raw(Method::GET, &path)
            .send()
            .await
            .expect("an answer")
            .json
    };
    let numbers = |ports: &Value| {
        ports
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_u64)
            .collect::<BTreeSet<_>>()
    };
    let before = detail().await;
    let open = over["open"].as_array().into_iter().flatten();
    let open: Vec<Value> = open
        .map(|port| json!({"port": port, "protocol": over["protocol"].as_str().unwrap_or("tcp")}))
        .collect();
    let world = format!("/_mock/endpoints/{id}/ports");
    estate
        .account
        .steer(Need::World, Method::PUT, &world, &json!({"open": open}))
        .await;
    let outcome = json!({"outcome": over["outcome"].as_str().unwrap_or("completed")});
    estate
        .account
        .steer(
            Need::World,
            Method::POST,
            &format!("/_mock/endpoints/{id}/scan"),
            &outcome,
        )
        .await;
    let after = detail().await;
    let (was, is) = (numbers(&over["was"]), numbers(&over["open"]));
    assert_eq!(
        after["latest_scan"]["status"], outcome["outcome"],
        "the status of the scan"
    );
    if outcome["outcome"] == "failed" {
        for ports in ["new_ports", "closed_ports"] {
            assert_eq!(
                after[ports], before[ports],
                "{ports} after a scan that failed"
            );
        }
        return;
    }
    assert_eq!(
        numbers(&after["latest_scan"]["open_ports"]),
        is,
        "open_ports"
    );
    // Before the second scan there is nothing to compare with.
    if !over["was"].is_null() {
        assert_eq!(
            numbers(&after["new_ports"]),
            &is - &was,
            "new_ports since {was:?}"
        );
        assert_eq!(
            numbers(&after["closed_ports"]),
            &was - &is,
            "closed_ports since {was:?}"
        );
    }
}

/// All counts that a snapshot shows.
async fn counts(estate: &Estate) -> Counts {
    let snapshot = Snapshot::of(estate).await;
    let customer = estate.value("customer").await;
    let of = format!("billing_customer_id={customer}");
    let all = |path: &str| {
        snapshot
            .at(&format!("all of /api/v1/{path}?{of}"))
            .as_array()
            .cloned()
    };
    let count = |items: &[Value], member: &str, value: Value| {
        items.iter().filter(|item| item[member] == value).count() as i64
    };
    let mut counts = Counts::new();
    let servers = all("endpoints").unwrap_or_default();
    let meta = &snapshot.at(&format!("/api/v1/endpoints?{of}&per_page=50&page=1"))[1]["meta"];
    counts.insert("servers", servers.len() as i64);
    counts.insert("active", count(&servers, "status", json!("active")));
    counts.insert("platform", count(&servers, "quota_paused", json!(true)));
    counts.insert("limit", meta["endpoint_limit"].as_i64().unwrap_or(-1));
    let domains = &snapshot.at(&format!("/api/v1/domains?{of}"))[1]["data"];
    let watched = domains["domains"].as_array().cloned().unwrap_or_default();
    counts.insert("slots", domains["slots_total"].as_i64().unwrap_or(-1));
    counts.insert("domains", watched.len() as i64);
    counts.insert("watched", count(&watched, "status", json!("active")));
    counts.insert(
        "platform_domains",
        count(&watched, "quota_paused", json!(true)),
    );
    let rules = all("whitelists").unwrap_or_default();
    let summary = &snapshot.at(&format!("/api/v1/whitelists/endpoint-summary?{of}"))[1]["data"];
    let of_servers = summary["endpoints"].as_array().into_iter().flatten();
    counts.insert(
        "rules",
        of_servers
            .filter_map(|server| server["rule_count"].as_i64())
            .sum(),
    );
    // Rules of the whole account come and go with other cases where nobody has an account of their own.
    if let Some(alerts) = all("alerts") {
        counts.insert("global", summary["global_count"].as_i64().unwrap_or(-1));
        counts.insert("listed", rules.len() as i64);
        counts.insert("in_force", count(&rules, "is_active", json!(true)));
        counts.extend([("ports", 0), ("shown", 0)]);
        counts.insert("open", count(&alerts, "status", json!("open")));
        counts.insert("resolved", count(&alerts, "status", json!("resolved")));
    }
    for (read, shown) in snapshot.reads().filter(|(read, _)| read.ends_with(&of)) {
        let items = |place: &str| {
            shown[1]
                .pointer(place)
                .and_then(Value::as_array)
                .map_or(0, |items| items.len() as i64)
        };
        if read.contains("/detail?") {
            *counts.entry("ports").or_default() += items("/whitelisted_ports");
            *counts.entry("shown").or_default() += items("/alerts");
        } else if read.contains("/scan-history?") {
            *counts.entry("scans").or_default() += items("/data/scans");
        } else if read.starts_with("all of /api/v1/domains/") {
            let alerts = shown.as_array().cloned().unwrap_or_default();
            for state in ["raised", "acknowledged", "ended"] {
                let status = if state == "raised" {
                    "open"
                } else if state == "ended" {
                    "resolved"
                } else {
                    state
                };
                *counts.entry(state).or_default() += count(&alerts, "status", json!(status));
            }
        }
    }
    for (read, shown) in snapshot
        .reads()
        .filter(|(read, _)| read.starts_with("all of ") && read.contains(&of))
    {
        let name = if read.ends_with("is_new=true") {
            "unseen"
        } else if read.ends_with("is_new=false") {
            "seen"
        } else {
            continue;
        };
        *counts.entry(name).or_default() += shown.as_array().map_or(0, Vec::len) as i64;
    }
    counts
}

async fn estate_with(names: &[&str]) -> Estate {
    let estate = Estate::new().await;
    for name in names {
        estate.value(name).await;
    }
    estate
}

async fn servers_and_their_limit_are_counted() {
    let estate = estate_with(&["server", "mapped_server", "rule", "free_service"]).await;
    let plans = plans();
    let (small, large) = (&plans[0], &plans[1]);
    let plan = |more: Value| {
        let mut plan = json!({"service_id": "$free_service", "product_slug": "port_monitoring"});
        plan.as_object_mut()
            .into_iter()
            .for_each(|plan| plan.extend(more.as_object().cloned().unwrap_or_default()));
        plan
    };
    let server = json!({"endpoint_id": "$server"});
    let put = |status: &str| json!({"endpoint": "$server", "nickname": status, "status": status});
    let back = format!("limit={} active+3 platform-3", small.1);
    counted(&estate, vec![
        step("provision_endpoint", json!({}), "servers+1 active+1"),
        step("suspend_endpoint", server.clone(), "active-1"),
        step("resume_endpoint", server.clone(), "active+1"),
        step("update_endpoint", put("paused"), "active-1"),
        step("update_endpoint", put("active"), "active+1"),
        step("provision_subscription", plan(json!({"plan_slug": small.0})), format!("limit={}", small.1)),
        step("suspend_subscription", plan(json!({})), "limit=0 active=0 platform+3"),
        step("resume_subscription", plan(json!({})), &*back),
        step("change_subscription", plan(json!({"new_plan_slug": large.0, "new_quantity": "$nothing"})), format!("limit={}", large.1)),
        step("change_subscription", plan(json!({"new_plan_slug": small.0, "new_quantity": "$nothing"})), format!("limit={}", small.1)),
        step("terminate_subscription", plan(json!({})), "limit=0 active=0 platform+3"),
        step("terminate_endpoint", json!({"endpoint_id": "$mapped_server"}), "servers-1 platform-1"),
        step("provision_subscription", plan(json!({"plan_slug": "$nothing"})), format!("limit={} active+2 platform-2", small.1)),
        step("provision_endpoint", json!({"ip_address": "192.0.2.8"}), "servers+1 active+1"),
        step("sync_services", json!({"services": [{"service_id": "$free_service", "client_id": "$customer", "product_slug": "port_monitoring", "status": "suspended"}]}), "limit=0 active=0 platform+3"),
        step("sync_services", json!({"services": [{"service_id": "$free_service", "client_id": "$customer", "product_slug": "port_monitoring", "status": "active"}]}), &*back),
        step("delete_endpoint", json!({"endpoint": "$server"}), "servers-1 active-1 rules-1 ports-1"),
        step("create_endpoint", json!({"ip_address": "192.0.2.1"}), "servers+1 active+1 rules+1 ports+1"),
        step("terminate_endpoint", server, "servers-1 active-1 rules-1 ports-1"),
        step("create_endpoint", json!({"ip_address": "192.0.2.1"}), "servers+1 active+1 rules+1 ports+1"),
    ])
    .await;
}

async fn domains_and_their_slots_are_counted() {
    let estate = estate_with(&["domain", "paused_domain", "free_service"]).await;
    let free = |more: Value| {
        let mut free = json!({"service_id": "$free_service"});
        free.as_object_mut()
            .into_iter()
            .for_each(|free| free.extend(more.as_object().cloned().unwrap_or_default()));
        free
    };
    let sync = |status: &str| json!({"services": [{"service_id": "$free_service", "client_id": "$customer", "product_slug": "domain_monitoring", "status": status}]});
    let domain = json!({"monitored_domain_id": "$domain"});
    counted(
        &estate,
        vec![
            step("provision_domain", json!({}), "domains+1 watched+1"),
            step("suspend_domain", domain.clone(), "watched-1"),
            step("resume_domain", domain.clone(), "watched+1"),
            step("update_domain", json!({}), ""),
            step(
                "provision_subscription",
                free(json!({"quantity": 2})),
                "slots+2",
            ),
            step(
                "change_subscription",
                free(json!({"new_quantity": 5})),
                "slots+3",
            ),
            step("suspend_subscription", free(json!({})), "slots-5"),
            step("resume_subscription", free(json!({})), "slots+5"),
            step("terminate_subscription", free(json!({})), "slots-5"),
            step("provision_subscription", free(json!({})), "slots+5"),
            step(
                "release_domain",
                free(json!({"monitored_domain_id": "$paused_domain"})),
                "slots-1 domains-1",
            ),
            step("suspend_subscription", json!({}), "slots-10"),
            step(
                "provision_subscription",
                free(json!({"quantity": 1})),
                "slots-3 watched-1 platform_domains+1",
            ),
            step("terminate_domain", domain.clone(), "domains-1 watched-1"),
            step(
                "change_subscription",
                free(json!({"new_quantity": 2})),
                "slots+1 watched+1 platform_domains-1",
            ),
            step(
                "provision_domain",
                free(json!({"domain": "renamed.example.com"})),
                "domains+1 watched+1",
            ),
            step(
                "sync_services",
                sync("cancelled"),
                "slots=0 watched=0 platform_domains+2",
            ),
            step(
                "sync_services",
                sync("active"),
                "slots+2 watched+2 platform_domains-2",
            ),
        ],
    )
    .await;
}

async fn rules_and_the_ports_they_allow_are_counted() {
    let estate = estate_with(&["server", "mapped_server", "customer"]).await;
    let one = "rules+1 listed+1 in_force+1";
    let global = json!({"scope": "global", "endpoint_id": "$nothing", "billing_customer_id": "$customer", "port_start": 5000});
    estate.value("rule").await;
    counted(
        &estate,
        vec![
            step("create_rule", json!({}), format!("{one} ports+1")),
            step(
                "create_rule",
                json!({"port_start": 7001, "port_end": 7003, "protocol": "*"}),
                format!("{one} ports+6"),
            ),
            // Of a range that is too long for a list its ends are shown (E5).
            step(
                "create_rule",
                json!({"port_start": 10_000, "port_end": 11_024}),
                format!("{one} ports+2"),
            ),
            step(
                "create_rule",
                json!({"port_start": 20_000, "port_end": 21_023, "protocol": "udp"}),
                format!("{one} ports+1024"),
            ),
            step(
                "create_rule",
                global,
                "global+1 listed+1 in_force+1 ports+2",
            ),
            step(
                "update_rule",
                json!({"port_start": 6000, "port_end": 6001}),
                "ports+1",
            ),
            step(
                "update_rule",
                json!({"port_start": 6000, "endpoint_id": "$mapped_server"}),
                "ports-1",
            ),
            step(
                "delete_rule",
                json!({}),
                "rules-1 listed-1 in_force-1 ports-1",
            ),
        ],
    )
    .await;
}

async fn alerts_and_findings_are_counted() {
    let estate = estate_with(&["server", "domain"]).await;
    let ports = |was: Value, open: Value| json!({"of": "$server", "was": was, "open": open});
    let findings = |employees: u64, customers: u64, mentions: u64| json!({"of": "$domain", "findings": {"employees": employees, "customers": customers, "mentions": mentions}});
    let rule = json!({"port_start": 80, "port_end": 90});
    let account_wide = json!({"port_start": 23, "scope": "global", "endpoint_id": "$nothing"});
    counted(
        &estate,
        vec![
            step(
                "ports",
                ports(Value::Null, json!([22, 23, 80])),
                "open+3 shown+3",
            ),
            step(
                "ports",
                ports(json!([22, 23, 80]), json!([22, 81])),
                "open-1 shown-1 resolved+2",
            ),
            step(
                "create_rule",
                rule,
                "open-1 shown-1 resolved+1 rules+1 listed+1 in_force+1 ports+11",
            ),
            step(
                "ports",
                ports(json!([22, 81]), json!([22, 23, 80, 81])),
                "open+1 shown+1",
            ),
            step(
                "ports",
                json!({"of": "$server", "open": [1, 2, 3], "outcome": "failed"}),
                "",
            ),
            step("ports", ports(json!([22, 23, 80, 81]), json!([22, 23])), ""),
            step(
                "create_rule",
                account_wide,
                "open-1 shown-1 resolved+1 global+1 listed+1 in_force+1 ports+1",
            ),
            step("findings", findings(3, 4, 2), "raised+3 unseen+2 scans+1"),
            step(
                "acknowledge_domain_alert",
                json!({}),
                "raised-1 acknowledged+1",
            ),
            step(
                "resolve_domain_alert",
                json!({"alertId": "$domain_alert"}),
                "acknowledged-1 ended+1",
            ),
            step("list_mentions", json!({}), "unseen-2 seen+2"),
            step("findings", findings(3, 5, 4), "raised+2 unseen+2 scans+1"),
            step("findings", findings(1, 5, 1), "unseen-2 seen-1 scans+1"),
            step("findings", findings(0, 0, 0), "seen-1 scans+1"),
            step("findings", findings(1, 0, 0), "raised+1 scans+1"),
        ],
    )
    .await;
    estate.value("alert").await;
    counted(
        &estate,
        vec![
            step(
                "ports",
                json!({"of": "$server", "open": [22]}),
                "resolved=5 open=1 shown=1",
            ),
            step(
                "resolve_port_alert",
                json!({"alert": "$alert"}),
                "open-1 shown-1 resolved+1",
            ),
            step(
                "ports",
                json!({"of": "$server", "open": [22]}),
                "open+1 shown+1",
            ),
            step(
                "ingest_firewall",
                json!({"content": "-A INPUT -p tcp --dport 22 -j ACCEPT"}),
                "open-1 shown-1 resolved+1 rules+1 listed+1 in_force+1 ports+1",
            ),
            step(
                "ports",
                json!({"of": "$server", "open": [443]}),
                "open+1 shown+1",
            ),
            step(
                "terminate_endpoint",
                json!({}),
                "servers-1 active-1 rules-2 ports-13 shown-1",
            ),
            step(
                "provision_endpoint",
                json!({"ip_address": "192.0.2.1"}),
                "servers+1 active+1 rules+2 ports+13 shown+1",
            ),
            step(
                "delete_endpoint",
                json!({}),
                "servers-1 active-1 rules-2 ports-13 shown-1 open=0 resolved=0",
            ),
            step(
                "provision_endpoint",
                json!({"ip_address": "192.0.2.1"}),
                "servers+1 active+1 rules+2 ports+13 shown+1 open=1 resolved=7",
            ),
        ],
    )
    .await;
}

async fn what_expires_or_was_seen_is_counted() {
    let estate = estate_with(&["server"]).await;
    estate.account.end_scans_by_hand().await;
    let tomorrow = day_in(&estate.account, 1).await;
    let open = json!({"of": "$server", "open": [22, 7000]});
    counted(&estate, vec![
        step("create_rule", json!({"expires_at": tomorrow}), "rules+1 listed+1 in_force+1 ports+1"),
        step("create_rule", json!({"port_start": 22, "scope": "global", "endpoint_id": "$nothing", "billing_customer_id": "$customer", "expires_at": tomorrow}), "global+1 listed+1 in_force+1 ports+1"),
        step("ports", open.clone(), ""),
        step("time", json!({"seconds": 3 * 86_400}), "in_force-2 ports-2"),
        step("ports", open, "open+2 shown+2"),
        // What has expired is in nobody's way (E7).
        step("create_rule", json!({}), "rules+1 listed+1 in_force+1 ports+1 open-1 shown-1 resolved+1"),
    ])
    .await;
}

/// The newest of them, and as many as there may be (E5).
async fn a_server_of_fifteen_alerts_shows_ten() {
    let estate = estate_with(&["server"]).await;
    let ports: Vec<u64> = (100..115).collect();
    counted(
        &estate,
        vec![
            step(
                "ports",
                json!({"of": "$server", "open": ports[..9]}),
                "open+9 shown+9",
            ),
            step(
                "ports",
                json!({"of": "$server", "was": ports[..9], "open": ports}),
                "open+6 shown+1",
            ),
            step(
                "ports",
                json!({"of": "$server", "was": ports, "open": ports[..11]}),
                "open-4 resolved+4",
            ),
            step(
                "ports",
                json!({"of": "$server", "was": ports[..11], "open": ports[..4]}),
                "open-7 resolved+7 shown-6",
            ),
        ],
    )
    .await;
}
