//! Notices: what a tolerant service hides from a careless client, and the client should hear of (M10).

mod history;
mod names;
mod pages;
mod rejected_key;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant as Real;

use http::{Method, StatusCode};
use secmon_engine::{Instant, RateGroup, SandboxHeader, Switch};
use serde_json::{Map, Value};

use crate::observation::notice::{Certificate, Fact, Notice, NoticeCode};
pub(crate) use history::CallHistory;
pub(crate) use names::{Known, unknown_fields};
pub(crate) use pages::UnreadPages;
pub(crate) use rejected_key::RejectedKey;

/// How our own command line names itself: its users are staff, who see every customer.
const STAFF: &str = "secmon-cli/";

/// The parameter that names the customer of a call in the customer's area.
const CUSTOMER: &str = "billing_customer_id";

/// Ports that one rule may allow without a notice.
const WIDE: usize = 1024;

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
    /// How long its answer asked to wait.
    pub(crate) pause: Option<Pause>,
    pub(crate) facts: &'a [Fact],
}

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
    /// The rate window that is full; without one, only the same call is to wait.
    pub(crate) window: Option<RateGroup>,
}

impl CallContext<'_> {
    /// Whether the caller is one of the service's own staff, who may do what a customer's area must not.
    pub(crate) fn is_by_staff(&self) -> bool {
        self.user_agent.starts_with(STAFF)
    }

    fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.is_success())
    }

    fn notice(&self, code: NoticeCode, sentence: &str) -> Notice {
        Notice::new(code, self.account, sentence)
    }
}

/// What a call shows by itself.
pub(crate) fn of_call(call: &CallContext<'_>) -> Vec<Notice> {
    let mut notices = names::unknown(call);
    notices.extend(no_customer(call));
    notices.extend(ignored_sandbox(call));
    notices.extend(unverified_tls(call));
    notices.extend(call.facts.iter().filter_map(|fact| of_fact(call, *fact)));
    notices
}

/// A read or a removal that was answered although it may name a customer and names none.
fn no_customer(call: &CallContext<'_>) -> Option<Notice> {
    let takes_customer = (call.known).is_some_and(|known| known.parameters().contains(&CUSTOMER));
    if !takes_customer || !call.succeeded() || call.query.contains_key(CUSTOMER) {
        return None;
    }
    let operation = call.operation;
    let sentence = match *call.method {
        Method::GET => format!(
            "{operation} without {CUSTOMER} shows every customer's records; send {CUSTOMER}"
        ),
        Method::DELETE => {
            format!("{operation} without {CUSTOMER} removes any customer's record; send {CUSTOMER}")
        }
        _ => return None,
    };
    Some(call.notice(NoticeCode::NoCustomer, &sentence))
}

fn ignored_sandbox(call: &CallContext<'_>) -> Option<Notice> {
    let is_ignored = call.sandbox == SandboxHeader::Simulate
        && call.account.is_some()
        && call.sandbox_mode == Switch::Off;
    is_ignored.then(|| {
        let sentence = format!(
            "{} was not simulated, since the account has no sandbox mode and X-Sandbox is ignored; leave the header out, or use an account with sandbox mode",
            call.operation
        );
        call.notice(NoticeCode::IgnoredSandbox, &sentence)
    })
}

fn unverified_tls(call: &CallContext<'_>) -> Option<Notice> {
    (call.certificate == Certificate::Wrong).then(|| {
        let sentence = "the key was sent over a connection with a wrong certificate; check the server's certificate and host name";
        call.notice(NoticeCode::UnverifiedTls, sentence)
    })
}

fn of_fact(call: &CallContext<'_>, fact: Fact) -> Option<Notice> {
    let (code, sentence) = match fact {
        Fact::Page { .. } => return None,
        Fact::RulePorts(ports) if ports <= WIDE => return None,
        Fact::RulePorts(ports) => (
            NoticeCode::WideRule,
            format!("the rule allows {ports} ports; allow only those that are used"),
        ),
        Fact::AccountWideRule => (
            NoticeCode::AccountWideRule,
            format!(
                "the rule holds for every customer; send {CUSTOMER}, or the endpoint_id of one server"
            ),
        ),
        Fact::ForcedChange => (
            NoticeCode::ForcedChange,
            "force pauses what no longer fits; leave it out, and let the customer choose what to give up"
                .to_owned(),
        ),
        Fact::StaleToken => (
            NoticeCode::StaleToken,
            "the sign-in token was used before or has expired; ask for a new one for each sign-in"
                .to_owned(),
        ),
    };
    Some(call.notice(code, &sentence))
}

/// What is the same for calls that are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fingerprint(u64);

impl Fingerprint {
    fn of(what: &impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        Self(hasher.finish())
    }

    /// Both namespaces lead to the same operation, and members stand in any order.
    fn of_call(call: &CallContext<'_>) -> Self {
        let path = call.path.replacen("/provisioning/", "/billing/", 1);
        Self::of(&(call.key, call.method.as_str(), path, call.query, call.body))
    }
}
