//! The records that several answers hold.

use serde_json::json;

use super::Kind::{Flag, Free, Id, Map, Object, Owner, Text, Time, Word};
use super::{Kind, Member, count, may, must, own, port, small, unread};

pub const ID: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
pub const OTHER_ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";
/// Of records that no request names.
pub const NOT_ASKED_ID: &str = "3d813cbb-47fb-42ba-91df-831e1593ac29";
pub const AT: &str = "2026-03-14T09:26:53+00:00";
pub const LATER: &str = "2026-03-15T01:02:03+00:00";

/// The `meta` that says nothing about the result.
pub fn meta() -> Member {
    let members = vec![must("version", Text("v1")), must("timestamp", Time(AT))];
    unread("meta", Object(members))
}

pub fn endpoint() -> Kind {
    Object(endpoint_members())
}

pub fn endpoint_members() -> Vec<Member> {
    vec![
        must("id", Id(ID)),
        must("ip_address", Text("203.0.113.10")),
        may("hostname", Text("web-1.example.com")),
        may("nickname", Text("web server one")),
        may("platform", Text("Linux 6.1")),
        must("status", Word("active")),
        may("nmap_cooldown_seconds", count(300)),
        may("last_scan_at", Time(AT)),
        may("next_scan_at", Time(LATER)),
        may("created_at", Time(AT)),
        may("updated_at", Time(AT)),
        may("billing_customer_id", Owner(42)),
        may("quota_paused", Flag(false)),
    ]
}

/// A rule of one server, with the server.
pub fn endpoint_rule() -> Kind {
    let mut members = rule_members("Endpoint-Specific");
    members.push(may("endpoint_id", Id(OTHER_ID)));
    let mut server = endpoint_members();
    server[0] = must("id", Id(OTHER_ID));
    members.push(may("endpoint", Object(server)));
    Object(members)
}

/// A rule of all servers, which has none (E8).
pub fn global_rule() -> Kind {
    Object(rule_members("Global"))
}

fn rule_members(scope: &'static str) -> Vec<Member> {
    vec![
        must("id", Id(ID)),
        may("tenant_id", Id(NOT_ASKED_ID)),
        may("port", port(8000)),
        must("port_start", port(8000)),
        must("port_end", port(8100)),
        may("range_label", Text("8000-8100")),
        must("protocol", Word("tcp")),
        may("service", Text("application servers")),
        may("justification", Text("Behind the load balancer.")),
        may("auto_suggested", Flag(false)),
        may("expires_at", Time(LATER)),
        may("created_by", Id(NOT_ASKED_ID)),
        may("created_at", Time(AT)),
        may("updated_at", Time(AT)),
        may("is_active", Flag(true)),
        may("scope_label", Text(scope)),
    ]
}

/// A port alert as the detail read of a server shows it.
pub fn open_port() -> Vec<Member> {
    vec![
        must("id", Id(ID)),
        must("port", port(3389)),
        must("protocol", Word("tcp")),
        may("service", Text("ms-wbt-server")),
        may("severity", Word("critical")),
        may("risk_level", Word("high")),
        must("status", Word("open")),
        may("title", Text("Port 3389 is open")),
        may("first_detected_at", Time(AT)),
        may("last_detected_at", Time(LATER)),
    ]
}

/// The same beside the server whose id the request has.
pub fn alert_of_the_server() -> Kind {
    let mut members = open_port();
    members[0] = must("id", Id(NOT_ASKED_ID));
    Object(members)
}

/// A port alert as its own reads show it (E6).
pub fn port_alert() -> Kind {
    let mut members = open_port();
    members.push(may("endpoint_id", Id(OTHER_ID)));
    members.push(may("ip_address", Text("203.0.113.10")));
    members.push(may("resolved_at", Time(LATER)));
    Object(members)
}

pub fn latest_scan() -> Kind {
    Object(vec![
        may("open_ports", Kind::List(vec![port(22), port(3389)])),
        must("status", Word("completed")),
        may("scan_duration_ms", count(1834)),
        may("scanned_at", Time(AT)),
    ])
}

