//! Provisions many servers. What was reached is a value that can be stored as JSON, read back and gone on with.

use crate::billing::policy::{self, Next};
use secmon::Client;
use secmon::model::EndpointId;
use secmon::operations::ProvisionEndpoint;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

/// Servers to provision, and how far that got.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Bulk {
    /// Every server with its state.
    pub items: Vec<(ProvisionEndpoint, State)>,
}

/// How far one server got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Not yet sent, or sent without an answer: provisioning it once more gives the same server.
    Waiting,
    /// Monitored. `new` is none where an earlier attempt may have made it.
    Monitored {
        /// The server.
        id: EndpointId,
        /// Whether this run made it.
        new: Option<bool>,
    },
    /// A person has to do something first; set it to `Waiting` then.
    Refused(Next),
}

/// How many servers are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Monitored.
    pub monitored: usize,
    /// Waiting.
    pub waiting: usize,
    /// Refused.
    pub refused: usize,
}

/// Calls under way at once; the client keeps their number per minute.
const IN_FLIGHT: usize = 4;

impl Bulk {
    /// Servers of which none was provisioned yet.
    #[must_use]
    pub fn new(servers: impl IntoIterator<Item = ProvisionEndpoint>) -> Self {
        Self {
            items: servers
                .into_iter()
                .map(|server| (server, State::Waiting))
                .collect(),
        }
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let mut progress = Progress::default();
        for (_, state) in &self.items {
            match state {
                State::Waiting => progress.waiting += 1,
                State::Monitored { .. } => progress.monitored += 1,
                State::Refused(_) => progress.refused += 1,
            }
        }
        progress
    }

    /// Provisions what waits, and tells after each answer (store it then). It ends with `Done` when nothing waits, and
    /// else with what keeps all of them: then `RetryLater` says when to call this again.
    pub async fn run(&mut self, client: &Client, mut each: impl FnMut(&Self)) -> Next {
        let waiting = |(_, (_, state)): &(usize, &(_, State))| *state == State::Waiting;
        let mut todo: Vec<usize> = self
            .items
            .iter()
            .enumerate()
            .filter(waiting)
            .map(|(at, _)| at)
            .collect();
        todo.reverse();
        let (mut running, mut end) = (JoinSet::new(), Next::Done);
        loop {
            while running.len() < IN_FLIGHT && end == Next::Done {
                let Some(at) = todo.pop() else { break };
                let (client, request) = (client.clone(), self.items[at].0.clone());
                running.spawn(async move { (at, client.send(request).await) });
            }
            let Some(ended) = running.join_next().await else {
                break;
            };
            let Ok((at, result)) = ended else { continue };
            match result.map_err(|error| policy::next(&error)) {
                Ok(answer) => {
                    self.items[at].1 = State::Monitored {
                        id: answer.data.endpoint_id,
                        new: answer.created(),
                    };
                }
                Err(Next::LookFirst) => end = Next::RetryLater { after: None },
                Err(next @ (Next::RetryLater { .. } | Next::Halt(_))) => end = next,
                Err(next) => self.items[at].1 = State::Refused(next),
            }
            each(self);
        }
        end
    }
}
