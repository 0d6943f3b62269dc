//! Whose key a call has, and whether its account may make the call now: key, access, rate window (A2 to A4, A10).

use http::StatusCode;
use secmon_engine::{Account, Instant, RateGroup};
use uuid::Uuid;

use super::in_flight::InFlight;
use crate::account::registry::{Holder, Registry};
use crate::account::shared::SharedAccount;
use crate::http::problem::{coded, validation_shape};
use crate::http::reply::Reply;
use crate::operations::group::Group;
use crate::values::fields::FieldErrors;

/// The account of a key, with the key's id.
pub(super) struct KeyOwner<'a> {
    pub(super) shared: &'a SharedAccount,
    pub(super) key: Uuid,
}

impl InFlight<'_> {
    /// The account that the call's key is of.
    pub(super) fn find_key_owner<'r>(&self, registry: &'r Registry) -> Result<KeyOwner<'r>, Reply> {
        match self.key.and_then(|key| registry.holder(key)) {
            Some(Holder::Account(shared, key)) => Ok(KeyOwner { shared, key: *key }),
            Some(Holder::Nobody) => Err(no_account(self.now())),
            None => Err(unauthenticated()),
        }
    }

    /// A suspended account, or a key on the wrong portal domain (A3, A4).
    pub(super) fn check_access(
        &self,
        shared: &SharedAccount,
        group: Group,
        now: Instant,
    ) -> Result<(), Reply> {
        let settings = shared.settings();
        if settings.suspended.is_on() {
            let message = "The partner account is suspended.";
            return Err(coded(
                StatusCode::FORBIDDEN,
                "ACCOUNT_SUSPENDED",
                message,
                now,
            ));
        }
        let at_home = !group.checks_host()
            || self.host.eq_ignore_ascii_case(&settings.portal_domain)
            || self.mock.accounts.counts_as_loopback(self.host);
        if at_home {
            return Ok(());
        }
        let message = "The API key does not belong to this portal domain.";
        Err(coded(
            StatusCode::FORBIDDEN,
            "TENANT_MISMATCH",
            message,
            now,
        ))
    }
}

/// Counts a call in its window.
pub(super) fn take_window_slot(
    account: &mut Account,
    group: Group,
    key: Uuid,
    now: Instant,
) -> Result<(), Reply> {
    let Some(window) = group.window() else {
        return Ok(());
    };
    let taken = account.take_slot(key, window, now);
    taken.map_err(|limited| throttled(window, limited.retry_after_seconds))
}

fn unauthenticated() -> Reply {
    validation_shape(
        StatusCode::UNAUTHORIZED,
        "Unauthenticated.",
        &FieldErrors::new(),
    )
}

fn no_account(now: Instant) -> Reply {
    let message = "The API key does not resolve to an account.";
    coded(StatusCode::UNAUTHORIZED, "TENANT_NOT_FOUND", message, now)
}

fn throttled(window: RateGroup, seconds: u64) -> Reply {
    validation_shape(
        StatusCode::TOO_MANY_REQUESTS,
        "Too Many Attempts.",
        &FieldErrors::new(),
    )
    .window_full(window, seconds)
}