/// A domain as the list shows it.
pub fn listed_domain() -> Vec<Member> {
    vec![
        must("id", Id(ID)),
        must("domain", Text("shop.example.com")),
        must("status", Word("active")),
        may("scan_status", Word("completed")),
        may("last_scan_at", Time(AT)),
        may("employees_compromised", count(25)),
        may("customers_compromised", count(140)),
        may("third_parties_compromised", count(12)),
        may("dark_web_mentions_count", count(9)),
        may(
            "portal_detail_path",
            Text("/domains/6f9619ff-8b86-4011-b42d-00c04fc964ff"),
        ),
        may("quota_paused", Flag(false)),
    ]
}

pub fn domain_summary() -> Kind {
    let mut members = listed_domain();
    members.push(may("dark_web_last_scan_at", Time(LATER)));
    let strength = json!({"weak": 101, "medium": 52, "strong": 24});
    members.push(may("password_strength", Free(strength)));
    members.push(may("slots_used", count(3)));
    members.push(may("slots_total", count(5)));
    members.push(may("created_at", Time(AT)));
    Object(members)
}

pub fn domain_alert() -> Vec<Member> {
    vec![
        must("id", Id(OTHER_ID)),
        must("monitored_domain_id", Id(ID)),
        may("domain", Text("shop.example.com")),
        must("type", Word("credential_leak")),
        may("category", Word("employees")),
        may("severity", Word("critical")),
        may("new_count", count(25)),
        may("previous_count", count(11)),
        must("status", Word("resolved")),
        may(
            "details",
            Free(json!({"dumps": ["Collection #1"], "first": null})),
        ),
        may("created_at", Time(AT)),
        may("acknowledged_at", Time(AT)),
        may("resolved_at", Time(LATER)),
    ]
}

pub fn mention() -> Kind {
    Object(vec![
        must("id", Id(NOT_ASKED_ID)),
        may("title", Text("Fresh dump for sale")),
        may("content_preview", Text("Contact me for the price.")),
        may("source_name", Text("a forum")),
        may("author", Text("somebody_1987")),
        may("published_at", Time(AT)),
        may("is_new", Flag(true)),
        may("created_at", Time(LATER)),
    ])
}

pub fn domain_scan() -> Kind {
    Object(vec![
        must("id", Id(NOT_ASKED_ID)),
        must("status", Word("completed")),
        may("employees_compromised", count(25)),
        may("customers_compromised", count(140)),
        may("third_parties_compromised", count(12)),
        may("created_at", Time(AT)),
    ])
}

/// What one page of an alert list says about its place (domain alerts, mentions, port alerts).
pub fn counted(items: &'static str, item: Kind) -> Kind {
    Object(vec![
        must(items, Kind::List(vec![item])),
        may("total", count(1)),
        must("current_page", small(1)),
        may("last_page", small(1)),
        may("has_more", Flag(false)),
    ])
}

/// One page of the resource envelope; `meta` has further members.
pub fn linked(item: Kind, mut further: Vec<Member>) -> Kind {
    let links = Object(vec![
        may(
            "first",
            Text("https://portal.example.com/api/v1/list?page=1"),
        ),
        may(
            "last",
            Text("https://portal.example.com/api/v1/list?page=3"),
        ),
        may(
            "prev",
            Text("https://portal.example.com/api/v1/list?page=1"),
        ),
        may(
            "next",
            Text("https://portal.example.com/api/v1/list?page=3"),
        ),
    ]);
    let mut position = vec![
        must("current_page", small(2)),
        may("per_page", small(1)),
        may("total", count(3)),
        may("last_page", small(3)),
        unread("version", Text("v1")),
        unread("timestamp", Time(AT)),
    ];
    position.append(&mut further);
    Object(vec![
        must("data", Kind::List(vec![item])),
        may("links", links),
        must("meta", Object(position)),
    ])
}

/// What a reconciliation did to one customer's resources of one product. The key above it names the product too (D7).
pub fn capacity_report(product: &'static str, paused: &'static str) -> Kind {
    Object(vec![
        own("product_type", Word(product)),
        may("capacity", count(5)),
        may("usage", count(8)),
        may("over_quota", Flag(true)),
        may("newly_paused", Kind::List(vec![Text(paused)])),
        may("unpaused", Kind::List(vec![Text("198.51.100.7")])),
    ])
}

pub fn enforcement() -> Kind {
    let reports = Kind::Reports(vec![
        (
            "domain_monitoring",
            capacity_report("domain_monitoring", "old.example.com"),
        ),
        (
            "port_monitoring",
            capacity_report("port_monitoring", "203.0.113.77"),
        ),
    ]);
    Map(vec![("42", reports)])
}
