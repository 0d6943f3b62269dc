//! What can fail, and the one table of it: the code for scripts, the exit code, whether the same may be asked for again as
//! it is, and the way out. A command between backticks is a command line of this program.

use super::exit::Exit;
use secmon::{ErrorCode, ErrorKind};
use std::borrow::Cow;

/// A kind of failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The program's own, or the client's on the way to the service and back.
    LocalErrorKind(LocalErrorKind),
    /// The service refused, with a status and mostly a code.
    Answered(u16, Option<ErrorCode>),
    /// The admin API of a mock refused, with a status.
    MockRefused(u16),
}

/// A line of the table.
struct ErrorSpec {
    code: &'static str,
    exit: Exit,
    retryable: bool,
    hint: Option<&'static str>,
}

macro_rules! failures {
    ($($(#[$doc:meta])* $name:ident: $code:literal, $exit:ident, $retryable:literal, $hint:expr;)*) => {
        /// A failure that is none of the service's answers.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum LocalErrorKind { $($(#[$doc])* $name,)* }

        impl LocalErrorKind {
            fn row(self) -> ErrorSpec {
                match self {
                    $(Self::$name => ErrorSpec { code: $code, exit: Exit::$exit, retryable: $retryable, hint: $hint },)*
                }
            }
        }
    };
}

pub const TRY_LATER: &str = "try again in a few minutes";
pub const LOOK_FIRST: &str = "check what was done before you repeat the command";
const LOCK: Option<&str> = Some("wait until that process has ended, or end it, then try again");
const CALLS_USED_UP: Option<&str> = Some(
    "the key's calls of this minute are used up: try again in a minute, or allow a longer --timeout and --max-wait",
);

failures! {
    /// Wrong usage: nothing was sent.
    Usage: "usage", Usage, false, None;
    /// A reference that fits more than one record.
    Ambiguous: "ambiguous", Usage, false, None;
    /// Files that should be private and are not.
    OpenFiles: "open_files", Usage, false, Some("run chmod 600 on them; change a key that somebody may have seen");
    /// A request that the client refuses before it is sent.
    Validation: "validation", Usage, false, None;
    /// Settings of the client that do not go together.
    Configuration: "configuration", Usage, false, None;
    /// A reference that fits nothing.
    NotFound: "not_found", NotFound, false, None;
    /// A profile that refuses every change.
    ReadOnly: "read_only", Permission, false, Some("use a profile that may change things, with --profile NAME");
    /// A key that the service has refused before.
    KeyRejected: "unauthenticated", Permission, false, Some("the service refused this key: save a new one with `auth login`");
    /// A key that the portal's domain does not take.
    ForeignKey: "TENANT_MISMATCH", Permission, false, Some("save the key with its own portal's address: `auth login`");
    /// No key to send.
    NoKey: "no_key", Permission, false, Some("`auth status` says where the key comes from, `auth login` keeps a new one");
    /// A server that is not active, so that no scan comes.
    Paused: "paused", Conflict, false, None;
    /// A wait for a rate limit that is longer than was allowed.
    MaxWait: "rate_limited", RateLimited, false, CALLS_USED_UP;
    /// The service cannot be reached.
    NoConnection: "no_connection", Unavailable, false, Some("check the address and the network: `doctor`");
    /// No connection that can be trusted.
    Tls: "tls", Unavailable, false, Some("check that the port serves https, that the certificate is the portal's and valid by this computer's clock, and, behind a proxy that inspects https, that its authority is in the system's trust store");
    /// A proxy that does not let the call through.
    Proxy: "proxy", Unavailable, false, Some("give the proxy's user and password in HTTPS_PROXY, as in http://USER:PASSWORD@proxy.example.com:3128");
    /// What the key comes from is down.
    SourceDown: "source_down", Unavailable, false, Some(TRY_LATER);
    /// What the key comes from is switched off.
    SourceOff: "source_off", Other, false, None;
    /// No answer in time.
    Timeout: "timeout", Unavailable, false, Some("try again, or allow more time with --timeout");
    /// A connection that ended before the answer.
    ConnectionLost: "connection_lost", Unavailable, false, Some(LOOK_FIRST);
    /// An answer that is not the service's.
    UnreadableAnswer: "unreadable_answer", Unavailable, false, Some("something between here and the service answered instead, or the address is not the portal's: check it with `auth status`");
    /// An answer that lacks what it should tell.
    IncompleteAnswer: "unreadable_answer", Unavailable, false, None;
    /// An answer whose record is not what was asked for.
    OtherAnswer: "other_answer", Unavailable, false, Some(LOOK_FIRST);
    /// A call that something on this computer refused.
    Refused: "refused", Unavailable, false, None;
    /// A host without an address.
    Dns: "dns", Unavailable, false, Some("check the spelling of the address, the network and the name server");
    /// A file that another process holds.
    Locked: "locked", Unavailable, true, LOCK;
    /// The embedded mock, which another process uses.
    LocalBusy: "local_busy", Unavailable, false, LOCK;
    /// A state of the embedded mock that cannot be used.
    LocalState: "local_state", Unavailable, false, None;
    /// No mock at the address of the admin API.
    NoMock: "no_mock", Unavailable, false, Some("start a mock with `mock serve`, and say where it is with --admin-url");
    /// Leak records that cannot be read at this moment.
    LeaksUnavailable: "leaks_unavailable", Unavailable, false, Some(TRY_LATER);
    /// A service without leak records.
    LeaksDisabled: "leaks_disabled", Other, false, None;
    /// A scan that failed.
    ScanFailed: "scan_failed", Other, false, None;
    /// A file or stream that cannot be read or written.
    Io: "io", Other, false, None;
    /// A 'no' that was typed.
    Declined: "declined", Other, false, None;
    /// An item of a run that was never sent.
    NotSent: "not_sent", Other, false, None;
    /// A record that is not as an earlier run left it: nothing is sent before somebody has agreed.
    NotConfirmed: "not_confirmed", SomeFailed, false, Some("run the command in a terminal to be asked about this record, or name the record alone in its own command");
    /// A rule that is in the way of another.
    Overlap: "overlap", Conflict, false, None;
    /// A record that has changed since what is to be taken back.
    ChangedSince: "changed_since", Conflict, false, None;
    /// A jq expression that does not fit the result.
    Jq: "jq", Other, false, Some("the command itself was carried out; see its result with -o json");
    /// A clock that is wrong.
    Clock: "clock", Other, false, Some("set the clock: dates and waiting times depend on it");
    /// A file that was changed by another command meanwhile.
    Changed: "changed", Other, false, Some("your text is in the draft next to it: save a copy before you edit the file again");
    /// An editor that failed.
    Editor: "editor", Other, false, None;
    /// A mock that ended unexpectedly.
    MockFailed: "mock_failed", Other, false, None;
    /// Anything else that the client tells.
    Service: "service_error", Other, false, None;
    /// A wait that ran out.
    WaitRanOut: "wait_ran_out", WaitRanOut, false, None;
    /// Ctrl-C.
    Interrupted: "interrupted", Interrupted, false, None;
}

impl Failure {
    /// The failure that an error of the client is.
    pub(super) fn of(error: &secmon::Error) -> Self {
        let status = error.status().map_or(0, |status| status.as_u16());
        let code = error.code().cloned();
        match error.kind() {
            ErrorKind::Api => Self::Answered(status, code),
            kind => match code.filter(is_word) {
                // As the last of several answers that were waited for.
                Some(code) => Self::Answered(status, Some(code)),
                None => Self::LocalErrorKind(LocalErrorKind::of(kind)),
            },
        }
    }

    /// The service's string code, or the program's own word.
    pub fn code(&self) -> Cow<'_, str> {
        match self {
            Self::LocalErrorKind(own) => own.code().into(),
            Self::MockRefused(_) => "mock".into(),
            Self::Answered(status, code) => match code {
                Some(code) if is_word(code) => code.to_str(),
                _ => of_status(*status)
                    .map_or("service_error", |(code, _)| code)
                    .into(),
            },
        }
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self {
            Self::LocalErrorKind(own) => own.row().exit,
            Self::MockRefused(status) => Exit::of_status(*status),
            // Of a full account the status says 403, of a customer that is not there yet 500.
            Self::Answered(status, code) => match code {
                Some(ErrorCode::EndpointLimitExceeded | ErrorCode::DomainLimitExceeded) => {
                    Exit::Conflict
                }
                Some(ErrorCode::UserNotFound) => Exit::NotFound,
                // An error is never a success, whatever its status.
                Some(_) if (200..300).contains(status) => Exit::Conflict,
                None if (200..300).contains(status) => Exit::Unavailable,
                _ => Exit::of_status(*status),
            },
        }
    }

    /// The way out, where one is known without the circumstances.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::LocalErrorKind(own) => own.row().hint,
            Self::MockRefused(_) => None,
            Self::Answered(status, code) => code
                .as_ref()
                .and_then(hint_of)
                .or_else(|| of_status(*status)?.1),
        }
    }

    /// Whether the same may be asked for again as it is, as far as the kind alone tells.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::LocalErrorKind(own) if own.row().retryable)
    }

    /// Whether the service does not know the key (401): the client sends nothing more with it.
    pub fn is_unknown_key(&self) -> bool {
        match self {
            Self::LocalErrorKind(own) => *own == LocalErrorKind::KeyRejected,
            Self::Answered(status, code) => {
                *code == Some(ErrorCode::TenantNotFound)
                    || self.code() == "unauthenticated" && *status == 401
            }
            Self::MockRefused(_) => false,
        }
    }

    /// Whether everything that follows fails as well: the key, the account, the network or this computer is the trouble.
    pub fn is_hopeless(&self) -> bool {
        let refused_all = match self {
            Self::LocalErrorKind(own) => {
                matches!(own, LocalErrorKind::ReadOnly | LocalErrorKind::NoConnection)
            }
            Self::Answered(_, code) => matches!(
                code,
                Some(ErrorCode::TenantMismatch | ErrorCode::AccountSuspended)
            ),
            Self::MockRefused(_) => false,
        };
        refused_all || self.is_unknown_key()
    }
}

