//! `secmon endpoint add`: a server by the endpoints call.

use crate::bulk::{self, Applied, Created, Item, Label, RowOutcome};
use crate::commands::common::args::{ClientContact, EndpointStatusArg, WaitArgs, endpoint_status};
use crate::commands::common::polling::Awaited;
use crate::commands::common::{new_customer, other_owners, unreachable};
use crate::commands::provision::single;
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, targets};
use crate::state::records::{Observation, Server};
use crate::ui::outcome::Outcome;
use crate::values::durations;
use clap::Args;
use secmon::model::{CustomerId, Endpoint, EndpointStatus};
use secmon::operations::CreateEndpoint;
use secmon::{FieldErrors, Operation, Response};
use uuid::Uuid;

/// A server to add by `POST /endpoints`.
#[derive(Debug, Args)]
pub struct EndpointAddArgs {
    /// IP address, or host name (the service resolves it)
    pub address: String,
    /// Name to show for the server
    #[arg(long, alias = "name", value_name = "NAME")]
    pub nickname: Option<String>,
    /// Start in this state
    #[arg(long)]
    pub status: Option<EndpointStatusArg>,
    /// Whether to wait for the first scan
    #[command(flatten)]
    pub wait: WaitArgs,
    /// Who the customer is, if the service does not know it yet
    #[command(flatten)]
    pub contact: ClientContact,
}

/// Runs the command.
pub async fn run(context: &Context, args: EndpointAddArgs) -> Result<Outcome, CliError> {
    let address = targets::server_name(&args.address)?;
    let length = durations::length("--wait-timeout", &args.wait.wait_timeout)?;
    let customer = context.customer()?;
    let mut create = CreateEndpoint::new(customer, address.as_str());
    create.nickname = args.nickname;
    create.status = args.status.map(endpoint_status);
    create.client_name.clone_from(&args.contact.client_name);
    create.client_email.clone_from(&args.contact.client_email);
    let mut problems = FieldErrors::default();
    create.validate(&mut problems);
    targets::refuse(&problems)?;
    let named = address.parse().ok();
    let place = named.map(|ip| (address.as_str(), ip, customer));
    unreachable::tell(context, place);
    other_owners::confirm(context, place).await?;
    new_customer::agree(context, customer, &args.contact).await?;
    let about = format!("server {} for customer {customer}", address);
    let sent = context
        .session
        .write(create, about)
        .await
        .map_err(|error| error.during(format!("adding {}", address)))?;
    let outcome = match sent {
        None => RowOutcome::Planned,
        Some(answer) => {
            let seen = Observation::Servers(vec![Server::from(&answer.data)]);
            context.session.learn(seen);
            done(&answer, customer).made()
        }
    };
    let id = outcome
        .applied()
        .and_then(|applied| applied.id.parse::<Uuid>().ok());
    let label = Label::of(&address, Some(customer));
    let mut outcome = bulk::conclude_one(Item::of(label, outcome))?;
    if let Some(id) = id.filter(|_| args.wait.wait) {
        let server = Awaited {
            id: id.into(),
            customer,
            name: address,
            since: None,
        };
        let waited = single::await_server(context, server, length, &mut outcome);
        outcome.deferred_error = waited.await.err();
    }
    Ok(outcome)
}

fn done(answer: &Response<Endpoint>, customer: CustomerId) -> Applied {
    let created = Created::by(answer);
    let name = references::name_of(&answer.data);
    let is_paused = answer.data.status == EndpointStatus::Paused;
    let verb = match (created, answer.note()) {
        (Created::Yes, _) if is_paused => "has been added as paused",
        (Created::Yes, _) => "is now monitored",
        (Created::No, None) => "was there already",
        // The remark, or what stands behind it, says how it came to be there.
        _ => "is there",
    };
    let aside = created.aside();
    let sentence = format!("Server {name} {verb} for customer {customer}{aside}.");
    Applied {
        created,
        ..Applied::answered(answer.data.id, answer, sentence)
    }
}
