//! Refusals: which status, code and shape each has in each group (A11).

use std::collections::BTreeMap;

use http::StatusCode;
use secmon_engine::{Capacity, FieldErrors as EngineErrors, Instant, Refusal};
use serde::Serialize;
use serde_json::{Value, json};

use super::reply::{Meta, Reply};
use crate::operations::group::ErrorShape;
use crate::values::fields::FieldErrors;

/// Why a call is not answered as it hoped.
#[derive(Debug)]
pub(crate) enum Problem {
    /// What the engine refused.
    Refused(Refusal),
    /// Fields that are wrong.
    Invalid(FieldErrors),
    /// A body over the limit.
    TooLarge,
    /// A sandbox operation on an account without sandbox mode (E12).
    SandboxDisabled,
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<FieldErrors> for Problem {
    fn from(errors: FieldErrors) -> Self {
        Self::Invalid(errors)
    }
}

impl Problem {
    /// The answer, in the shape of the group that was called.
    pub(crate) fn reply(self, shape: ErrorShape, now: Instant) -> Reply {
        match self {
            Self::Invalid(errors) => invalid(&errors),
            Self::Refused(refusal) => refused(&refusal, shape, now),
            Self::SandboxDisabled => {
                let message = "Sandbox mode is not enabled on this account.";
                coded(StatusCode::FORBIDDEN, "SANDBOX_DISABLED", message, now)
            }
            Self::TooLarge => validation_shape(
                StatusCode::PAYLOAD_TOO_LARGE,
                "The request body is larger than 1 MiB.",
                &FieldErrors::from([(
                    "body".to_owned(),
                    vec!["The body must be at most 1 MiB.".to_owned()],
                )]),
            ),
        }
    }
}

fn invalid(errors: &FieldErrors) -> Reply {
    validation_shape(
        StatusCode::UNPROCESSABLE_ENTITY,
        "The given data was invalid.",
        errors,
    )
}

/// The shape of validation, authentication and throttle failures.
pub(crate) fn validation_shape(status: StatusCode, message: &str, errors: &FieldErrors) -> Reply {
    #[derive(Serialize)]
    struct Failure<'a> {
        status: &'static str,
        message: &'a str,
        errors: &'a FieldErrors,
    }
    Reply::json(
        status,
        &Failure {
            status: "error",
            message,
            errors,
        },
    )
}

/// The error envelope; `code` is a string or a number.
pub(crate) fn envelope(
    status: StatusCode,
    code: Value,
    message: &str,
    details: Value,
    now: Instant,
) -> Reply {
    #[derive(Serialize)]
    struct Error<'a> {
        code: &'a Value,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    }
    #[derive(Serialize)]
    struct Envelope<'a> {
        success: bool,
        error: Error<'a>,
        meta: Meta,
    }
    let details = code.is_string().then_some(details);
    let error = Error {
        code: &code,
        message,
        details,
    };
    Reply::json(
        status,
        &Envelope {
            success: false,
            error,
            meta: Meta::at(now),
        },
    )
}

/// The error envelope of a string code without details.
pub(crate) fn coded(status: StatusCode, code: &str, message: &str, now: Instant) -> Reply {
    envelope(status, code.into(), message, json!({}), now)
}

/// An error whose code is the status, in the group's shape; groups of string codes use `code`.
pub(crate) fn shaped(
    status: StatusCode,
    code: &str,
    message: &str,
    shape: ErrorShape,
    now: Instant,
) -> Reply {
    match shape {
        ErrorShape::Envelope => coded(status, code, message, now),
        ErrorShape::NumberedEnvelope => {
            envelope(status, status.as_u16().into(), message, Value::Null, now)
        }
        ErrorShape::BareNumber => {
            let error = BTreeMap::from([
                ("code", Value::from(status.as_u16())),
                ("message", message.into()),
            ]);
            Reply::json(status, &json!({ "error": error }))
        }
    }
}

const NOT_FOUND: StatusCode = StatusCode::NOT_FOUND;

const FORBIDDEN: StatusCode = StatusCode::FORBIDDEN;

const CONFLICT: StatusCode = StatusCode::CONFLICT;

const UNPROCESSABLE: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

