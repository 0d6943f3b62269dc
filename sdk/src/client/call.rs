//! One call with settings of its own.

use std::time::Duration;

use crate::client::{Client, problems};
use crate::error::{Cause, Error};
use crate::operation::Operation;
use crate::pipeline::retry::Cooldown;
use crate::response::Response;

/// An operation that waits to be sent, with settings for this call only.
#[must_use = "a call does nothing until it is sent"]
pub struct CallBuilder<'a, O> {
    client: &'a Client,
    operation: O,
    validation: Validation,
    cooldown: Cooldown,
    total_time: Duration,
}

/// Whether a request is checked before it is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Validation {
    Local,
    LeftToTheService,
}

impl<'a, O: Operation> CallBuilder<'a, O> {
    pub(super) fn new(client: &'a Client, operation: O) -> Self {
        Self {
            client,
            operation,
            validation: Validation::Local,
            cooldown: Cooldown::Reported,
            total_time: client.0.total_time,
        }
    }

    /// The time for the whole call, retries and waits included, in place of the client's.
    pub fn timeout(mut self, total: Duration) -> Self {
        self.total_time = total;
        self
    }

    /// Sends the request as it is, and leaves every judgement to the service.
    pub fn without_validation(mut self) -> Self {
        self.validation = Validation::LeftToTheService;
        self
    }

    /// Sleeps through a scan's cooldown (`RATE_LIMITED`), as far as time-out and `max_wait` allow, in place of
    /// reporting it.
    pub fn wait_for_cooldown(mut self) -> Self {
        self.cooldown = Cooldown::WaitedFor;
        self
    }

    /// Sends the operation.
    ///
    /// # Errors
    /// Everything a call can end with: see [`Error`].
    pub async fn send(self) -> Result<Response<O::Output>, Error> {
        if self.validation == Validation::Local
            && let Some(problems) = problems(&self.operation)
        {
            return Err(self.client.unsent(O::INFO, Cause::Validation(problems)));
        }
        let call = self
            .client
            .prepare(&self.operation, self.cooldown, self.total_time)?;
        let answer = self.client.0.pipeline.run(&call).await?;
        self.client.conclude::<O>(&call, answer)
    }
}
