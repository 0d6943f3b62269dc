//! What is shown is what is: everything derived, held against what it is derived from.

use std::collections::{BTreeMap, BTreeSet};

use http::Method;
use serde_json::{Value, json};

use crate::free::{Difference, disagreement, sorted};
use crate::table::TABLE;

/// Entries of a list of ports that a rule of so many ports fills (E5).
const LISTED_WHOLE: u64 = 1024;

/// What scans count of a domain's leaks.
const COUNTS: [&str; 3] = [
    "employees_compromised",
    "customers_compromised",
    "third_parties_compromised",
];

/// What our own mock says of a scan.
const WORDS: [&str; 3] = ["pending", "completed", "failed"];

/// What of a snapshot cannot be true at once, a sentence for each.
pub(super) fn contradictions(shown: &BTreeMap<String, Value>) -> Vec<String> {
    let mut judge = Judge {
        shown,
        found: Vec::new(),
    };
    for (read, value) in shown {
        let answer = &value[1];
        let Some(query) = read.split_once("billing_customer_id=") else {
            continue;
        };
        let customer = query.1.split('&').next().unwrap_or_default();
        let path = read.split('?').next().unwrap_or_default();
        let before = judge.found.len();
        match path {
            "/api/v1/endpoints" => judge.servers(customer, read, answer),
            "/api/v1/whitelists" => judge.rules(customer, read, answer),
            "/api/v1/domains" => judge.domains(customer, &answer["data"]),
            "/api/v1/whitelists/endpoint-summary" => judge.summary(customer, answer),
            path if path.ends_with("/detail") => judge.detail(customer, answer),
            _ => {}
        }
        for sentence in &mut judge.found[before..] {
            let operation = &TABLE.row_of(&Method::GET, path).operation;
            *sentence = format!("{operation}: {sentence}");
        }
    }
    judge.found
}

struct Judge<'a> {
    shown: &'a BTreeMap<String, Value>,
    found: Vec<String>,
}

