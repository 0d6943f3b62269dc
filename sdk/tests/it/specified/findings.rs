//! What the reads of a domain answer: the `data` of each.

use serde_json::json;

use super::Kind::{Flag, Free, List, Object, Text};
use super::records::*;
use super::{Kind, claimed, count, granted, may, must, own, small};

pub fn overview() -> Kind {
    Object(vec![
        must("subscribed", Flag(true)),
        claimed("domains", List(vec![Object(listed_domain())])),
        may("slots_used", count(3)),
        may("slots_total", count(5)),
        may("portal_add_path", Text("/domains")),
    ])
}

/// For a customer without a subscription.
pub fn product_instead() -> Kind {
    let product = Object(vec![
        may("slug", Text("domain_monitoring")),
        may("name", Text("Domain monitoring")),
        may("description", Text("It watches your domains.")),
    ]);
    Object(vec![
        must("subscribed", Flag(false)),
        may("product", product),
    ])
}

pub fn alerts() -> Kind {
    counted("alerts", Object(domain_alert()))
}

pub fn alert() -> Kind {
    let mut explained = domain_alert();
    explained.push(may(
        "explanation",
        Text("Passwords of your staff are known."),
    ));
    Object(vec![must("alert", Object(explained))])
}

pub fn leaks() -> Kind {
    let record =
        json!({"email": "ann@shop.example.com", "password": "hunter2-Tr0ub4dor", "seen": [1, 2]});
    Object(vec![
        must("enabled", Flag(true)),
        must("items", List(vec![Free(record)])),
        may("total", count(1)),
        must("page", small(1)),
        may("page_size", count(50)),
    ])
}

/// With the data set out of reach. The specification does not name the member with the message, so that nothing may
/// hang on it (F3).
pub fn leaks_down() -> Kind {
    Object(vec![
        granted("enabled", Flag(true)),
        must("items", List(Vec::new())),
        may("total", count(0)),
        granted("page", small(1)),
        may("page_size", count(50)),
        own("error", Text("The data set cannot be reached.")),
    ])
}

pub fn history() -> Kind {
    Object(vec![must("scans", List(vec![domain_scan()]))])
}
