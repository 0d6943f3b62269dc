//! What takes a change back, made from the record as it was before and after.

use crate::commands::common::views::{owner_of, place_of, ports_of};
use crate::state::history::ChangeRow;
use crate::ui::invocation::quoted;
use secmon::model::{CustomerId, DomainId, Endpoint, EndpointId, MonitoredDomain, Rule};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What takes a change back.
#[derive(Debug, Clone)]
pub enum Inverse {
    /// Rules that were made go.
    RemoveRules(Vec<Rule>, Option<CustomerId>),
    /// A rule that was removed is made again.
    AddRule(Box<Rule>, CustomerId),
    /// A rule that was changed becomes what it was.
    EditRule {
        /// As it was.
        before: Box<Rule>,
        /// As the change left it.
        after: Box<Rule>,
        /// Whose it is; none for one that may be the whole account's.
        customer: Option<CustomerId>,
    },
    /// A server that was suspended is resumed, or the other way round.
    Server(EndpointId, To),
    /// A domain that was suspended is resumed, or the other way round.
    Domain(DomainId, CustomerId, To),
    /// A server gets its earlier name.
    RenameServer {
        /// The server.
        id: EndpointId,
        /// Whose it is.
        customer: CustomerId,
        /// Its earlier name.
        before: String,
        /// The name that the change gave it.
        after: String,
    },
    /// A domain gets its earlier name.
    RenameDomain {
        /// The domain.
        id: DomainId,
        /// Whose it is.
        customer: CustomerId,
        /// Its earlier name.
        before: String,
        /// The name that the change gave it.
        after: String,
    },
}

/// The state that is set back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// It was suspended.
    Active,
    /// It was resumed.
    Paused,
}

/// Why a change is not taken back, with the command that comes nearest.
#[derive(Debug, Clone)]
pub struct NotUndoable {
    /// The reason.
    pub reason: String,
    /// The exact nearest command.
    pub nearest: Option<Nearest>,
}

/// The command that comes nearest to taking a change back.
#[derive(Debug, Clone)]
pub struct Nearest {
    command: String,
    /// What it is about, where several can be named in one line.
    pub record: Option<String>,
    options: String,
    /// What it is for.
    pub purpose: &'static str,
}

impl Nearest {
    fn new(command: String, purpose: &'static str) -> Self {
        Self {
            command,
            record: None,
            options: String::new(),
            purpose,
        }
    }

    /// A command that takes more records than one.
    fn of_record(command: &str, record: String, purpose: &'static str) -> Self {
        Self {
            record: Some(record),
            ..Self::new(command.to_owned(), purpose)
        }
    }

    fn with(mut self, options: &str) -> Self {
        options.clone_into(&mut self.options);
        self
    }

    /// Whether one line can do what both do.
    pub fn differs_in_record_only(&self, other: &Self) -> bool {
        (&self.command, &self.options) == (&other.command, &other.options)
    }

    /// The command line.
    pub fn line(&self) -> String {
        self.line_for(self.record.as_deref().unwrap_or_default())
    }

    /// The same for these records.
    pub fn line_for(&self, records: &str) -> String {
        let Self {
            command, options, ..
        } = self;
        match records {
            "" => format!("{command}{options}"),
            records => format!("{command} {records}{options}"),
        }
    }
}

/// What takes a change back, where something does.
pub fn inverse_of(change: &ChangeRow) -> Result<Inverse, NotUndoable> {
    let inverse = by_operation(change).ok_or_else(|| not_undoable(change))?;
    match change.is_redacted && inverse.writes_text() {
        false => Ok(inverse),
        true => Err(NotUndoable {
            reason: "the record held the key, which is kept nowhere: it cannot be written back"
                .to_owned(),
            nearest: None,
        }),
    }
}

fn by_operation(change: &ChangeRow) -> Option<Inverse> {
    let customer = match change.customers.as_slice() {
        [one] => Some(*one),
        _ => None,
    };
    match change.operation.as_str() {
        "create_rule" => Some(Inverse::RemoveRules(vec![read(&change.after)?], customer)),
        "ingest_firewall" => {
            let suggested = change.after.as_ref()?.get("suggested")?;
            let rules: Vec<Rule> = serde_json::from_value(suggested.clone()).ok()?;
            (!rules.is_empty()).then_some(Inverse::RemoveRules(rules, customer))
        }
        "delete_rule" => Some(Inverse::AddRule(read(&change.before)?, customer?)),
        "update_rule" => Some(Inverse::EditRule {
            before: read(&change.before)?,
            after: read(&change.after)?,
            customer,
        }),
        "suspend_endpoint" => Some(Inverse::Server(id(change)?, To::Active)),
        "resume_endpoint" => Some(Inverse::Server(id(change)?, To::Paused)),
        "suspend_domain" => Some(Inverse::Domain(id(change)?, customer?, To::Active)),
        "resume_domain" => Some(Inverse::Domain(id(change)?, customer?, To::Paused)),
        "update_endpoint" => {
            let before: Endpoint = read(&change.before)?;
            let after: Endpoint = read(&change.after)?;
            Some(Inverse::RenameServer {
                id: before.id,
                customer: customer.or(before.billing_customer_id)?,
                before: before.nickname.filter(|name| !name.is_empty())?,
                after: after.nickname?,
            })
        }
        "update_domain" => {
            let before: MonitoredDomain = read(&change.before)?;
            let after = change.after.as_ref()?.get("domain")?.as_str()?;
            Some(Inverse::RenameDomain {
                id: before.id,
                customer: customer?,
                before: before.domain,
                after: after.to_owned(),
            })
        }
        _ => None,
    }
}

