//! What can go wrong, as a person and a script are told it: one sentence, a code, a way out, an exit code.

mod exit;
mod failure;

use secmon::model::CustomerId;
use secmon::{Delivery, ErrorKind, FieldErrors};
use serde_json::{Value, json};
use std::borrow::Cow;

pub use exit::Exit;
pub use failure::{Failure, LocalErrorKind};
use failure::{LOOK_FIRST, TRY_LATER};

/// An error of the command line. Commands between backticks in `hint` are written out in full by `ui`.
#[derive(Debug, Clone)]
pub struct CliError(Box<Details>);

#[derive(Debug, Clone)]
struct Details {
    failure: Failure,
    message: String,
    status: Option<u16>,
    during: Option<String>,
    hint: Option<Cow<'static, str>>,
    reference: Option<String>,
    retryable: bool,
    /// The fields the service refused.
    fields: Vec<String>,
    /// A change was sent and its answer was lost.
    lost: bool,
}

impl CliError {
    /// An error of this kind.
    pub fn new(failure: impl Into<Failure>, message: impl Into<String>) -> Self {
        let failure = failure.into();
        Self(Box::new(Details {
            message: message.into(),
            status: None,
            during: None,
            hint: failure.hint().map(Cow::Borrowed),
            reference: None,
            retryable: failure.is_retryable(),
            fields: Vec::new(),
            lost: false,
            failure,
        }))
    }

