//! Notices that take an earlier call to see: what its answer asked for, or that it had none.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant as Real};

use http::{Method, StatusCode};
use secmon_engine::{Instant, RateGroup};
use serde_json::{Map, Value};

use super::call_context::{CallContext, Clock, Fingerprint, REMEMBERED};
use super::namespaces::Namespaces;
use super::pages::{EmptyPages, UnreadPages};
use super::refused_repeat::RefusedCalls;
use super::sign_ins::SignIns;
use super::synced_lines::{EndedLines, SingleReports};
use super::unused_tokens::UnusedTokens;
use crate::observation::notice::{Notice, NoticeCode};
use crate::operations::known_names::is_documented;

/// How long other calls may be on their way when an answer asks for a pause. Who sends the refused call itself again has
/// read the answer.
const ON_THE_WAY: Duration = Duration::from_millis(500);

/// So often the same read may come in so many milliseconds.
const READS: usize = 10;
const READS_MILLIS: i64 = 10_000;

/// Bytes of an address or a host name.
const LONGEST_NAME: usize = 253;

/// Operations that F5 does not send twice: a repeat could act again, or hide that the first call did.
const NOT_TWICE: [&str; 9] = [
    "release_domain",
    "change_subscription",
    "create_rule",
    "scan_endpoint",
    SIGN_IN_TOKEN,
    "acknowledge_domain_alert",
    "resolve_domain_alert",
    "resolve_port_alert",
    "ingest_firewall",
];

/// A sign-in cannot be read back, and a customer may click twice.
const SIGN_IN_TOKEN: &str = "create_sso_token";

/// What later calls of an account are held against.
#[derive(Debug, Default)]
pub(crate) struct CallHistory {
    doubtful: Vec<DoubtfulCall>,
    paused: Vec<AskedToWait>,
    /// The last calls that must not be sent twice, oldest first.
    acts: VecDeque<Act>,
    reads: HashMap<Fingerprint, VecDeque<i64>>,
    unread: UnreadPages,
    empty_pages: EmptyPages,
    refused: RefusedCalls,
    sign_ins: SignIns,
    namespaces: Namespaces,
    ended_lines: EndedLines,
    single_reports: SingleReports,
    unused_tokens: UnusedTokens,
}

/// A call of which its client does not know whether it acted.
#[derive(Debug)]
struct DoubtfulCall {
    id: u64,
    call: Fingerprint,
    /// None where it had no answer.
    status: Option<StatusCode>,
    /// Whom it provisions for, and what.
    subject: Option<Subject>,
}

/// An address or a name, and the customer that it is provisioned for.
#[derive(Debug, PartialEq, Eq)]
struct Subject {
    name: String,
    customer: String,
}

/// A call that must not be sent twice, from its arrival to its end, in real time.
#[derive(Debug)]
struct Act {
    id: u64,
    call: Fingerprint,
    came: Real,
    ended: Real,
}

#[derive(Debug)]
struct AskedToWait {
    asked_by: u64,
    until: Instant,
    wait: Duration,
    /// When the answer was given, in real time: calls on their way then could not know.
    since: Real,
    /// The call that was answered so.
    call: Fingerprint,
    who: Fingerprint,
}

impl AskedToWait {
    /// Whether who sent this call could know of the pause.
    fn was_known(&self, call: Fingerprint, came: Real) -> bool {
        let on_the_way = if call == self.call {
            Duration::ZERO
        } else {
            ON_THE_WAY
        };
        self.since + on_the_way < came
    }

    /// Whether who sent this call waited although the account's clock stood still: nothing more can be asked of them.
    fn was_waited_for(&self, call: &CallContext<'_>) -> bool {
        call.clock == Clock::Stands && call.came.duration_since(self.since) >= self.wait
    }
}

impl CallHistory {
    /// Takes in a call that ended, and says what earlier ones make of it.
    pub(crate) fn see(&mut self, call: &CallContext<'_>) -> Vec<Notice> {
        let fingerprint = Fingerprint::of_call(call);
        let notices = [
            self.too_early(call, fingerprint),
            self.unsafe_repeat(call, fingerprint),
            self.repeat_in_flight(call, fingerprint),
            self.changed_repeat(call),
            self.tight_polling(call, fingerprint),
            self.refused.see(call, fingerprint),
            self.sign_ins.see(call),
            self.single_reports.see(call),
            self.unused_tokens.see(call),
        ];
        let mut notices: Vec<Notice> = notices.into_iter().flatten().collect();
        notices.extend(self.ended_lines.see(call));
        if !call.is_by_staff() {
            notices.extend(self.of_customers_area(call));
        }
        self.remember(call, fingerprint);
        notices
    }

