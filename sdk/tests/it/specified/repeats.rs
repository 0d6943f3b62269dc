//! What of an answer repeats its request, or is the state that the call sets: another value there is the answer to
//! another call (F11). It follows from the request and from what the specification calls its members.

use secmon::OperationInfo;
use serde_json::Value;

use super::{Kind, Member};

/// The members of a request that name a record, and what an answer may call each.
pub const NAMES: [(&str, &[&str]); 9] = [
    ("client_id", &["client_id", "billing_customer_id"]),
    ("billing_customer_id", &["client_id", "billing_customer_id"]),
    ("service_id", &["service_id"]),
    ("endpoint_id", &["endpoint_id"]),
    ("domain_id", &["domain_id", "monitored_domain_id"]),
    ("monitored_domain_id", &["domain_id", "monitored_domain_id"]),
    ("alert_id", &["alert_id"]),
    ("rule_id", &["rule_id"]),
    ("product_slug", &["product_slug"]),
];

/// The member that tells what a call has made of its record.
const SETS: [(&str, &str); 15] = [
    ("suspend_endpoint", "status"),
    ("resume_endpoint", "status"),
    ("terminate_endpoint", "status"),
    ("suspend_domain", "status"),
    ("resume_domain", "status"),
    ("terminate_domain", "status"),
    ("release_domain", "released"),
    ("suspend_subscription", "status"),
    ("resume_subscription", "status"),
    ("terminate_subscription", "status"),
    ("acknowledge_domain_alert", "status"),
    ("resolve_domain_alert", "status"),
    ("resolve_port_alert", "status"),
    ("set_price", "price"),
    ("set_scenario", "scenario"),
];

/// Marks every member of a good answer that must be as it is.
pub fn mark(operation: &OperationInfo, request: &Value, answer: &mut Kind) {
    let repeats = |member: &Member| match &member.kind {
        Kind::Id(id) => is_asked_id(request, id),
        Kind::Owner(_) => names_of(request).any(|(name, _)| name == member.name),
        Kind::Number(..) => {
            let is_page = matches!(member.name, "current_page" | "page");
            is_page && operation.fields.contains(&"page")
        }
        _ => {
            names_of(request).any(|(name, _)| name == member.name)
                || SETS.contains(&(operation.name, member.name))
                // An update sets the state that it names.
                || (member.name == "status" && sets_status(operation, request))
        }
    };
    each_member(answer, &mut |member| member.asked |= repeats(member));
}

fn sets_status(operation: &OperationInfo, request: &Value) -> bool {
    operation.name == "update_endpoint" && request.get("status").is_some()
}

/// Every name under which an answer may repeat what the request names, with the value of the request.
pub fn names_of(request: &Value) -> impl Iterator<Item = (&'static str, &Value)> {
    let asked = NAMES.iter();
    let asked = asked.filter_map(|(name, repeated)| Some((*repeated, request.get(*name)?)));
    asked.flat_map(|(repeated, value)| repeated.iter().map(move |name| (*name, value)))
}

/// No two records of the good answers have the same id, so an id that the request has is its record's.
fn is_asked_id(request: &Value, id: &str) -> bool {
    let mut asked = NAMES.iter().filter_map(|(name, _)| request.get(*name));
    asked.any(|asked| asked == id)
}

fn each_member(kind: &mut Kind, change: &mut impl FnMut(&mut Member)) {
    match kind {
        Kind::Object(members) => {
            for member in members {
                change(member);
                each_member(&mut member.kind, change);
            }
        }
        Kind::List(items) => items.iter_mut().for_each(|item| each_member(item, change)),
        Kind::Map(entries) | Kind::Reports(entries) => {
            entries
                .iter_mut()
                .for_each(|(_, entry)| each_member(entry, change));
        }
        _ => {}
    }
}
