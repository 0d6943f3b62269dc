//! What an error means for an order: one policy for all programs.
//!
//! `docs/error-codes.md` says what each code means and what to tell the customer; a test holds this file to it. What
//! matters for money is decided here: what may have acted is told apart from what did not ([`Next::LookFirst`]).

use secmon::operations::{TerminateDomain, TerminateEndpoint};
use secmon::{Delivery, Error, ErrorCode, ErrorKind, Operation};
use std::fmt;
use std::time::Duration;

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The service is in the state that was asked for.
    Done,
    /// The same call again, not before so many seconds have passed.
    RetryLater {
        /// Seconds from now; none where the error does not say.
        after: Option<u64>,
    },
    /// The customer has to decide or correct something; the sentence may be shown.
    AskCustomer(String),
    /// One of us has to look at this order; the others go on.
    AskOperator(String),
    /// Nothing works for anybody (key, account, network): stop sending, and call somebody.
    Halt(String),
    /// The service may have acted: read what is there before anything is sent again.
    LookFirst,
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("done"),
            Self::RetryLater { after: None } => f.write_str("try it again later"),
            Self::RetryLater {
                after: Some(seconds),
            } => write!(f, "try it again in {seconds} seconds"),
            Self::AskCustomer(sentence) => write!(f, "ask the customer: {sentence}"),
            Self::AskOperator(sentence) => write!(f, "somebody has to look: {sentence}"),
            Self::Halt(sentence) => write!(f, "nothing works until somebody looks: {sentence}"),
            Self::LookFirst => f.write_str("it may be done: look before it is tried again"),
        }
    }
}

/// Five minutes, for outages of which the service does not say how long they last.
const OUTAGE: Duration = Duration::from_secs(300);

/// What this error means.
#[must_use]
pub fn next(error: &Error) -> Next {
    let next = match error.code() {
        Some(code) => by_code(error, code),
        None => by_kind(error),
    };
    match next {
        // A refusal after a lost answer may be due to what the lost one did.
        Next::AskCustomer(_) | Next::AskOperator(_)
            if error.delivery() == Delivery::Maybe && !reads(error) =>
        {
            Next::LookFirst
        }
        next => next,
    }
}

fn is<O: Operation>(error: &Error) -> bool {
    error
        .operation()
        .is_some_and(|operation| operation == O::INFO)
}

fn by_code(error: &Error, code: &ErrorCode) -> Next {
    let ends = is::<TerminateEndpoint>(error) || is::<TerminateDomain>(error);
    match code {
        ErrorCode::TenantNotFound | ErrorCode::TenantMismatch | ErrorCode::AccountSuspended => {
            halt(error)
        }
        // A subscription that is not found may be another product's or another customer's: see below.
        _ if ends && error.is_record_not_found() => Next::Done,
        // Our record of it is wrong or old, or the scan may have been queued: read what is there.
        ErrorCode::EndpointNotFound
        | ErrorCode::DomainNotFound
        | ErrorCode::AlertNotFound
        | ErrorCode::AlertNotAcknowledged
        | ErrorCode::ScanDispatchFailed
        | ErrorCode::Number(404) => Next::LookFirst,
        ErrorCode::AlertAlreadyResolved => Next::Done,
        ErrorCode::RateLimited => later(error, None),
        ErrorCode::ScanningUnavailable => later(error, Some(OUTAGE)),
        // A catalogue that does not fit, an order that was never provisioned, a state that somebody set by hand.
        ErrorCode::ProductNotFound
        | ErrorCode::BillingClientNotFound
        | ErrorCode::SubscriptionNotFound
        | ErrorCode::SubscriptionNotChangeable
        | ErrorCode::UserNotFound
        | ErrorCode::NotFound
        | ErrorCode::MethodNotAllowed
        | ErrorCode::SandboxDisabled => operator(error),
        // A number, a code that is newer than this policy, or one that the customer hears of.
        code => for_the_customer(error, code).map_or_else(|| by_kind(error), Next::AskCustomer),
    }
}

/// The sentence for the customer, where the code is about the customer's plan or entry.
fn for_the_customer(error: &Error, code: &ErrorCode) -> Option<String> {
    let details = error.details();
    let limit = details.and_then(|details| details.limit());
    Some(match code {
        ErrorCode::EndpointLimitExceeded => match limit {
            Some(limit) => format!(
                "Your plan includes {limit} servers: a larger one makes room for this server."
            ),
            None => "The plan is full: a larger one makes room for this server.".to_owned(),
        },
        ErrorCode::DomainLimitExceeded => match limit {
            Some(limit) => {
                format!("All {limit} domains of your plan are in use: buy another, or give one up.")
            }
            None => "All domain slots are in use: buy another, or give one up.".to_owned(),
        },
        ErrorCode::DowngradeUsageExceeded => {
            match details.map(|details| (details.current_usage(), details.new_limit())) {
                Some((Some(used), Some(limit))) => {
                    format!("You use {used}, and the smaller plan includes {limit}.")
                }
                _ => "You use more than the smaller plan includes.".to_owned(),
            }
        }
        ErrorCode::EndpointNotActive => "Monitoring is paused: resume it first.".to_owned(),
        ErrorCode::DomainAlreadyExists => "This domain is monitored already.".to_owned(),
        ErrorCode::DnsResolutionFailed => {
            "This name does not resolve: check it, or give an IP address.".to_owned()
        }
        _ => return None,
    })
}

fn by_kind(error: &Error) -> Next {
    let refused = error.field_errors().filter(|fields| !fields.is_empty());
    match (error.kind(), error.status().map(|status| status.as_u16())) {
        (_, Some(401)) => halt(error),
        (_, _) if refused.is_some() => {
            Next::AskCustomer(refused.map(ToString::to_string).unwrap_or_default())
        }
        (ErrorKind::KeyRejected | ErrorKind::NoKey | ErrorKind::Configuration, _)
        | (ErrorKind::Tls | ErrorKind::Proxy | ErrorKind::Redirect | ErrorKind::Refused, _) => {
            halt(error)
        }
        (ErrorKind::LeakSourceNotConfigured, _) => operator(error),
        (ErrorKind::RateLimiter | ErrorKind::LeakSourceUnavailable, _) => {
            later(error, Some(OUTAGE))
        }
        // Before `Decode`: the page of a gateway that is down is one too.
        (_, _) if error.is_retryable() => later(error, None),
        (_, _) if error.delivery() == Delivery::Maybe && !reads(error) => Next::LookFirst,
        // Nothing was sent, or the service was never asked in time: MaxWait, Deadline.
        (_, _) if error.delivery() == Delivery::NotSent => later(error, None),
        _ => operator(error),
    }
}

fn reads(error: &Error) -> bool {
    error
        .operation()
        .is_some_and(|operation| operation.is_read())
}

fn later(error: &Error, otherwise: Option<Duration>) -> Next {
    let after = error
        .retry_after()
        .or(otherwise)
        .map(|wait| wait.as_secs() + 1);
    Next::RetryLater { after }
}

fn operator(error: &Error) -> Next {
    Next::AskOperator(error.to_string())
}

fn halt(error: &Error) -> Next {
    Next::Halt(error.to_string())
}