impl<'a> Judge<'a> {
    /// What a read showed.
    fn at(&self, read: &str) -> &'a Value {
        self.shown.get(read).unwrap_or(&Value::Null)
    }

    fn all(&self, path: &str, customer: &str) -> Vec<Value> {
        let list = format!("all of {path}?billing_customer_id={customer}");
        self.at(&list).as_array().cloned().unwrap_or_default()
    }

    fn expect(&mut self, what: impl FnOnce() -> String, shown: &Value, derived: &Value) {
        if shown != derived {
            self.found.push(format!(
                "{} is {shown}, but by the records it is {derived}",
                what()
            ));
        }
    }

    /// Two reads of one record.
    fn expect_agreement(&mut self, what: impl FnOnce() -> String, one: &Value, other: &Value) {
        if let Some(Difference { place, was, is }) = disagreement(one, other) {
            let member = place.trim_start_matches('/');
            self.found.push(format!(
                "{member} in {} is {was}, and {is} elsewhere",
                what()
            ));
        }
    }

    fn servers(&mut self, customer: &str, read: &str, list: &Value) {
        let all = self.all("/api/v1/endpoints", customer);
        let status = parameter(read, "status");
        let listed = all
            .iter()
            .filter(|server| status.is_none_or(|status| server["status"] == status));
        let (meta, of) = (&list["meta"], |what: &str| {
            format!("{what} of the servers of {customer}")
        });
        self.expect(
            || format!("{} ({read})", of("total")),
            &meta["total"],
            &json!(listed.count()),
        );
        self.expect(
            || of("current_endpoint_count"),
            &meta["current_endpoint_count"],
            &json!(all.len()),
        );
        for state in ["active", "paused"] {
            let count = all
                .iter()
                .filter(|server| server["status"] == state)
                .count();
            self.expect(
                || of(&format!("status_counts of {state}")),
                &meta["status_counts"][state],
                &json!(count),
            );
        }
        for server in &all {
            self.expect(
                || format!("whether {} is scanned again", server["id"]),
                &json!(server["next_scan_at"].is_string()),
                &json!(server["status"] == "active"),
            );
            let paused_by = (server["status"].as_str(), server["quota_paused"].as_bool());
            if paused_by == (Some("active"), Some(true)) {
                self.found.push(format!(
                    "{} is active and paused by the platform",
                    server["id"]
                ));
            }
        }
    }

    fn rules(&mut self, customer: &str, read: &str, list: &Value) {
        let all = self.all("/api/v1/whitelists", customer);
        let active = parameter(read, "status").map(|status| status == "active");
        let listed = all
            .iter()
            .filter(|rule| active.is_none_or(|active| rule["is_active"] == active));
        self.expect(
            || format!("total of the rules of {customer} ({read})"),
            &list["meta"]["total"],
            &json!(listed.count()),
        );
        for rule in &all {
            let id = rule["id"].as_str().unwrap_or_default();
            let alone = &self.at(&format!("/api/v1/whitelists/{id}"))[1]["data"];
            self.expect_agreement(|| format!("the rule {id}, read by itself"), alone, rule);
            self.expect(
                || format!("the server inside the rule {id}"),
                &rule["endpoint"]["id"],
                &rule["endpoint_id"],
            );
        }
    }

    fn detail(&mut self, customer: &str, detail: &Value) {
        let server = &detail["data"];
        let (servers, rules) = (
            self.all("/api/v1/endpoints", customer),
            self.all("/api/v1/whitelists", customer),
        );
        let listed = servers.iter().find(|listed| listed["id"] == server["id"]);
        let id = server["id"].clone();
        self.expect_agreement(
            || format!("the detail of {id}"),
            server,
            listed.unwrap_or(&Value::Null),
        );
        let alone = format!(
            "/api/v1/endpoints/{}?billing_customer_id={customer}",
            id.as_str().unwrap_or_default()
        );
        self.expect_agreement(
            || format!("the server {id}, read by itself"),
            &self.at(&alone)[1]["data"],
            server,
        );
        for rule in rules.iter().filter(|rule| rule["endpoint_id"] == id) {
            self.expect_agreement(
                || format!("the server inside the rule {}", rule["id"]),
                &rule["endpoint"],
                server,
            );
        }
        let ports = allowed_ports(&rules, &id);
        let shown = detail["whitelisted_ports"].as_array().cloned();
        self.expect(
            || format!("whitelisted_ports of {id}"),
            &sorted(shown.unwrap_or_default()),
            &sorted(ports.as_array().cloned().unwrap_or_default()),
        );
        self.alerts(customer, &id, detail, &ports);
        if detail["latest_scan"].is_null() {
            for ports in ["new_ports", "closed_ports"] {
                self.expect(
                    || format!("{ports} of {id}, never scanned"),
                    &detail[ports],
                    &json!([]),
                );
            }
        } else {
            self.expect(
                || format!("scanned_at of {id}"),
                &detail["latest_scan"]["scanned_at"],
                &server["last_scan_at"],
            );
        }
    }

    fn alerts(&mut self, customer: &str, server: &Value, detail: &Value, allowed: &Value) {
        let all = self.all("/api/v1/alerts", customer);
        let mut raised = BTreeSet::new();
        for alert in all.iter().filter(|alert| alert["endpoint_id"] == *server) {
            let is_open = alert["status"] == "open";
            self.expect(
                || format!("whether {} has no resolved_at", alert["id"]),
                &json!(alert["resolved_at"].is_null()),
                &json!(is_open),
            );
            let port = format!(
                "{}:{}",
                alert["port"],
                alert["protocol"].as_str().unwrap_or_default()
            );
            let is_allowed = allowed
                .as_array()
                .into_iter()
                .flatten()
                .any(|one| *one == port);
            if is_open && (is_allowed || !raised.insert(port.clone())) {
                self.found.push(format!(
                    "an alert for {port} of {server} is open, which a rule allows or another alert has"
                ));
            }
        }
        let open = all
            .iter()
            .filter(|alert| alert["endpoint_id"] == *server && alert["status"] == "open");
        let shown = detail["alerts"].as_array().cloned().unwrap_or_default();
        for (shown, listed) in shown.iter().zip(open.clone()) {
            let what = || format!("the alert {} in the detail of {server}", shown["id"]);
            self.expect_agreement(what, shown, listed);
        }
        let count = open.count().min(10);
        self.expect(
            || format!("alerts in the detail of {server}"),
            &json!(shown.len()),
            &json!(count),
        );
    }

    fn summary(&mut self, customer: &str, answer: &Value) {
        let summary = &answer["data"];
        for name in ["endpoints", "global_count"] {
            let what = || format!("{name} of {customer} at the top of the summary");
            self.expect(what, &answer[name], &summary[name]);
        }
        let servers = self.all("/api/v1/endpoints", customer);
        let rules = self.all("/api/v1/whitelists", customer);
        let is_global = |rule: &&Value| rule["endpoint_id"].is_null();
        let global = rules.iter().filter(is_global).count();
        self.expect(
            || format!("global_count of {customer}"),
            &summary["global_count"],
            &json!(global),
        );
        let derived = servers.iter().map(|server| {
            let own = rules.iter().filter(|rule| rule["endpoint_id"] == server["id"]);
            json!({
                "endpoint_id": server["id"], "ip_address": server["ip_address"], "nickname": server["nickname"],
                "rule_count": own.count(),
            })
        });
        let derived: Vec<Value> = derived.collect();
        let shown = summary["endpoints"].as_array().cloned().unwrap_or_default();
        // Further members are the service's own (F1).
        let shown = shown.into_iter().enumerate().map(|(at, mut entry)| {
            let known = derived.get(at).and_then(Value::as_object);
            if let (Some(entry), Some(known)) = (entry.as_object_mut(), known) {
                entry.retain(|name, _| known.contains_key(name));
            }
            entry
        });
        self.expect(
            || format!("endpoint-summary of {customer}"),
            &shown.collect(),
            &json!(derived),
        );
    }

    fn domains(&mut self, customer: &str, list: &Value) {
        let domains = list["domains"].as_array().cloned().unwrap_or_default();
        self.expect(
            || format!("slots_used of {customer}"),
            &list["slots_used"],
            &json!(domains.len()),
        );
        if list["subscribed"] == false {
            self.expect(
                || format!("slots_total of {customer}, who is not subscribed"),
                &list["slots_total"],
                &json!(0),
            );
        }
        for domain in &domains {
            self.domain(customer, list, domain);
        }
    }

    fn domain(&mut self, customer: &str, list: &Value, domain: &Value) {
        let id = domain["id"].as_str().unwrap_or_default().to_owned();
        let at = |what: &str| format!("/api/v1/domains/{id}/{what}?billing_customer_id={customer}");
        let summary = self.at(&at("summary"))[1]["data"].clone();
        self.expect_agreement(|| format!("the summary of {id}"), &summary, domain);
        for slots in ["slots_used", "slots_total"] {
            let what = || format!("{slots} in the summary of {id}");
            self.expect(what, &summary[slots], &list[slots]);
        }
        let mentions = ["true", "false"].map(|new| {
            let list = at("dark-web-mentions");
            let all = self.at(&format!("all of {list}&is_new={new}"));
            all.as_array().map_or(0, Vec::len)
        });
        let mentions = json!(mentions[0] + mentions[1]);
        let what = || format!("dark_web_mentions_count of {id}");
        self.expect(what, &domain["dark_web_mentions_count"], &mentions);
        let leaks = self.at(&at("credential-leaks"))[1]["data"]["total"].clone();
        let counts = COUNTS.iter().filter_map(|count| domain[*count].as_u64());
        let sum = json!(counts.sum::<u64>());
        self.expect(|| format!("the leaks of {id}"), &leaks, &sum);
        let portal = json!(format!("/domains/{id}"));
        let what = || format!("portal_detail_path of {id}");
        self.expect(what, &domain["portal_detail_path"], &portal);
        if domain["quota_paused"] == true {
            let what = || format!("the status of {id}, which the platform paused");
            self.expect(what, &domain["status"], &json!("paused"));
        }
        self.domain_alerts(&at("alerts"), &id);
        let last = self.at(&at("scan-history"))[1]["data"]["scans"][0].clone();
        self.last_scan(&id, domain, &last);
    }

    fn last_scan(&mut self, id: &str, domain: &Value, last: &Value) {
        if !last.is_null() {
            let what = || format!("last_scan_at of {id}, by its history");
            self.expect(what, &domain["last_scan_at"], &last["created_at"]);
            // Other words are the service's own, here and there.
            let said = [&domain["scan_status"], &last["status"]];
            let is_ours = |said: &&Value| WORDS.iter().any(|word| **said == *word);
            if said.iter().all(is_ours) && said[0] != said[1] {
                let [here, there] = said;
                self.found
                    .push(format!("the last scan of {id} is {here} and {there}"));
            }
        }
        if last["status"] == "completed" {
            for count in COUNTS {
                self.expect(|| format!("{count} of {id}"), &domain[count], &last[count]);
            }
        }
    }

    fn domain_alerts(&mut self, list: &str, domain: &str) {
        let all = self.at(&format!("all of {list}")).clone();
        for alert in all.as_array().into_iter().flatten() {
            let id = &alert["id"];
            self.expect(
                || format!("the domain of the alert {id}"),
                &alert["monitored_domain_id"],
                &json!(domain),
            );
            for (member, states) in [
                ("acknowledged_at", &["acknowledged", "resolved"][..]),
                ("resolved_at", &["resolved"]),
            ] {
                let happened = states.iter().any(|state| alert["status"] == *state);
                self.expect(
                    || format!("whether {id} has {member}"),
                    &json!(alert[member].is_string()),
                    &json!(happened),
                );
            }
        }
    }
}

