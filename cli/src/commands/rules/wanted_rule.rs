//! A rule that is wanted: where it is to count, which ports it allows, and what else it says.

use super::rule::{self, EVERY_SERVER};
use crate::commands::common::args::REASON_LENGTH;
use crate::error::CliError;
use crate::references;
use crate::session::Session;
use crate::ui::invocation::quoted;
use crate::values::days;
use crate::values::ports::PortSpec;
use secmon::model::{CustomerId, Endpoint, EndpointId, Expiry, PortRange, Protocol, Rule};
use secmon::operations::CreateRule;
use secmon::{FieldErrors, Operation};
use std::num::NonZeroU16;

/// Where a rule is to count.
#[derive(Debug, Clone)]
pub enum Place {
    /// On one server.
    Server(Box<Endpoint>),
    /// On all servers of a customer, or of the account.
    Everywhere(Option<CustomerId>),
}

impl Place {
    /// Whose it is.
    pub fn customer(&self) -> Option<CustomerId> {
        match self {
            Self::Server(endpoint) => endpoint.billing_customer_id,
            Self::Everywhere(customer) => *customer,
        }
    }

    /// The server, where it is one.
    pub fn server(&self) -> Option<EndpointId> {
        match self {
            Self::Server(endpoint) => Some(endpoint.id),
            Self::Everywhere(_) => None,
        }
    }

    /// What it is called in sentences.
    pub fn name(&self) -> String {
        match self {
            Self::Server(endpoint) => references::name_of(endpoint),
            Self::Everywhere(Some(customer)) => format!("all servers of customer {customer}"),
            Self::Everywhere(None) => EVERY_SERVER.to_owned(),
        }
    }

    /// Its rules, as far as they are in force or not yet over.
    pub async fn live_rules(&self, session: &Session) -> Result<Vec<Rule>, CliError> {
        let endpoint = self.server();
        let rules = references::all_rules(session, |list| {
            list.endpoint_id = endpoint;
            list.billing_customer_id = self.customer();
        })
        .await?;
        let here = |rule: &Rule| rule.endpoint_id == endpoint && is_live(rule);
        Ok(rules.into_iter().filter(here).collect())
    }
}

/// What all rules of one command have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleTerms {
    /// Why the ports are meant to be open.
    pub justification: String,
    /// Name of the service.
    pub service: Option<String>,
    /// Last day.
    pub expires_at: Option<Expiry>,
    /// The last day as it was typed: a period is measured from the day on which a rule was made.
    pub expires: Option<String>,
}

impl RuleTerms {
    /// Reads the last day and applies every limit of the service, before anything is sent or looked up.
    pub fn new(
        justification: String,
        service: Option<String>,
        expires: Option<&str>,
    ) -> Result<Self, CliError> {
        let expires_at = expires.map(|day| days::day("--expires", day)).transpose()?;
        let terms = Self {
            justification,
            service,
            expires_at,
            expires: expires.map(str::to_owned),
        };
        refuse_options(&terms.problems())?;
        Ok(terms)
    }

    /// Applies every limit of the service.
    pub fn check(&self) -> Result<(), CliError> {
        crate::references::targets::refuse(&self.problems())
    }

    fn problems(&self) -> FieldErrors {
        let any = PortSpec {
            range: PortRange::single(NonZeroU16::MIN),
            protocol: Protocol::Tcp,
        };
        let mut problems = FieldErrors::default();
        self.request(&Place::Everywhere(None), &any)
            .validate(&mut problems);
        problems
    }

    fn request(&self, place: &Place, port: &PortSpec) -> CreateRule {
        let (range, protocol, reason) = (
            port.range,
            port.protocol.clone(),
            self.justification.as_str(),
        );
        let mut create = match place {
            Place::Server(endpoint) => {
                CreateRule::for_endpoint(endpoint.id, range, protocol, reason)
            }
            Place::Everywhere(_) => CreateRule::account_wide(range, protocol, reason),
        };
        create.billing_customer_id = place.customer();
        create.service.clone_from(&self.service);
        create.expires_at = self.expires_at;
        create
    }
}

