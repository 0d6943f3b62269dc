//! Provision, rename, suspend, resume, terminate and release of domains.

use super::domain::{is_watched, one};
use super::resuming::{self, Kind, Suspended};
use super::transition::Transition;
use super::unknown_customer;
use crate::args::{DomainProvisionArgs, DomainSwitch, OnError};
use crate::bulk::{self, Created, Done, End, Item, Words};
use crate::context::{Context, Danger};
use crate::error::{CliError, Exit};
use crate::notebook::index::{Domain, Seen};
use crate::references::{self, DomainRef};
use crate::ui::outcome::{Line, Outcome, to_json};
use crate::values::durations::counted;
use secmon::model::{CustomerId, DomainId, DomainStatus, MonitoredDomain, ServiceId};
use secmon::operations::{
    DomainState, GetDomainSummary, ProvisionDomain, ReleaseDomain, ResumeDomain, SuspendDomain,
    TerminateDomain, UpdateDomain,
};
use secmon::{FieldErrors, Namespace, Operation, Response};
use serde_json::{Value, json};
use uuid::Uuid;

const DOMAINS: Kind = Kind {
    operation: "domain",
    one: "domain",
};
const PROVISIONED: Words = Words {
    done: "provisioned",
    skipped: "already monitored",
};
const RENAMED: Words = Words {
    done: "renamed",
    skipped: "named so before",
};
const RELEASED: Words = Words {
    done: "released",
    skipped: "released before",
};

/// `secmon domain provision`.
pub async fn provision(context: &Context, args: DomainProvisionArgs) -> Result<Outcome, CliError> {
    let customer = context.customer()?;
    let service = service(context, args.service.as_deref())?;
    let requests: Vec<ProvisionDomain> = args
        .names
        .iter()
        .map(|name| {
            let mut request = ProvisionDomain::new(customer, name.as_str(), service);
            request.client_name.clone_from(&args.contact.client_name);
            request.client_email.clone_from(&args.contact.client_email);
            request
        })
        .collect();
    let mut problems = FieldErrors::default();
    for request in &requests {
        request.validate(&mut problems);
    }
    crate::references::targets::refuse(&problems)?;
    unknown_customer::announce(context, customer).await?;
    let ends = bulk::run(context, &requests, OnError::Continue, async |request| {
        send(context, request).await
    })
    .await;
    let items = requests
        .iter()
        .zip(ends)
        .map(|(request, end)| item(&request.domain, customer, end));
    bulk::conclude(context, PROVISIONED, items.collect())
}

/// The billing service that pays, which the service requires for domains.
pub fn service(context: &Context, given: Option<&str>) -> Result<ServiceId, CliError> {
    let text = match given {
        Some(text) => text.to_owned(),
        None => context.ask(
            "--service",
            "the number of the billing service",
            "Number of the billing service",
        )?,
    };
    text.trim().parse().map_err(|_| {
        CliError::usage(format!("--service: {text:?} is no service: it is the number your billing system gave it, 1 or more"))
    })
}

/// The provisioning call of a domain.
pub async fn send(context: &Context, request: &ProvisionDomain) -> Result<End, CliError> {
    let about = format!(
        "domain {} for customer {}",
        request.domain, request.client_id
    );
    let sent = context.write(request.clone(), &about).await;
    let Some(answer) =
        sent.map_err(|error| error.during(format!("provisioning {}", request.domain)))?
    else {
        return Ok(End::Planned);
    };
    let created = Created::by(&answer);
    let name = answer.data.domain.as_deref().unwrap_or(&request.domain);
    context.learn(Seen::Domain(Domain {
        id: answer.data.monitored_domain_id,
        name: name.to_owned(),
        customer: request.client_id,
    }));
    let verb = match (created, answer.note()) {
        (Created::Yes, _) => "is now watched",
        (Created::No, None) => "was watched already",
        // The remark, or what stands behind it, says how it came to be there.
        _ => "is watched",
    };
    let done = Done {
        id: answer.data.monitored_domain_id.to_string(),
        record: to_json(&answer.data),
        created,
        note: answer.note().map(str::to_owned),
        sentence: format!(
            "Domain {name} {verb} for customer {}{}.",
            request.client_id,
            created.aside()
        ),
    };
    Ok(done.made())
}

