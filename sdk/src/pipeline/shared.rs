//! What all calls of a client share.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;

use super::call::Call;
use super::pacer::RateLimiter;
use super::retry::RetryBudget;
use super::runtime::RuntimeCheck;
use super::transport::Transport;
use crate::error::{Error, ErrorCode};
use crate::event::{Event, Observer, WaitReason};
use crate::secret::{ApiKey, KeyProvider};

/// What is known of the key in use.
#[derive(Default)]
pub(crate) enum KeyStanding {
    /// Nothing against it.
    #[default]
    Accepted,
    /// A 401 came that is not in the service's shape: something between may be what refuses, so another call tells.
    Doubted(ApiKey),
    /// The service refused it.
    Refused(ApiKey),
}

/// Whether a failure may be followed by another attempt.
pub(crate) type RetryFilter = Arc<dyn Fn(&Error) -> bool + Send + Sync>;

/// The service's code, if it is one that this crate has a name for: no text of the service is told.
pub(super) fn named_code(error: &Error) -> Option<&ErrorCode> {
    error.code().filter(|code| code.is_named())
}

/// What went wrong, as OpenTelemetry has it: the service's code, else the status, else the kind.
pub(super) fn error_type(error: &Error) -> Cow<'_, str> {
    match (named_code(error), error.status()) {
        (Some(code), _) => code.to_str(),
        (None, Some(status)) => status.as_u16().to_string().into(),
        (None, None) => error.kind().as_str().into(),
    }
}

/// What all calls of a client share.
pub(crate) struct Pipeline {
    pub(crate) keys: Box<dyn KeyProvider>,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) rate_limiter: Arc<dyn RateLimiter>,
    pub(crate) observer: Option<Observer>,
    pub(crate) retry_budget: RetryBudget,
    pub(crate) retry_filter: Option<RetryFilter>,
    pub(crate) runtime: RuntimeCheck,
    /// What the last 401 says of the key that was sent.
    pub(crate) key_standing: Mutex<KeyStanding>,
}

impl Pipeline {
    /// Tells of a call that ended before there was anything to send.
    pub(crate) fn refused(&self, operation: &'static str, error: &Error) {
        let span = tracing::debug_span!(
            "secmon.call",
            otel.name = operation,
            otel.kind = "client",
            otel.status_code = "ERROR",
            error.r#type = error_type(error).as_ref(),
        );
        let _inside = span.enter();
        self.tell(|| Event::Started { operation });
        self.tell(|| Event::Ended {
            operation,
            attempts: 0,
            status: None,
            error: Some(error.kind()),
            code: None,
            elapsed: Duration::ZERO,
        });
    }

    pub(super) fn may_retry(&self, error: &Error) -> bool {
        (self.retry_filter.as_ref()).is_none_or(|may_retry| may_retry(error))
    }

    /// Whether the service refused the key that was last in use.
    pub(crate) fn key_rejected(&self) -> bool {
        matches!(*self.key_standing(), KeyStanding::Refused(_))
    }

    /// Whether this key is the one that was refused; what is known of another one is void.
    pub(super) fn refuses(&self, key: &ApiKey) -> bool {
        let mut standing = self.key_standing();
        match &*standing {
            KeyStanding::Refused(refused) if refused == key => true,
            KeyStanding::Doubted(doubted) if doubted == key => false,
            _ => {
                *standing = KeyStanding::Accepted;
                false
            }
        }
    }

    /// A call with this key was answered. A 401 counts where it is the service's own, or the second in a row (F13).
    pub(super) fn note_answer(&self, key: &ApiKey, status: StatusCode, is_the_services: bool) {
        let mut standing = self.key_standing();
        let doubted = matches!(&*standing, KeyStanding::Doubted(doubted) if doubted == key);
        match status {
            StatusCode::UNAUTHORIZED if is_the_services || doubted => {
                *standing = KeyStanding::Refused(key.clone());
            }
            StatusCode::UNAUTHORIZED => *standing = KeyStanding::Doubted(key.clone()),
            _ if doubted => *standing = KeyStanding::Accepted,
            _ => {}
        }
    }

    /// Forgets what is known against the key.
    pub(crate) fn reset_key(&self) {
        *self.key_standing() = KeyStanding::Accepted;
    }

    fn key_standing(&self) -> std::sync::MutexGuard<'_, KeyStanding> {
        let standing = self.key_standing.lock();
        standing.unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tell(&self, event: impl FnOnce() -> Event) {
        if let Some(observer) = &self.observer {
            observer(&event());
        }
    }

    pub(super) fn tell_of_wait(&self, call: &Call, reason: WaitReason, duration: Duration) {
        tracing::debug!(
            operation = call.name(),
            reason = reason.as_str(),
            seconds = duration.as_secs_f64(),
            "waiting"
        );
        self.tell(|| Event::Waiting {
            operation: call.name(),
            reason,
            duration,
        });
    }
}
