//! `secmon domain provision`.

use crate::bulk::args::RunArgs;
use crate::bulk::{
    self, Applied, BulkOperation, Created, Label, PlannedRow, Question, RowOutcome, VerbLabels,
};
use crate::commands::common::args::ClientContact;
use crate::commands::common::capacity::DOMAINS;
use crate::commands::common::{new_customer, other_owners};
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, DomainRef};
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::session::current_run::RunKind;
use crate::session::prompt::Prompt;
use crate::state::changes::{ChangeResult, Scope};
use crate::state::records::{Domain, Observation, Subscription};
use crate::ui::outcome::{Outcome, to_json};
use crate::values::domain_names;
use clap::Args;
use secmon::model::{CustomerId, ServiceId, SubscriptionStatus};
use secmon::operations::ProvisionDomain;
use secmon::{FieldErrors, Operation};

/// Domains to watch.
#[derive(Debug, Args)]
pub struct DomainProvisionArgs {
    /// Names of the domains; of a URL, the host is used
    #[arg(value_name = "NAME", required = true)]
    pub names: Vec<String>,
    /// Number of the billing service that pays for the slots; by default the one this computer has seen for this customer
    #[arg(long, value_name = "ID")]
    pub service: Option<String>,
    /// Who the customer is, if the service does not know it yet
    #[command(flatten)]
    pub contact: ClientContact,
    /// How the run is made
    #[command(flatten)]
    pub run: RunArgs,
}

const OPERATION: &str = "provision_domain";
const PROVISIONED: VerbLabels = VerbLabels {
    done: "provisioned",
    skipped: "already monitored",
};

/// `secmon domain provision`.
pub async fn run(context: &Context, args: DomainProvisionArgs) -> Result<Outcome, CliError> {
    let customer = context.customer()?;
    let service = service_for(context, args.service.as_deref(), customer)?;
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
    let names = requests
        .iter()
        .map(|request| domain_names::normalized(&request.domain));
    let names: Vec<_> = names.map(|name| (name, customer)).collect();
    other_owners::tell_of_domains(&context.session, &context.screen, &names);
    new_customer::agree(context, customer, &args.contact).await?;
    let provisioning = Provisioning {
        context,
        requests: &requests,
    };
    let items = bulk::run_bulk(context, &provisioning, &args.run).await?;
    bulk::conclude(&context.screen, PROVISIONED, items)
}

/// So many domains are worth the call that lists what is there.
const WORTH_A_LIST: usize = 3;

/// Domains that are provisioned. The call may be repeated, and says what was there.
struct Provisioning<'a> {
    context: &'a Context,
    requests: &'a [ProvisionDomain],
}

impl BulkOperation for Provisioning<'_> {
    type Row = ProvisionDomain;

    fn kind(&self) -> RunKind {
        let scope = match self.requests {
            [_] => Scope::One,
            _ => Scope::Named,
        };
        RunKind {
            verb: OPERATION,
            scope,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<ProvisionDomain>>, CliError> {
        let session = &self.context.session;
        let listed = match self.requests.len() >= WORTH_A_LIST {
            true => references::all_domains(session, self.context.customer()?).await?,
            false => Vec::new(),
        };
        let planned = self.requests.iter().cloned().map(|request| {
            let name = domain_names::normalized(&request.domain);
            match listed.iter().find(|domain| domain.name == name) {
                Some(there) => PlannedRow::settled(request, already(there)),
                None => PlannedRow::send(request),
            }
        });
        Ok(planned.collect())
    }

    fn label(&self, request: &ProvisionDomain) -> Label {
        Label::of(&request.domain, Some(request.client_id))
    }

    fn question(&self, _rows: &[&ProvisionDomain]) -> Question {
        Question::none()
    }

    async fn apply(&self, request: &ProvisionDomain) -> Result<RowOutcome, CliError> {
        let presence = match self.requests.len() >= WORTH_A_LIST {
            true => Presence::Absent,
            false => Presence::Unknown,
        };
        send(&self.context.session, request, presence).await
    }
}

/// The outcome of a domain that needs no call.
pub fn already(there: &DomainRef) -> RowOutcome {
    RowOutcome::Skipped(Applied {
        id: there.id.to_string(),
        record: to_json(&there.listed),
        created: Created::No,
        note: Some("already monitored".to_owned()),
        ..Applied::default()
    })
}

/// What a list said of a record before it was provisioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It was in none: if the service knows it, it is restored.
    Absent,
    /// None was read.
    Unknown,
}

