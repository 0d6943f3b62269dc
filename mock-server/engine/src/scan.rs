//! Scans of servers: when they start and end, and what follows from them (E1).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::account::{Account, give_number};
use crate::endpoint::{Found, State};
use crate::ids::Kind;
use crate::index::Task;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::storage::{DomainNo, EndpointNo};
use crate::time::Instant;
use crate::values::{ClientId, OpenPort};
use crate::world::{PortSet, Scenario};

/// How scans come to their end (M6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// By the clock.
    Timed,
    /// In the call that starts them.
    Immediate,
    /// Only when told to.
    Manual,
}

impl Progress {
    /// The mode with this name: `timed`, `immediate` or `manual`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "timed" => Some(Self::Timed),
            "immediate" => Some(Self::Immediate),
            "manual" => Some(Self::Manual),
            _ => None,
        }
    }
}

/// How a scan ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScanOutcome {
    /// It saw the world.
    Completed,
    /// It saw nothing; what was known stays.
    Failed,
}

impl ScanOutcome {
    /// The status in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}

/// What the schedule of an active record is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    Waiting,
    Scanning,
}

/// A scan that ended.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct EndedScan {
    pub(crate) at: Instant,
    pub(crate) duration_ms: u32,
    pub(crate) outcome: ScanOutcome,
}

/// The manual scans of one server.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct ManualScans {
    /// When the last one was accepted: the cooldown runs from here.
    pub(crate) accepted_at: Instant,
    /// Those that have not ended, oldest first.
    pub(crate) in_flight: Vec<ManualScan>,
}

/// A manual scan that has not ended.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct ManualScan {
    pub(crate) number: u32,
    pub(crate) started_at: Instant,
}

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