/// Suspends, resumes or terminates: every domain is found before any is changed.
pub async fn run(
    context: &Context,
    names: &[String],
    change: Transition,
) -> Result<Outcome, CliError> {
    let domains = references::domains(context, names).await?;
    confirm(context, &domains, change)?;
    let items = apply(context, &domains, change).await;
    bulk::conclude(context, change.words(), items)
}

impl Suspended for DomainRef {
    fn id(&self) -> Uuid {
        self.id.into()
    }

    fn name(&self) -> String {
        self.label()
    }
}

/// Suspends or resumes the domains that are named, or all of a customer that are in the other state.
pub async fn switch(
    context: &Context,
    targets: &DomainSwitch,
    change: Transition,
) -> Result<Outcome, CliError> {
    if !targets.all {
        return run(context, &targets.domains, change).await;
    }
    let customer = context.customer()?;
    let listed = references::monitored(context, customer).await?;
    let total = listed.len();
    if total == 0 {
        references::refuse_unknown(context, customer).await?;
    }
    let is_undone = |domain: &MonitoredDomain| match change {
        Transition::Suspend => is_watched(domain),
        Transition::Resume => domain.status == DomainStatus::Paused,
        Transition::Terminate => true,
    };
    let domains: Vec<DomainRef> = listed
        .into_iter()
        .filter(is_undone)
        .map(|domain| DomainRef::listed(customer, domain))
        .collect();
    let sentence = format!(
        "Customer {customer} has {}; {} not {} before.",
        counted(total, "domain"),
        domains.len(),
        change.words().done
    );
    let (domains, stay) = match change {
        Transition::Resume => resuming::choose(context, customer, &DOMAINS, domains)?,
        Transition::Suspend | Transition::Terminate => {
            confirm(context, &domains, change)?;
            (domains, None)
        }
    };
    let items = apply(context, &domains, change).await;
    if let Some(error) = bulk::refused(&items) {
        return Err(error);
    }
    let mut outcome = bulk::report(context, change.words(), &items);
    outcome
        .story
        .splice(0..0, [Line::text(sentence)].into_iter().chain(stay));
    if change == Transition::Suspend {
        outcome.story.extend([
            Line::Heading("Next:"),
            Line::next(
                format!("domain resume --all -c {customer}"),
                "resume all of them again",
            ),
        ]);
    }
    Ok(outcome)
}

/// Asks before a change of domains where a question is due.
fn confirm(context: &Context, domains: &[DomainRef], change: Transition) -> Result<(), CliError> {
    let question = match domains {
        [one] => format!("About to {} {}.", change.verb(), one.named()),
        many => format!(
            "About to {} {} domains: {}.",
            change.verb(),
            many.len(),
            bulk::preview(many, DomainRef::named)
        ),
    };
    let typed = if let [one] = domains {
        one.label()
    } else {
        domains.len().to_string()
    };
    context.confirm(change.danger().times(domains.len()), &question, &typed)
}

/// Changes domains that were found.
async fn apply(context: &Context, domains: &[DomainRef], change: Transition) -> Vec<Item> {
    let ends = bulk::run(context, domains, OnError::Continue, async |domain| {
        transition(context, domain, change).await
    })
    .await;
    let items = domains.iter().zip(ends).map(|(domain, end)| Item {
        row: None,
        target: domain.label(),
        customer: domain.customer,
        end,
    });
    items.collect()
}

