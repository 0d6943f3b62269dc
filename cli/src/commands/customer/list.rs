//! `secmon customer list`: who there is.

use crate::commands::common::views::is_paused;
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::state::records::Domain;
use crate::ui::outcome::{Cell, Field, Outcome, shown};
use clap::Args;
use secmon::model::CustomerId;
use serde::Serialize;
use std::collections::BTreeMap;

/// Which customers.
#[derive(Debug, Args)]
pub struct CustomerListArgs {
    /// Only customers with this number, or with a server whose address or name contains this text
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
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
pub async fn run(context: &Context, args: &CustomerListArgs) -> Result<Outcome, CliError> {
    let narrowed = context.session.settings.customer;
    let search = args.search.as_deref().unwrap_or_default();
    let mut customers = BTreeMap::new();
    for server in references::all_endpoints(&context.session, narrowed).await? {
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
        "the service cannot list customers: these have servers, or domains that this computer has seen",
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
