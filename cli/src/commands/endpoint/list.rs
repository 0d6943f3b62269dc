//! `secmon endpoint list`: the servers, page by page, or those that are looked for.

use crate::commands::common::args::{EndpointStatusArg, endpoint_status};
use crate::commands::common::streamed::Stream;
use crate::commands::common::{findings, new_customer, views};
use crate::context::Context;
use crate::error::CliError;
use crate::session::Session;
use crate::session::portal;
use crate::state::records::{Observation, Server};
use crate::ui::Reader;
use crate::ui::outcome::{Block, Outcome};
use crate::values::durations::counted;
use crate::values::ports::PortSpec;
use crate::{bulk, references};
use clap::Args;
use secmon::Pages;
use secmon::model::{CustomerId, Endpoint, EndpointDetail, Timestamp};
use secmon::operations::ListEndpoints;

/// Filters of the list.
#[derive(Debug, Args)]
pub struct EndpointListArgs {
    /// Only servers in this state
    #[arg(long)]
    pub status: Option<EndpointStatusArg>,
    /// Only servers with this in their address, nickname or host name, or of the customer with this number
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Only servers on which the last scan found this port open; takes one call per server
    #[arg(long, value_name = "PORT")]
    pub port: Option<String>,
}

/// Runs the command.
pub async fn run(context: &Context, args: &EndpointListArgs) -> Result<Outcome, CliError> {
    let sought = Sought::of(args)?;
    context.session.ready().await?;
    let mut list = ListEndpoints::account_wide().per_page(references::PAGE_SIZE);
    list.billing_customer_id = context.session.settings.customer;
    list.status = args.status.map(endpoint_status);
    let pages = context.session.client()?.pages(list);
    if context.screen.streams() {
        return stream(context, pages, &sought).await;
    }
    if !sought.is_all() {
        return found(context, args, &sought).await;
    }
    let mut pages = pages;
    let mut endpoints = Vec::new();
    while let Some(page) = pages.next().await {
        endpoints.extend(page?.into_inner().data);
    }
    let seen = endpoints.iter().map(Server::from).collect();
    context.session.learn(match args.status {
        None => Observation::AllServers(context.session.settings.customer, seen),
        Some(_) => Observation::Servers(seen),
    });
    if endpoints.is_empty() {
        new_customer::tell_of_list(context).await;
    }
    // Which ones come first is known once all are there.
    sort(&mut endpoints);
    let endpoints = context.screen.cut(endpoints, None);
    Ok(with_pages(&context.session, &endpoints))
}

/// The order in which a person looks for a server: by customer, then by name or address.
fn sort(endpoints: &mut [Endpoint]) {
    endpoints.sort_by_cached_key(|endpoint| {
        let name = references::in_order(&references::name_of(endpoint));
        (endpoint.billing_customer_id, name)
    });
}

fn with_pages(session: &Session, endpoints: &[Endpoint]) -> Outcome {
    let mut outcome = listed(endpoints);
    outcome.table.pages = portal::pages(&session.settings, portal::SERVERS);
    outcome
}

/// Which servers are looked for. The service looks for none, so all are read.
struct Sought<'a> {
    text: Option<&'a str>,
    port: Option<PortSpec>,
}

impl<'a> Sought<'a> {
    fn of(args: &'a EndpointListArgs) -> Result<Self, CliError> {
        let port = args.port.as_deref().map(PortSpec::parse).transpose()?;
        let text = args.search.as_deref().map(str::trim);
        match text {
            Some("") => Err(CliError::usage(
                "--search is empty: give a part of an address or a name, or a customer's number",
            )),
            _ => Ok(Self { text, port }),
        }
    }

    fn is_all(&self) -> bool {
        self.text.is_none() && self.port.is_none()
    }

    async fn among(
        &self,
        context: &Context,
        mut servers: Vec<Endpoint>,
    ) -> Result<Found, CliError> {
        if let Some(text) = self.text {
            let is_whose = |customer: CustomerId| customer.to_string() == text;
            servers.retain(|server| {
                server.billing_customer_id.is_some_and(is_whose)
                    || references::is_called(server, text)
            });
        }
        match &self.port {
            Some(port) => open_on(context, servers, port).await,
            None => Ok(Found {
                servers,
                ..Found::default()
            }),
        }
    }
}

/// The servers that were looked for and found.
#[derive(Default)]
struct Found {
    servers: Vec<Endpoint>,
    /// The scans that tell which ports are open, where that was asked.
    scans: Option<Scans>,
}