/// What the end of a scan means for the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// It was the one on schedule: the next is due one interval later.
    NextOnSchedule,
    /// It was extra: the schedule moves on unless a scan of its own runs.
    ScheduleMoves,
    /// It was outside the schedule, which stays as it is.
    ScheduleStays,
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
        let number = self
            .undeleted_endpoint(endpoint)
            .filter(|number| self.owner(*number) == client)
            .ok_or(Refusal::EndpointNotFound)?;
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

    fn require_active(&self, number: EndpointNo) -> Result<(), Refusal> {
        match self.records.endpoints[number].state {
            State::Active(_) => Ok(()),
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
        let number = give_number(&mut self.records.controls.edit().scans);
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

    /// Sets the open ports of one server as its next scans will find them;
    /// the account's scenario no longer shows there (E2).
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`].
    pub fn set_ports(&mut self, endpoint: Uuid, open: Vec<OpenPort>) -> Result<(), Refusal> {
        let number = self
            .undeleted_endpoint(endpoint)
            .ok_or(Refusal::EndpointNotFound)?;
        self.records.endpoint_worlds.insert(number, open.into());
        Ok(())
    }

    /// Sets the world of one server to what a scenario has (E12).
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`].
    pub fn set_endpoint_scenario(
        &mut self,
        endpoint: Uuid,
        scenario: Scenario,
    ) -> Result<(), Refusal> {
        let ports = self.index.scenario_ports.of(scenario);
        self.set_ports(endpoint, ports.into())
    }

    /// Runs one scan of a server to its end now, outside cooldown and
    /// schedule. Where scans end only when told to, it is the end of those in
    /// flight (M6).
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`], [`Refusal::EndpointNotActive`].
    pub fn scan_endpoint_now(
        &mut self,
        endpoint: Uuid,
        outcome: ScanOutcome,
    ) -> Result<(), Refusal> {
        let number = self
            .undeleted_endpoint(endpoint)
            .ok_or(Refusal::EndpointNotFound)?;
        self.require_active(number)?;
        let then = match self.records.controls.progress {
            Progress::Manual => self.land_scans(number),
            Progress::Timed | Progress::Immediate => Then::ScheduleStays,
        };
        let now = self.now;
        self.end_scan(number, now, outcome, then);
        Ok(())
    }

    /// Takes the scans of a server out of the air, and tells what their end
    /// means for the next one.
    fn land_scans(&mut self, number: EndpointNo) -> Then {
        let scheduled = self.records.endpoints[number].state == State::Active(Phase::Scanning);
        let by_hand = self.has_manual_scan(number);
        self.drop_manual_scans(number);
        match (scheduled, by_hand) {
            (true, _) => Then::NextOnSchedule,
            (false, true) => Then::ScheduleMoves,
            (false, false) => Then::ScheduleStays,
        }
    }

    /// Sets how scans come to their end. What is overdue under the new mode
    /// ends now (M6).
    pub fn set_progress(&mut self, progress: Progress) {
        let now = self.now;
        let controls = self.records.controls.edit();
        controls.progress = progress;
        controls.progress_since = now;
        self.index_due();
    }
}

impl Account {
    /// Lets everything that is due happen, except at the end of the calendar:
    /// what is due there would be due there again.
    pub(crate) fn run_due(&mut self) {
        while let Some((at, task)) = self.index.due.first().copied() {
            if at > self.now || at == Instant::LAST {
                return;
            }
            self.index.due.remove(&(at, task));
            match task {
                Task::Endpoint(number) => self.run_scheduled(number, at),
                Task::ManualScan(number) => self.end_manual_scans(number, at),
                Task::Domain(number) => self.run_domain_schedule(number, at),
            }
        }
    }

    fn run_scheduled(&mut self, number: EndpointNo, at: Instant) {
        match self.records.endpoints[number].state {
            State::Active(Phase::Waiting) => {
                let start = self.next_telling_scan(number, at);
                self.amend(number, |endpoint| {
                    if start == at {
                        endpoint.state = State::Active(Phase::Scanning);
                    } else {
                        endpoint.next_scan_at = start;
                    }
                });
            }
            State::Active(Phase::Scanning) => {
                let at = at.max(self.records.controls.progress_since);
                self.end_scan(number, at, ScanOutcome::Completed, Then::NextOnSchedule);
            }
            State::Paused(_) | State::Terminated | State::Deleted(_) => {}
        }
    }

    fn end_manual_scans(&mut self, number: EndpointNo, due: Instant) {
        let Some(scans) = self.records.manual_scans.get(&number) else {
            return;
        };
        let (ended, running): (Vec<ManualScan>, Vec<ManualScan>) = scans
            .in_flight
            .iter()
            .partition(|scan| self.scan_end(scan.started_at).is_some_and(|end| end <= due));
        if let Some(scans) = self.records.manual_scans.edit(number) {
            scans.in_flight = running;
        }
        let at = due.max(self.records.controls.progress_since);
        for _ in ended {
            self.end_scan(number, at, ScanOutcome::Completed, Then::ScheduleMoves);
        }
    }

    /// When a scan that started then ends by itself, if it does.
    pub(crate) fn scan_end(&self, started: Instant) -> Option<Instant> {
        match self.records.controls.progress {
            Progress::Timed => Some(started.plus(self.records.settings.timings.duration())),
            Progress::Immediate => Some(started),
            Progress::Manual => None,
        }
    }

    /// When something next happens to the manual scans of a server, scan by
    /// scan.
    fn manual_scans_due(&self, number: EndpointNo) -> Vec<(Instant, Task)> {
        let scans = self.records.manual_scans.get(&number);
        scans
            .into_iter()
            .flat_map(|scans| &scans.in_flight)
            .filter_map(|scan| self.scan_end(scan.started_at))
            .map(|end| (end, Task::ManualScan(number)))
            .collect()
    }

    /// Notes when the manual scans of a server end.
    pub(crate) fn index_manual_scans(&mut self, number: EndpointNo) {
        let due = self.manual_scans_due(number);
        self.index.due.extend(due);
    }

    /// Ends the manual scans of a server without a result (E1).
    pub(crate) fn drop_manual_scans(&mut self, number: EndpointNo) {
        let due = self.manual_scans_due(number);
        for task in due {
            self.index.due.remove(&task);
        }
        if self.has_manual_scan(number)
            && let Some(scans) = self.records.manual_scans.edit(number)
        {
            scans.in_flight.clear();
        }
    }

    pub(crate) fn has_manual_scan(&self, number: EndpointNo) -> bool {
        let scans = self.records.manual_scans.get(&number);
        scans.is_some_and(|scans| !scans.in_flight.is_empty())
    }

    fn end_scan(&mut self, number: EndpointNo, at: Instant, outcome: ScanOutcome, then: Then) {
        let ended = self.ended_scan(at, outcome);
        let next = at.plus(self.records.settings.timings.interval());
        let seen = match outcome {
            ScanOutcome::Completed => Some(self.world_ports(number)),
            ScanOutcome::Failed => None,
        };
        if let Some(ports) = &seen {
            self.resolve_unseen(number, ports, at);
        }
        self.amend(number, |endpoint| {
            endpoint.last_scan = Some(ended);
            if let Some(ports) = &seen {
                let previous = endpoint.found.take().map(|found| found.ports);
                endpoint.found = Some(Found {
                    ports: ports.clone(),
                    at,
                    previous,
                });
            }
            let moves = then == Then::NextOnSchedule
                || (then == Then::ScheduleMoves && endpoint.state == State::Active(Phase::Waiting));
            if moves {
                endpoint.state = State::Active(Phase::Waiting);
                endpoint.next_scan_at = next;
            }
        });
        if let Some(ports) = &seen {
            self.raise_new(number, ports, at);
        }
    }

    /// A scan that ends at that time, of the configured length.
    pub(crate) fn ended_scan(&self, at: Instant, outcome: ScanOutcome) -> EndedScan {
        let seconds = self.records.settings.timings.scan_duration;
        EndedScan {
            at,
            duration_ms: seconds.saturating_mul(1000),
            outcome,
        }
    }

    pub(crate) fn world_ports(&self, number: EndpointNo) -> PortSet {
        match self.records.endpoint_worlds.get(&number) {
            Some(ports) => ports.clone(),
            None => self.index.scenario_ports.of(self.records.controls.scenario),
        }
    }

    /// Builds the list of what is due from the records.
    pub(crate) fn index_due(&mut self) {
        self.index.due.clear();
        for number in self.records.endpoints.numbers() {
            let due = self.endpoint_due(number);
            self.index
                .due
                .extend(due.map(|at| (at, Task::Endpoint(number))));
        }
        let domains: Vec<DomainNo> = self.records.domains.keys().copied().collect();
        for number in domains {
            let due = self.domain_due(number);
            self.index
                .due
                .extend(due.map(|at| (at, Task::Domain(number))));
        }
        let scanned: Vec<EndpointNo> = self.records.manual_scans.keys().copied().collect();
        for number in scanned {
            self.index_manual_scans(number);
        }
    }
}
