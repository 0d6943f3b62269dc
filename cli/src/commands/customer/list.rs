//! `secmon customer list`: who there is.

use crate::commands::common::views::is_paused;
use crate::context::Context;
use crate::error::CliError;
use crate::references::alerts;
use crate::references::{self, DomainRef};
use crate::session::Session;
use crate::state::records::Domain;
use crate::ui::outcome::{Cell, Field, Outcome, shown};
use clap::Args;
use secmon::model::{CustomerId, DomainAlertStatus, EndpointId, PortAlertStatus, Severity};
use secmon::operations::ListDomains;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// Which customers.
#[derive(Debug, Args)]
pub struct CustomerListArgs {
    /// Only customers with this number, or with a server whose address or name contains this text
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Show their domains, slots and open critical alerts too; takes a call for each domain and at least two for each
    /// customer
    #[arg(long)]
    pub counts: bool,
}

const COLUMNS: &[Field<Customer>] = &[
    shown("billing_customer_id").of(|customer| Cell::text(customer.billing_customer_id)),
    shown("servers").of(|customer| Cell::Number(customer.servers)),
    shown("paused").of(|customer| Cell::Number(customer.paused)),
    shown("domains_seen").of(|customer| Cell::Number(customer.domains_seen)),
];

/// The same with what the service counts of each.
const COUNTED: &[Field<Customer>] = &[
    shown("billing_customer_id").of(|customer| Cell::text(customer.billing_customer_id)),
    shown("servers").of(|customer| Cell::Number(customer.servers)),
    shown("paused").of(|customer| Cell::Number(customer.paused)),
    shown("domains").of(|customer| customer.counted(|counts| counts.domains)),
    shown("slots_total").of(|customer| customer.counted(|counts| counts.slots_total)),
    shown("critical_alerts").of(|customer| customer.counted(|counts| Some(counts.critical_alerts))),
];

/// A customer, by what there is of theirs.
#[derive(Debug, Serialize)]
struct Customer {
    billing_customer_id: CustomerId,
    servers: u64,
    paused: u64,
    domains_seen: u64,
    #[serde(flatten)]
    counts: Option<Counts>,
    /// Whether it is one of those that were looked for.
    #[serde(skip)]
    is_sought: bool,
}

/// What the service tells of one customer.
#[derive(Debug, Serialize)]
struct Counts {
    domains: Option<u64>,
    slots_total: Option<u64>,
    critical_alerts: u64,
}

impl Customer {
    fn counted(&self, count: impl Fn(&Counts) -> Option<u64>) -> Cell {
        Cell::count(self.counts.as_ref().and_then(count))
    }
}

/// Runs the command.
pub async fn run(context: &Context, args: &CustomerListArgs) -> Result<Outcome, CliError> {
    let narrowed = context.session.settings.customer;
    let search = args.search.as_deref().unwrap_or_default();
    let (mut customers, mut servers) = (BTreeMap::new(), HashSet::new());
    for server in references::all_endpoints(&context.session, narrowed).await? {
        if let Some(number) = server.billing_customer_id {
            let customer = known(&mut customers, number);
            customer.servers += 1;
            servers.insert(server.id);
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
    let mut customers: Vec<Customer> = customers.into_values().filter(is_sought).collect();
    let mut columns = COLUMNS;
    if args.counts {
        count(context, &mut customers, &servers).await?;
        columns = COUNTED;
    }
    context.screen.note(
        "the service cannot list customers: these have servers, or domains that this computer has seen",
    );
    Ok(Outcome::list(&customers, columns))
}

/// Reads the counts of each, and says what that costs.
async fn count(
    context: &Context,
    customers: &mut [Customer],
    servers: &HashSet<EndpointId>,
) -> Result<(), CliError> {
    const WORTH_TELLING: usize = 10;
    if customers.len() > WORTH_TELLING {
        let count = customers.len();
        context.screen.note(&format!(
            "reading {count} customers takes at least {} calls, and one for each domain",
            2 * count
        ));
    }
    let progress = context.screen.progress(customers.len());
    for customer in customers {
        let counts = counts_of(&context.session, customer.billing_customer_id, servers).await?;
        customer.counts = Some(counts);
        progress.advance(0);
    }
    progress.finish();
    Ok(())
}

/// The counts of one customer; an alert of a server that has ended counts no more.
async fn counts_of(
    session: &Session,
    customer: CustomerId,
    servers: &HashSet<EndpointId>,
) -> Result<Counts, CliError> {
    let overview = session.read(ListDomains::new(customer)).await?;
    let slots_total = overview.slots_total;
    let domains = references::listed_domains(overview, customer)?;
    let of_ports = references::all_alerts(session, customer, |list| {
        list.status = Some(PortAlertStatus::Open);
        list.severity = Some(Severity::Critical);
    });
    let is_there = |id: EndpointId| servers.contains(&id);
    let of_ports = of_ports.await?.into_iter();
    let of_ports = of_ports.filter(|alert| alert.endpoint_id.is_none_or(is_there));
    let mut critical = of_ports.count();
    let domains: Vec<DomainRef> = domains
        .into_iter()
        .map(|domain| DomainRef::listed(customer, domain))
        .collect();
    let open = Some(&DomainAlertStatus::Open);
    let of_domains = alerts::of_domains(session, customer, &domains, open).await?;
    critical += of_domains
        .iter()
        .filter(|alert| alert.severity() == Some(&Severity::Critical))
        .count();
    Ok(Counts {
        domains: u64::try_from(domains.len()).ok(),
        slots_total,
        critical_alerts: critical as u64,
    })
}

fn known(customers: &mut BTreeMap<CustomerId, Customer>, number: CustomerId) -> &mut Customer {
    customers.entry(number).or_insert(Customer {
        billing_customer_id: number,
        servers: 0,
        paused: 0,
        domains_seen: 0,
        counts: None,
        is_sought: false,
    })
}
