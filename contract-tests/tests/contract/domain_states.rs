//! The states of a domain and of its alerts, walked both ways.

use secmon::Error;
use secmon::model::{
    CapacityReport, DomainAlert, DomainAlertId, DomainAlertStatus, DomainId, DomainScan,
    DomainStatus, ProductSlug, ServiceId, SubscriptionStatus,
};
use secmon::operations::{
    ChangeSubscription, ListDomainAlerts, ProvisionDomain, ServiceReport, SyncServices,
};
use secmon_contract_tests::{Account, Customer, cases};
use serde_json::json;
use uuid::Uuid;

cases! {
    anywhere:
        every_trigger_in_every_state_of_a_domain;
    steered:
        every_transition_of_a_domain_keeps_what_was_found_and_stops_or_goes_on_with_scans(Clock, World),
        every_transition_of_a_domain_alert_allowed_and_refused(World)
}

const NAME: &str = "example.com";
const OTHER_NAME: &str = "example.org";
/// Of a domain that the customer has beside it.
const TAKEN_NAME: &str = "example.net";
const DOMAINS: ProductSlug = ProductSlug::DomainMonitoring;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Absent,
    Active,
    /// By hand.
    Paused,
    /// For want of slots.
    PlatformPaused,
    /// The same, but by now there is room.
    PlatformPausedWithRoom,
    Terminated,
    Released,
    /// These with every slot taken that was paid for.
    AbsentAndFull,
    TerminatedAndFull,
}

#[derive(Debug, Clone, Copy)]
enum Trigger {
    Provision,
    Suspend,
    Resume,
    Terminate,
    Rename,
    RenameToItself,
    RenameToTaken,
    Release,
    /// What happens to the slots of its customer.
    SuspendSlots,
    CancelSlots,
    SyncToSuspended,
    SyncToCancelled,
    /// The slots are suspended before, where they are not.
    ResumeSlots,
    SyncToActive,
}

/// State, trigger, outcome, next state.
#[rustfmt::skip]
const TRANSITIONS: &[(State, Trigger, &str, State)] = {
    use State::*;
    use Trigger::*;
    &[
        (Absent, Provision,      "201",                  Active),
        (Absent, Suspend,        "404 DOMAIN_NOT_FOUND", Absent),
        (Absent, Resume,         "404 DOMAIN_NOT_FOUND", Absent),
        (Absent, Terminate,      "404 DOMAIN_NOT_FOUND", Absent),
        (Absent, Rename,         "404 DOMAIN_NOT_FOUND", Absent),
        (Absent, Release,        "404 DOMAIN_NOT_FOUND", Absent),

        (Active, Provision,      "200 note", Active),
        (Active, Suspend,        "200",      Paused),
        (Active, Resume,         "200 note", Active),
        (Active, Terminate,      "200",      Terminated),
        (Active, Rename,         "200",      Active),
        (Active, RenameToItself, "200 note", Active),
        (Active, Release,        "200",      Released),
        (Active, RenameToTaken,   "409 DOMAIN_ALREADY_EXISTS", Active),
        (Active, SuspendSlots,    "200",                       PlatformPaused),
        (Active, CancelSlots,     "200",                       PlatformPaused),
        (Active, SyncToSuspended, "200",                       PlatformPaused),
        (Active, SyncToCancelled, "200",                       PlatformPaused),
        (Active, ResumeSlots,     "200",                       Active),
        (Active, SyncToActive,    "200",                       Active),

        (Paused, Provision,      "200 note", Paused),
        (Paused, Suspend,        "200 note", Paused),
        (Paused, Resume,         "200",      Active),
        (Paused, Terminate,      "200",      Terminated),
        (Paused, Rename,         "200",      Paused),
        (Paused, RenameToItself, "200 note", Paused),
        (Paused, Release,        "200",      Released),
        (Paused, RenameToTaken,   "409 DOMAIN_ALREADY_EXISTS", Paused),
        (Paused, SuspendSlots,    "200",                       Paused),
        (Paused, CancelSlots,     "200",                       Paused),
        (Paused, SyncToSuspended, "200",                       Paused),
        (Paused, SyncToCancelled, "200",                       Paused),
        (Paused, ResumeSlots,     "200",                       Paused),
        (Paused, SyncToActive,    "200",                       Paused),

        (PlatformPaused, Provision,      "200 note",                  PlatformPaused),
        (PlatformPaused, Suspend,        "200 note",                  PlatformPaused),
        (PlatformPaused, Resume,         "403 DOMAIN_LIMIT_EXCEEDED", PlatformPaused),
        (PlatformPaused, Terminate,      "200",                       Terminated),
        (PlatformPaused, Rename,         "200",                       PlatformPaused),
        (PlatformPaused, RenameToItself, "200 note",                  PlatformPaused),
        (PlatformPaused, Release,        "200",                       Released),
        (PlatformPaused, RenameToTaken,   "409 DOMAIN_ALREADY_EXISTS", PlatformPaused),
        (PlatformPaused, SuspendSlots,    "200 note",                  PlatformPaused),
        (PlatformPaused, CancelSlots,     "200",                       PlatformPaused),
        (PlatformPaused, SyncToSuspended, "200 no enforcement",        PlatformPaused),
        (PlatformPaused, SyncToCancelled, "200",                       PlatformPaused),
        (PlatformPaused, ResumeSlots,     "200",                       Active),
        (PlatformPaused, SyncToActive,    "200",                       Active),

        (PlatformPausedWithRoom, Provision,      "200 note", PlatformPaused),
        (PlatformPausedWithRoom, Suspend,        "200 note", PlatformPaused),
        (PlatformPausedWithRoom, Resume,         "200",      Active),
        (PlatformPausedWithRoom, Terminate,      "200",      Terminated),
        (PlatformPausedWithRoom, Rename,         "200",      PlatformPaused),
        (PlatformPausedWithRoom, RenameToItself, "200 note", PlatformPaused),

        (Terminated, Provision,      "200 note",             Active),
        (Terminated, Suspend,        "404 DOMAIN_NOT_FOUND", Terminated),
        (Terminated, Resume,         "404 DOMAIN_NOT_FOUND", Terminated),
        (Terminated, Terminate,      "200 note",             Terminated),
        (Terminated, Rename,         "404 DOMAIN_NOT_FOUND", Terminated),
        (Terminated, RenameToItself, "404 DOMAIN_NOT_FOUND", Terminated),
        (Terminated, Release,        "200",                  Released),
        (Terminated, RenameToTaken,   "404 DOMAIN_NOT_FOUND", Terminated),
        (Terminated, SuspendSlots,    "200",                  Terminated),
        (Terminated, CancelSlots,     "200",                  Terminated),
        (Terminated, SyncToSuspended, "200",                  Terminated),
        (Terminated, SyncToCancelled, "200",                  Terminated),
        (Terminated, ResumeSlots,     "200",                  Terminated),
        (Terminated, SyncToActive,    "200",                  Terminated),

        (Released, Provision,      "201",                  Released),
        (Released, Suspend,        "404 DOMAIN_NOT_FOUND", Released),
        (Released, Resume,         "404 DOMAIN_NOT_FOUND", Released),
        (Released, Terminate,      "404 DOMAIN_NOT_FOUND", Released),
        (Released, Rename,         "404 DOMAIN_NOT_FOUND", Released),
        (Released, Release,        "404 DOMAIN_NOT_FOUND", Released),

        (AbsentAndFull,     Provision, "403 DOMAIN_LIMIT_EXCEEDED", Absent),
        (TerminatedAndFull, Provision, "403 DOMAIN_LIMIT_EXCEEDED", Terminated),
    ]
};

