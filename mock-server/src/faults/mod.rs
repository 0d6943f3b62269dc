//! Faults: trouble that a test orders for calls to come (M5).

mod aim;

use std::time::Duration;

use http::StatusCode;
use serde_json::Value;

use crate::values::chance::draw;
pub(crate) use aim::{Aim, AimedAt, Incoming, RequestParams};

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

/// A fault in its place, with what it did so far.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) id: u64,
    pub(crate) fault: Fault,
    /// Calls that it acted on, or handshakes.
    pub(crate) hits: u64,
    passed: u64,
    drawn: u64,
}

impl Placed {
    fn matches(&self, call: &Incoming<'_>) -> bool {
        self.is_left() && self.tls_trouble().is_none() && self.fault.aim.fits(call)
    }

    fn is_left(&self) -> bool {
        self.fault.times == 0 || self.hits < self.fault.times
    }

    fn tls_trouble(&self) -> Option<TlsTrouble> {
        match self.fault.effect {
            Effect::Tls(trouble) => Some(trouble),
            _ => None,
        }
    }

    fn aimed_at(&self) -> AimedAt {
        match self.tls_trouble() {
            Some(_) => AimedAt::Handshakes,
            None => AimedAt::Calls {
                aim: self.fault.aim.clone(),
                after: self.fault.after,
                probability: self.fault.probability,
            },
        }
    }

    /// Whether it acts on a call, or a handshake, that it matches.
    fn acts(&mut self, seed: u64) -> bool {
        if self.passed < self.fault.after {
            self.passed += 1;
            return false;
        }
        if let Some(probability) = self.fault.probability {
            self.drawn += 1;
            if draw(seed, self.id, self.drawn) >= probability {
                return false;
            }
        }
        self.hits += 1;
        true
    }
}

/// Removed faults that are told of at the end of a run.
const MOST_UNHIT: usize = 100;

/// All faults of a server, in the order they were placed.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    placed: Vec<Placed>,
    last_id: u64,
    /// Rises with every change: who shows them sees whether they are the same.
    version: u64,
    /// Faults that were removed before they hit anything.
    removed_unhit: Vec<AimedAt>,
}

impl Faults {
    /// Places a fault; its id.
    pub(crate) fn place(&mut self, fault: Fault) -> u64 {
        self.version += 1;
        self.last_id += 1;
        self.placed.push(Placed {
            id: self.last_id,
            fault,
            hits: 0,
            passed: 0,
            drawn: 0,
        });
        self.last_id
    }

    /// The first fault that acts on this call, and what it does to it.
    pub(crate) fn matching_fault(
        &mut self,
        call: &Incoming<'_>,
        seed: u64,
    ) -> Option<(u64, Effect)> {
        let mut matching = self.placed.iter_mut().filter(|placed| placed.matches(call));
        let acting = matching.find_map(|placed| placed.acts(seed).then_some(placed))?;
        self.version += 1;
        Some((acting.id, acting.fault.effect.clone()))
    }

    /// Whether one may depend on the body of a call that has no account.
    pub(crate) fn look_at_bodies(&self) -> bool {
        let mut placed = self.placed.iter();
        placed.any(|placed| {
            placed.is_left()
                && placed.fault.aim.tenant.is_none()
                && placed.fault.aim.matching.is_some()
        })
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// What is wrong with the certificate of the next handshake, where a fault acts on it.
    #[cfg(feature = "tls")]
    pub(crate) fn hit_handshake(&mut self, seed: u64) -> Option<TlsTrouble> {
        let mut left = self.placed.iter_mut().filter(|placed| placed.is_left());
        let trouble = left.find_map(|placed| {
            let trouble = placed.tls_trouble()?;
            placed.acts(seed).then_some(trouble)
        })?;
        self.version += 1;
        Some(trouble)
    }

    pub(crate) fn all(&self) -> &[Placed] {
        &self.placed
    }

    /// Bytes of the bodies that they answer with.
    pub(crate) fn body_bytes(&self) -> usize {
        let bodies = self.placed.iter().map(|placed| match &placed.fault.effect {
            Effect::Body { body, .. } => body.len(),
            _ => 0,
        });
        bodies.sum()
    }

    /// Removes one fault; whether it was there.
    pub(crate) fn remove(&mut self, id: u64) -> bool {
        let before = self.placed.len();
        self.remove_where(|placed| placed.id == id);
        self.placed.len() < before
    }

    /// Removes the faults that name this account.
    pub(crate) fn clear_tenant(&mut self, name: &str) {
        self.remove_where(|placed| placed.fault.aim.tenant.as_deref() == Some(name));
    }

    pub(crate) fn remove_all(&mut self) {
        self.remove_where(|_| true);
    }

    /// Removes every fault and starts their numbers again.
    pub(crate) fn clear(&mut self) {
        self.remove_all();
        self.last_id = 0;
    }

    fn remove_where(&mut self, is_meant: impl Fn(&Placed) -> bool) {
        self.version += 1;
        let (removed, placed) = std::mem::take(&mut self.placed)
            .into_iter()
            .partition::<Vec<_>, _>(|placed| is_meant(placed));
        self.placed = placed;
        let unhit = removed.iter().filter(|placed| placed.hits == 0);
        let room = MOST_UNHIT.saturating_sub(self.removed_unhit.len());
        self.removed_unhit
            .extend(unhit.take(room).map(Placed::aimed_at));
    }

    /// What the faults aimed at that hit nothing, removed ones first.
    pub(crate) fn never_hit(&self) -> Vec<AimedAt> {
        let placed = self.placed.iter().filter(|placed| placed.hits == 0);
        let placed = placed.map(Placed::aimed_at);
        self.removed_unhit.iter().cloned().chain(placed).collect()
    }
}

/// Whether `text` fits `pattern`, in which `*` stands for any text, `/` too.
pub(crate) fn wildcard(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    // `split` gives at least one part, also for an empty pattern.
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let middle: Vec<&str> = parts.collect();
    let Some((last, middle)) = middle.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::wildcard;

    #[test]
    fn a_star_crosses_slashes_and_may_stand_for_nothing() {
        for (pattern, text, fits) in [
            ("/api/v1/health", "/api/v1/health", true),
            ("/api/v1/health", "/api/v1/healthy", false),
            ("/api/*", "/api/v1/billing/provision", true),
            ("*/scan", "/api/v1/scan", true),
            ("*/scan", "/api/v1/scanner", false),
            ("/a*b*c", "/abc", true),
            ("/a*b*c", "/acb", false),
            ("/a*a", "/a", false),
            ("*", "", true),
            ("", "/", false),
        ] {
            assert_eq!(wildcard(pattern, text), fits, "{pattern} against {text}");
        }
    }
}
