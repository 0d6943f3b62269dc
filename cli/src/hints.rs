//! The way out of each error. A command between backticks is a command line of this program.

use secmon::{ErrorCode, ErrorKind};

/// The hint for an error of the SDK; `None` where the sentence says all.
pub fn for_error(error: &secmon::Error) -> Option<String> {
    let status = error.status().map(|status| status.as_u16());
    for_answer(error.code(), status)
        .or_else(|| for_kind(error))
        .map(str::to_owned)
}

/// The hint for what the service has answered.
pub fn for_answer(code: Option<&ErrorCode>, status: Option<u16>) -> Option<&'static str> {
    code.and_then(for_code)
        .or_else(|| status.and_then(for_status))
}

fn for_code(code: &ErrorCode) -> Option<&'static str> {
    Some(match code {
        ErrorCode::TenantNotFound => {
            "the key belongs to no account: make a new one in the portal, then `auth login`"
        }
        ErrorCode::TenantMismatch => {
            "the key is of another portal domain: `auth status` says which address and key are in use"
        }
        ErrorCode::AccountSuspended => {
            "the partner account is suspended: only the provider can open it again"
        }
        ErrorCode::EndpointLimitExceeded => {
            "see what is using it: `endpoint list -c ID`; terminate or delete a server, or raise the plan"
        }
        ErrorCode::DomainLimitExceeded => {
            "see what is using them: `domain list -c ID`; release one, or give the customer more: `subscription set SERVICE --product domain_monitoring --quantity N -c ID`"
        }
        ErrorCode::EndpointNotFound => "see the servers there are: `endpoint list`",
        ErrorCode::DomainNotFound => "see the customer's domains: `domain list -c ID`",
        ErrorCode::AlertNotFound => "see the alerts there are: `alert list -c ID`",
        ErrorCode::ProductNotFound => {
            "products are endpoint, port_monitoring and domain_monitoring"
        }
        ErrorCode::BillingClientNotFound => {
            "nothing is recorded for this customer and service: `subscription set SERVICE --product PRODUCT -c ID` records it"
        }
        ErrorCode::SubscriptionNotFound => {
            "the service has no subscription of this product: `subscription set SERVICE --product PRODUCT -c ID` makes one"
        }
        ErrorCode::EndpointNotActive => {
            "only active servers are scanned: `endpoint resume ENDPOINT`, then scan again"
        }
        ErrorCode::DomainAlreadyExists => {
            "the customer monitors that domain already: use its record"
        }
        ErrorCode::DowngradeUsageExceeded => {
            "give up what no longer fits first (`domain list -c ID`, `endpoint list -c ID`), choose more, or add --force: what no longer fits is then paused"
        }
        ErrorCode::SubscriptionNotChangeable => {
            "a cancelled subscription is brought back by `subscription set SERVICE --product PRODUCT -c ID`"
        }
        ErrorCode::AlertAlreadyResolved => "nothing is left to do: the alert is resolved",
        ErrorCode::AlertNotAcknowledged => {
            "acknowledge the alert first: `alert ack ALERT`; or do both: `alert resolve ALERT --ack`"
        }
        ErrorCode::DnsResolutionFailed => "check the host name, or give the IP address",
        ErrorCode::RateLimited => {
            "wait until the server may be scanned again; `scan ENDPOINT --respect-cooldown` does"
        }
        ErrorCode::UserNotFound => {
            "the customer has no portal account, which the first server or domain makes: `provision TARGET -c ID`"
        }
        ErrorCode::ScanDispatchFailed => "the scan was not queued: try again in a minute",
        ErrorCode::ScanningUnavailable => {
            "scanning is down for a moment: try again in a few minutes"
        }
        _ => return None,
    })
}

fn for_status(status: u16) -> Option<&'static str> {
    Some(match status {
        401 => {
            "the service does not know this key: `auth status` says where it comes from, `auth login` keeps a new one"
        }
        403 => "the record belongs to another customer: check -c",
        404 => "check the id and the customer given with -c",
        413 => "the request is larger than the service takes: send less at a time",
        429 => {
            "the key's calls of this minute are used up: try again in a minute, or allow a longer --max-wait"
        }
        _ => return None,
    })
}

fn for_kind(error: &secmon::Error) -> Option<&'static str> {
    let read = error
        .method()
        .is_some_and(|method| *method == http::Method::GET);
    Some(match error.kind() {
        ErrorKind::Interrupted if read => "nothing was changed: try again",
        ErrorKind::Tls => {
            "the certificate must be the portal's, and valid by this machine's clock; the authority of a proxy that opens https must be in the system's trust store"
        }
        ErrorKind::Proxy => {
            "give the proxy's user and password in HTTPS_PROXY, as in http://USER:PASSWORD@proxy.example.com:3128"
        }
        ErrorKind::SourceDown => "try again in a few minutes",
        ErrorKind::NoKey => {
            "`auth status` says where the key comes from, `auth login` keeps a new one"
        }
        ErrorKind::Connect => "check the address and the network: `health`",
        ErrorKind::Timeout | ErrorKind::Deadline => "try again, or allow more time with --timeout",
        ErrorKind::Interrupted => "look at what was done before you repeat it",
        ErrorKind::Decode | ErrorKind::Redirect | ErrorKind::BodyTooLarge => {
            "something between here and the service answered instead, or the address is not the portal's: check it with `auth status`"
        }
        ErrorKind::KeyRejected => "the service refused this key: `auth login` keeps a new one",
        ErrorKind::MaxWait => {
            "the key's calls of this minute are used up: try again in a minute, or allow a longer --max-wait"
        }
        _ => return None,
    })
}