impl From<LocalErrorKind> for Failure {
    fn from(own: LocalErrorKind) -> Self {
        Self::LocalErrorKind(own)
    }
}

impl LocalErrorKind {
    /// The word for scripts.
    pub fn code(self) -> &'static str {
        self.row().code
    }

    /// What the client says of a call that got no answer of the service.
    fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Validation => Self::Validation,
            ErrorKind::Configuration => Self::Configuration,
            ErrorKind::KeyRejected => Self::KeyRejected,
            ErrorKind::NoKey => Self::NoKey,
            ErrorKind::QueueTimeout => Self::MaxWait,
            ErrorKind::RateLimiter => Self::NotSent,
            ErrorKind::Connect => Self::NoConnection,
            ErrorKind::Tls => Self::Tls,
            ErrorKind::Proxy => Self::Proxy,
            ErrorKind::LeakSourceUnavailable => Self::SourceDown,
            ErrorKind::LeakSourceNotConfigured => Self::SourceOff,
            ErrorKind::Timeout | ErrorKind::Deadline => Self::Timeout,
            ErrorKind::Interrupted => Self::ConnectionLost,
            ErrorKind::Decode
            | ErrorKind::Gateway
            | ErrorKind::Redirect
            | ErrorKind::BodyTooLarge => Self::UnreadableAnswer,
            ErrorKind::Refused => Self::Refused,
            _ => Self::Service,
        }
    }
}