/// Refuses what the service would refuse of a rule, by the names of the options.
pub fn refuse_options(problems: &FieldErrors) -> Result<(), CliError> {
    let sentences = problems.iter();
    let sentences = sentences.map(|(field, problems)| match field {
        "justification" => REASON_LENGTH.to_owned(),
        field => format!("{}: {}", option_of(field), problems.join(" ")),
    });
    let sentences: Vec<String> = sentences.collect();
    match sentences.is_empty() {
        true => Ok(()),
        false => Err(CliError::usage(sentences.join("; "))),
    }
}

/// The option that a field of a rule comes from.
fn option_of(field: &str) -> &str {
    match field {
        "service" => "--service",
        "expires_at" => "--expires",
        other => other,
    }
}

/// A rule that is wanted.
#[derive(Debug, Clone)]
pub struct WantedRule {
    /// Where.
    pub place: Place,
    /// Which ports.
    pub port: PortSpec,
    /// What else it says.
    pub terms: RuleTerms,
}

impl WantedRule {
    /// The same as a rule that is there, at another place.
    pub fn like(rule: &Rule, place: Place) -> Result<Self, CliError> {
        Ok(Self {
            place,
            port: rule::ports(rule)?,
            terms: RuleTerms {
                justification: rule.justification.clone().unwrap_or_default(),
                service: rule.service.clone(),
                expires_at: rule.expires_at.as_ref().map(|end| end.date_time().into()),
                expires: None,
            },
        })
    }

    /// The call that makes it.
    pub fn request(&self) -> CreateRule {
        self.terms.request(&self.place, &self.port)
    }

    /// What it is called in sentences.
    pub fn name(&self) -> String {
        format!("{} on {}", self.port, self.place.name())
    }

    /// Whether a rule of its place is as this one would be.
    pub fn is_made(&self, rule: &Rule) -> bool {
        let terms = &self.terms;
        self.port.is_same(rule)
            && trimmed(rule.justification.as_ref()) == terms.justification.trim()
            && trimmed(rule.service.as_ref()) == trimmed(terms.service.as_ref())
            && self.ends_with(rule)
    }

    /// The options of `rules edit` by which a rule becomes as this one would be; an edit takes no service away.
    pub fn edit_of(&self, rule: &Rule) -> Option<String> {
        let terms = &self.terms;
        let mut options = Vec::new();
        if !self.ends_with(rule) {
            let end = terms.expires_at.map(|end| day(&end.to_string()).to_owned());
            let end = end.unwrap_or_else(|| "never".to_owned());
            options.push(format!("--expires {end}"));
        }
        if trimmed(rule.justification.as_ref()) != terms.justification.trim() {
            options.push(format!("-m {}", quoted(&terms.justification)));
        }
        let service = trimmed(terms.service.as_ref());
        if !service.is_empty() && service != trimmed(rule.service.as_ref()) {
            options.push(format!("--service {}", quoted(service)));
        }
        (!options.is_empty()).then(|| options.join(" "))
    }

    /// A period is measured from the day on which the rule was made.
    fn ends_with(&self, rule: &Rule) -> bool {
        let end = rule.expires_at.as_ref().map(|end| day(end.as_str()));
        let wanted = self.terms.expires_at.map(|end| end.to_string());
        if end == wanted.as_deref().map(day) {
            return true;
        }
        let made = rule
            .created_at
            .as_ref()
            .map(|made| made.date_time().date_naive());
        let counted = self.terms.expires.as_deref().zip(made);
        let counted = counted.and_then(|(text, made)| days::read(text, made));
        counted.is_some() && counted.map(|day| day.to_string()).as_deref() == end
    }
}

/// Whether a rule is in force or not yet over.
pub fn is_live(rule: &Rule) -> bool {
    rule.is_active != Some(false)
}

/// The day of a timestamp, or the day itself.
pub fn day(moment: &str) -> &str {
    moment.get(..10).unwrap_or(moment)
}

fn trimmed(text: Option<&String>) -> &str {
    text.map_or("", |text| text.trim())
}
