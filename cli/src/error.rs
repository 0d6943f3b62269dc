//! What can go wrong, as a person and a script are told it: one sentence, a code, a way out, an exit code.

use crate::hints;
use secmon::{ErrorCode, ErrorKind, Sent};
use serde_json::{Value, json};

/// Exit codes of the program; scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Anything that has no code of its own, a declined question among it.
    Other = 1,
    /// Wrong usage, or refused by local validation.
    Usage = 2,
    /// Authentication or permission (401, 403).
    Permission = 3,
    /// Not found (404).
    NotFound = 4,
    /// Refused by state or validation of the service (409, 422).
    Conflict = 5,
    /// Rate limited (429).
    RateLimited = 6,
    /// Service or network unavailable, or an answer that cannot be read.
    Unavailable = 7,
    /// A bulk run in which some items failed.
    SomeFailed = 8,
    /// A wait that ran out.
    WaitRanOut = 9,
    /// Interrupted.
    Interrupted = 130,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error of the command line. Commands between backticks in `hint` are written out in full by `ui`.
#[derive(Debug, Clone)]
pub struct CliError(Box<Details>);

#[derive(Debug, Clone)]
struct Details {
    code: String,
    message: String,
    status: Option<u16>,
    during: Option<String>,
    hint: Option<String>,
    reference: Option<String>,
    retryable: bool,
    exit: Exit,
    /// The fields the service refused.
    fields: Vec<String>,
    /// A change was sent and its answer was lost.
    lost: bool,
}

impl CliError {
    /// An error with a code of the program's own.
    pub fn new(exit: Exit, code: &str, message: impl Into<String>) -> Self {
        Self(Box::new(Details {
            code: code.to_owned(),
            message: message.into(),
            status: None,
            during: None,
            hint: None,
            reference: None,
            retryable: false,
            exit,
            fields: Vec::new(),
            lost: false,
        }))
    }

    /// Wrong usage: nothing was sent.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    /// A reference that matches nothing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Exit::NotFound, "not_found", message)
    }

    /// A file, folder or stream that cannot be read or written.
    pub fn io(what: &str, error: &std::io::Error) -> Self {
        Self::new(Exit::Other, "io", format!("{what}: {error}"))
    }

    /// Adds the way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
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

    /// The program's exit code for it.
    pub fn exit(&self) -> Exit {
        self.0.exit
    }

    /// The service's string code, or the program's own word.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.0.message
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
        let status = self.0.status?;
        let named = self.0.code.chars().any(|c| c.is_ascii_uppercase());
        Some(if named {
            format!("{status} {}", self.0.code)
        } else {
            status.to_string()
        })
    }

    /// The JSON form; `hint` is the way out as it is shown.
    pub fn to_json(&self, hint: Option<String>) -> Value {
        json!({
            "code": self.0.code,
            "message": self.0.message,
            "status": self.0.status,
            "hint": hint,
            "reference": self.0.reference,
            "retryable": self.0.retryable,
            "exit_code": self.0.exit as u8,
        })
    }
}

impl From<secmon::Error> for CliError {
    fn from(error: secmon::Error) -> Self {
        let status = error.status().map(|status| status.as_u16());
        let details = Details {
            code: code_of(&error),
            message: message_of(&error),
            status,
            during: None,
            hint: hints::for_error(&error),
            reference: reference_of(&error),
            retryable: error.is_retryable(),
            exit: exit_of(&error),
            fields: error
                .field_errors()
                .into_iter()
                .flat_map(|fields| fields.iter().map(|(field, _)| field.to_owned()))
                .collect(),
            lost: is_lost_change(&error),
        };
        Self(Box::new(details))
    }
}

/// What a code means goes before the status it comes with.
fn exit_of(error: &secmon::Error) -> Exit {
    match error.code() {
        Some(ErrorCode::EndpointLimitExceeded | ErrorCode::DomainLimitExceeded) => Exit::Conflict,
        Some(ErrorCode::UserNotFound) => Exit::NotFound,
        _ => exit_of_kind(error),
    }
}

