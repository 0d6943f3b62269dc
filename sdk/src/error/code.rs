//! The codes of the service's error answers.

use std::borrow::Cow;
use std::fmt;

/// Why the service refused, as it says itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The key did not resolve to an account (401).
    TenantNotFound,
    /// The key does not belong to the portal domain that was called (403).
    TenantMismatch,
    /// The partner account is suspended (403).
    AccountSuspended,
    /// The plan allows no further server (403).
    EndpointLimitExceeded,
    /// All domain slots are used (403).
    DomainLimitExceeded,
    /// No such server in the account, or not of this customer (404).
    EndpointNotFound,
    /// No such monitored domain in the account, or not of this customer (404).
    DomainNotFound,
    /// No such alert on this domain (404).
    AlertNotFound,
    /// Unknown `product_slug` (404).
    ProductNotFound,
    /// The customer has no records for this service (404).
    BillingClientNotFound,
    /// No subscription for this product and service (404).
    SubscriptionNotFound,
    /// A scan was asked for a server that is paused or terminated (409).
    EndpointNotActive,
    /// The customer already monitors the new domain (409).
    DomainAlreadyExists,
    /// More is in use than the new plan or quantity gives (422); see the details `current_usage` and `new_limit`.
    DowngradeUsageExceeded,
    /// The subscription's state allows no change (422).
    SubscriptionNotChangeable,
    /// The alert is resolved, so it cannot be acknowledged (422).
    AlertAlreadyResolved,
    /// The alert was not acknowledged, so it cannot be resolved (422).
    AlertNotAcknowledged,
    /// The hostname did not resolve (422).
    DnsResolutionFailed,
    /// The server is in its scan cooldown (429); see the detail `retry_after_seconds`.
    RateLimited,
    /// The customer has no portal account (500): provision something for it first.
    UserNotFound,
    /// The scan could not be queued (500).
    ScanDispatchFailed,
    /// The scanning service is down for the moment (503).
    ScanningUnavailable,
    /// No such path (404; assumed).
    NotFound,
    /// The path does not take this method (405; assumed).
    MethodNotAllowed,
    /// The account has no sandbox mode (403; assumed).
    SandboxDisabled,
    /// A number in place of a name, equal to the HTTP status.
    Number(u16),
    /// A code this version has no name for, kept as it came.
    Unknown(String),
}

/// The named codes with their texts.
const NAMED: [(ErrorCode, &str); 25] = [
    (ErrorCode::TenantNotFound, "TENANT_NOT_FOUND"),
    (ErrorCode::TenantMismatch, "TENANT_MISMATCH"),
    (ErrorCode::AccountSuspended, "ACCOUNT_SUSPENDED"),
    (ErrorCode::EndpointLimitExceeded, "ENDPOINT_LIMIT_EXCEEDED"),
    (ErrorCode::DomainLimitExceeded, "DOMAIN_LIMIT_EXCEEDED"),
    (ErrorCode::EndpointNotFound, "ENDPOINT_NOT_FOUND"),
    (ErrorCode::DomainNotFound, "DOMAIN_NOT_FOUND"),
    (ErrorCode::AlertNotFound, "ALERT_NOT_FOUND"),
    (ErrorCode::ProductNotFound, "PRODUCT_NOT_FOUND"),
    (ErrorCode::BillingClientNotFound, "BILLING_CLIENT_NOT_FOUND"),
    (ErrorCode::SubscriptionNotFound, "SUBSCRIPTION_NOT_FOUND"),
    (ErrorCode::EndpointNotActive, "ENDPOINT_NOT_ACTIVE"),
    (ErrorCode::DomainAlreadyExists, "DOMAIN_ALREADY_EXISTS"),
    (
        ErrorCode::DowngradeUsageExceeded,
        "DOWNGRADE_USAGE_EXCEEDED",
    ),
    (
        ErrorCode::SubscriptionNotChangeable,
        "SUBSCRIPTION_NOT_CHANGEABLE",
    ),
    (ErrorCode::AlertAlreadyResolved, "ALERT_ALREADY_RESOLVED"),
    (ErrorCode::AlertNotAcknowledged, "ALERT_NOT_ACKNOWLEDGED"),
    (ErrorCode::DnsResolutionFailed, "DNS_RESOLUTION_FAILED"),
    (ErrorCode::RateLimited, "RATE_LIMITED"),
    (ErrorCode::UserNotFound, "USER_NOT_FOUND"),
    (ErrorCode::ScanDispatchFailed, "SCAN_DISPATCH_FAILED"),
    (ErrorCode::ScanningUnavailable, "SCANNING_UNAVAILABLE"),
    (ErrorCode::NotFound, "NOT_FOUND"),
    (ErrorCode::MethodNotAllowed, "METHOD_NOT_ALLOWED"),
    (ErrorCode::SandboxDisabled, "SANDBOX_DISABLED"),
];

impl ErrorCode {
    /// The code as the service writes it; a number in decimal.
    pub fn as_str(&self) -> Cow<'_, str> {
        match self {
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Unknown(text) => Cow::Borrowed(text),
            named => NAMED
                .iter()
                .find(|(code, _)| code == named)
                .map_or(Cow::Borrowed(""), |(_, text)| Cow::Borrowed(*text)),
        }
    }

    /// Every code that has a name in this version.
    pub fn named() -> impl Iterator<Item = ErrorCode> {
        NAMED.into_iter().map(|(code, _)| code)
    }

    /// Whether it is one of the named codes.
    pub(crate) fn is_named(&self) -> bool {
        !matches!(self, Self::Number(_) | Self::Unknown(_))
    }
}

impl From<&str> for ErrorCode {
    fn from(text: &str) -> Self {
        NAMED
            .into_iter()
            .find(|(_, name)| *name == text)
            .map_or_else(|| Self::Unknown(text.to_owned()), |(code, _)| code)
    }
}

impl std::str::FromStr for ErrorCode {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::from(text))
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.as_str())
    }
}
