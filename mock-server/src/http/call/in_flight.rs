//! A call on its way: what it brought along, and what has become of it so far.

use std::sync::{Arc, OnceLock};
use std::time::Instant as Stopwatch;

use http::{HeaderMap, Method};
use secmon_engine::{ChangedRecord, Instant, SandboxHeader};

use crate::account::shared::SharedAccount;
use crate::http::context::PartnerRequest;
use crate::http::{head, sso_page};
use crate::mock::Mock;
use crate::observation::notice::Fact;
use crate::operations::catalogue::{Operation, SIGN_IN_PATH};
use crate::operations::group::ErrorShape;
use crate::store::commit::Commit;

/// One call on its way.
pub(super) struct InFlight<'a> {
    pub(super) mock: &'a Mock,
    pub(super) operations: &'a [Operation],
    pub(super) method: &'a Method,
    /// The text of the bearer key, if there is one.
    pub(super) key: Option<&'a str>,
    /// The account of the key, or of the sign-in token, when the call arrived.
    pub(super) shared: Option<Arc<SharedAccount>>,
    /// The host that was called, without its port.
    pub(super) host: &'a str,
    pub(super) sandbox: SandboxHeader,
    /// By the account's clock.
    pub(super) arrived: Instant,
    /// The server's time when the call was last waited for: nothing else passes time.
    pub(super) server_now: Instant,
    /// The call's number in the journal, once it has one.
    pub(super) number: OnceLock<u64>,
    /// What its operation noted.
    pub(super) facts: OnceLock<Vec<Fact>>,
    /// The records that it changed.
    pub(super) changed: OnceLock<Vec<ChangedRecord>>,
    /// The fault that acted on it.
    pub(super) fault: Option<u64>,
    pub(super) stopwatch: Stopwatch,
}

impl<'a> InFlight<'a> {
    /// Takes in a call whose body is not read yet.
    pub(super) fn arrive(
        mock: &'a Mock,
        operations: &'a [Operation],
        request: &PartnerRequest<'a>,
    ) -> Self {
        let head = request.head;
        let key = head::bearer(&head.headers);
        let shared = if request.path() == SIGN_IN_PATH {
            sso_page::minted_by(&mock.accounts, request)
        } else {
            key.and_then(|key| mock.accounts.registry().holder(key)?.account().cloned())
        };
        let server_now = mock.accounts.now();
        Self {
            mock,
            operations,
            method: &head.method,
            key,
            arrived: shared
                .as_ref()
                .map_or(server_now, |shared| shared.time(server_now)),
            server_now,
            shared,
            host: head::host_name(head),
            sandbox: sandbox(&head.headers),
            number: OnceLock::new(),
            facts: OnceLock::new(),
            changed: OnceLock::new(),
            fault: None,
            stopwatch: Stopwatch::now(),
        }
    }

    /// The call's number in the journal. It is taken when the call takes effect, under its account's
    /// lock: answers that wait for a commit may go out in another order.
    pub(super) fn number(&self) -> u64 {
        *self.number.get_or_init(|| self.mock.accounts.next_call())
    }

    /// The time of the call's account, or of the server.
    pub(super) fn now(&self) -> Instant {
        self.shared
            .as_ref()
            .map_or(self.server_now, |shared| shared.time(self.server_now))
    }

    /// Time has passed since the call arrived.
    pub(super) fn waited(&mut self) {
        self.server_now = self.mock.accounts.now();
    }

    /// The operation that is called.
    pub(super) fn operation(&self) -> Option<&'a Operation> {
        let mut operations = self.operations.iter();
        operations.find(|operation| operation.method == *self.method)
    }

    pub(super) fn error_shape(&self) -> ErrorShape {
        self.operations
            .first()
            .map_or(ErrorShape::Envelope, |operation| {
                operation.group.error_shape()
            })
    }

    /// Keeps what the operation noted.
    pub(super) fn keep(&self, facts: Vec<Fact>) {
        // A call meets one operation.
        let _ = self.facts.set(facts);
    }

    /// Keeps which records the operation changed.
    pub(super) fn keep_changed(&self, changed: Vec<ChangedRecord>) {
        let _ = self.changed.set(changed);
    }

    /// Where a call changes nothing, its answer still tells of what others changed.
    pub(super) fn settled(&self) -> Commit {
        self.mock.accounts.store.settled()
    }
}

fn sandbox(headers: &HeaderMap) -> SandboxHeader {
    let request = headers
        .get("x-sandbox")
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"));
    if request {
        SandboxHeader::Simulate
    } else {
        SandboxHeader::Absent
    }
}
