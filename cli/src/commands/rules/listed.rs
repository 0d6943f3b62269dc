//! Rules as `rules list` prints them, as CSV or as JSON.

use super::wanted_rule::RuleTerms;
use crate::bulk::spreadsheet;
use crate::error::CliError;
use crate::machine::files;
use crate::ui::uninert;
use crate::values::days;
use crate::values::ports::PortSpec;
use csv::StringRecord;
use secmon::model::{EndpointId, Expiry, Rule};
use std::path::Path;

/// A rule of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedRule {
    /// Where it counts.
    pub scope: Scope,
    /// The ports.
    pub port: PortSpec,
    /// What else it says.
    pub terms: RuleTerms,
    /// Whether its last day was over.
    pub is_expired: bool,
}

/// Where a rule of a list counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// On one server.
    Server(EndpointId),
    /// On the server of this name or address.
    Named(String),
    /// On all servers.
    Global,
    /// The list does not say.
    Unsaid,
}

/// Reads the rules of a file, each once.
pub fn read(path: &Path) -> Result<Vec<ListedRule>, CliError> {
    let name = files::name_of(path);
    let text = files::read_listed(path, &name)?;
    let all = match text.trim_start().starts_with(['[', '{']) {
        true => of_json(&text, &name)?,
        false => of_csv(&text, &name)?,
    };
    let mut rules: Vec<ListedRule> = Vec::new();
    for rule in all {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    match rules.is_empty() {
        true => Err(CliError::usage(format!("{name} contains no rules"))),
        false => Ok(rules),
    }
}

/// One array, or a rule a line.
fn of_json(text: &str, name: &str) -> Result<Vec<ListedRule>, CliError> {
    let whole: Result<Vec<Rule>, _> = serde_json::from_str(text);
    let rules = whole.or_else(|error| match text.trim_start().starts_with('{') {
        true => text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(serde_json::from_str)
            .collect(),
        false => Err(error),
    });
    let rules = rules.map_err(|error| {
        CliError::usage(format!(
            "{name} is not a list of rules: {error}; write one with `secmon rules list -o json`"
        ))
    })?;
    rules.into_iter().map(|rule| of_rule(rule, name)).collect()
}

fn of_rule(rule: Rule, name: &str) -> Result<ListedRule, CliError> {
    let range = rule.ports().ok_or_else(|| {
        CliError::usage(format!(
            "{name}: rule {} has no ports that can be read",
            rule.id
        ))
    })?;
    Ok(ListedRule {
        scope: rule.endpoint_id.map_or(Scope::Global, Scope::Server),
        port: PortSpec {
            range,
            protocol: rule.protocol,
        },
        terms: RuleTerms {
            justification: rule.justification.unwrap_or_default(),
            service: rule.service,
            expires_at: rule.expires_at.map(Expiry::from),
            expires: None,
        },
        is_expired: rule.is_active == Some(false),
    })
}

fn of_csv(text: &str, name: &str) -> Result<Vec<ListedRule>, CliError> {
    let delimiter = spreadsheet::delimiter("auto", text)?;
    let records = spreadsheet::records(text, delimiter, name)?;
    let columns = Columns {
        heading: &records.heading,
    };
    for needed in ["ports", "justification"] {
        if columns.place(needed).is_none() {
            return Err(CliError::usage(format!("{name} has no column {needed}"))
                .hint("it is what `rules list -o csv` prints"));
        }
    }
    records.read_all(name, |_, record| columns.read(record))
}

/// The columns by their names; those that are not named here say nothing of a rule itself.
struct Columns<'a> {
    heading: &'a StringRecord,
}

impl Columns<'_> {
    fn place(&self, name: &str) -> Option<usize> {
        let mut titles = self.heading.iter();
        titles.position(|title| title.trim().eq_ignore_ascii_case(name))
    }

    fn cell(&self, record: &StringRecord, name: &str) -> Option<String> {
        let cell = record.get(self.place(name)?)?.trim();
        (!cell.is_empty()).then(|| uninert(cell))
    }

    fn read(&self, record: &StringRecord) -> Result<ListedRule, CliError> {
        let expires = self.cell(record, "expires_at");
        let expires_at = expires.map(|text| {
            let exact = text.parse();
            exact.or_else(|_| days::day("expires_at", &text))
        });
        let is_expired = self.cell(record, "status").as_deref() == Some("expired");
        Ok(ListedRule {
            scope: self.scope(record)?,
            port: PortSpec::parse(&self.cell(record, "ports").unwrap_or_default())?,
            terms: RuleTerms {
                justification: self.cell(record, "justification").unwrap_or_default(),
                service: self.cell(record, "service"),
                expires_at: expires_at.transpose()?,
                expires: None,
            },
            is_expired,
        })
    }

    fn scope(&self, record: &StringRecord) -> Result<Scope, CliError> {
        let Some(id) = self.cell(record, "endpoint_id") else {
            let place = self.cell(record, "endpoint").unwrap_or_default();
            // As it is printed: web-1 (203.0.113.10)
            let address = place.strip_suffix(')').and_then(|it| it.rsplit_once(" ("));
            return Ok(match address {
                _ if place.starts_with("all servers") => Scope::Global,
                _ if place.is_empty() => Scope::Unsaid,
                Some((_, address)) => Scope::Named(address.to_owned()),
                None => Scope::Named(place),
            });
        };
        let id = id.parse().map_err(|_| {
            CliError::usage(format!("endpoint_id: {id:?} is not the id of a server"))
        })?;
        Ok(Scope::Server(id))
    }
}