fn exit_of_kind(error: &secmon::Error) -> Exit {
    match error.kind() {
        ErrorKind::Api => exit_of_status(error.status().map_or(0, |status| status.as_u16())),
        ErrorKind::Validation | ErrorKind::Configuration => Exit::Usage,
        ErrorKind::KeyRejected | ErrorKind::NoKey => Exit::Permission,
        ErrorKind::MaxWait => Exit::RateLimited,
        ErrorKind::Budget => Exit::Other,
        ErrorKind::Connect
        | ErrorKind::Tls
        | ErrorKind::Proxy
        | ErrorKind::SourceDown
        | ErrorKind::Timeout
        | ErrorKind::Interrupted
        | ErrorKind::Decode
        | ErrorKind::Redirect
        | ErrorKind::BodyTooLarge
        | ErrorKind::Refused
        | ErrorKind::Deadline => Exit::Unavailable,
        _ => Exit::Other,
    }
}

/// The exit code that goes with a status of the service.
pub fn exit_of_status(status: u16) -> Exit {
    match status {
        200..=299 => Exit::Done,
        401 | 403 => Exit::Permission,
        404 => Exit::NotFound,
        409 | 422 => Exit::Conflict,
        429 => Exit::RateLimited,
        413 | 300..=399 | 500..=599 => Exit::Unavailable,
        _ => Exit::Other,
    }
}

fn code_of(error: &secmon::Error) -> String {
    if let Some(code) = error.code().map(secmon::ErrorCode::to_str) {
        let named = code.chars().any(|c| c.is_ascii_alphabetic());
        if named {
            return code.to_string();
        }
    }
    match (error.kind(), error.status().map(|status| status.as_u16())) {
        (ErrorKind::Api, Some(401)) => "unauthenticated",
        (ErrorKind::Api, Some(403)) => "access_denied",
        (ErrorKind::Api, Some(404)) => "not_found",
        (ErrorKind::Api, Some(413)) => "too_large",
        (ErrorKind::Api, Some(422)) | (ErrorKind::Validation, _) => "validation",
        (ErrorKind::Api, Some(429)) | (ErrorKind::MaxWait, _) => "rate_limited",
        (ErrorKind::Connect, _) => "no_connection",
        (ErrorKind::Tls, _) => "tls",
        (ErrorKind::Proxy, _) => "proxy",
        (ErrorKind::SourceDown, _) => "source_down",
        (ErrorKind::SourceOff, _) => "source_off",
        (ErrorKind::NoKey, _) => "no_key",
        (ErrorKind::Timeout | ErrorKind::Deadline, _) => "timeout",
        (ErrorKind::Interrupted, _) => "connection_lost",
        (ErrorKind::Decode | ErrorKind::Redirect | ErrorKind::BodyTooLarge, _) => {
            "unreadable_answer"
        }
        (ErrorKind::KeyRejected, _) => "unauthenticated",
        (ErrorKind::Configuration, _) => "configuration",
        (ErrorKind::Refused, _) => "refused",
        (ErrorKind::Budget, _) => "not_sent",
        _ => "service_error",
    }
    .to_owned()
}

fn message_of(error: &secmon::Error) -> String {
    let mut message = match (error.field_errors(), error.api()) {
        (Some(fields), _) if !fields.is_empty() => fields
            .iter()
            .flat_map(|(field, problems)| problems.iter().map(move |p| format!("{field}: {p}")))
            .collect::<Vec<_>>()
            .join("; "),
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
    if let (ErrorKind::Decode, Some(snippet)) = (error.kind(), error.body_snippet()) {
        message.push_str(&format!("; it begins {:?}", beginning(snippet)));
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
    write && error.sent() == Sent::Maybe
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
