//! One call with options of its own.

use std::fmt;
use std::sync::Arc;

use crate::answer::Answer;
use crate::answer_check::{AnswerCheck, Identity};
use crate::client::Client;
use crate::envelope::{self, DecodeProblem};
use crate::error::{CallFacts, Error, FieldErrors};
use crate::future::BoxFuture;
use crate::operation::Operation;
use crate::pipeline::{Call, Failure};
use crate::request_options::RequestOptions;
use crate::response::Response;
use http::StatusCode;

/// A call that waits to be sent: by `.await`, or by [`send`](CallBuilder::send), which saves an allocation. It owns what it
/// needs, so that it can be spawned.
///
/// It is no future itself. Where one is asked for, as by `block_on` and `spawn`, [`send`](CallBuilder::send) gives it:
/// `runtime.block_on(client.health().send())`.
///
/// A future that is dropped before its end ends the call without an error. It may have acted then, as after
/// [`Delivery::Maybe`](crate::Delivery::Maybe), and nothing tells so but the event [`Dropped`](crate::Event::Dropped). Bound a
/// call by its [`operation_timeout`](RequestOptions::operation_timeout), whose error has a delivery.
#[must_use = "a call does nothing until it is awaited"]
pub struct CallBuilder<O> {
    client: Client,
    pub(crate) operation: O,
    settings: Arc<RequestOptions>,
    page: Option<u32>,
}

impl Client {
    /// Sends an operation: short for [`call`](Client::call) without options of its own.
    ///
    /// # Errors
    /// Everything a call can end with: see [`Error`].
    pub async fn send<O: Operation>(&self, operation: O) -> Result<Response<O::Output>, Error> {
        self.call(operation).send().await
    }

    /// An operation that waits to be sent, perhaps with options of its own.
    pub fn call<O: Operation>(&self, operation: O) -> CallBuilder<O> {
        CallBuilder {
            client: self.clone(),
            operation,
            settings: self.settings.clone(),
            page: None,
        }
    }
}

impl<O: Operation> CallBuilder<O> {
    /// Changes how this call is made, as in `.with(|call| call.wait_for_cooldown(true))`.
    pub fn with(mut self, change: impl FnOnce(RequestOptions) -> RequestOptions) -> Self {
        self.settings = Arc::new(change(RequestOptions::clone(&self.settings)));
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
            Ok(fields) => {
                let identity = Identity::of(&fields);
                let call = self.client.prepare(O::INFO, fields, self.settings);
                call.map(|call| (call, identity))
            }
            Err(reason) => Err(Error::configuration(reason)),
        };
        let (call, identity) = call.map_err(|error| {
            let error = error.about(CallFacts::of(O::INFO));
            self.client.refuse(O::INFO.name, error)
        })?;
        let sent = SentOperation {
            operation: &self.operation,
            page: self.page,
            identity,
        };
        let read = |answer| conclude(&call, Some(&sent), answer);
        let result = self.client.core.pipeline.run(&call, read).await;
        result.map_err(|failure| failure.error)
    }
}

/// What an answer is compared with.
pub(crate) struct SentOperation<'a, O> {
    operation: &'a O,
    page: Option<u32>,
    identity: Identity,
}

impl<O: Operation> SentOperation<'_, O> {
    /// Why a result is not about what was asked.
    fn objection(&self, result: &O::Output, answer: &Answer) -> Option<DecodeProblem> {
        let mut check = AnswerCheck::new(answer, O::INFO.envelope).for_page(self.page);
        self.operation.check_answer(result, &mut check);
        check.same_identity(&self.identity);
        check.into_problem()
    }
}

/// The operation's result, or why the answer is none; compared with nothing where there was no request.
pub(crate) fn conclude<O: Operation>(
    call: &Call,
    sent: Option<&SentOperation<'_, O>>,
    answer: Answer,
) -> Result<Response<O::Output>, Failure> {
    let read = match answer.status {
        // Only a deletion that was made before comes here with it.
        StatusCode::NOT_FOUND => envelope::nothing(),
        status => envelope::decode(O::INFO.envelope, status, &answer.body),
    };
    let read = read.and_then(
        |data| match sent.and_then(|sent| sent.objection(&data, &answer)) {
            Some(problem) => Err(problem),
            None => Ok(data),
        },
    );
    match read {
        Ok(data) => Ok(Response::new(data, answer)),
        Err(problem) => Err(Failure {
            error: call.error_of(&answer, Some(&problem)),
            answer: Some(Box::new(answer)),
        }),
    }
}

impl<O: fmt::Debug> fmt::Debug for CallBuilder<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallBuilder")
            .field("operation", &self.operation)
            .field("page", &self.page)
            .finish_non_exhaustive()
    }
}

impl<O> IntoFuture for CallBuilder<O>
where
    O: Operation + 'static,
{
    type Output = Result<Response<O::Output>, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
