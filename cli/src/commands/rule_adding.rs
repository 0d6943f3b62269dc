//! Adding Allowed Ports rules. A rule whose answer was lost is looked for, never sent again.

use super::views;
use crate::args::OnError;
use crate::bulk::{self, Done, End, Item, Words};
use crate::context::Context;
use crate::durations;
use crate::error::CliError;
use crate::outcome::{Outcome, to_json};
use crate::ports::PortSpec;
use crate::references;
use secmon::model::{CustomerId, Endpoint, EndpointId, PortRange, Protocol, Rule};
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

/// What all rules of one command have in common.
#[derive(Debug, Clone)]
pub struct Addition {
    /// Why the ports are meant to be open.
    pub justification: String,
    /// Name of the service.
    pub service: Option<String>,
    /// Last day.
    pub expires_at: Option<String>,
}

/// What a port that a rule covers already does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is an error.
    Fail,
    /// It is an error that tells of --skip-existing.
    FailNamingOption,
    /// It is passed over.
    Skip,
}

impl Addition {
    /// Reads the last day and applies every limit of the service, before anything is sent or looked up.
    pub fn new(
        justification: String,
        service: Option<String>,
        expires: Option<&str>,
    ) -> Result<Self, CliError> {
        let expires_at = expires
            .map(|day| durations::day("--expires", day))
            .transpose()?;
        let addition = Self {
            justification,
            service,
            expires_at,
        };
        let any = PortSpec {
            range: PortRange::single(NonZeroU16::MIN),
            protocol: Protocol::Tcp,
        };
        let mut problems = FieldErrors::default();
        addition
            .request(&Place::Everywhere(None), &any)
            .validate(&mut problems);
        crate::targets::refuse(&problems)?;
        Ok(addition)
    }

    fn request(&self, place: &Place, port: &PortSpec) -> CreateRule {
        let (range, protocol, reason) = (
            port.range,
            port.protocol.clone(),
            self.justification.as_str(),
        );
        let mut create = match place {
            Place::Server(endpoint) => {
                CreateRule::new(range, protocol, reason).endpoint_id(endpoint.id)
            }
            Place::Everywhere(_) => CreateRule::new(range, protocol, reason),
        };
        create.fields.billing_customer_id = customer_of(place);
        create.fields.service.clone_from(&self.service);
        create.fields.expires_at.clone_from(&self.expires_at);
        create
    }
}

fn customer_of(place: &Place) -> Option<CustomerId> {
    match place {
        Place::Server(endpoint) => endpoint.billing_customer_id,
        Place::Everywhere(customer) => *customer,
    }
}

fn name_of(place: &Place) -> String {
    match place {
        Place::Server(endpoint) => references::name_of(endpoint),
        Place::Everywhere(Some(customer)) => format!("all servers of customer {customer}"),
        Place::Everywhere(None) => "all servers of the account".to_owned(),
    }
}

/// Adds a rule for every pair of place and port.
pub async fn run(
    context: &Context,
    words: Words,
    wanted: &[(Place, PortSpec)],
    addition: &Addition,
    existing: Existing,
) -> Result<Outcome, CliError> {
    let ends = bulk::run(context, wanted, OnError::Continue, async |(place, port)| {
        add(context, place, port, addition, existing).await
    })
    .await;
    let items = wanted
        .iter()
        .zip(ends)
        .map(|((place, port), end)| item(place, port, end));
    bulk::conclude(context, words, items.collect())
}

/// Gives servers the rules of another; what they allow already is passed over.
pub async fn copy(
    context: &Context,
    words: Words,
    rules: &[Rule],
    to: &[Endpoint],
) -> Result<Outcome, CliError> {
    let mut wanted = Vec::new();
    for rule in rules {
        let Some(range) = rule.ports() else { continue };
        let addition = Addition {
            justification: rule.justification.clone().unwrap_or_default(),
            service: rule.service.clone(),
            expires_at: rule.expires_at.as_ref().map(|end| end.as_str().to_owned()),
        };
        let port = PortSpec {
            range,
            protocol: rule.protocol.clone(),
        };
        wanted.extend(to.iter().map(|endpoint| {
            (
                Place::Server(Box::new(endpoint.clone())),
                port.clone(),
                addition.clone(),
            )
        }));
    }
    let ends = bulk::run(
        context,
        &wanted,
        OnError::Continue,
        async |(place, port, addition)| add(context, place, port, addition, Existing::Skip).await,
    )
    .await;
    let items = wanted
        .iter()
        .zip(ends)
        .map(|((place, port, _), end)| item(place, port, end));
    bulk::conclude(context, words, items.collect())
}

fn item(place: &Place, port: &PortSpec, end: End) -> Item {
    Item {
        row: None,
        target: format!("{port} on {}", name_of(place)),
        customer: customer_of(place),
        end,
    }
}

async fn add(
    context: &Context,
    place: &Place,
    port: &PortSpec,
    addition: &Addition,
    existing: Existing,
) -> Result<End, CliError> {
    let about = format!("{port} on {}", name_of(place));
    let error = match context.write(addition.request(place, port), &about).await {
        Ok(Some(answer)) => return Ok(End::Done(made(place, port, &answer.data))),
        Ok(None) => return Ok(End::Planned),
        Err(error) => error.during(format!("allowing {about}")),
    };
    if error.may_have_happened() {
        let same = |rule: &Rule| {
            port.is_same(rule) && rule.justification.as_deref() == Some(&addition.justification)
        };
        return match matching(context, place, same).await {
            Ok(Some(rule)) => Ok(End::Done(made(place, port, &rule))),
            Err(_) => Err(error),
            Ok(None) => Err(error.hint("no such rule is there: run the command again")),
        };
    }
    if !error.concerns_field("port_start") {
        return Err(error);
    }
    let Ok(Some(rule)) = matching(context, place, |rule| port.meets(rule)).await else {
        return Err(error);
    };
    let (id, ports) = (rule.id, views::ports_of(&rule));
    if existing == Existing::Skip {
        let note = Some(format!("a rule for {ports} is there"));
        return Ok(End::Skipped(Done {
            note,
            ..done(place, port, &rule)
        }));
    }
    let option = match existing {
        Existing::FailNamingOption => "; or pass over such ports with --skip-existing",
        _ => "",
    };
    Err(error.hint(format!(
        "rule {id} for {ports} is in the way: change it with `rules edit {id}`{option}"
    )))
}

fn made(place: &Place, port: &PortSpec, rule: &Rule) -> Done {
    Done {
        created: Some(true),
        ..done(place, port, rule)
    }
}

fn done(place: &Place, port: &PortSpec, rule: &Rule) -> Done {
    let name = name_of(place);
    Done {
        id: rule.id.to_string(),
        record: to_json(rule),
        sentence: format!("{port} is allowed on {name}; an open alert for it is resolved."),
        ..Done::default()
    }
}

/// The first live rule of this place that fits.
async fn matching(
    context: &Context,
    place: &Place,
    fits: impl Fn(&Rule) -> bool,
) -> Result<Option<Rule>, CliError> {
    let endpoint: Option<EndpointId> = match place {
        Place::Server(endpoint) => Some(endpoint.id),
        Place::Everywhere(_) => None,
    };
    let rules = references::all_rules(context, |mut list| {
        list.endpoint_id = endpoint;
        list.billing_customer_id = customer_of(place);
        list
    })
    .await?;
    let here = |rule: &Rule| rule.endpoint_id == endpoint && rule.is_active != Some(false);
    Ok(rules.into_iter().find(|rule| here(rule) && fits(rule)))
}
