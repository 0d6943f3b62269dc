//! One call with settings of its own.

use std::sync::Arc;

use crate::client::Client;
use crate::error::{CallFacts, Error, FieldErrors};
use crate::operation::Operation;
use crate::pipeline::transport::BoxFuture;
use crate::pipeline::{Call, Failure};
use crate::response::Response;
use crate::settings::Settings;
use crate::{answer::Answer, envelope};
use http::StatusCode;

/// A call that waits to be sent: by `.await`, or by [`send`](CallBuilder::send), which saves an allocation.
#[must_use = "a call does nothing until it is awaited"]
pub struct CallBuilder<'a, O> {
    client: &'a Client,
    pub(super) operation: O,
    settings: Arc<Settings>,
    page: Option<u32>,
}

impl<'a, O: Operation> CallBuilder<'a, O> {
    pub(super) fn new(client: &'a Client, operation: O) -> Self {
        Self {
            client,
            operation,
            settings: client.settings.clone(),
            page: None,
        }
    }

    /// Changes how this call is made, as in `.with(|call| call.wait_for_cooldown(true))`.
    pub fn with(mut self, change: impl FnOnce(Settings) -> Settings) -> Self {
        self.settings = Arc::new(change(Settings::clone(&self.settings)));
        self
    }

    /// Asks for another page than the request itself.
    pub(crate) fn page(mut self, number: u32) -> Self {
        self.page = Some(number);
        self
    }

    /// Sends the operation.
    ///
    /// # Errors
    /// Everything a call can end with: see [`Error`].
    pub async fn send(self) -> Result<Response<O::Output>, Error> {
        let mut problems = FieldErrors::default();
        if self.settings.validation {
            self.operation.validate(&mut problems);
        }
        let fields = super::target::fields_of(&self.operation, self.page);
        let call = match fields {
            _ if !problems.is_empty() => Err(Error::validation(problems)),
            Ok(fields) => self.client.prepare(O::INFO, fields, self.settings),
            Err(reason) => Err(Error::configuration(reason)),
        };
        let call = call.map_err(|error| error.about(CallFacts::of(O::INFO)))?;
        let read = |answer| conclude::<O>(&call, answer);
        let result = self.client.core.pipeline.run(&call, read).await;
        result.map_err(|failure| failure.error)
    }
}

/// The operation's result, or why the answer is none.
pub(crate) fn conclude<O: Operation>(
    call: &Call,
    answer: Answer,
) -> Result<Response<O::Output>, Failure> {
    let read = match answer.status {
        // Only a deletion that was made before comes here with it.
        StatusCode::NOT_FOUND => envelope::nothing(),
        status => envelope::decode(O::INFO.envelope, status, &answer.body),
    };
    match read {
        Ok(data) => Ok(Response::new(data, answer)),
        Err(misfit) => Err(Failure {
            error: call.error_of(&answer, Some(&misfit)),
            answer: Some(Box::new(answer)),
        }),
    }
}

impl<'a, O> IntoFuture for CallBuilder<'a, O>
where
    O: Operation + 'a,
{
    type Output = Result<Response<O::Output>, Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