fn read<T: DeserializeOwned>(image: &Option<Value>) -> Option<T> {
    serde_json::from_value(image.clone()?).ok()
}

fn id<T: std::str::FromStr>(change: &ChangeRow) -> Option<T> {
    change.record.as_deref()?.parse().ok()
}

impl Inverse {
    /// Whether it writes text of the record back.
    fn writes_text(&self) -> bool {
        matches!(
            self,
            Self::AddRule(..)
                | Self::EditRule { .. }
                | Self::RenameServer { .. }
                | Self::RenameDomain { .. }
        )
    }

    /// Whether it concerns every customer of the account.
    pub fn is_account_wide(&self) -> bool {
        matches!(
            self,
            Self::RemoveRules(_, None) | Self::EditRule { customer: None, .. }
        )
    }

    /// What is so now and what will be: `web-1: paused now, active afterwards`.
    pub fn effect(&self, about: &str) -> String {
        match self {
            Self::RemoveRules(rules, _) => {
                let ports: Vec<String> = rules.iter().map(ports_of).collect();
                let place = rules.first().map(place_of).unwrap_or_default();
                format!("remove the rules for {} on {place}", ports.join(", "))
            }
            Self::AddRule(rule, _) => format!(
                "add the rule for {} on {} again",
                ports_of(rule),
                place_of(rule)
            ),
            Self::EditRule { before, after, .. } => format!(
                "the rule {} becomes {} again",
                described(after),
                described(before)
            ),
            Self::Server(_, To::Active) | Self::Domain(_, _, To::Active) => {
                format!("{about}: suspended now, active afterwards")
            }
            Self::Server(_, To::Paused) | Self::Domain(_, _, To::Paused) => {
                format!("{about}: active now, suspended afterwards")
            }
            Self::RenameServer { before, after, .. } | Self::RenameDomain { before, after, .. } => {
                format!("{after:?} is named {before:?} again")
            }
        }
    }

    /// The command that does the same.
    pub fn line(&self) -> String {
        match self {
            Self::RemoveRules(rules, customer) => {
                let rules: Vec<String> = rules.iter().map(|rule| rule.id.to_string()).collect();
                format!("rules remove {}{}", rules.join(" "), of(*customer))
            }
            Self::AddRule(rule, customer) => {
                let place = match rule.endpoint_id {
                    Some(server) => server.to_string(),
                    None => "--global".to_owned(),
                };
                format!("rules add {place} {}{}", options(rule), of(Some(*customer)))
            }
            Self::EditRule {
                before, customer, ..
            } => format!(
                "rules edit {} --port {}{}",
                before.id,
                options(before),
                of(*customer)
            ),
            Self::Server(id, To::Active) => format!("endpoint resume {id}"),
            Self::Server(id, To::Paused) => format!("endpoint suspend {id}"),
            Self::Domain(id, customer, To::Active) => format!("domain resume {id} -c {customer}"),
            Self::Domain(id, customer, To::Paused) => format!("domain suspend {id} -c {customer}"),
            Self::RenameServer { id, before, .. } => {
                format!("endpoint rename {id} {}", quoted(before))
            }
            Self::RenameDomain {
                id,
                customer,
                before,
                ..
            } => format!("domain rename {id} {} -c {customer}", quoted(before)),
        }
    }
}

fn of(customer: Option<CustomerId>) -> String {
    customer.map(|id| format!(" -c {id}")).unwrap_or_default()
}

/// `443/tcp until 2026-12-31 ("web site")`
pub fn described(rule: &Rule) -> String {
    let reason = rule.justification.as_deref().unwrap_or_default();
    let end = rule.expires_at.as_ref();
    let end = end.map(|end| format!(" until {}", end.date_time().format("%Y-%m-%d")));
    format!("{}{} ({reason:?})", ports_of(rule), end.unwrap_or_default())
}

/// What a rule says, as options.
fn options(rule: &Rule) -> String {
    let reason = rule.justification.as_deref().unwrap_or_default();
    let mut options = format!("{} -m {}", ports_of(rule), quoted(reason));
    if let Some(service) = &rule.service {
        options += &format!(" --service {}", quoted(service));
    }
    if let Some(end) = &rule.expires_at {
        options += &format!(" --expires {}", end.date_time().format("%Y-%m-%d"));
    }
    options
}