    /// Wrong usage: nothing was sent.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(LocalErrorKind::Usage, message)
    }

    /// A reference that matches nothing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(LocalErrorKind::NotFound, message)
    }

    /// A file, folder or stream that cannot be read or written.
    pub fn io(what: &str, error: &std::io::Error) -> Self {
        Self::new(LocalErrorKind::Io, format!("{what}: {error}"))
    }

    /// Adds the way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Fills in whose the hint's commands are about, where it leaves that open.
    #[must_use]
    pub fn of_customer(mut self, customer: CustomerId) -> Self {
        if let Some(hint) = &mut self.0.hint {
            *hint = hint.replace("-c ID", &format!("-c {customer}")).into();
        }
        self
    }

    /// Adds what was being done.
    #[must_use]
    pub fn during(mut self, activity: impl Into<String>) -> Self {
        self.0.during = Some(activity.into());
        self
    }

    /// Adds the status that the service answered with.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.0.status = Some(status);
        self
    }

    /// Says that the same may be asked for again as it is.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.0.retryable = true;
        self
    }

    /// What kind of failure it is.
    pub fn failure(&self) -> &Failure {
        &self.0.failure
    }

    /// Whether it is this failure.
    pub fn is(&self, own: LocalErrorKind) -> bool {
        self.0.failure == Failure::LocalErrorKind(own)
    }

    /// The program's exit code for it.
    pub fn exit(&self) -> Exit {
        self.0.failure.exit()
    }

    /// The service's string code, or the program's own word.
    pub fn code(&self) -> Cow<'_, str> {
        self.0.failure.code()
    }

    /// The code of an error of the client.
    pub fn code_of(error: &secmon::Error) -> String {
        Failure::of(error).code().into_owned()
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Whether its way out is to wait, and nothing else.
    pub fn asks_for_patience(&self) -> bool {
        self.way_out() == Some(TRY_LATER)
    }

    /// What was being done.
    pub fn activity(&self) -> Option<&str> {
        self.0.during.as_deref()
    }

    /// The way out, commands between backticks.
    pub fn way_out(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Method, path and time of the call, or the service's request id.
    pub fn reference(&self) -> Option<&str> {
        self.0.reference.as_deref()
    }

    /// The same error, of a look at what became of a change whose answer was lost.
    #[must_use]
    pub fn about_something_lost(mut self) -> Self {
        self.0.lost = true;
        self
    }

    /// Whether a change was sent and nobody knows if it was made.
    pub fn may_have_happened(&self) -> bool {
        self.0.lost
    }

    /// Whether the same may be asked for again as it is: it may succeed then, and is not done twice.
    pub fn is_retryable(&self) -> bool {
        self.0.retryable
    }

    /// Whether the service refused this field.
    pub fn concerns_field(&self, field: &str) -> bool {
        self.0.status == Some(422) && self.0.fields.iter().any(|refused| refused == field)
    }

    /// `403 ENDPOINT_LIMIT_EXCEEDED`, for what the service answered.
    pub fn label(&self) -> Option<String> {
        let (status, code) = (self.0.status?, self.code());
        let named = code.chars().any(|c| c.is_ascii_uppercase());
        Some(if named {
            format!("{status} {code}")
        } else {
            status.to_string()
        })
    }

    /// The JSON form; `hint` is the way out as it is shown.
    pub fn to_json(&self, hint: Option<String>) -> Value {
        json!({
            "code": self.code(),
            "message": self.0.message,
            "status": self.0.status,
            "hint": hint,
            "reference": self.0.reference,
            "retryable": self.0.retryable,
            "exit_code": self.exit() as u8,
        })
    }
}

impl From<secmon::Error> for CliError {
    fn from(error: secmon::Error) -> Self {
        let mut own = Self::new(Failure::of(&error), message_of(&error));
        let details = &mut own.0;
        details.status = error.status().map(|status| status.as_u16());
        details.reference = reference_of(&error);
        details.retryable = error.is_retryable();
        details.lost = is_lost_change(&error);
        let fields = error.field_errors().into_iter();
        let names = fields.flat_map(|fields| fields.iter().map(|(field, _)| field.to_owned()));
        details.fields = names.collect();
        let reads = error.method() == Some(&http::Method::GET);
        let is_outage = matches!(own.0.failure, Failure::Answered(500..=599, _));
        let is_down = is_outage && own.0.hint.is_none();
        match (reads, own.0.lost && !own.0.retryable) {
            (true, _) if own.is(LocalErrorKind::ConnectionLost) => {
                own.hint("nothing was changed: try again")
            }
            (_, true) if is_down => own.hint(LOOK_FIRST),
            (_, false) if is_down => own.hint(TRY_LATER),
            _ => own,
        }
    }
}

/// Every problem of every field, as `field: sentence`.
pub fn field_problems(fields: &FieldErrors) -> String {
    let sentences = fields
        .iter()
        .flat_map(|(field, problems)| problems.iter().map(move |p| format!("{field}: {p}")));
    sentences.collect::<Vec<_>>().join("; ")
}

fn message_of(error: &secmon::Error) -> String {
    let mut message = match (error.field_errors(), error.api()) {
        (Some(fields), _) if !fields.is_empty() => field_problems(fields),
        (_, Some(api)) => api.message.replace(['\n', '\r'], " "),
        _ => without_operation(error),
    };
    let detail = |name| {
        error
            .details()
            .and_then(|details| details.get(name))
            .and_then(Value::as_u64)
    };
    let (used, limit) = (detail("current_usage"), detail("limit"));
    if let (Some(used), Some(limit)) = (used, limit)
        && !message.contains(&limit.to_string())
    {
        message.push_str(&format!(" ({used} of {limit} in use)"));
    }
    if let (ErrorKind::Decode | ErrorKind::Gateway, Some(snippet)) =
        (error.kind(), error.body_snippet())
    {
        message.push_str(&format!("; the answer begins {:?}", beginning(snippet)));
    }
    if is_lost_change(error) {
        message.push_str("; the change may or may not have been made");
    }
    message
}

/// The SDK's line names the operation first; here `while:` says what was being done.
fn without_operation(error: &secmon::Error) -> String {
    let line = error.to_string();
    let operation = error
        .operation()
        .map(|operation| format!("{}: ", operation.name));
    operation
        .and_then(|operation| line.strip_prefix(&operation).map(str::to_owned))
        .unwrap_or(line)
}

/// Enough of a body to see whose it is.
fn beginning(body: &str) -> String {
    const ENOUGH: usize = 120;
    let line: Vec<&str> = body.split_whitespace().collect();
    line.join(" ").chars().take(ENOUGH).collect()
}

fn is_lost_change(error: &secmon::Error) -> bool {
    let write = error
        .method()
        .is_some_and(|method| *method != http::Method::GET);
    write && error.delivery() == Delivery::Maybe
}

fn reference_of(error: &secmon::Error) -> Option<String> {
    if let Some(id) = error.request_id() {
        return Some(format!("request {id}"));
    }
    if error.attempts() == 0 {
        return None;
    }
    let (method, path) = (error.method()?, error.path()?);
    let now = chrono::Utc::now().format("%Y-%m-%dT%H:%M:%S+00:00");
    Some(format!("{method} {path} {now}"))
}

/// What was looked up; none where it is not found.
pub fn if_found<T>(found: Result<T, CliError>) -> Result<Option<T>, CliError> {
    match found {
        Ok(record) => Ok(Some(record)),
        Err(error) if error.exit() == Exit::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