/// The billing service that pays, which the service requires for domains.
pub fn service(prompt: &Prompt, given: Option<&str>) -> Result<ServiceId, CliError> {
    let text = match given {
        Some(text) => text.to_owned(),
        None => prompt.ask(
            "--service",
            "the number of the billing service",
            "Number of the billing service",
        )?,
    };
    text.trim().parse().map_err(|_| {
        CliError::usage(format!("--service: {text:?} is not a service number: give the number from your billing system, 1 or more"))
    })
}

/// The same where the one that this computer has seen pay for a customer's domains need not be typed.
pub fn service_for(
    context: &Context,
    given: Option<&str>,
    customer: CustomerId,
) -> Result<ServiceId, CliError> {
    let known = known_services(context, customer)?;
    match (given, known.as_slice()) {
        (None, [only]) => {
            context.screen.note(&format!(
                "Using billing service {only}, the only one this computer has seen for domains of customer {customer}."
            ));
            Ok(*only)
        }
        _ => service(&context.prompt, given),
    }
}

/// The billing services that this computer has seen pay for a customer's domains, without those that were cancelled.
fn known_services(context: &Context, customer: CustomerId) -> Result<Vec<ServiceId>, CliError> {
    let known = context.session.known()?.subscriptions.iter();
    let pays = |one: &&Subscription| {
        one.customer == customer
            && one.product == DOMAINS
            && one.status != Some(SubscriptionStatus::Cancelled)
    };
    Ok(known.filter(pays).map(|one| one.service).collect())
}

/// What a provisioning call is about, where it is remembered.
pub fn about(request: &ProvisionDomain) -> String {
    format!(
        "domain {} for customer {}",
        request.domain, request.client_id
    )
}

/// The provisioning call of a domain.
pub async fn send(
    session: &Session,
    request: &ProvisionDomain,
    presence: Presence,
) -> Result<RowOutcome, CliError> {
    let mut planned = PlannedChange::new(about(request));
    if presence == Presence::Absent {
        planned = planned.was_absent();
    }
    let sent = session.change(request.clone(), planned).await;
    let Some(answered) =
        sent.map_err(|error| error.during(format!("provisioning {}", request.domain)))?
    else {
        return Ok(RowOutcome::Planned);
    };
    let answer = &answered.response;
    let created = Created::by(answer);
    let name = answer.data.domain.as_deref().unwrap_or(&request.domain);
    session.learn(Observation::Domain(Domain {
        id: answer.data.monitored_domain_id,
        name: name.to_owned(),
        customer: request.client_id,
    }));
    let is_restored = created == Created::No && answered.result == ChangeResult::Changed;
    let verb = match (created, answer.note()) {
        (Created::Yes, _) => "is now monitored",
        (Created::No, _) if is_restored => "had ended, and is monitored again",
        (Created::No, None) => "was already monitored",
        // The remark, or what stands behind it, says how it came to be there.
        _ => "is watched",
    };
    let (customer, aside) = (request.client_id, created.aside());
    let sentence = format!("Domain {name} {verb} for customer {customer}{aside}.");
    let applied = Applied {
        created,
        ..Applied::answered(answer.data.monitored_domain_id, answer, sentence)
    };
    Ok(match is_restored {
        true => RowOutcome::Applied(applied),
        false => applied.made(),
    })
}