/// The last scans of the servers that were looked at.
#[derive(Default)]
struct Scans {
    count: usize,
    oldest: Option<Timestamp>,
}

impl Scans {
    fn add(&mut self, detail: &EndpointDetail) {
        self.count += 1;
        let at = detail.latest_scan.as_ref();
        let at = at.and_then(|scan| scan.scanned_at.clone());
        let dates = self.oldest.take().into_iter().chain(at);
        self.oldest = dates.min_by_key(Timestamp::date_time);
    }

    /// What the scans show: a port that is listed nowhere was not open at these times.
    fn proof(&self, port: &PortSpec, open: usize) -> Option<String> {
        let oldest = findings::moment(self.oldest.as_ref()?);
        let scanned = match self.count {
            1 => format!("in its scan of {oldest}"),
            _ => format!("in their last scans, the oldest of {oldest}"),
        };
        let servers = counted(self.count, "server");
        Some(match open {
            0 => format!("{port}: not open on {servers} {scanned}."),
            open => format!("{port}: open on {open} of {servers} {scanned}."),
        })
    }
}

/// The servers that are looked for.
async fn found(
    context: &Context,
    args: &EndpointListArgs,
    sought: &Sought<'_>,
) -> Result<Outcome, CliError> {
    let customer = context.session.settings.customer;
    let mut servers = references::all_endpoints(&context.session, customer).await?;
    if servers.is_empty() {
        new_customer::tell_of_list(context).await;
    }
    if let Some(wanted) = args.status.map(endpoint_status) {
        servers.retain(|server| server.status == wanted);
    }
    let mut found = sought.among(context, servers).await?;
    sort(&mut found.servers);
    let open = found.servers.len();
    let servers = context.screen.cut(found.servers, None);
    let mut outcome = with_pages(&context.session, &servers);
    let proof = found.scans.zip(sought.port.as_ref());
    let proof = proof.and_then(|(scans, port)| scans.proof(port, open));
    if let Some(proof) = proof {
        let rows = (!servers.is_empty()).then_some(Block::Rows);
        outcome.text = rows.into_iter().chain([Block::text(proof)]).collect();
    }
    Ok(outcome)
}

/// Those of the servers whose last scan found a port open: a call for each tells.
async fn open_on(
    context: &Context,
    servers: Vec<Endpoint>,
    port: &PortSpec,
) -> Result<Found, CliError> {
    const WORTH_TELLING: usize = 20;
    if servers.len() > WORTH_TELLING {
        let whose = match context.session.settings.customer {
            Some(_) => "",
            None => " --all-customers",
        };
        context.screen.note(&format!(
            "reading {} servers one by one; `alert list{whose} --port {port}` takes a few calls, and shows where nothing allows it",
            servers.len()
        ));
    }
    let (mut open, mut without_scan) = (Vec::new(), Vec::new());
    let mut scans = Scans::default();
    for server in servers {
        let detail = findings::read(&context.session, server.id).await?;
        let Some(ports) = findings::open_ports(&detail) else {
            without_scan.push(server);
            continue;
        };
        scans.add(&detail);
        if ports.iter().any(|number| port.has(*number)) {
            open.push(server);
        }
    }
    if !without_scan.is_empty() {
        context.screen.note(&format!(
            "no scan has reported the ports of {}",
            bulk::preview(&without_scan, references::name_of)
        ));
    }
    Ok(Found {
        servers: open,
        scans: Some(scans),
    })
}

/// Shows the servers as their pages come.
async fn stream(
    context: &Context,
    mut pages: Pages<ListEndpoints>,
    sought: &Sought<'_>,
) -> Result<Outcome, CliError> {
    let (mut stream, mut total) = (Stream::new(&context.screen), None);
    while let Some(page) = pages.next().await {
        let page = page?.into_inner();
        let seen = page.data.iter().map(Server::from).collect();
        context.session.learn(Observation::Servers(seen));
        total = page.meta.total.filter(|_| sought.is_all());
        let servers = sought.among(context, page.data).await?.servers;
        if stream.show(listed(&servers))? == Reader::Gone {
            break;
        }
    }
    stream.tell_rest(total);
    if stream.shown() == 0 {
        new_customer::tell_of_list(context).await;
    }
    Ok(Outcome::silent())
}

fn listed(endpoints: &[Endpoint]) -> Outcome {
    Outcome::list(endpoints, views::ENDPOINT).of_kind("endpoint", None)
}
