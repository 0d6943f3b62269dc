//! `secmon customer ...`: who there is, and how they stand.

use super::common::views::is_paused;
use super::status;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::index::Domain;
use crate::references;
use crate::session::settings;
use crate::ui::outcome::{Cell, Field, Outcome, shown};
use clap::Subcommand;
use secmon::model::CustomerId;
use serde::Serialize;
use std::collections::BTreeMap;

/// Customers, by the numbers that the billing system gave them.
#[derive(Debug, Subcommand)]
pub enum CustomerCommand {
    /// List the customers: by their servers, and by the domains that this machine has seen
    List {
        /// Only customers whose number is this, or one of whose servers has this in its address or name
        #[arg(long, value_name = "TEXT")]
        search: Option<String>,
    },
    /// Show how a customer stands, as `status -c` does: servers, domains, open alerts, rules about to expire
    Show {
        /// The customer's number
        #[arg(value_name = "CUSTOMER")]
        number: String,
    },
}

const COLUMNS: &[Field<Customer>] = &[
    shown("billing_customer_id").of(|customer| Cell::text(customer.billing_customer_id)),
    shown("servers").of(|customer| Cell::Number(customer.servers)),
    shown("paused").of(|customer| Cell::Number(customer.paused)),
    shown("domains_seen").of(|customer| Cell::Number(customer.domains_seen)),
];

/// A customer, by what there is of theirs.
#[derive(Debug, Serialize)]
struct Customer {
    billing_customer_id: CustomerId,
    servers: u64,
    paused: u64,
    domains_seen: u64,
    /// Whether it is one of those that were looked for.
    #[serde(skip)]
    is_sought: bool,
}

/// Runs the command.
pub async fn run(context: &Context, command: CustomerCommand) -> Result<Outcome, CliError> {
    match command {
        CustomerCommand::List { search } => list(context, search.as_deref()).await,
        CustomerCommand::Show { number } => show(context, &number).await,
    }
}

async fn list(context: &Context, search: Option<&str>) -> Result<Outcome, CliError> {
    let narrowed = context.session.settings.customer;
    let search = search.unwrap_or_default();
    let mut customers = BTreeMap::new();
    for server in references::all_endpoints(&context.session, &context.notebook, narrowed).await? {
        if let Some(number) = server.billing_customer_id {
            let customer = known(&mut customers, number);
            customer.servers += 1;
            customer.paused += u64::from(is_paused(&server));
            customer.is_sought |= references::is_called(&server, search);
        }
    }
    let is_theirs = |domain: &&Domain| narrowed.is_none_or(|number| number == domain.customer);
    for domain in context.session.known()?.domains.iter().filter(is_theirs) {
        let customer = known(&mut customers, domain.customer);
        customer.domains_seen += 1;
        customer.is_sought |= domain.name.contains(&search.to_lowercase());
    }
    let is_sought = |customer: &Customer| {
        customer.is_sought || customer.billing_customer_id.to_string() == search
    };
    let customers: Vec<Customer> = customers.into_values().filter(is_sought).collect();
    context.screen.note(
        "the service lists no customers: these have servers, or domains that this machine has seen",
    );
    Ok(Outcome::list(&customers, COLUMNS))
}

fn known(customers: &mut BTreeMap<CustomerId, Customer>, number: CustomerId) -> &mut Customer {
    customers.entry(number).or_insert(Customer {
        billing_customer_id: number,
        servers: 0,
        paused: 0,
        domains_seen: 0,
        is_sought: false,
    })
}

async fn show(context: &Context, number: &str) -> Result<Outcome, CliError> {
    let customer = settings::parse_customer("CUSTOMER", number)?;
    references::refuse_unknown(&context.session, customer).await?;
    status::of_customer(context, customer).await
}
