//! A call that ended, as notices see it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant as Real};

use http::{Method, StatusCode};
use secmon_engine::{Instant, RateGroup, SandboxHeader, Switch};
use serde_json::{Map, Value};

use crate::connection::arrival::Certificate;
use crate::observation::notice::{Fact, Notice, NoticeCode};
use crate::operations::known_names::Known;

/// How our own command line names itself: its users are staff, who see every customer.
const STAFF: &str = "secmon-cli/";

/// A call that ended, as notices see it.
pub(crate) struct CallContext<'a> {
    pub(crate) id: u64,
    pub(crate) account: Option<&'a str>,
    pub(crate) operation: &'a str,
    /// None for what is no part of the partner API.
    pub(crate) known: Option<Known>,
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) query: &'a BTreeMap<String, String>,
    /// None where the body is no JSON object.
    pub(crate) body: Option<&'a Map<String, Value>>,
    /// The body as it came.
    pub(crate) sent: &'a [u8],
    pub(crate) key: &'a str,
    pub(crate) user_agent: &'a str,
    pub(crate) sandbox: SandboxHeader,
    /// Whether the account has sandbox mode.
    pub(crate) sandbox_mode: Switch,
    pub(crate) certificate: Certificate,
    /// The rate window that it counts in.
    pub(crate) window: Option<RateGroup>,
    /// When it came in, by the account's clock.
    pub(crate) at: Instant,
    /// When it came in, in real time.
    pub(crate) came: Real,
    pub(crate) clock: Clock,
    /// None when nothing was answered.
    pub(crate) status: Option<StatusCode>,
    /// The body of the answer; empty when nothing was answered.
    pub(crate) answer: &'a [u8],
    /// How long its answer asked to wait.
    pub(crate) pause: Option<Pause>,
    pub(crate) facts: &'a [Fact],
}

/// What is remembered of the calls of one account, of each kind.
pub(super) const REMEMBERED: usize = 1000;

/// Whether time passes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    Runs,
    Stands,
}

/// Until when an answer asked a client to wait, by the account's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pause {
    pub(crate) until: Instant,
    /// How long that is from the answer on.
    pub(crate) wait: Duration,
    /// The rate window that is full; without one, only the same call is to wait.
    pub(crate) window: Option<RateGroup>,
}

impl CallContext<'_> {
    /// Whether the caller is one of the service's own staff, who may do what a customer's area must not.
    pub(crate) fn is_by_staff(&self) -> bool {
        self.user_agent.starts_with(STAFF)
    }

    pub(super) fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.is_success())
    }

    pub(super) fn notice(&self, code: NoticeCode, sentence: &str) -> Notice {
        Notice::new(code, self.account, sentence)
    }
}

/// What is the same for calls that are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    pub(super) fn of(what: &impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        Self(hasher.finish())
    }

    /// Both namespaces lead to the same operation, and members stand in any order.
    pub(super) fn of_call(call: &CallContext<'_>) -> Self {
        let path = call.path.replacen("/provisioning/", "/billing/", 1);
        Self::of(&(call.key, call.method.as_str(), path, call.query, call.body))
    }
}