/// How a refusal is named.
enum Naming<'a> {
    /// By its string code, in every group.
    Coded(StatusCode, &'static str),
    /// By its string code, or by its status in the groups that have numbers.
    ByGroup(StatusCode, &'static str),
    /// By the fields that are wrong.
    Fields(&'a EngineErrors),
}

fn naming(refusal: &Refusal) -> Naming<'_> {
    use Naming::{ByGroup, Coded, Fields};
    match refusal {
        Refusal::Invalid(errors) => Fields(errors),
        Refusal::EndpointNotFound => ByGroup(NOT_FOUND, "ENDPOINT_NOT_FOUND"),
        Refusal::RuleNotFound => ByGroup(NOT_FOUND, "RULE_NOT_FOUND"),
        Refusal::PortAlertNotFound => ByGroup(NOT_FOUND, "ALERT_NOT_FOUND"),
        Refusal::AccessDenied => ByGroup(FORBIDDEN, "ACCESS_DENIED"),
        Refusal::DomainNotFound => Coded(NOT_FOUND, "DOMAIN_NOT_FOUND"),
        Refusal::DomainAlertNotFound => Coded(NOT_FOUND, "ALERT_NOT_FOUND"),
        Refusal::ProductNotFound => Coded(NOT_FOUND, "PRODUCT_NOT_FOUND"),
        Refusal::BillingClientNotFound => Coded(NOT_FOUND, "BILLING_CLIENT_NOT_FOUND"),
        Refusal::SubscriptionNotFound => Coded(NOT_FOUND, "SUBSCRIPTION_NOT_FOUND"),
        Refusal::EndpointLimitExceeded(_) => Coded(FORBIDDEN, "ENDPOINT_LIMIT_EXCEEDED"),
        Refusal::DomainLimitExceeded(_) => Coded(FORBIDDEN, "DOMAIN_LIMIT_EXCEEDED"),
        Refusal::EndpointNotActive => Coded(CONFLICT, "ENDPOINT_NOT_ACTIVE"),
        Refusal::DomainNotActive => Coded(CONFLICT, "DOMAIN_NOT_ACTIVE"),
        Refusal::DomainAlreadyExists => Coded(CONFLICT, "DOMAIN_ALREADY_EXISTS"),
        Refusal::DnsResolutionFailed(_) => Coded(UNPROCESSABLE, "DNS_RESOLUTION_FAILED"),
        Refusal::AlertAlreadyResolved => Coded(UNPROCESSABLE, "ALERT_ALREADY_RESOLVED"),
        Refusal::AlertNotAcknowledged => Coded(UNPROCESSABLE, "ALERT_NOT_ACKNOWLEDGED"),
        Refusal::SubscriptionNotChangeable => Coded(UNPROCESSABLE, "SUBSCRIPTION_NOT_CHANGEABLE"),
        Refusal::DowngradeUsageExceeded(_) => Coded(UNPROCESSABLE, "DOWNGRADE_USAGE_EXCEEDED"),
        Refusal::ScanCooldown { .. } => Coded(StatusCode::TOO_MANY_REQUESTS, "RATE_LIMITED"),
        Refusal::UserNotFound => Coded(StatusCode::INTERNAL_SERVER_ERROR, "USER_NOT_FOUND"),
    }
}

fn refused(refusal: &Refusal, shape: ErrorShape, now: Instant) -> Reply {
    let message = refusal.to_string();
    let reply = match naming(refusal) {
        Naming::Fields(errors) => {
            let named = errors
                .iter()
                .map(|(name, said)| ((*name).to_owned(), said.clone()));
            return invalid(&named.collect());
        }
        Naming::ByGroup(status, code) => shaped(status, code, &message, shape, now),
        Naming::Coded(status, code) => {
            envelope(status, code.into(), &message, details(refusal), now)
        }
    };
    match refusal {
        Refusal::ScanCooldown {
            retry_after_seconds,
        } => reply.retry_after(*retry_after_seconds),
        _ => reply,
    }
}

fn details(refusal: &Refusal) -> Value {
    match refusal {
        Refusal::EndpointLimitExceeded(capacity) | Refusal::DomainLimitExceeded(capacity) => {
            json!(capacity)
        }
        Refusal::DowngradeUsageExceeded(Capacity {
            limit,
            current_usage,
        }) => {
            json!({ "current_usage": current_usage, "new_limit": limit })
        }
        Refusal::ScanCooldown {
            retry_after_seconds,
        } => {
            json!({ "retry_after_seconds": retry_after_seconds })
        }
        _ => json!({}),
    }
}
