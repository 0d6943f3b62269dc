//! Answers, and the envelopes around their data (A11, A13).

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::Full;
use secmon_engine::{Done, Instant, Outcome, RateGroup, Timestamp};
use serde::Serialize;
use serde_json::json;

const VERSION: &str = "v1";

/// Most bodies fit into this without growing.
const USUAL_LENGTH: usize = 1024;

/// A whole answer, before anything is sent.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
    content_type: &'static str,
    retry_after: Option<Box<str>>,
    allow: Option<String>,
    /// The rate window that is full, where that is the answer.
    pub(crate) full: Option<RateGroup>,
    /// A text in the body that the journal must not keep.
    pub(crate) secret: Option<String>,
}

impl Reply {
    /// An answer with a JSON body.
    pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Self {
        let mut text = Vec::with_capacity(USUAL_LENGTH);
        // Every shape has text keys and no serializer that fails.
        let _ = serde_json::to_writer(&mut text, body);
        // The journal keeps the body: it holds no more memory than it needs.
        Self::new(status, "application/json", Bytes::copy_from_slice(&text))
    }

    /// An answer with a body of another type.
    pub(crate) fn new(
        status: StatusCode,
        content_type: &'static str,
        body: impl Into<Bytes>,
    ) -> Self {
        Self {
            status,
            body: body.into(),
            content_type,
            retry_after: None,
            allow: None,
            full: None,
            secret: None,
        }
    }

    /// 204.
    pub(crate) fn no_content() -> Self {
        Self::new(StatusCode::NO_CONTENT, "", Bytes::new())
    }

    /// When it says to come again, in seconds from now.
    pub(crate) fn pause(&self) -> Option<Duration> {
        let seconds = self.retry_after.as_deref()?.parse().ok()?;
        Some(Duration::from_secs(seconds))
    }

    /// Says that a rate window is full, and when it opens again.
    pub(crate) fn window_full(self, window: RateGroup, seconds: u64) -> Self {
        Self {
            full: Some(window),
            ..self.retry_after(seconds)
        }
    }

    /// Says when to come again, in whole seconds.
    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds.to_string().into());
        self
    }

    /// The same, in any words; what no header can hold is left out.
    pub(crate) fn retry_after_text(mut self, text: String) -> Self {
        self.retry_after = Some(text.into());
        self
    }

    /// Keeps a text of the body out of the journal.
    pub(crate) fn secret(mut self, text: String) -> Self {
        self.secret = Some(text);
        self
    }

    /// Its headers but for those that the connection adds.
    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if !self.content_type.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        }
        let wait = self.retry_after.as_deref().map(HeaderValue::from_str);
        if let Some(Ok(wait)) = wait {
            headers.insert(RETRY_AFTER, wait);
        }
        let methods = self.allow.as_deref().map(HeaderValue::from_str);
        if let Some(Ok(methods)) = methods {
            headers.insert(ALLOW, methods);
        }
        headers
    }

    /// Says which methods the path has.
    pub(crate) fn allow(mut self, methods: String) -> Self {
        self.allow = Some(methods);
        self
    }
}

impl From<Reply> for Response<Full<Bytes>> {
    fn from(reply: Reply) -> Self {
        let headers = reply.headers();
        let mut response = Self::new(Full::new(reply.body));
        *response.status_mut() = reply.status;
        *response.headers_mut() = headers;
        response
    }
}

impl From<Reply> for Response<Body> {
    fn from(reply: Reply) -> Self {
        Response::<Full<Bytes>>::from(reply).map(Body::new)
    }
}

/// What every `meta` has.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Meta {
    version: &'static str,
    timestamp: Timestamp,
}

impl Meta {
    pub(crate) fn at(now: Instant) -> Self {
        Self {
            version: VERSION,
            timestamp: Timestamp(now),
        }
    }
}

/// Data with the note that says why nothing new was made.
#[derive(Serialize)]
struct Noted<T> {
    #[serde(flatten)]
    value: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

#[derive(Serialize)]
struct Success<T> {
    success: bool,
    data: T,
    meta: Meta,
}

#[derive(Serialize)]
struct Resource<T> {
    data: T,
    meta: Meta,
}

/// An error of the admin API, and of what is served beside both.
pub(crate) fn plain_error(status: StatusCode, sentence: &str) -> Reply {
    Reply::json(status, &json!({ "error": sentence }))
}

/// The success envelope.
pub(crate) fn success(status: StatusCode, data: impl Serialize, now: Instant) -> Reply {
    Reply::json(
        status,
        &Success {
            success: true,
            data,
            meta: Meta::at(now),
        },
    )
}

/// The success envelope of a call that may have made something.
pub(crate) fn success_done<T: Serialize>(done: Done<T>, now: Instant) -> Reply {
    success(
        status_of(done.outcome),
        Noted {
            value: done.value,
            note: done.note,
        },
        now,
    )
}

/// The resource envelope of a single resource.
pub(crate) fn resource(data: impl Serialize, now: Instant) -> Reply {
    Reply::json(
        StatusCode::OK,
        &Resource {
            data,
            meta: Meta::at(now),
        },
    )
}

/// The resource envelope of a call that may have made something.
pub(crate) fn resource_done<T: Serialize>(done: Done<T>, now: Instant) -> Reply {
    let data = Noted {
        value: done.value,
        note: done.note,
    };
    Reply::json(
        status_of(done.outcome),
        &Resource {
            data,
            meta: Meta::at(now),
        },
    )
}

fn status_of(outcome: Outcome) -> StatusCode {
    match outcome {
        Outcome::Created => StatusCode::CREATED,
        Outcome::Changed | Outcome::Existing => StatusCode::OK,
    }
}

/// The body of the health check, whose `meta` is the version alone (A13).
pub(crate) fn health(now: Instant) -> Reply {
    #[derive(Serialize)]
    struct Version {
        version: &'static str,
    }
    #[derive(Serialize)]
    struct Health {
        success: bool,
        status: &'static str,
        timestamp: Timestamp,
        meta: Version,
    }
    let body = Health {
        success: true,
        status: "ok",
        timestamp: Timestamp(now),
        meta: Version { version: VERSION },
    };
    Reply::json(StatusCode::OK, &body)
}