    /// What staff may do, and a customer's area must not.
    fn of_customers_area(&mut self, call: &CallContext<'_>) -> impl Iterator<Item = Notice> {
        let notices = [
            self.unread.see(call),
            self.empty_pages.see(call),
            self.namespaces.see(call),
        ];
        notices.into_iter().flatten()
    }

    /// The lists that were not read to their last page so far.
    pub(crate) fn unread(&self) -> &UnreadPages {
        &self.unread
    }

    fn remember(&mut self, call: &CallContext<'_>, fingerprint: Fingerprint) {
        if is_read_of_records(call) && call.status == Some(StatusCode::OK) {
            // Somebody reads back.
            self.doubtful.clear();
        }
        if call.status.is_some() {
            // What became of it is known now; for whom it was, may still be mistaken.
            (self.doubtful).retain(|before| before.call != fingerprint || before.subject.is_some());
        }
        if leaves_doubt(call) && self.doubtful.len() < REMEMBERED {
            let lost = call.body.filter(|_| call.status.is_none());
            self.doubtful.push(DoubtfulCall {
                id: call.id,
                call: fingerprint,
                status: call.status,
                subject: lost.and_then(subject),
            });
        }
        if let Some(pause) = call.pause
            && self.paused.len() < REMEMBERED
        {
            let who = pause.window.map(|window| of_window(call.key, window));
            self.paused.push(AskedToWait {
                asked_by: call.id,
                until: pause.until,
                wait: pause.wait,
                since: Real::now(),
                call: fingerprint,
                who: who.unwrap_or(fingerprint),
            });
        }
    }

    fn too_early(&mut self, call: &CallContext<'_>, fingerprint: Fingerprint) -> Option<Notice> {
        self.paused.retain(|paused| paused.until > call.at);
        let window = call.window.map(|window| of_window(call.key, window));
        let is_meant = |who| who == fingerprint || Some(who) == window;
        let paused = self.paused.iter().find(|paused| {
            is_meant(paused.who)
                && paused.was_known(fingerprint, call.came)
                && !paused.was_waited_for(call)
        })?;
        let instead = match call.clock {
            Clock::Runs => "wait until it is",
            Clock::Stands => {
                "the account's clock stands still, so that waiting does not help: it has to be moved with POST /_mock/tenants/{name}/clock"
            }
        };
        let sentence = format!(
            "{} comes before the Retry-After of call {} is over; {instead}",
            call.operation, paused.asked_by
        );
        Some(call.notice(NoticeCode::TooEarly, &sentence))
    }

    fn unsafe_repeat(&self, call: &CallContext<'_>, fingerprint: Fingerprint) -> Option<Notice> {
        if !NOT_TWICE.contains(&call.operation) {
            return None;
        }
        let before = (self.doubtful.iter()).find(|before| before.call == fingerprint)?;
        let answer = match before.status {
            None => "whose answer was lost".to_owned(),
            Some(status) => format!("which was answered {}", status.as_u16()),
        };
        let sentence = format!(
            "{} repeats call {}, {answer} and which may have acted; {}",
            call.operation,
            before.id,
            instead_of_repeating(call.operation)
        );
        Some(call.notice(NoticeCode::UnsafeRepeat, &sentence))
    }

    /// A client that gave up waiting has no answer either, and its repeat comes while the first call is still worked on.
    fn repeat_in_flight(
        &mut self,
        call: &CallContext<'_>,
        fingerprint: Fingerprint,
    ) -> Option<Notice> {
        if !NOT_TWICE.contains(&call.operation) || call.operation == SIGN_IN_TOKEN {
            return None;
        }
        let ended = Real::now();
        let mut others = self.acts.iter().filter(|act| act.call == fingerprint);
        let other = others.find(|act| act.came < ended && call.came < act.ended);
        let notice = other.map(|other| {
            let sentence = format!(
                "{} is the same call as call {}, and was sent before that was answered; wait for the answer, or read back first",
                call.operation, other.id
            );
            call.notice(NoticeCode::UnsafeRepeat, &sentence)
        });
        self.acts.push_back(Act {
            id: call.id,
            call: fingerprint,
            came: call.came,
            ended,
        });
        if self.acts.len() > REMEMBERED {
            self.acts.pop_front();
        }
        notice
    }

