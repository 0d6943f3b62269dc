//! Waiting for the service: polls after 1, 2, 4, 8 ... up to 30 seconds, never without an end.

use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::references;
use secmon::model::{CustomerId, Endpoint, EndpointId};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const FIRST_POLL: Duration = Duration::from_secs(1);
const SLOWEST_POLL: Duration = Duration::from_secs(30);

/// A wait with an end.
#[derive(Debug)]
pub struct Wait {
    ends: Instant,
    next_poll: Duration,
    /// The command that goes on waiting.
    resume: String,
}

impl Wait {
    /// A wait of at most `length`; `resume` is the command that goes on when it runs out.
    pub fn new(length: Duration, resume: String) -> Self {
        Self {
            ends: Instant::now() + length,
            next_poll: FIRST_POLL,
            resume,
        }
    }

    /// Looks no more often than this.
    #[must_use]
    pub fn at_least(mut self, interval: Duration) -> Self {
        self.next_poll = self.next_poll.max(interval);
        self
    }

    /// Polls until there is a result, or the wait runs out.
    pub async fn until<T>(
        mut self,
        context: &Context,
        mut poll: impl AsyncFnMut() -> Result<Option<T>, CliError>,
    ) -> Result<T, CliError> {
        context.on_interrupt(
            "stopped waiting; what was started goes on",
            format!("go on waiting: `{}`", self.resume),
        );
        loop {
            if let Some(result) = poll().await? {
                return Ok(result);
            }
            let left = self.ends.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.ran_out());
            }
            context.rest(self.next_poll.min(left)).await;
            self.next_poll = (self.next_poll * 2).min(SLOWEST_POLL.max(self.next_poll));
        }
    }

    fn ran_out(&self) -> CliError {
        CliError::new(
            Exit::WaitRanOut,
            "wait_ran_out",
            "the wait ran out; what was started goes on",
        )
        .hint(format!("go on waiting: `{}`", self.resume))
    }
}

/// The servers with these ids as they are now: one read for one, else one list a customer.
pub async fn current(context: &Context, endpoints: &[Endpoint]) -> Result<Vec<Endpoint>, CliError> {
    if let [one] = endpoints {
        return Ok(vec![
            context
                .read(secmon::operations::GetEndpoint::new(one.id))
                .await?
                .into_data(),
        ]);
    }
    let wanted: BTreeSet<EndpointId> = endpoints.iter().map(|endpoint| endpoint.id).collect();
    let customers: BTreeSet<Option<CustomerId>> = endpoints
        .iter()
        .map(|endpoint| endpoint.billing_customer_id)
        .collect();
    let mut current = Vec::new();
    for customer in customers {
        let all = references::all_endpoints(context, customer).await?;
        current.extend(
            all.into_iter()
                .filter(|endpoint| wanted.contains(&endpoint.id)),
        );
    }
    Ok(current)
}

/// Waits until every server has been scanned since the state given; a server that is paused ends the wait.
pub async fn for_scans(context: &Context, before: &[Endpoint], wait: Wait) -> Result<(), CliError> {
    wait.until(context, async || {
        let now = current(context, before).await?;
        let mut waiting = false;
        for earlier in before {
            let Some(endpoint) = now.iter().find(|endpoint| endpoint.id == earlier.id) else {
                return Err(CliError::not_found(format!(
                    "{} is no longer there",
                    references::name_of(earlier)
                )));
            };
            let scanned =
                endpoint.last_scan_at.is_some() && endpoint.last_scan_at != earlier.last_scan_at;
            if !scanned && super::views::is_paused(endpoint) {
                return Err(paused(endpoint));
            }
            waiting |= !scanned;
        }
        Ok((!waiting).then_some(()))
    })
    .await
}

/// The end of a wait for a scan that will not come.
pub fn paused(endpoint: &Endpoint) -> CliError {
    let name = references::name_of(endpoint);
    CliError::new(
        Exit::Conflict,
        "paused",
        format!("{name} is paused, so no scan will come"),
    )
    .hint(format!("scan it again: `endpoint resume {}`", endpoint.id))
}
