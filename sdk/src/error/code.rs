//! The codes of the service's error answers.

use std::borrow::Cow;
use std::fmt;

use super::named::named_enum;
use crate::model::UnknownValue;
use crate::model::tolerant::deserialize_by_parsing;
use crate::operation_info::OperationInfo;

named_enum! {
    /// Why the service refused, as it says itself.
    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
    ErrorCode {
        /// The key did not resolve to an account (401).
        TenantNotFound = "TENANT_NOT_FOUND",
        /// The key does not belong to the portal domain that was called (403).
        TenantMismatch = "TENANT_MISMATCH",
        /// The partner account is suspended (403).
        AccountSuspended = "ACCOUNT_SUSPENDED",
        /// The plan allows no further server (403).
        EndpointLimitExceeded = "ENDPOINT_LIMIT_EXCEEDED",
        /// All domain slots are used (403).
        DomainLimitExceeded = "DOMAIN_LIMIT_EXCEEDED",
        /// No such server in the account, or not of this customer (404).
        EndpointNotFound = "ENDPOINT_NOT_FOUND",
        /// No such monitored domain in the account, or not of this customer (404).
        DomainNotFound = "DOMAIN_NOT_FOUND",
        /// No such alert on this domain (404).
        AlertNotFound = "ALERT_NOT_FOUND",
        /// Unknown `product_slug` (404).
        ProductNotFound = "PRODUCT_NOT_FOUND",
        /// The customer has no records for this service (404).
        BillingClientNotFound = "BILLING_CLIENT_NOT_FOUND",
        /// No subscription for this product and service (404).
        SubscriptionNotFound = "SUBSCRIPTION_NOT_FOUND",
        /// A scan was asked for a server that is paused or terminated (409).
        EndpointNotActive = "ENDPOINT_NOT_ACTIVE",
        /// The customer already monitors the new domain (409).
        DomainAlreadyExists = "DOMAIN_ALREADY_EXISTS",
        /// More is in use than the new plan or quantity gives (422); see the details `current_usage` and `new_limit`.
        DowngradeUsageExceeded = "DOWNGRADE_USAGE_EXCEEDED",
        /// The subscription's state allows no change (422).
        SubscriptionNotChangeable = "SUBSCRIPTION_NOT_CHANGEABLE",
        /// The alert is resolved, so it cannot be acknowledged (422).
        AlertAlreadyResolved = "ALERT_ALREADY_RESOLVED",
        /// The alert was not acknowledged, so it cannot be resolved (422).
        AlertNotAcknowledged = "ALERT_NOT_ACKNOWLEDGED",
        /// The hostname did not resolve (422).
        DnsResolutionFailed = "DNS_RESOLUTION_FAILED",
        /// The server is in its scan cooldown (429); see the detail `retry_after_seconds`.
        RateLimited = "RATE_LIMITED",
        /// The customer has no portal account (500): provision something for it first.
        UserNotFound = "USER_NOT_FOUND",
        /// The scan could not be queued (500).
        ScanDispatchFailed = "SCAN_DISPATCH_FAILED",
        /// The scanning service is down for the moment (503).
        ScanningUnavailable = "SCANNING_UNAVAILABLE",
        /// No such path (404; assumed).
        NotFound = "NOT_FOUND",
        /// The path does not take this method (405; assumed).
        MethodNotAllowed = "METHOD_NOT_ALLOWED",
        /// The account has no sandbox mode (403; assumed).
        SandboxDisabled = "SANDBOX_DISABLED",
    }
    and {
        /// A number in place of a name, equal to the HTTP status.
        Number(u16),
        /// A code this version has no name for, kept as it came.
        Unknown(UnknownValue),
    }
}

impl ErrorCode {
    /// The code as the service writes it; a number in decimal.
    pub fn to_str(&self) -> Cow<'_, str> {
        match self {
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Unknown(text) => Cow::Borrowed(text.as_str()),
            named => Cow::Borrowed(named.text().unwrap_or_default()),
        }
    }

    /// Whether it says that the record is not there which a call of this operation names.
    pub(crate) fn says_no_record_of(&self, operation: &OperationInfo) -> bool {
        let names = |field| operation.fields.contains(&field);
        let is_about_a_domain = names("domain_id") || names("monitored_domain_id");
        match self {
            Self::EndpointNotFound => names("endpoint_id"),
            Self::DomainNotFound => is_about_a_domain,
            Self::AlertNotFound => names("alert_id"),
            // A release names a service besides the domain that it is about.
            Self::SubscriptionNotFound => names("service_id") && !is_about_a_domain,
            // Where the code is a number, that of an unknown path has a name all the same.
            Self::Number(404) => operation.path.contains("_id}"),
            _ => false,
        }
    }

    /// Whether it is one of the named codes.
    pub(crate) fn is_named(&self) -> bool {
        self.text().is_some()
    }
}

impl From<&str> for ErrorCode {
    fn from(text: &str) -> Self {
        let mut named = Self::VARIANTS.iter();
        let known = named.find(|code| code.text() == Some(text)).cloned();
        let number = || text.parse().ok().map(Self::Number);
        let unknown = || Self::Unknown(UnknownValue::new(text));
        known.or_else(number).unwrap_or_else(unknown)
    }
}

impl From<String> for ErrorCode {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl serde::Serialize for ErrorCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_str())
    }
}

deserialize_by_parsing!(ErrorCode, number, "a code");

impl std::str::FromStr for ErrorCode {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::from(text))
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_str())
    }
}