    /// Provisioning may be repeated, but not for somebody else: the first call may have acted.
    fn changed_repeat(&self, call: &CallContext<'_>) -> Option<Notice> {
        let Subject { name, customer } = call.body.and_then(subject)?;
        let operation = call.operation;
        let (id, before) = self.doubtful.iter().find_map(|lost| {
            let subject = lost.subject.as_ref()?;
            let is_changed = subject.name == name && subject.customer != customer;
            is_changed.then_some((lost.id, &subject.customer))
        })?;
        let sentence = format!(
            "{operation} names {name} for customer {customer}; call {id} named it for customer {before}, its answer was lost, and it may have acted; read back first"
        );
        Some(call.notice(NoticeCode::ChangedRepeat, &sentence))
    }

    fn tight_polling(&mut self, call: &CallContext<'_>, read: Fingerprint) -> Option<Notice> {
        if *call.method != Method::GET && call.succeeded() {
            // What is read from now on is another question.
            self.reads.clear();
        }
        if !is_read_of_records(call) || call.clock == Clock::Stands {
            return None;
        }
        let now = call.at.unix_millis();
        if self.reads.len() >= REMEMBERED && !self.reads.contains_key(&read) {
            let is_recent =
                |times: &VecDeque<i64>| times.back().is_some_and(|last| now - last < READS_MILLIS);
            self.reads.retain(|_, times| is_recent(times));
        }
        if self.reads.len() >= REMEMBERED && !self.reads.contains_key(&read) {
            return None;
        }
        let times = self.reads.entry(read).or_default();
        times.push_back(now);
        while times
            .front()
            .is_some_and(|first| now - first >= READS_MILLIS)
        {
            times.pop_front();
        }
        if times.len() <= READS {
            return None;
        }
        times.pop_front();
        let sentence = format!(
            "{} is read more than {READS} times in 10 s with the same parameters; wait longer between two reads",
            call.operation
        );
        Some(call.notice(NoticeCode::TightPolling, &sentence))
    }
}

/// Whether nobody knows if a call acted (F5): it had no answer, or one that tells nothing.
fn leaves_doubt(call: &CallContext<'_>) -> bool {
    const TELLS_NOTHING: [StatusCode; 4] = [
        StatusCode::INTERNAL_SERVER_ERROR,
        StatusCode::BAD_GATEWAY,
        StatusCode::SERVICE_UNAVAILABLE,
        StatusCode::GATEWAY_TIMEOUT,
    ];
    let Some(status) = call.status else {
        return true;
    };
    if !NOT_TWICE.contains(&call.operation) || !TELLS_NOTHING.contains(&status) {
        return false;
    }
    let answer: Value = serde_json::from_slice(call.answer).unwrap_or_default();
    let code = answer["error"]["code"].as_str();
    !code.is_some_and(|code| is_documented(&format!("{} {code}", status.as_u16())))
}

/// What a careful client does where it must not send a call twice.
fn instead_of_repeating(operation: &str) -> &'static str {
    match operation {
        // It cannot be read.
        SIGN_IN_TOKEN => {
            "let the customer open the portal again: a second token is as good as the first"
        }
        _ => "read back first",
    }
}

/// The health check and the sign-in page show none.
fn is_read_of_records(call: &CallContext<'_>) -> bool {
    *call.method == Method::GET && call.window.is_some()
}

/// What a body provisions, and for whom.
fn subject(body: &Map<String, Value>) -> Option<Subject> {
    let text = |names: &[&str]| {
        let value = names.iter().find_map(|name| body.get(*name))?;
        match value {
            Value::String(text) if text.len() <= LONGEST_NAME => {
                Some(text.trim().to_ascii_lowercase())
            }
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    };
    Some(Subject {
        name: text(&["ip_address", "hostname", "domain"])?,
        customer: text(&["client_id", "billing_customer_id"])?,
    })
}

fn of_window(key: &str, window: RateGroup) -> Fingerprint {
    Fingerprint::of(&(key, window as u8))
}
