//! The states of a domain and of its alerts, walked both ways.

use secmon::model::{
    DomainAlertId, DomainAlertStatus, DomainId, DomainStatus, ProductSlug, ServiceId,
};
use secmon::operations::{
    AcknowledgeDomainAlert, GetDomainAlert, ListDomainAlerts, ProvisionDomain, ReleaseDomain,
    ResolveDomainAlert, SuspendSubscription, UpdateDomain,
};
use secmon_contract_tests::{Account, Customer, cases};
use serde_json::json;
use uuid::Uuid;

cases! {
    anywhere:
        every_trigger_in_every_state_of_a_domain;
    steered:
        every_transition_of_a_domain_alert_allowed_and_refused(World)
}

const NAME: &str = "example.com";
const OTHER_NAME: &str = "example.org";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Absent,
    Active,
    /// By hand.
    Paused,
    /// For want of slots.
    PlatformPaused,
    Terminated,
    Released,
}

#[derive(Debug, Clone, Copy)]
enum Trigger {
    Provision,
    Suspend,
    Resume,
    Terminate,
    Rename,
    RenameToItself,
    Release,
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

        (Paused, Provision,      "200 note", Paused),
        (Paused, Suspend,        "200 note", Paused),
        (Paused, Resume,         "200",      Active),
        (Paused, Terminate,      "200",      Terminated),
        (Paused, Rename,         "200",      Paused),
        (Paused, RenameToItself, "200 note", Paused),
        (Paused, Release,        "200",      Released),

        (PlatformPaused, Provision,      "200 note",                  PlatformPaused),
        (PlatformPaused, Suspend,        "200 note",                  PlatformPaused),
        (PlatformPaused, Resume,         "403 DOMAIN_LIMIT_EXCEEDED", PlatformPaused),
        (PlatformPaused, Terminate,      "200",                       Terminated),
        (PlatformPaused, Rename,         "200",                       PlatformPaused),
        (PlatformPaused, RenameToItself, "200 note",                  PlatformPaused),
        (PlatformPaused, Release,        "200",                       Released),

        (Terminated, Provision,      "200 note",             Active),
        (Terminated, Suspend,        "404 DOMAIN_NOT_FOUND", Terminated),
        (Terminated, Resume,         "404 DOMAIN_NOT_FOUND", Terminated),
        (Terminated, Terminate,      "200 note",             Terminated),
        (Terminated, Rename,         "404 DOMAIN_NOT_FOUND", Terminated),
        (Terminated, RenameToItself, "404 DOMAIN_NOT_FOUND", Terminated),
        (Terminated, Release,        "200",                  Released),

        (Released, Provision,      "201",                  Released),
        (Released, Suspend,        "404 DOMAIN_NOT_FOUND", Released),
        (Released, Resume,         "404 DOMAIN_NOT_FOUND", Released),
        (Released, Terminate,      "404 DOMAIN_NOT_FOUND", Released),
        (Released, Rename,         "404 DOMAIN_NOT_FOUND", Released),
        (Released, Release,        "404 DOMAIN_NOT_FOUND", Released),
    ]
};

async fn every_trigger_in_every_state_of_a_domain() {
    let account = Account::new().await;
    account.unpinned();
    for (before, trigger, outcome, after) in TRANSITIONS {
        let customer = account.customer();
        let service = customer.domain_slots(2).await;
        let id = brought_to(&account, customer, service, *before).await;
        pull(&account, customer, service, id, *trigger).await;
        assert_eq!(
            account.last_outcome(),
            *outcome,
            "{trigger:?} of a domain that is {before:?}"
        );
        let id = match before {
            State::Absent => only(&account, customer).await.unwrap_or(id),
            _ => id,
        };
        let found = state_of(&account, customer, id, *before).await;
        assert_eq!(
            found, *after,
            "after {trigger:?} of a domain that was {before:?}"
        );
    }
}

async fn brought_to(
    account: &Account,
    customer: Customer<'_>,
    service: ServiceId,
    state: State,
) -> DomainId {
    if state == State::Absent {
        return DomainId::from(Uuid::from_u128(7));
    }
    let domains = account.client.domains();
    let id = customer.watched(NAME, service).await;
    match state {
        State::Absent | State::Active => {}
        State::Paused => drop(domains.suspend(id).await.expect("suspended")),
        State::Terminated => drop(domains.terminate(id).await.expect("terminated")),
        State::Released => {
            let release = ReleaseDomain::new(customer.id, service, id);
            domains.release(release).await.expect("released");
        }
        State::PlatformPaused => {
            let product = ProductSlug::DomainMonitoring;
            let suspend = SuspendSubscription::new(customer.id, service, product);
            account
                .client
                .subscriptions()
                .suspend(suspend)
                .await
                .expect("suspended");
        }
    }
    id
}

/// The result is looked at as the raw answer that it was.
async fn pull(
    account: &Account,
    customer: Customer<'_>,
    service: ServiceId,
    id: DomainId,
    trigger: Trigger,
) {
    let domains = account.client.domains();
    let provision = ProvisionDomain::new(customer.id, NAME, service);
    match trigger {
        Trigger::Provision => drop(domains.provision(provision).await),
        Trigger::Suspend => drop(domains.suspend(id).await),
        Trigger::Resume => drop(domains.resume(id).await),
        Trigger::Terminate => drop(domains.terminate(id).await),
        Trigger::Rename => drop(domains.update(UpdateDomain::new(id, OTHER_NAME)).await),
        Trigger::RenameToItself => drop(domains.update(UpdateDomain::new(id, NAME)).await),
        Trigger::Release => drop(
            domains
                .release(ReleaseDomain::new(customer.id, service, id))
                .await,
        ),
    }
}

async fn only(account: &Account, customer: Customer<'_>) -> Option<DomainId> {
    let overview = account
        .client
        .domain_monitoring()
        .list(customer.id)
        .await
        .expect("a list");
    overview.data.domains.first().map(|domain| domain.id)
}

async fn state_of(account: &Account, customer: Customer<'_>, id: DomainId, before: State) -> State {
    let reads = account.client.domain_monitoring();
    let Ok(summary) = reads.summary(id, customer.id).await else {
        return match before {
            State::Absent => State::Absent,
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
        let reads = account.client.domain_monitoring();
        for step in steps {
            match step {
                Acknowledge => drop(
                    reads
                        .acknowledge(AcknowledgeDomainAlert::new(domain, alert, customer.id))
                        .await,
                ),
                Resolve => drop(
                    reads
                        .resolve(ResolveDomainAlert::new(domain, alert, customer.id))
                        .await,
                ),
            }
        }
        assert_eq!(account.last_outcome(), outcome, "{steps:?}");
        let read = GetDomainAlert::new(domain, alert, customer.id);
        let alert = reads.alert(read).await.expect("read").into_data();
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
    let list = ListDomainAlerts::new(domain, customer.id);
    let alerts = account
        .client
        .pages(list)
        .collect_all()
        .await
        .expect("alerts");
    assert_eq!(alerts.len(), 1);
    (domain, alerts[0].id)
}
