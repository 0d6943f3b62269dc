//! The shared state of one rate window, and what can be done to it.

use std::time::Duration;

use ::redis::aio::ConnectionManager;
use ::redis::{Cmd, cmd};

use super::super::BudgetError;
use crate::operation::RateGroup;

/// Keeps the counts; a script is run whole or not at all.
const SCRIPT: &str = include_str!("window.lua");
/// Times beyond ten years are as good as for ever, and fit the server's numbers.
const LONGEST_SPAN: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// The connection that all windows of a budget use.
#[derive(Clone)]
pub(super) struct Server {
    /// Host and port, without user and password.
    pub(super) address: String,
    pub(super) connection: ConnectionManager,
}

/// One window as the server knows it.
pub(super) struct Store {
    server: Server,
    keys: [String; 3],
    window: Duration,
}

/// What became of asking for a slot.
pub(super) enum Taken {
    Slot,
    /// It is not worth asking again before.
    FreeIn(Duration),
}

impl Store {
    pub(super) fn new(server: Server, name: &str, group: RateGroup, window: Duration) -> Self {
        let group = match group {
            RateGroup::Strict => "strict",
            RateGroup::Default => "default",
        };
        // The braces keep a window's keys on one node of a cluster.
        let key = |part: &str| format!("secmon:{{{name}}}:{group}:{part}");
        Self {
            server,
            keys: [key("held"), key("cooling"), key("closed")],
            window,
        }
    }

    pub(super) async fn take(
        &self,
        slot: &str,
        limit: u32,
        answer_within: Duration,
    ) -> Result<Taken, BudgetError> {
        let mut deed = self.deed("take", slot);
        deed.arg(limit).arg(millis(answer_within));
        Ok(match self.run(&deed).await? {
            0 => Taken::Slot,
            wait => Taken::FreeIn(Duration::from_millis(wait)),
        })
    }

    pub(super) async fn answered(&self, slot: &str) -> Result<(), BudgetError> {
        self.run(&self.deed("answered", slot)).await.map(drop)
    }

    pub(super) async fn unused(&self, slot: &str) -> Result<(), BudgetError> {
        self.run(&self.deed("unused", slot)).await.map(drop)
    }

    pub(super) async fn throttled(
        &self,
        slot: &str,
        retry_after: Duration,
    ) -> Result<(), BudgetError> {
        let mut deed = self.deed("throttled", slot);
        deed.arg(millis(retry_after));
        self.run(&deed).await.map(drop)
    }

    fn deed(&self, name: &str, slot: &str) -> Cmd {
        let mut eval = cmd("EVAL");
        eval.arg(SCRIPT).arg(self.keys.len()).arg(&self.keys);
        eval.arg(name).arg(slot).arg(millis(self.window));
        eval
    }

    async fn run(&self, deed: &Cmd) -> Result<u64, BudgetError> {
        let mut connection = self.server.connection.clone();
        if let Ok(reply) = deed.query_async(&mut connection).await {
            return Ok(reply);
        }
        // A connection that broke while it was idle says so at its next use; the second try has a new one.
        deed.query_async(&mut connection).await.map_err(|error| {
            let address = &self.server.address;
            BudgetError::Unavailable(format!("Redis at {address}: {error}"))
        })
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.min(LONGEST_SPAN).as_millis()).unwrap_or(u64::MAX)
}
