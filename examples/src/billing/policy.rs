//! What an error means for an order.

use secmon::operations::{
    SuspendSubscription, TerminateDomain, TerminateEndpoint, TerminateSubscription,
};
use secmon::{Error, ErrorCode, ErrorKind, Operation, Sent};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the module does next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
            if error.sent() == Sent::Maybe && !reads(error) =>
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
    let takes_away = is::<SuspendSubscription>(error) || is::<TerminateSubscription>(error);
    match code {
        ErrorCode::TenantNotFound | ErrorCode::TenantMismatch | ErrorCode::AccountSuspended => {
            halt(error)
        }
        ErrorCode::EndpointLimitExceeded => {
            customer("The plan is full: a larger one makes room for this server.")
        }
        ErrorCode::DomainLimitExceeded => {
            customer("All domain slots are in use: buy one, or give one up.")
        }
        ErrorCode::EndpointNotFound | ErrorCode::DomainNotFound if ends => Next::Done,
        // Which one is it, if not that? Its address tells.
        ErrorCode::EndpointNotFound | ErrorCode::DomainNotFound | ErrorCode::Number(404) => {
            Next::LookFirst
        }
        ErrorCode::BillingClientNotFound | ErrorCode::SubscriptionNotFound if takes_away => {
            Next::Done
        }
        ErrorCode::AlertNotFound | ErrorCode::AlertAlreadyResolved => Next::Done,
        ErrorCode::AlertNotAcknowledged => Next::LookFirst,
        ErrorCode::EndpointNotActive => {
            customer("The server is paused: resume it before it can be scanned.")
        }
        ErrorCode::DomainAlreadyExists => customer("This domain is monitored already."),
        ErrorCode::DowngradeUsageExceeded => customer(&match error
            .details()
            .map(|d| (d.current_usage(), d.new_limit()))
        {
            Some((Some(used), Some(limit))) => {
                format!("{used} are in use, and the smaller plan holds {limit}.")
            }
            _ => "More is in use than the smaller plan holds.".to_owned(),
        }),
        ErrorCode::DnsResolutionFailed => customer("The hostname does not resolve."),
        ErrorCode::RateLimited => later(error, None),
        ErrorCode::ScanDispatchFailed | ErrorCode::ScanningUnavailable => {
            later(error, Some(OUTAGE))
        }
        // A catalogue that does not fit, an order that was never provisioned, a state that somebody set by hand.
        ErrorCode::ProductNotFound
        | ErrorCode::BillingClientNotFound
        | ErrorCode::SubscriptionNotFound
        | ErrorCode::SubscriptionNotChangeable
        | ErrorCode::UserNotFound
        | ErrorCode::NotFound
        | ErrorCode::MethodNotAllowed
        | ErrorCode::SandboxDisabled => operator(error),
        // A number, or a code that is newer than this module.
        _ => by_kind(error),
    }
}

fn by_kind(error: &Error) -> Next {
    let refused = error.field_errors().filter(|fields| !fields.is_empty());
    match (error.kind(), error.status().map(|status| status.as_u16())) {
        (_, Some(401)) => halt(error),
        (_, _) if refused.is_some() => {
            customer(&refused.map(ToString::to_string).unwrap_or_default())
        }
        (ErrorKind::KeyRejected | ErrorKind::NoKey | ErrorKind::Configuration, _)
        | (ErrorKind::Tls | ErrorKind::Proxy | ErrorKind::Redirect | ErrorKind::Refused, _) => {
            halt(error)
        }
        (ErrorKind::SourceOff, _) => operator(error),
        (ErrorKind::Budget | ErrorKind::SourceDown, _) => later(error, Some(OUTAGE)),
        // Before `Decode`: the page of a gateway that is down is one too.
        (_, _) if error.is_retryable() => later(error, None),
        (_, _) if error.sent() == Sent::Maybe && !reads(error) => Next::LookFirst,
        // Nothing was sent, or the service was never asked in time: MaxWait, Deadline.
        (_, _) if error.sent() == Sent::No => later(error, None),
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

fn customer(sentence: &str) -> Next {
    Next::AskCustomer(sentence.to_owned())
}

fn operator(error: &Error) -> Next {
    Next::AskOperator(error.to_string())
}

fn halt(error: &Error) -> Next {
    Next::Halt(error.to_string())
}
