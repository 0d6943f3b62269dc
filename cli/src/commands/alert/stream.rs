//! `secmon alert list -o jsonl`: each alert as its page comes, in the order of the service.

use super::filter::{self, Scope, Sieve};
use super::list::{self, AlertListArgs};
use crate::commands::common::live::Live;
use crate::commands::common::streamed::Stream;
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::references::alerts::Alert;
use crate::ui::Reader;
use crate::ui::outcome::{Outcome, Table};
use secmon::model::CustomerId;
use serde_json::Value;

/// Shows the alerts of these places.
pub async fn show(
    context: &Context,
    args: &AlertListArgs,
    places: &[(CustomerId, Scope)],
) -> Result<Outcome, CliError> {
    let mut alerts = Alerts {
        context,
        sieve: Sieve::of(&args.filter)?,
        live: None,
        stream: Stream::new(&context.screen),
        is_any_live: false,
    };
    for (customer, scope) in places {
        let lists = filter::lists(context, &args.filter, args.status, (*customer, scope)).await?;
        for mut list in lists {
            while let Some(page) = list.next().await? {
                if alerts.show(*customer, page).await? == Reader::Gone {
                    return Ok(alerts.end(args));
                }
            }
        }
    }
    if alerts.stream.shown() == 0 {
        list::tell_unknown(context, args, places).await?;
    }
    Ok(alerts.end(args))
}

struct Alerts<'a> {
    context: &'a Context,
    sieve: Sieve,
    /// The servers there are; asked for once, and only where an alert is about one.
    live: Option<Live>,
    stream: Stream<'a>,
    is_any_live: bool,
}

impl Alerts<'_> {
    async fn show(
        &mut self,
        customer: CustomerId,
        mut page: Vec<Alert>,
    ) -> Result<Reader, CliError> {
        self.sieve.keep(&mut page);
        page.truncate(self.stream.room());
        let session = &self.context.session;
        let whose = (session, session.settings.customer);
        let are_ports = page.iter().map(Alert::is_of_port);
        let live = Live::read_once(&mut self.live, whose, are_ports).await?;
        let ended: Vec<bool> = page
            .iter()
            .map(|alert| list::has_ended(live, alert))
            .collect();
        self.is_any_live |= ended.contains(&false);
        let rows = page.iter().zip(ended);
        let rows: Vec<Value> = rows
            .map(|(alert, ended)| list::row(&customer, alert, ended))
            .collect();
        let page = Outcome::record(Value::Array(rows), Table::default());
        self.stream.show(page)
    }

    fn end(self, args: &AlertListArgs) -> Outcome {
        let mut outcome = Outcome::silent();
        if args.exit_code && self.is_any_live {
            outcome.exit = Exit::Other;
        }
        outcome
    }
}