/// A parameter of a read's query.
fn parameter<'a>(read: &'a str, name: &str) -> Option<&'a str> {
    let (_, query) = read.split_once('?')?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(own, _)| *own == name).map(|(_, value)| value)
}

/// The ports of active rules that apply to a server, as its detail lists them (E5).
fn allowed_ports(rules: &[Value], server: &Value) -> Value {
    let apply = rules.iter().filter(|rule| rule["is_active"] == true);
    let apply =
        apply.filter(|rule| rule["endpoint_id"].is_null() || rule["endpoint_id"] == *server);
    let mut ports: Vec<(u64, &str)> = Vec::new();
    for rule in apply {
        let number = |name: &str| rule[name].as_u64().unwrap_or_default();
        let (start, end) = (number("port_start"), number("port_end"));
        let protocols = match rule["protocol"].as_str() {
            Some("*") => vec!["tcp", "udp"],
            Some("tcp") => vec!["tcp"],
            _ => vec!["udp"],
        };
        let listed: Vec<u64> = match end - start < LISTED_WHOLE {
            true => (start..=end).collect(),
            false => vec![start, end],
        };
        let pairs = listed
            .iter()
            .flat_map(|port| protocols.iter().map(|protocol| (*port, *protocol)));
        ports.extend(pairs);
    }
    ports.sort_unstable();
    ports.dedup();
    ports
        .iter()
        .map(|(port, protocol)| json!(format!("{port}:{protocol}")))
        .collect()
}