async fn every_trigger_in_every_state_of_a_domain() {
    let account = Account::new().await;
    account.unpinned();
    for (before, trigger, outcome, after) in TRANSITIONS {
        let what = format!("{trigger:?} of a domain that was {before:?}");
        let walk = Walk::to(&account, *before, Found::Nothing).await;
        let report = walk.pull(*trigger).await;
        assert_eq!(account.last_outcome(), *outcome, "{what}");
        let found = walk.state_after(*before).await;
        assert_eq!(found, *after, "{what}");
        if let Some(report) = report {
            // Newest first, oldest first: it is the newer of two.
            let paused = *before == State::Active && *after == State::PlatformPaused;
            let newly_paused = report.newly_paused.expect("what was paused");
            let first = newly_paused.first().map(String::as_str);
            assert_eq!(first == Some(NAME), paused, "{what}");
            let resumed = *before != State::Paused && *after == State::Active;
            let unpaused = report.unpaused.expect("what is watched again");
            let last = unpaused.last().map(String::as_str);
            assert_eq!(last == Some(NAME), resumed, "{what}");
        }
    }
}

async fn every_transition_of_a_domain_keeps_what_was_found_and_stops_or_goes_on_with_scans() {
    let account = Account::new().await;
    account.unpinned();
    for (before, trigger, _, after) in TRANSITIONS {
        if before.is_nowhere() || *after == State::Released {
            continue;
        }
        let what = format!("{trigger:?} of a domain that was {before:?}");
        let walk = Walk::to(&account, *before, Found::Leaks).await;
        let (history, alerts) = (walk.history().await, walk.alerts().await);
        assert!(!history.is_empty() && !alerts.is_empty());
        walk.pull(*trigger).await;
        account.advance(UNTIL_THE_NEXT_SCAN_ENDS).await;
        let reads = account.client.domains();
        let summary = reads.summary(walk.customer.id, walk.id).await;
        let summary = summary.expect("a summary").into_data();
        let is_scanned = *after == State::Active;
        let employees = if is_scanned { GROWN } else { FOUND };
        assert_eq!(summary.employees_compromised, Some(employees), "{what}");
        let scans = walk.history().await;
        assert!(scans.ends_with(&history), "{what}");
        assert_eq!(scans.len() > history.len(), is_scanned, "{what}");
        let all = walk.alerts().await;
        assert!(all.ends_with(&alerts), "{what}");
        let new = &all[..all.len() - alerts.len()];
        assert_eq!(new.len(), usize::from(is_scanned), "{what}");
        let name = Some(summary.domain);
        assert!(new.iter().all(|alert| alert.domain == name), "{what}");
    }
}