/// Why a change is not taken back, and the exact nearest command, with what is known filled in.
fn not_undoable(change: &ChangeRow) -> NotUndoable {
    let customer = match change.customers.as_slice() {
        [one] => format!(" -c {one}"),
        _ => " -c ID".to_owned(),
    };
    let text = |image: &Option<Value>, field: &str| {
        let value = image.as_ref()?.get(field)?;
        value.as_str().map(str::to_owned)
    };
    let before = |field| text(&change.before, field);
    let after = |field| text(&change.after, field);
    let record = change.record.clone().unwrap_or_default();
    let reason = |reason: &str| reason.to_owned();
    let (reason, nearest) = match change.operation.as_str() {
        "terminate_endpoint" | "delete_endpoint" => (
            reason("what has ended is restored by provisioning it again"),
            before("ip_address").map(|address| {
                Nearest::of_record("provision", address, "monitor it again").with(&customer)
            }),
        ),
        "provision_endpoint" | "create_endpoint" => (
            reason("undoing does not end servers: end it by name"),
            Some(Nearest::of_record("endpoint terminate", record, "end it")),
        ),
        "provision_domain" => (
            reason("undoing does not end domains: end it by name"),
            Some(Nearest::of_record("domain terminate", record, "end it").with(&customer)),
        ),
        "release_domain" => (
            reason(
                "a release is for good: provisioning the domain again makes a new one, without its history",
            ),
            before("domain").or_else(|| after("domain")).map(|name| {
                let options = format!(" --service ID{customer}");
                Nearest::of_record("domain provision", name, "watch it from now on").with(&options)
            }),
        ),
        "terminate_domain" => (
            reason("what has ended is restored by provisioning it again"),
            before("domain").or_else(|| after("domain")).map(|name| {
                let options = format!(" --service ID{customer}");
                Nearest::of_record("domain provision", name, "watch it again").with(&options)
            }),
        ),
        "update_endpoint" => (
            reason("it had no name before, and a name cannot be taken away: give it another one"),
            None,
        ),
        "delete_rule" => (
            reason("it is not known which customer's servers the rule applied to"),
            Some(Nearest::new(
                format!("rules add --global PORT -m TEXT{customer}"),
                "add it again",
            )),
        ),
        "set_scenario" => (
            reason("the service cannot say whether somebody has chosen another one since"),
            change.before.as_ref().and_then(Value::as_str).map(|name| {
                Nearest::new(
                    format!("sandbox scenario set {name}"),
                    "choose the earlier one",
                )
            }),
        ),
        "set_price" | "remove_price" => (
            reason("the service cannot list prices"),
            Some(Nearest::new(
                "pricing set PRODUCT PRICE EUR".to_owned(),
                "set the earlier price",
            )),
        ),
        "sync_services" => (
            reason("the service does not say what the statuses were before"),
            Some(Nearest::new(
                "sync -f FILE".to_owned(),
                "report another status",
            )),
        ),
        operation if operation.ends_with("_subscription") => subscription(change, operation),
        operation if operation.starts_with("resolve") => (
            reason("an alert whose cause is still there comes back with the next scan"),
            None,
        ),
        operation if operation.starts_with("acknowledge") => {
            (reason("an acknowledged alert stays acknowledged"), None)
        }
        _ => (reason("change the record back by its own command"), None),
    };
    NotUndoable { reason, nearest }
}

/// No read tells a subscription, so it is not taken back: the line that does it is told.
fn subscription(change: &ChangeRow, operation: &str) -> (String, Option<Nearest>) {
    let reason =
        "the service cannot list subscriptions, so nobody can see whether it was changed since";
    let record = change.record.clone().unwrap_or_default();
    let mut parts = record.splitn(3, '/');
    let (Some(customer), Some(service), Some(product)) = (parts.next(), parts.next(), parts.next())
    else {
        return (reason.to_owned(), None);
    };
    let which = format!("{service} --product {product} -c {customer}");
    let previous = |field: &str| {
        change
            .after
            .as_ref()?
            .get(field)
            .filter(|value| !value.is_null())
    };
    let line = match operation {
        "suspend_subscription" => Some((format!("subscription resume {which}"), "resume it")),
        "resume_subscription" => {
            Some((format!("subscription suspend {which}"), "suspend it again"))
        }
        "change_subscription" => {
            let plan = previous("previous_plan_slug").and_then(Value::as_str);
            let plan = plan.map(|plan| format!("--plan {}", quoted(plan)));
            let quantity = previous("previous_quantity").and_then(Value::as_u64);
            let size = plan.or(quantity.map(|quantity| format!("--quantity {quantity}")));
            size.map(|size| {
                (
                    format!("subscription change {which} {size}"),
                    "change it back",
                )
            })
        }
        _ => Some((
            format!("subscription set {which}"),
            "set it up again: add --plan PLAN or --quantity N",
        )),
    };
    let nearest = line.map(|(line, purpose)| Nearest::new(line, purpose));
    (reason.to_owned(), nearest)
}

/// Whose the record of an inverse is, in a sentence.
pub fn owner(change: &ChangeRow) -> Option<CustomerId> {
    let rule: Option<Rule> = read(&change.before);
    let rule = rule.or_else(|| read(&change.after));
    change
        .customers
        .first()
        .copied()
        .or_else(|| owner_of(&rule?))
}
