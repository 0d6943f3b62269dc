//! A running mock: its accounts, and what is seen of them from outside.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use crate::account::accounts::Accounts;
use crate::configuration::settings::Settings;
use crate::configuration::start_error::StartError;
use crate::http::body::{self, Room};
use crate::observation::events::accounts::AccountWatch;
use crate::observation::evidence::collector::Evidence;
use crate::playbooks::run::Run;
use crate::store::commit::Commit;
use crate::values::lock::lock;

/// Bytes of the partner API's calls that are held at once: a hundred of the largest.
const ROOM_FOR_BODIES: usize = 128 * body::BODY_LIMIT;

/// A running mock, whatever serves it.
pub(crate) struct Mock {
    pub(crate) accounts: Arc<Accounts>,
    /// Where the partner API is served.
    pub(crate) public_port: u16,
    /// The certificate under which https is served, as PEM.
    pub(crate) authority: Option<String>,
    playbooks: Mutex<Vec<Run>>,
    account_watch: Mutex<AccountWatch>,
    /// Where a run is to be told of later.
    evidence: OnceLock<Mutex<Evidence>>,
    /// For the bodies of calls of the partner API, and of this one's own.
    pub(crate) bodies: Room,
    pub(crate) admin_bodies: Room,
    /// For answers of the admin API that are not read yet.
    pub(crate) admin_answers: Room,
}

impl Mock {
    /// A mock as `settings` say.
    pub(crate) fn open(settings: Settings) -> Result<Self, StartError> {
        Ok(Self {
            accounts: Arc::new(Accounts::open(settings)?),
            public_port: 0,
            authority: None,
            playbooks: Mutex::default(),
            account_watch: Mutex::default(),
            evidence: OnceLock::new(),
            bodies: Room::of(ROOM_FOR_BODIES),
            admin_bodies: Room::of(body::ADMIN_BODY_LIMIT),
            admin_answers: Room::of(body::ADMIN_BODY_LIMIT),
        })
    }

    /// Everything back to the start (M3).
    pub(crate) fn reset(&self) -> Commit {
        self.playbooks().clear();
        self.accounts.reset()
    }

    /// The playbooks that were started, oldest first.
    pub(crate) fn playbooks(&self) -> MutexGuard<'_, Vec<Run>> {
        lock(&self.playbooks)
    }

    /// Keeps every call from now on.
    pub(crate) fn gather_evidence(&self) {
        let secrets = self.accounts.secrets();
        self.evidence
            .get_or_init(|| Mutex::new(Evidence::begin(secrets)));
    }

    /// What was gathered, where anything is.
    pub(crate) fn evidence(&self) -> Option<MutexGuard<'_, Evidence>> {
        self.evidence.get().map(lock)
    }

    /// The accounts as who listens was told of them.
    pub(crate) fn account_watch(&self) -> &Mutex<AccountWatch> {
        &self.account_watch
    }
}
