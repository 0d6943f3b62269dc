//! `secmon sso link`: an address that signs a customer in. It is a secret: it goes to standard output and nowhere else.

use crate::context::Context;
use crate::error::CliError;
use crate::machine::browser::{self, Browser};
use crate::machine::paths;
use crate::session::service::Source;
use crate::ui::outcome::{Block, Outcome, Table};
use clap::Subcommand;
use secmon::operations::CreateSsoToken;
use serde_json::{Value, json};

/// Sign-in of customers.
#[derive(Debug, Subcommand)]
pub enum SsoCommand {
    /// Print an address that signs the customer in; it works once, for a minute
    Link {
        /// Page to land on, as /domains/...
        #[arg(long, value_name = "PATH")]
        path: Option<String>,
        /// Open it in the browser instead of printing it
        #[arg(long)]
        open: bool,
    },
}

/// Runs the command.
pub async fn run(context: &Context, command: SsoCommand) -> Result<Outcome, CliError> {
    let SsoCommand::Link { path, open } = command;
    let customer = context.customer()?;
    let mut request = CreateSsoToken::new(customer);
    request.redirect_path = path;
    let sent = context
        .session
        .write(request, &format!("a sign-in token for customer {customer}"))
        .await;
    let Some(answer) =
        sent.map_err(|error| error.during(format!("signing customer {customer} in")))?
    else {
        return Ok(Outcome::record(Value::Null, Table::default()));
    };
    let service = context.session.settings.service()?;
    let url = answer.data.sign_in_url(&service.base_url);
    let url = url.expose_secret();
    if open
        && service.source != Source::Local
        && browser::open_unseen(url, &paths::cache_folder()?) == Browser::Opened
    {
        let sentence = format!("The browser is signed in as customer {customer}.");
        let result = json!({ "opened": true, "expires_at": answer.data.expires_at });
        return Ok(Outcome::said(result, sentence));
    }
    if let Some(end) = &answer.data.expires_at {
        context
            .screen
            .note(&format!("The link works once, until {}", end.as_str()));
    }
    if service.source == Source::Local {
        context.screen.note(
            "the embedded mock ends with this command: its links open only with `mock serve`",
        );
    }
    let result = json!({ "url": url, "expires_at": answer.data.expires_at });
    Ok(Outcome::record(result, Table::default()).tell(vec![Block::Verbatim(format!("{url}\n"))]))
}