const UNTIL_THE_NEXT_SCAN_ENDS: u64 = 86_400 + 60;
/// Leaks that the first scans count, and those that later ones count.
const FOUND: u64 = 2;
const GROWN: u64 = 5;

/// What a domain's scans have found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// The first may still be running.
    Nothing,
    /// Leaks, of which the next one will find more.
    Leaks,
}

impl State {
    /// Whether there is no record of it.
    fn is_nowhere(self) -> bool {
        matches!(self, Self::Absent | Self::AbsentAndFull | Self::Released)
    }
}

/// A domain of a customer, and the slots that pay for it.
struct Walk<'a> {
    account: &'a Account,
    customer: Customer<'a>,
    slots: ServiceId,
    id: DomainId,
}

impl<'a> Walk<'a> {
    /// A domain in a state, and an older one beside it.
    async fn to(account: &'a Account, state: State, found: Found) -> Self {
        let customer = account.customer();
        // One more, for what is provisioned after a slot was given up.
        let slots = customer.domain_slots(3).await;
        let older = customer.watched(TAKEN_NAME, slots).await;
        let id = match state {
            State::Absent | State::AbsentAndFull => DomainId::from(Uuid::from_u128(7)),
            _ => customer.watched(NAME, slots).await,
        };
        let walk = Self {
            account,
            customer,
            slots,
            id,
        };
        if found == Found::Leaks {
            account.findings(id, json!({"employees": FOUND})).await;
            account.scan_domain(id).await;
            account.advance(60).await;
            account.findings(id, json!({"employees": GROWN})).await;
        }
        walk.enter(state, older).await;
        walk
    }

    async fn enter(&self, state: State, older: DomainId) {
        let (domains, id) = (self.account.client.domains(), self.id);
        match state {
            State::Absent | State::Active => {}
            State::Paused => drop(domains.suspend(id).await.expect("suspended")),
            State::Terminated => drop(domains.terminate(id).await.expect("terminated")),
            State::Released => {
                domains
                    .release(self.customer.id, self.slots, id)
                    .await
                    .expect("released");
            }
            State::PlatformPaused | State::AbsentAndFull => {
                self.suspend_slots().await.expect("suspended");
            }
            State::TerminatedAndFull => {
                domains.terminate(id).await.expect("terminated");
                self.suspend_slots().await.expect("suspended");
            }
            State::PlatformPausedWithRoom => {
                let less = ChangeSubscription::new(self.customer.id, self.slots, DOMAINS);
                let less = less.new_quantity(1).force(true);
                let less = self.account.client.subscriptions().change(less).await;
                less.expect("changed");
                domains.terminate(older).await.expect("terminated");
            }
        }
    }

    async fn suspend_slots(&self) -> Result<(), Error> {
        let suspended = self
            .account
            .client
            .subscriptions()
            .suspend(self.customer.id, self.slots, DOMAINS)
            .await;
        suspended.map(drop)
    }

    /// What is answered is looked at as the raw answer that it was, but for the report of a sync.
    async fn pull(&self, trigger: Trigger) -> Option<CapacityReport> {
        let client = &self.account.client;
        let (customer, slots, id) = (self.customer.id, self.slots, self.id);
        let domains = client.domains();
        let rename = |name| domains.update(id, name);
        match trigger {
            Trigger::Provision => {
                let provision = ProvisionDomain::new(customer, NAME, slots);
                drop(domains.provision(provision).await);
            }
            Trigger::Suspend => drop(domains.suspend(id).await),
            Trigger::Resume => drop(domains.resume(id).await),
            Trigger::Terminate => drop(domains.terminate(id).await),
            Trigger::Rename => drop(rename(OTHER_NAME).await),
            Trigger::RenameToItself => drop(rename(NAME).await),
            Trigger::RenameToTaken => drop(rename(TAKEN_NAME).await),
            Trigger::Release => {
                drop(domains.release(customer, slots, id).await);
            }
            Trigger::SuspendSlots => drop(self.suspend_slots().await),
            Trigger::CancelSlots => {
                drop(
                    client
                        .subscriptions()
                        .terminate(customer, slots, DOMAINS)
                        .await,
                );
            }
            Trigger::ResumeSlots => {
                self.suspend_slots().await.expect("suspended");
                drop(
                    client
                        .subscriptions()
                        .resume(customer, slots, DOMAINS)
                        .await,
                );
            }
            Trigger::SyncToSuspended => return self.sync(SubscriptionStatus::Suspended).await,
            Trigger::SyncToCancelled => return self.sync(SubscriptionStatus::Cancelled).await,
            Trigger::SyncToActive => {
                self.suspend_slots().await.expect("suspended");
                return self.sync(SubscriptionStatus::Active).await;
            }
        }
        None
    }