async fn transition(
    context: &Context,
    domain: &DomainRef,
    change: Transition,
) -> Result<End, CliError> {
    let about = format!("domain {}", domain.label());
    let sent = match change {
        Transition::Suspend => context.write(SuspendDomain::new(domain.id), &about).await,
        Transition::Resume => context.write(ResumeDomain::new(domain.id), &about).await,
        Transition::Terminate => context.write(TerminateDomain::new(domain.id), &about).await,
    };
    let sent =
        sent.map_err(|error| error.during(format!("{} {}", change.doing(), domain.label())))?;
    Ok(sent.map_or(End::Planned, |answer| {
        moved(
            domain.id,
            &answer,
            format!("Domain {}: {}.", domain.label(), change.words().done),
        )
    }))
}

fn moved(id: DomainId, answer: &Response<DomainState>, sentence: String) -> End {
    let done = Done {
        id: id.to_string(),
        record: to_json(&answer.data),
        created: Created::NoRecord,
        note: answer.note().map(str::to_owned),
        sentence,
    };
    done.changed()
}

/// `secmon domain rename`.
pub async fn rename(context: &Context, name: &str, new: String) -> Result<Outcome, CliError> {
    let (domain, customer) = one(context, name).await?;
    let sent = context
        .write(
            UpdateDomain::new(domain.id, new.as_str()),
            &format!("domain {}", domain.label()),
        )
        .await;
    let sent = sent.map_err(|error| error.during(format!("renaming {}", domain.label())))?;
    let end = sent.map_or(End::Planned, |answer| {
        moved(
            domain.id,
            &answer,
            format!(
                "Domain {} is now watched as {new}; its history stays.",
                domain.label()
            ),
        )
    });
    bulk::conclude(context, RENAMED, vec![item(&domain.label(), customer, end)])
}

/// `secmon domain release`: the slot is given up for good, so the name is typed.
pub async fn release(
    context: &Context,
    name: &str,
    given: Option<String>,
) -> Result<Outcome, CliError> {
    if context.settings.namespace == Namespace::Provisioning {
        return Err(CliError::usage(
            "a slot is given up under the billing namespace only: leave out --namespace provisioning",
        ));
    }
    let service = service(context, given.as_deref())?;
    let (domain, customer) = one(context, name).await?;
    let label = domain.label();
    let question = format!(
        "About to give up {label} of customer {customer} and its slot of service {service} for good: record, alerts and history."
    );
    context.confirm(Danger::Severe, &question, &label)?;
    let sent = context
        .write(
            ReleaseDomain::new(customer, service, domain.id),
            &format!("domain {label}"),
        )
        .await;
    let sent = match sent {
        Err(error) if error.may_have_happened() && is_gone(context, domain.id, customer).await => {
            let sentence = format!("Domain {label} is given up.");
            let record = json!({ "monitored_domain_id": domain.id, "released": true });
            let end = End::Done(released(domain.id, record, sentence));
            return bulk::conclude(context, RELEASED, vec![item(&label, customer, end)]);
        }
        sent => sent.map_err(|error| error.during(format!("releasing {label}")))?,
    };
    let end = sent.map_or(End::Planned, |answer| {
        let slots = answer.data.slots_used.zip(answer.data.slots_total);
        let slots = slots
            .map(|(used, total)| format!(" {used} of {total} slots are in use now."))
            .unwrap_or_default();
        let sentence = format!("Domain {label} is given up.{slots}");
        End::Done(released(domain.id, to_json(&answer.data), sentence))
    });
    bulk::conclude(context, RELEASED, vec![item(&label, customer, end)])
}

/// A release whose answer was lost is looked for, never sent again.
async fn is_gone(context: &Context, id: DomainId, customer: CustomerId) -> bool {
    let summary = context.read(GetDomainSummary::new(customer, id)).await;
    summary.is_err_and(|error| error.exit() == Exit::NotFound)
}

fn released(id: DomainId, record: Value, sentence: String) -> Done {
    Done {
        id: id.to_string(),
        record,
        sentence,
        ..Done::default()
    }
}

fn item(target: &str, customer: CustomerId, end: End) -> Item {
    Item {
        row: None,
        target: target.to_owned(),
        customer: Some(customer),
        end,
    }
}
