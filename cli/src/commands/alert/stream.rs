//! `secmon alert list -o jsonl`: each alert as its page comes, in the order of the service.

use super::filter::{self, AlertPlace, AlertQuery, LocalAlertFilter};
use super::rows;
use crate::commands::common::live::Live;
use crate::commands::common::streamed::Stream;
use crate::context::Context;
use crate::error::CliError;
use crate::references::alert::Alert;
use crate::ui::Reader;
use crate::ui::outcome::{Outcome, Table};
use secmon::model::CustomerId;
use serde_json::Value;

/// Which alerts are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfEnded {
    /// Those of ended servers are marked.
    Marked,
    /// Those of ended servers are left out.
    LeftOut,
}

/// Shows the alerts of these places; how many were shown.
pub async fn show(
    context: &Context,
    query: AlertQuery<'_>,
    places: &[AlertPlace],
    of_ended: OfEnded,
    live: Option<Live>,
) -> Result<usize, CliError> {
    let mut alerts = Alerts {
        context,
        sieve: LocalAlertFilter::of(query.filter)?,
        live,
        stream: Stream::new(&context.screen),
        of_ended,
    };
    for place in places {
        let lists = filter::lists(context, query, place).await?;
        for mut list in lists {
            while let Some(page) = list.next().await? {
                if alerts.show(place.customer, page).await? == Reader::Gone {
                    return Ok(alerts.stream.shown());
                }
            }
        }
    }
    Ok(alerts.stream.shown())
}

struct Alerts<'a> {
    context: &'a Context,
    sieve: LocalAlertFilter,
    /// The servers there are; asked for once, and only where an alert is about one.
    live: Option<Live>,
    stream: Stream<'a>,
    of_ended: OfEnded,
}

impl Alerts<'_> {
    async fn show(
        &mut self,
        customer: CustomerId,
        mut page: Vec<Alert>,
    ) -> Result<Reader, CliError> {
        self.sieve.keep(&mut page);
        let session = &self.context.session;
        let are_ports = page.iter().map(Alert::is_of_port);
        let read = async || Live::read(session, session.settings.customer).await;
        let live = Live::read_once(&mut self.live, are_ports, read).await?;
        if self.of_ended == OfEnded::LeftOut {
            page.retain(|alert| !rows::has_ended(live, alert));
        }
        page.truncate(self.stream.room());
        let rows: Vec<Value> = page
            .iter()
            .map(|alert| rows::row(&customer, alert, rows::has_ended(live, alert)))
            .collect();
        let page = Outcome::record(Value::Array(rows), Table::default());
        self.stream.show(page)
    }
}