    async fn sync(&self, status: SubscriptionStatus) -> Option<CapacityReport> {
        let report = ServiceReport::new(self.customer.id, self.slots, DOMAINS, status);
        let client = &self.account.client;
        let answer = client.send(SyncServices::new(vec![report])).await;
        let answer = answer.expect("synced").into_data();
        let enforcement = answer.enforcement.expect("an enforcement");
        let reports = enforcement.get(&self.customer.id)?;
        reports.get(&DOMAINS).cloned()
    }

    async fn state_after(&self, before: State) -> State {
        let reads = self.account.client.domains();
        let id = match before {
            State::Absent | State::AbsentAndFull => {
                let overview = reads.list(self.customer.id).await.expect("a list");
                let domains = overview.data.domains.expect("the domains");
                let mut listed = domains.iter();
                let listed = listed.find(|domain| domain.domain == NAME);
                listed.map_or(self.id, |domain| domain.id)
            }
            _ => self.id,
        };
        let Ok(summary) = reads.summary(self.customer.id, id).await else {
            return match before {
                State::Absent | State::AbsentAndFull => State::Absent,
                _ => State::Released,
            };
        };
        let paused_by_platform = summary.data.quota_paused == Some(true);
        match summary.data.status {
            DomainStatus::Active => State::Active,
            DomainStatus::Paused if paused_by_platform => State::PlatformPaused,
            DomainStatus::Paused => State::Paused,
            DomainStatus::Terminated => State::Terminated,
            other => panic!("a domain is {other}"),
        }
    }

    async fn history(&self) -> Vec<DomainScan> {
        let reads = self.account.client.domains();
        let history = reads.scan_history(self.customer.id, self.id).await;
        history.expect("a history").into_data().scans
    }

    async fn alerts(&self) -> Vec<DomainAlert> {
        let list = ListDomainAlerts::new(self.customer.id, self.id);
        let alerts = self.account.client.pages(list).collect_all().await;
        alerts.expect("a list")
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Acknowledge,
    Resolve,
}

async fn every_transition_of_a_domain_alert_allowed_and_refused() {
    use DomainAlertStatus::{Acknowledged, Open, Resolved};
    use Step::{Acknowledge, Resolve};
    let account = Account::new().await;
    for (steps, outcome, after) in [
        (&[Acknowledge][..], "200", Acknowledged),
        (&[Resolve], "422 ALERT_NOT_ACKNOWLEDGED", Open),
        (&[Acknowledge, Acknowledge], "200", Acknowledged),
        (&[Acknowledge, Resolve], "200", Resolved),
        (
            &[Acknowledge, Resolve, Acknowledge],
            "422 ALERT_ALREADY_RESOLVED",
            Resolved,
        ),
        (
            &[Acknowledge, Resolve, Resolve],
            "422 ALERT_NOT_ACKNOWLEDGED",
            Resolved,
        ),
    ] {
        let customer = account.customer();
        let (domain, alert) = alerted(&account, customer).await;
        let reads = account.client.domains();
        for step in steps {
            match step {
                Acknowledge => drop(reads.acknowledge(customer.id, domain, alert).await),
                Resolve => drop(reads.resolve(customer.id, domain, alert).await),
            }
        }
        assert_eq!(account.last_outcome(), outcome, "{steps:?}");
        let read = reads.alert(customer.id, domain, alert).await;
        let alert = read.expect("read").into_data().alert;
        assert_eq!(alert.status, after, "{steps:?}");
        let times = (alert.acknowledged_at.is_some(), alert.resolved_at.is_some());
        assert_eq!(times, (after != Open, after == Resolved), "{steps:?}");
    }
}

/// A domain with one alert.
async fn alerted(account: &Account, customer: Customer<'_>) -> (DomainId, DomainAlertId) {
    let domain = customer.watched(NAME, customer.domain_slots(1).await).await;
    account.findings(domain, json!({"employees": 1})).await;
    account.scan_domain(domain).await;
    let list = ListDomainAlerts::new(customer.id, domain);
    let alerts = account
        .client
        .pages(list)
        .collect_all()
        .await
        .expect("alerts");
    assert_eq!(alerts.len(), 1);
    (domain, alerts[0].id)
}
