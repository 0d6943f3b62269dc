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

/// What was shown.
pub struct Shown {
    /// So many alerts.
    pub count: usize,
    /// Whether any of them is of a server that is still there, or of a domain.
    pub is_any_live: bool,
}

/// Shows the alerts of these places.
pub async fn show(
    context: &Context,
    query: AlertQuery<'_>,
    places: &[AlertPlace],
    live: Option<Live>,
) -> Result<Shown, CliError> {
    let mut alerts = Alerts {
        context,
        sieve: LocalAlertFilter::of(query.filter)?,
        live,
        stream: Stream::new(&context.screen),
        is_any_live: false,
    };
    for place in places {
        let lists = filter::lists(context, query, place).await?;
        for mut list in lists {
            while let Some(page) = list.next().await? {
                if alerts.show(place.customer, page).await? == Reader::Gone {
                    return Ok(alerts.shown());
                }
            }
        }
    }
    Ok(alerts.shown())
}

struct Alerts<'a> {
    context: &'a Context,
    sieve: LocalAlertFilter,
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
        let are_ports = page.iter().map(Alert::is_of_port);
        let read = async || Live::read(session, session.settings.customer).await;
        let live = Live::read_once(&mut self.live, are_ports, read).await?;
        let ended: Vec<bool> = page
            .iter()
            .map(|alert| rows::has_ended(live, alert))
            .collect();
        self.is_any_live |= ended.contains(&false);
        let rows = page.iter().zip(ended);
        let rows: Vec<Value> = rows
            .map(|(alert, ended)| rows::row(&customer, alert, ended))
            .collect();
        let page = Outcome::record(Value::Array(rows), Table::default());
        self.stream.show(page)
    }

    fn shown(self) -> Shown {
        Shown {
            count: self.stream.shown(),
            is_any_live: self.is_any_live,
        }
    }
}
