//! What a call shows by itself.

use http::Method;
use secmon_engine::{SandboxHeader, Switch};

use super::call_context::{CallContext, Clock};
use super::names;
use super::no_such_path::no_such_path;
use super::pages::{asks_for_later_page, is_of_list, page_size};
use crate::connection::arrival::Certificate;
use crate::observation::notice::{Fact, Notice, NoticeCode};

/// The parameter that names the customer of a call in the customer's area.
const CUSTOMER: &str = "billing_customer_id";

/// Ports that one rule may allow without a notice.
const WIDE: usize = 1024;

/// What a call shows by itself.
pub(crate) fn of_call(call: &CallContext<'_>) -> Vec<Notice> {
    let mut notices = names::unknown(call);
    notices.extend(no_customer(call));
    notices.extend(no_such_path(call));
    notices.extend(ignored_sandbox(call));
    notices.extend(unverified_tls(call));
    notices.extend(call.facts.iter().filter_map(|fact| of_fact(call, *fact)));
    notices
}

/// A read or a removal that was answered although it may name a customer and names none.
fn no_customer(call: &CallContext<'_>) -> Option<Notice> {
    let takes_customer = (call.known).is_some_and(|known| known.parameters().contains(&CUSTOMER));
    // With a customer, a rule of the whole account is not found.
    let is_no_customers = call.facts.contains(&Fact::AccountWideRuleRemoved);
    let names_it = call.query.contains_key(CUSTOMER);
    if !takes_customer || !call.succeeded() || names_it || is_no_customers || is_glance(call) {
        return None;
    }
    let operation = call.operation;
    let sentence = match *call.method {
        Method::GET if operation.starts_with("get_") => format!(
            "{operation} without {CUSTOMER} shows a record of any customer; send {CUSTOMER}"
        ),
        Method::GET => format!(
            "{operation} without {CUSTOMER} shows every customer's records; send {CUSTOMER} where it is for a customer"
        ),
        Method::DELETE => {
            format!("{operation} without {CUSTOMER} removes any customer's record; send {CUSTOMER}")
        }
        _ => return None,
    };
    Some(call.notice(NoticeCode::NoCustomer, &sentence))
}

/// Whether a call reads one record of a list, as a test of the key does, or who wants the total alone.
fn is_glance(call: &CallContext<'_>) -> bool {
    is_of_list(call) && page_size(call) == Some(1) && !asks_for_later_page(call)
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
    let operation = call.operation;
    let (code, sentence) = match fact {
        // It takes earlier calls to say what these mean.
        Fact::Page { .. } | Fact::SignedIn | Fact::StaleToken => return None,
        Fact::LineEnded(_) | Fact::LineProvisioned(_) | Fact::LineRevived(_) => return None,
        // Nobody could do it in another way.
        Fact::AccountWideRuleRemoved => return None,
        Fact::RulePorts(ports) if ports <= WIDE => return None,
        Fact::RulePorts(ports) => (
            NoticeCode::WideRule,
            format!("the rule allows {ports} ports; allow only those that are used"),
        ),
        Fact::AccountWideRule => (
            NoticeCode::AccountWideRule,
            format!(
                "{operation} allows the port for every customer; {}",
                for_one_customer(call)
            ),
        ),
        Fact::RuleLostItsEnd => (
            NoticeCode::RuleLostItsEnd,
            format!(
                "{operation} was not sent expires_at, and the rule, which had an end, has none now; send expires_at with each change, or null where the rule is to have no end"
            ),
        ),
        Fact::ForcedChange => (
            NoticeCode::ForcedChange,
            format!(
                "{operation} was sent force, which is for administrative overrides and pauses what no longer fits; leave it out"
            ),
        ),
        // Where the clock stands, nobody knows how much later a call comes.
        Fact::RecreatedSubscription if call.clock == Clock::Stands => return None,
        Fact::RecreatedSubscription => (NoticeCode::RecreatedSubscription, recreated(call)),
    };
    Some(call.notice(code, &sentence))
}

/// How a port is allowed for one customer alone.
fn for_one_customer(call: &CallContext<'_>) -> String {
    match *call.method {
        // A rule of the account never becomes a customer's.
        Method::PUT => format!(
            "for one customer, create a rule with {CUSTOMER} in its place, and delete this one"
        ),
        _ => format!(
            "send {CUSTOMER} for one customer, or scope: endpoint with endpoint_id for one server"
        ),
    }
}

fn recreated(call: &CallContext<'_>) -> String {
    let sent = |name: &str| {
        let value = call.body.and_then(|body| body.get(name));
        value.map_or_else(String::new, |value| match value.as_str() {
            Some(text) => text.to_owned(),
            None => value.to_string(),
        })
    };
    format!(
        "{} gives service {} ({}) of customer {} another plan or quantity right after it was terminated; use change_subscription, which keeps what is monitored",
        call.operation,
        sent("service_id"),
        sent("product_slug"),
        sent("client_id"),
    )
}