/// A number in place of a code says no more than the status.
fn is_word(code: &ErrorCode) -> bool {
    !matches!(code, ErrorCode::Number(_))
}

/// The way out that goes with a code of the service.
fn hint_of(code: &ErrorCode) -> Option<&'static str> {
    Some(match code {
        ErrorCode::TenantNotFound => {
            "the key belongs to no account: make a new one in the portal, then `auth login`"
        }
        ErrorCode::TenantMismatch => {
            "the key belongs to another portal domain: `auth status` shows which address and key are in use"
        }
        ErrorCode::AccountSuspended => {
            "the partner account is suspended: only the provider can open it again"
        }
        ErrorCode::EndpointLimitExceeded => {
            "see the servers: `endpoint list -c ID`; terminate or delete one, choose a bigger plan: `subscription change SERVICE --product port_monitoring --plan PLAN -c ID`, or resume a suspended subscription"
        }
        ErrorCode::DomainLimitExceeded => {
            "see what is using them: `domain list -c ID`; end one with `domain terminate DOMAIN -c ID` (provisioning it again restores it), or give the customer more: `subscription set SERVICE --product domain_monitoring --quantity N -c ID`"
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
            "remove some first (`domain list -c ID`, `endpoint list -c ID`), choose a bigger plan, or add --force to pause those over the limit"
        }
        ErrorCode::SubscriptionNotChangeable => {
            "to bring a cancelled subscription back: `subscription set SERVICE --product PRODUCT -c ID`"
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
            "a portal account is created with the customer's first server or domain: `provision TARGET -c ID`"
        }
        ErrorCode::ScanDispatchFailed => "the scan was not queued: try again in a minute",
        ErrorCode::ScanningUnavailable => {
            "scanning is down for a moment: try again in a few minutes"
        }
        _ => return None,
    })
}

/// What a status means where the service gives no code that is known: the word for scripts, and the way out.
fn of_status(status: u16) -> Option<(&'static str, Option<&'static str>)> {
    Some(match status {
        401 => (
            "unauthenticated",
            Some(
                "the service does not know this key: `auth status` says where it comes from, `auth login` keeps a new one",
            ),
        ),
        403 => (
            "access_denied",
            Some(
                "the record belongs to another customer, or the account may not do this: check -c and the profile",
            ),
        ),
        404 => (
            "not_found",
            Some("check the id and the customer given with -c"),
        ),
        413 => (
            "too_large",
            Some("the request is larger than the service takes: send less at a time"),
        ),
        422 => ("validation", None),
        429 => ("rate_limited", CALLS_USED_UP),
        _ => return None,
    })
}
