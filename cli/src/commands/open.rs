//! `secmon open`: the portal's page about a server or a domain.

use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::machine::browser::{self, Browser};
use crate::references;
use crate::session::portal;
use crate::session::service::Source;
use crate::ui::outcome::{Block, Outcome, Table};
use clap::Args;
use secmon::operations::GetDomainSummary;
use serde_json::json;

const OPEN_EXAMPLES: &str = "\
Examples:
  secmon open web-1
  secmon open example.com --domain -c 42
  secmon sso link -c 42 --open          the portal, signed in as the customer

If no browser can be started, the address is printed. BROWSER chooses another browser. The
service gives the address of a domain's page; a server's page is assumed to be at /endpoints/ID.";

/// A page of the portal.
#[derive(Debug, Args)]
#[command(after_help = OPEN_EXAMPLES)]
pub struct OpenArgs {
    /// A server (id, IP address, host name, nickname), or a domain (name or id; with -c)
    #[arg(value_name = "ENDPOINT|DOMAIN")]
    pub name: String,
    /// Treat it as a server
    #[arg(long)]
    pub server: bool,
    /// Treat it as a domain
    #[arg(long, conflicts_with = "server")]
    pub domain: bool,
}

/// What a page of the portal is about, and its path.
type PortalPage = (String, String);

/// Runs the command.
pub async fn run(context: &Context, args: &OpenArgs) -> Result<Outcome, CliError> {
    let (about, path) = page(context, args).await?;
    let service = context.session.settings.service()?;
    let url = format!("{}{path}", service.base_url.trim_end_matches('/'));
    if service.source == Source::Local {
        context
            .screen
            .note("the embedded mock ends with this command, and has no portal to open");
        return Ok(printed(&url));
    }
    if browser::open(&url) == Browser::Missing {
        return Ok(printed(&url));
    }
    let text = vec![Block::text(format!("Opened {about} in the browser."))];
    Ok(Outcome::record(json!({ "url": url, "opened": true }), Table::default()).tell(text))
}

fn printed(url: &str) -> Outcome {
    let text = vec![Block::Verbatim(format!("{url}\n"))];
    Outcome::record(json!({ "url": url, "opened": false }), Table::default()).tell(text)
}

/// A server where one has the name; else, with a customer, a domain.
async fn page(context: &Context, args: &OpenArgs) -> Result<PortalPage, CliError> {
    if args.domain {
        return domain(context, &args.name).await;
    }
    let no_server = match references::endpoint(context, &args.name).await {
        Ok(endpoint) => {
            let path = format!("{}{}", portal::SERVERS, endpoint.id);
            return Ok((references::name_of(&endpoint), path));
        }
        Err(error) if args.server || error.exit() != Exit::NotFound => return Err(error),
        Err(error) => error,
    };
    if context.session.settings.customer.is_none() {
        return Err(no_server.hint(format!(
            "if it is a domain, say whose: `open {} --domain -c ID`",
            crate::ui::invocation::quoted(&args.name)
        )));
    }
    match domain(context, &args.name).await {
        Err(error) if error.exit() == Exit::NotFound => Err(CliError::not_found(format!(
            "this customer has no server or domain named {:?}",
            args.name
        ))
        .hint("see what there is: `endpoint list`, `domain list -c ID`")),
        found => found,
    }
}

async fn domain(context: &Context, name: &str) -> Result<PortalPage, CliError> {
    let domain = references::domain(context, name).await?;
    let summary = GetDomainSummary::new(domain.customer, domain.id);
    let summary = context.session.read(summary).await?;
    let told = summary.portal_detail_path.filter(|path| is_path(path));
    let assumed = || format!("{}{}", portal::DOMAINS, domain.id);
    Ok((domain.name, told.unwrap_or_else(assumed)))
}

/// Behind the portal's address nothing else may name another host.
fn is_path(text: &str) -> bool {
    text.starts_with('/') && text.bytes().all(|byte| byte.is_ascii_graphic())
}
