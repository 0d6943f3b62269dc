//! Manual scans of servers (E1).

use serde::Serialize;
use uuid::Uuid;

use crate::ids::Kind;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::{EndpointNo, EndpointState, ManualScan, ManualScans, next_number};
use crate::values::ClientId;

/// The scan that `scan-endpoint` queued.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct QueuedScan {
    /// Its id.
    pub scan_id: Uuid,
    /// Always `pending`.
    pub status: &'static str,
    /// The configured length of the cooldown, in seconds.
    pub cooldown_seconds: u32,
}

impl Session<'_> {
    /// `scan-endpoint`: queues a manual scan of a customer's server.
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`], [`Refusal::EndpointNotActive`],
    /// [`Refusal::ScanCooldown`].
    pub fn scan_endpoint(
        &mut self,
        client: ClientId,
        endpoint: Uuid,
    ) -> Result<QueuedScan, Refusal> {
        let number = self.undeleted_endpoint(endpoint)?;
        if self.owner(number) != client {
            return Err(Refusal::EndpointNotFound);
        }
        self.require_active(number)?;
        self.require_no_cooldown(number)?;
        let scan = self.queue_scan(number);
        self.mark_simulated(number);
        Ok(QueuedScan {
            scan_id: self.ids.uuid(Kind::Scan, scan),
            status: "pending",
            cooldown_seconds: self.records.settings.timings.scan_cooldown,
        })
    }

    pub(crate) fn require_active(&self, number: EndpointNo) -> Result<(), Refusal> {
        match self.records.endpoints[number].state {
            EndpointState::Active(_) => Ok(()),
            _ => Err(Refusal::EndpointNotActive),
        }
    }

    fn require_no_cooldown(&self, number: EndpointNo) -> Result<(), Refusal> {
        let Some(scans) = self.records.manual_scans.get(&number) else {
            return Ok(());
        };
        let ends = scans
            .accepted_at
            .plus(self.records.settings.timings.cooldown());
        if self.now >= ends {
            return Ok(());
        }
        Err(Refusal::ScanCooldown {
            retry_after_seconds: self.now.seconds_until(ends),
        })
    }

    fn queue_scan(&mut self, endpoint: EndpointNo) -> u32 {
        let now = self.now;
        let number = next_number(&mut self.records.controls.edit().scans);
        let mut scans = match self.records.manual_scans.get(&endpoint) {
            Some(scans) => scans.clone(),
            None => ManualScans {
                accepted_at: now,
                in_flight: Vec::new(),
            },
        };
        scans.accepted_at = now;
        scans.in_flight.push(ManualScan {
            number,
            started_at: now,
        });
        self.records.manual_scans.insert(endpoint, scans);
        self.index_manual_scans(endpoint);
        number
    }
}
