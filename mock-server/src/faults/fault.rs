//! A fault: which calls it is for, and what it does to them (M5).

use std::time::Duration;

use http::StatusCode;
use serde_json::Value;

use super::aim::Aim;

/// What a fault does to the call that it hits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// Answers with this status and nothing is processed. With a code, in the documented envelope
    /// of that code; without one, in the shape that the path's group has for that status.
    Status {
        /// The HTTP status of the answer.
        status: StatusCode,
        /// The string code of the error envelope.
        code: Option<String>,
        /// What `Retry-After` says; none sends none.
        retry_after: Option<String>,
    },
    /// Waits, then the call goes on normally.
    Latency(Duration),
    /// The connection ends without a whole answer.
    Close(CloseAt),
    /// A TLS handshake shows a certificate that no client may accept. It comes before any call: whatever else the fault
    /// is aimed at is not looked at, and a server that speaks no TLS has none to hit.
    Tls(TlsTrouble),
    /// Answers with this raw body and nothing is processed.
    Body {
        /// The HTTP status of the answer.
        status: StatusCode,
        /// The bytes of the answer.
        body: String,
    },
}

/// Where on the way of a call the connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseAt {
    /// Closed, and nothing is processed.
    Before,
    /// Processed, then closed before any byte of the answer.
    After,
    /// Processed, then closed halfway through the answer's body.
    MidBody,
    /// Reset by TCP, and nothing is processed.
    Reset,
}

impl CloseAt {
    /// The names of the admin API.
    pub(crate) const NAMES: [(&'static str, Self); 4] = [
        ("before", Self::Before),
        ("after", Self::After),
        ("mid_body", Self::MidBody),
        ("reset", Self::Reset),
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
            Self::MidBody => "mid_body",
            Self::Reset => "reset",
        }
    }
}

/// What is wrong with the certificate of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsTrouble {
    /// It has expired.
    Expired,
    /// It is for another host.
    WrongHost,
    /// It is of an authority that nobody trusts.
    Untrusted,
}

impl TlsTrouble {
    /// The names of the admin API.
    pub(crate) const NAMES: [(&'static str, Self); 3] = [
        ("expired", Self::Expired),
        ("wrong_host", Self::WrongHost),
        ("untrusted", Self::Untrusted),
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::WrongHost => "wrong_host",
            Self::Untrusted => "untrusted",
        }
    }
}

/// A fault to be placed: by default it hits the next call of any method and path, once.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub(crate) aim: Aim,
    pub(crate) times: u64,
    pub(crate) after: u64,
    pub(crate) probability: Option<f64>,
    pub(crate) effect: Effect,
}

impl Fault {
    /// A fault with this effect.
    pub fn new(effect: Effect) -> Self {
        Self {
            aim: Aim::default(),
            times: 1,
            after: 0,
            probability: None,
            effect,
        }
    }

    /// Answers with `status` in the shape that the path's group has for it.
    pub fn status(status: StatusCode) -> Self {
        Self::new(Effect::Status {
            status,
            code: None,
            retry_after: usual_retry_after(status),
        })
    }

    /// Answers with `status` and the documented envelope of `code`.
    pub fn code(status: StatusCode, code: impl Into<String>) -> Self {
        Self::new(Effect::Status {
            status,
            code: Some(code.into()),
            retry_after: usual_retry_after(status),
        })
    }

    /// Delays the answer.
    pub fn latency(wait: Duration) -> Self {
        Self::new(Effect::Latency(wait))
    }

    /// Ends the connection without a whole answer.
    pub fn close(at: CloseAt) -> Self {
        Self::new(Effect::Close(at))
    }

    /// Answers with a raw body.
    pub fn body(status: StatusCode, body: impl Into<String>) -> Self {
        Self::new(Effect::Body {
            status,
            body: body.into(),
        })
    }

    /// Hits calls of this method and path only; `*` in the path stands for any text, `/` too.
    #[must_use]
    pub fn on(mut self, method: &str, path: &str) -> Self {
        self.aim.method = Some(method.to_ascii_uppercase());
        self.aim.path = Some(path.to_owned());
        self
    }

    /// Hits calls of this operation only, in both namespaces: a name that `secmon-mock routes` prints.
    #[must_use]
    pub fn operation(mut self, name: impl Into<String>) -> Self {
        self.aim.operation = Some(name.into());
        self
    }

    /// Hits only calls that say this: the member of their JSON body holds it, or the parameter of their path or query is
    /// it (M11). Of several, all must be said.
    #[must_use]
    pub fn matching(mut self, name: impl Into<String>, said: impl Into<Value>) -> Self {
        let all = self.aim.matching.get_or_insert_default();
        all.insert(name.into(), said.into());
        self
    }

    /// Hits a matching call with this probability, from 0 to 1; the server's seed decides which.
    #[must_use]
    pub fn probability(mut self, probability: f64) -> Self {
        self.probability = Some(probability);
        self
    }

    /// Hits this many calls; 0 stands for every call until the fault is removed.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.times = times;
        self
    }

    /// Lets this many matching calls pass first.
    #[must_use]
    pub fn after(mut self, passes: u64) -> Self {
        self.after = passes;
        self
    }
}

/// What `Retry-After` says where a fault does not say otherwise (M5).
pub(crate) fn usual_retry_after(status: StatusCode) -> Option<String> {
    let waits = [
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    waits.contains(&status).then(|| "1".to_owned())
}
