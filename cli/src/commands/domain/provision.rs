//! `secmon domain provision`.

use crate::bulk::args::RunArgs;
use crate::bulk::{self, ChangeOfMany, Created, Done, End, Key, Label, Prior, Words};
use crate::commands::common::args::ClientContact;
use crate::commands::common::new_customer;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::index::{Domain, Seen};
use crate::session::Session;
use crate::session::prompt::Prompt;
use crate::ui::outcome::{Outcome, to_json};
use clap::Args;
use secmon::model::ServiceId;
use secmon::operations::ProvisionDomain;
use secmon::{FieldErrors, Operation};

/// Domains to watch.
#[derive(Debug, Args)]
pub struct DomainProvisionArgs {
    /// Names of the domains; of a URL, the host is used
    #[arg(value_name = "NAME", required = true)]
    pub names: Vec<String>,
    /// Number of the billing service that pays for the slots
    #[arg(long, value_name = "ID")]
    pub service: Option<String>,
    /// Who the customer is, if the service does not know it yet
    #[command(flatten)]
    pub contact: ClientContact,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

const OPERATION: &str = "provision_domain";
const PROVISIONED: Words = Words {
    done: "provisioned",
    skipped: "already monitored",
};

/// `secmon domain provision`.
pub async fn run(context: &Context, args: DomainProvisionArgs) -> Result<Outcome, CliError> {
    let customer = context.customer()?;
    let service = service(&context.prompt, args.service.as_deref())?;
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
    new_customer::announce(&context.session, &context.screen, customer).await?;
    let provisioning = Provisioning { context };
    let items = bulk::change_all(context, &provisioning, &requests, &args.run).await?;
    bulk::conclude(&context.screen, PROVISIONED, items)
}

/// Domains that are provisioned. Whether one is still there, its list would tell; like a row of a file it is taken as
/// done.
struct Provisioning<'a> {
    context: &'a Context,
}

impl ChangeOfMany for Provisioning<'_> {
    type Target = ProvisionDomain;

    fn operation(&self) -> &'static str {
        OPERATION
    }

    fn label(&self, request: &ProvisionDomain) -> Label {
        Label::of(&request.domain, Some(request.client_id))
    }

    fn key(&self, request: &ProvisionDomain) -> Key {
        Key::of(OPERATION, Some(request.client_id), &request.domain)
    }

    fn wanted(&self, request: &ProvisionDomain) -> String {
        to_json(request).to_string()
    }

    async fn apply(&self, request: &ProvisionDomain, prior: Prior) -> Result<End, CliError> {
        Ok(send(&self.context.session, request).await?.after(prior))
    }
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

/// The provisioning call of a domain.
pub async fn send(session: &Session, request: &ProvisionDomain) -> Result<End, CliError> {
    let about = format!(
        "domain {} for customer {}",
        request.domain, request.client_id
    );
    let sent = session.write(request.clone(), &about).await;
    let Some(answer) =
        sent.map_err(|error| error.during(format!("provisioning {}", request.domain)))?
    else {
        return Ok(End::Planned);
    };
    let created = Created::by(&answer);
    let name = answer.data.domain.as_deref().unwrap_or(&request.domain);
    session.learn(Seen::Domain(Domain {
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
    let (customer, aside) = (request.client_id, created.aside());
    let sentence = format!("Domain {name} {verb} for customer {customer}{aside}.");
    let done = Done {
        created,
        ..Done::answered(answer.data.monitored_domain_id, &answer, sentence)
    };
    Ok(done.made())
}
