//! Waiting for calls to come (M11).

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::Mock;
use crate::AdminError;
use crate::journal::{Lookout, Redaction, Wanted};

/// Calls that come together are looked at together.
const GATHERING: Duration = Duration::from_millis(5);

/// Calls that are judged at once: other callers wait meanwhile.
const AT_ONCE: usize = 64;

impl Mock {
    /// Returns once so many calls of an account, or of all, came as are waited for, or when the wait is over.
    pub(crate) async fn arrival(
        &self,
        tenant: Option<&str>,
        wanted: &Wanted,
        count: usize,
        wait: Duration,
    ) -> Result<(), AdminError> {
        let end = Instant::now() + wait;
        let mut news = match tenant {
            Some(name) => self.partner(name)?.journal().news().listen(),
            None => self.news().listen(),
        };
        let mut lookout = Lookout::default();
        loop {
            let judged = self.look(tenant, wanted, &mut lookout)?;
            if lookout.found >= count {
                return Ok(());
            }
            if judged == AT_ONCE {
                tokio::task::yield_now().await;
                continue;
            }
            match timeout_at(end, news.changed()).await {
                Ok(Ok(())) => tokio::time::sleep(GATHERING).await,
                // The time is over, or the account is gone.
                _ => return Ok(()),
            }
        }
    }

    /// Judges some of the calls that were not judged yet; how many.
    fn look(
        &self,
        tenant: Option<&str>,
        wanted: &Wanted,
        lookout: &mut Lookout,
    ) -> Result<usize, AdminError> {
        let mut entries = Vec::new();
        self.with_journals(tenant, |_, journal| {
            let room = AT_ONCE - entries.len();
            entries.extend(lookout.unjudged(wanted, journal, room));
        })?;
        let secrets = self.secrets();
        let redaction = Redaction::new(secrets.iter().map(String::as_str));
        lookout.judge(wanted, &entries, &redaction);
        Ok(entries.len())
    }
}
