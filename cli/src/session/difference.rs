//! What was asked for beside what the answer says of it: a success whose record says otherwise is none (F11 leaves these
//! members to whoever asked). A member that the answer leaves out tells nothing.

use crate::values::domain_names::normalized;
use chrono::{NaiveDate, TimeDelta};
use serde_json::Value;
use std::net::IpAddr;

/// The fields of a request and of its answer.
#[derive(Clone, Copy)]
pub struct AskedAndAnswered<'a> {
    /// The request.
    pub asked: &'a Value,
    /// The record that was answered.
    pub answered: &'a Value,
    /// Whether the record is new: one that was there is shown as it is.
    pub is_new: bool,
}

/// A field that the answer has otherwise.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    field: &'static str,
    asked: String,
    answered: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            field,
            asked,
            answered,
        } = self;
        write!(f, "the {field} {answered} instead of {asked}")
    }
}

impl AskedAndAnswered<'_> {
    /// The first difference of a call.
    pub fn difference(self, operation: &str) -> Option<Difference> {
        match operation {
            "create_rule" | "update_rule" => self.of_rule(operation),
            "create_endpoint" => self.of_created_server(),
            "provision_endpoint" => self.address(),
            "update_endpoint" => self.name(),
            "provision_domain" | "update_domain" => self.domain(),
            "provision_subscription" => self.quantity("quantity"),
            "change_subscription" => self.quantity("new_quantity"),
            "set_price" => self.word("currency", "currency", "currency"),
            "sync_services" => self.of_reported_services(),
            _ => None,
        }
    }

    fn of_rule(self, operation: &str) -> Option<Difference> {
        self.ports()
            .or_else(|| self.scope(operation))
            .or_else(|| self.kept_text("reason", "justification"))
            .or_else(|| self.kept_text("service name", "service"))
            .or_else(|| self.last_day())
    }

    fn ports(self) -> Option<Difference> {
        let (asked, answered) = (ports_of(self.asked)?, ports_of(self.answered)?);
        differing("port", asked, answered)
    }

    /// A rule of one server has it; one of all servers has none.
    fn scope(self, operation: &str) -> Option<Difference> {
        let is_global = operation == "create_rule" && self.asked["scope"] == "global";
        let server = text(&self.answered["endpoint_id"]).filter(|_| is_global)?;
        differing(
            "place",
            "all servers".to_owned(),
            format!("server {server}"),
        )
    }

    /// A text that the call sets as a whole: where none was sent, there is none.
    fn kept_text(self, field: &'static str, member: &str) -> Option<Difference> {
        let answered = self.answered.get(member)?;
        let [asked, answered] = [&self.asked[member], answered].map(text);
        differing(field, or_none(asked), or_none(answered))
    }

    /// The service writes a day as a moment, perhaps of another zone.
    fn last_day(self) -> Option<Difference> {
        let answered = text(self.answered.get("expires_at")?);
        let asked = text(&self.asked["expires_at"]);
        let days = asked
            .as_deref()
            .and_then(day)
            .zip(answered.as_deref().and_then(day));
        let is_near = |(asked, answered): (NaiveDate, NaiveDate)| {
            (asked - answered).abs() <= TimeDelta::days(1)
        };
        match days.is_some_and(is_near) {
            true => None,
            false => differing("last day", or_none(asked), or_none(answered)),
        }
    }

    fn of_created_server(self) -> Option<Difference> {
        let of_new = || {
            let status = self.word("status", "status", "status");
            status.or_else(|| self.name())
        };
        self.address()
            .or_else(|| self.is_new.then(of_new).flatten())
    }

    /// An address as it is, a host name as the service writes it.
    fn address(self) -> Option<Difference> {
        let asked = text(&self.asked["ip_address"])?;
        let Ok(address) = asked.parse::<IpAddr>() else {
            let host = text(&self.answered["hostname"])?;
            let is_same = normalized(&host) == normalized(&asked) || host.parse::<IpAddr>().is_ok();
            return differing("host name", asked, host).filter(|_| !is_same);
        };
        let answered = text(&self.answered["ip_address"])?.parse::<IpAddr>().ok()?;
        let [asked, answered] = [address, answered].map(|address| address.to_canonical());
        differing("address", asked.to_string(), answered.to_string())
    }

    fn name(self) -> Option<Difference> {
        let asked = self.asked.get("nickname").and_then(text)?;
        let answered = text(self.answered.get("nickname")?);
        differing("name", asked, or_none(answered))
    }

    fn domain(self) -> Option<Difference> {
        let (asked, answered) = (
            text(&self.asked["domain"])?,
            text(&self.answered["domain"])?,
        );
        differing("domain", normalized(&asked), normalized(&answered))
    }

    /// A quantity counts only where the product has no plan, and is no single server. Plans are written as the service
    /// names them, so they are not compared.
    fn quantity(self, asked: &str) -> Option<Difference> {
        let is_server = self.asked["product_slug"] == "endpoint";
        let has_plan = is_server || text(&self.answered["plan_slug"]).is_some();
        let differs = || self.word("quantity", asked, "quantity");
        (!has_plan).then(differs).flatten()
    }

    /// Every service that was reported is changed, unchanged or unknown.
    fn of_reported_services(self) -> Option<Difference> {
        let reported = self.asked["services"].as_array()?.len() as u64;
        let [changed, unchanged] =
            ["changed", "unchanged"].map(|name| self.answered[name].as_u64());
        let counted = changed? + unchanged?;
        let more = format!("at most {reported}");
        differing("number of services", more, counted.to_string()).filter(|_| counted > reported)
    }

    /// One word, whatever its case.
    fn word(self, field: &'static str, asked: &str, answered: &str) -> Option<Difference> {
        let (asked, answered) = (text(&self.asked[asked])?, text(&self.answered[answered])?);
        let is_same = asked.eq_ignore_ascii_case(&answered);
        differing(field, asked, answered).filter(|_| !is_same)
    }
}

fn differing(field: &'static str, asked: String, answered: String) -> Option<Difference> {
    (asked != answered).then_some(Difference {
        field,
        asked,
        answered,
    })
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| "(none)".to_owned())
}

/// A text or number in one spelling; nothing for an empty one.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let words: Vec<&str> = text.split_whitespace().collect();
            Some(words.join(" ")).filter(|text| !text.is_empty())
        }
        Value::Number(number) => Some(number.to_string().trim_end_matches(".0").to_owned()),
        _ => None,
    }
}

/// `22/tcp`; a protocol that the specification does not have is passed over.
fn ports_of(fields: &Value) -> Option<String> {
    let start = text(&fields["port_start"]).or_else(|| text(&fields["port"]))?;
    let end = text(&fields["port_end"]).unwrap_or_else(|| start.clone());
    let protocol = text(&fields["protocol"])?.to_lowercase();
    let range = match start == end {
        true => start,
        false => format!("{start}-{end}"),
    };
    ["tcp", "udp", "*"]
        .contains(&protocol.as_str())
        .then(|| format!("{range}/{protocol}"))
}

fn day(moment: &str) -> Option<NaiveDate> {
    moment.get(..10)?.parse().ok()
}
