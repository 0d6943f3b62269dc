//! What domain scans find, and the alerts about it.

use secmon_engine::{
    Category, DomainAlertKind, DomainAlertStatus, DomainAlertView, DomainFindings, DomainSeverity,
    LeakAnswer, LeakDataset, ListDomainAlerts, ListLeaks, ListMentions, MentionView, Page, Paged,
    Refusal, ScanOutcome, Scenario,
};
use serde_json::json;
use uuid::Uuid;

use crate::bench::{Bench, What, client, domain_name};

/// A customer with one domain, scanned once.
pub fn scanned() -> (Bench, Uuid) {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(5));
    let id = bench.new_domain(42, "a.example");
    bench.wait(2);
    (bench, id)
}

fn find(bench: &mut Bench, id: Uuid, counts: (u32, u32, u32, u32)) {
    let (employees, customers, third_parties, mentions) = counts;
    let findings = DomainFindings::new(employees, customers, third_parties, mentions);
    let now = bench.now;
    bench
        .account
        .at(now)
        .set_findings(id, findings.expect("findings"))
        .expect("a domain");
    scan(bench, id, ScanOutcome::Completed);
}

pub fn scan(bench: &mut Bench, id: Uuid, outcome: ScanOutcome) {
    bench
        .account
        .at(bench.now)
        .scan_domain_now(id, outcome)
        .expect("an active domain");
}

fn all() -> ListDomainAlerts {
    ListDomainAlerts {
        client: client(42),
        status: None,
        kind: None,
        category: None,
        severity: None,
        page: Page::new(1, 50),
    }
}

fn list(bench: &mut Bench, id: Uuid, request: ListDomainAlerts) -> Paged<DomainAlertView> {
    let call = bench.call();
    bench
        .account
        .at(call)
        .list_domain_alerts(id, request)
        .expect("a domain")
}

fn mentions(bench: &mut Bench, id: Uuid, is_new: Option<bool>) -> Vec<MentionView> {
    let call = bench.call();
    let request = ListMentions {
        client: client(42),
        is_new,
        page: Page::new(1, 3),
    };
    let page = bench.account.at(call).list_mentions(id, request);
    page.expect("a domain").items
}

fn leaks(bench: &mut Bench, id: Uuid, category: Option<Category>, page: u64) -> LeakAnswer {
    let call = bench.call();
    let request = ListLeaks {
        client: client(42),
        category,
        page,
    };
    bench
        .account
        .at(call)
        .list_leaks(id, request)
        .expect("a domain")
}

#[test]
fn a_first_scan_finds_the_scenario_and_alerts_for_each_count_e2_c8() {
    let (mut bench, id) = scanned();
    let summary = serde_json::to_value(bench.summary(42, id).expect("there")).expect("json");
    let expected = json!({
        "id": id,
        "domain": "a.example",
        "status": "active",
        "scan_status": "completed",
        "last_scan_at": "2026-01-01T00:00:02+00:00",
        "dark_web_last_scan_at": "2026-01-01T00:00:02+00:00",
        "employees_compromised": 2,
        "customers_compromised": 5,
        "third_parties_compromised": 1,
        "dark_web_mentions_count": 1,
        "password_strength": {"weak": 4, "medium": 2, "strong": 2},
        "slots_used": 1,
        "slots_total": 5,
        "portal_detail_path": format!("/domains/{id}"),
        "created_at": "2026-01-01T00:00:00+00:00",
        "quota_paused": false,
    });
    assert_eq!(summary, expected);
    let alerts = list(&mut bench, id, all());
    let seen: Vec<_> = alerts
        .items
        .iter()
        .map(|alert| (alert.kind, alert.category, alert.severity, alert.new_count))
        .collect();
    use DomainAlertKind::{CredentialLeak, DarkWebMention};
    use DomainSeverity::{Critical, High, Medium};
    assert_eq!(
        seen,
        [
            (DarkWebMention, Category::Employees, High, 1),
            (CredentialLeak, Category::ThirdParties, Medium, 1),
            (CredentialLeak, Category::Customers, High, 5),
            (CredentialLeak, Category::Employees, Critical, 2),
        ],
        "newest first"
    );
    let employees = serde_json::to_value(&alerts.items[3]).expect("json");
    let expected = json!({
        "id": alerts.items[3].id,
        "monitored_domain_id": id,
        "domain": "a.example",
        "type": "credential_leak",
        "category": "employees",
        "severity": "critical",
        "new_count": 2,
        "previous_count": 0,
        "status": "open",
        "details": null,
        "created_at": "2026-01-01T00:00:02+00:00",
        "acknowledged_at": null,
        "resolved_at": null,
    });
    assert_eq!(employees, expected);
}

#[test]
fn only_what_grew_raises_an_alert_c8() {
    let (mut bench, id) = scanned();
    let before = list(&mut bench, id, all()).total;
    find(&mut bench, id, (2, 3, 4, 1));
    let alerts = list(&mut bench, id, all());
    assert_eq!(alerts.total, before + 1);
    let newest = &alerts.items[0];
    assert_eq!(newest.category, Category::ThirdParties);
    assert_eq!((newest.previous_count, newest.new_count), (1, 4));
    find(&mut bench, id, (2, 4, 4, 1));
    let newest = &list(&mut bench, id, all()).items[0];
    assert_eq!((newest.previous_count, newest.new_count), (3, 4));
}

#[test]
fn a_clean_domain_has_no_alert_and_no_password_strength_c10() {
    let mut bench = Bench::with(|settings| settings.scenario = Scenario::Clean);
    bench.subscribe(42, 1, What::Slots(1));
    let id = bench.new_domain(42, "a.example");
    bench.wait(2);
    assert_eq!(list(&mut bench, id, all()).total, 0);
    let summary = bench.summary(42, id).expect("there");
    assert_eq!(summary.password_strength, None);
    assert_eq!(summary.item.scan_status, "completed");
}

#[test]
fn a_failed_scan_keeps_the_counts_and_is_in_the_history_e1_c12() {
    let (mut bench, id) = scanned();
    bench.wait(8);
    scan(&mut bench, id, ScanOutcome::Failed);
    let summary = bench.summary(42, id).expect("there");
    assert_eq!(summary.item.scan_status, "failed");
    assert_eq!(summary.item.customers_compromised, 5);
    assert_eq!(
        summary
            .item
            .last_scan_at
            .map(|at| at.to_string())
            .as_deref(),
        Some("2026-01-01T00:00:10+00:00")
    );
    let call = bench.call();
    let history = bench.account.at(call).domain_scan_history(id, client(42));
    let history = history.expect("there");
    let statuses: Vec<&str> = history.iter().map(|scan| scan.status).collect();
    assert_eq!(statuses, ["failed", "completed"], "newest first");
    let shown = serde_json::to_value(&history[0]).expect("json");
    let expected = json!({
        "id": history[0].id,
        "status": "failed",
        "employees_compromised": 2,
        "customers_compromised": 5,
        "third_parties_compromised": 1,
        "created_at": "2026-01-01T00:00:10+00:00",
    });
    assert_eq!(shown, expected);
}

#[test]
fn the_history_keeps_the_last_25_scans() {
    let (mut bench, id) = scanned();
    bench.wait(30 * 86_500);
    let call = bench.call();
    let history = bench.account.at(call).domain_scan_history(id, client(42));
    let history = history.expect("there");
    assert_eq!(history.len(), 25);
    assert!(history.is_sorted_by(|newer, older| newer.created_at > older.created_at));
}

#[test]
fn a_paused_domain_is_not_scanned_and_its_findings_stay_c12() {
    let (mut bench, id) = scanned();
    let call = bench.call();
    bench
        .account
        .at(call)
        .suspend_domain(id)
        .expect("suspended");
    let before = bench.summary(42, id).expect("there").item;
    bench.wait(200_000);
    let after = bench.summary(42, id).expect("there").item;
    assert_eq!(after, before);
    assert_eq!(
        bench
            .account
            .at(bench.now)
            .scan_domain_now(id, ScanOutcome::Completed),
        Err(Refusal::DomainNotActive)
    );
    let call = bench.call();
    bench.account.at(call).resume_domain(id).expect("resumed");
    bench.wait(2);
    let scanned = bench.summary(42, id).expect("there").item;
    assert_eq!(
        scanned.last_scan_at,
        Some(bench.now.into()),
        "it was due long ago"
    );
}

#[test]
fn more_is_found_by_the_first_of_many_scans_a19() {
    let (mut bench, id) = scanned();
    let known: Vec<Uuid> = list(&mut bench, id, all())
        .items
        .iter()
        .map(|alert| alert.id)
        .collect();
    let findings = DomainFindings::new(90, 0, 0, 0).expect("findings");
    let set = bench.account.at(bench.now).set_findings(id, findings);
    set.expect("a domain");
    bench.wait(60 * 86_400);
    let alerts = list(&mut bench, id, all()).items;
    let new = alerts.iter().find(|alert| !known.contains(&alert.id));
    let raised = new.map(|alert| alert.created_at.to_string());
    assert_eq!(raised.as_deref(), Some("2026-01-02T00:00:04+00:00"));
}

#[test]
fn a_domain_keeps_its_own_world_e2_e12() {
    let (mut bench, id) = scanned();
    bench
        .account
        .at(bench.now)
        .set_domain_scenario(id, Scenario::Critical)
        .expect("a domain");
    bench.account.at(bench.now).set_scenario(Scenario::Clean);
    scan(&mut bench, id, ScanOutcome::Completed);
    let item = bench.summary(42, id).expect("there").item;
    assert_eq!(
        (
            item.employees_compromised,
            item.customers_compromised,
            item.third_parties_compromised,
            item.dark_web_mentions_count
        ),
        (25, 140, 12, 9)
    );
    assert_eq!(
        bench
            .account
            .at(bench.now)
            .set_domain_scenario(Uuid::nil(), Scenario::Clean),
        Err(Refusal::DomainNotFound)
    );
    assert!(DomainFindings::new(DomainFindings::MOST + 1, 0, 0, 0).is_none());
}

#[test]
fn alerts_are_filtered_and_paged_a18() {
    let (mut bench, id) = scanned();
    let total = |bench: &mut Bench, change: &dyn Fn(&mut ListDomainAlerts)| {
        let mut request = all();
        change(&mut request);
        list(bench, id, request).total
    };
    let kind = DomainAlertKind::DarkWebMention;
    assert_eq!(total(&mut bench, &|request| request.kind = Some(kind)), 1);
    for (category, alerts) in [(Category::Employees, 2), (Category::Customers, 1)] {
        let found = total(&mut bench, &|request| request.category = Some(category));
        assert_eq!(found, alerts, "{category:?}");
    }
    for (severity, alerts) in [(DomainSeverity::High, 2), (DomainSeverity::Critical, 1)] {
        let found = total(&mut bench, &|request| request.severity = Some(severity));
        assert_eq!(found, alerts, "{severity:?}");
    }
    let status = DomainAlertStatus::Resolved;
    assert_eq!(
        total(&mut bench, &|request| request.status = Some(status)),
        0
    );
    let mut request = all();
    request.page = Page::new(2, 3);
    let page = list(&mut bench, id, request);
    assert_eq!((page.items.len(), page.total, page.last_page()), (1, 4, 2));
    assert!(!page.has_more());
    request.client = client(43);
    let call = bench.call();
    let foreign = bench.account.at(call).list_domain_alerts(id, request);
    assert_eq!(foreign.err(), Some(Refusal::DomainNotFound));
}

#[test]
fn an_alert_is_acknowledged_then_resolved_c8() {
    let (mut bench, id) = scanned();
    let alert = list(&mut bench, id, all()).items[0].id;
    let owner = client(42);
    let call = bench.call();
    let account = &mut bench.account;
    assert_eq!(
        account
            .at(call)
            .resolve_domain_alert(id, alert, owner)
            .err(),
        Some(Refusal::AlertNotAcknowledged)
    );
    let first = account.at(call).acknowledge_domain_alert(id, alert, owner);
    let first = first.expect("acknowledged");
    assert_eq!(first.status, DomainAlertStatus::Acknowledged);
    bench.wait(5);
    let call = bench.call();
    let account = &mut bench.account;
    let again = account.at(call).acknowledge_domain_alert(id, alert, owner);
    assert_eq!(again, Ok(first), "unchanged");
    let resolved = account.at(call).resolve_domain_alert(id, alert, owner);
    let resolved = resolved.expect("resolved");
    assert_eq!(
        resolved.resolved_at.to_string(),
        "2026-01-01T00:00:07+00:00"
    );
    assert_eq!(
        account
            .at(call)
            .resolve_domain_alert(id, alert, owner)
            .err(),
        Some(Refusal::AlertNotAcknowledged)
    );
    assert_eq!(
        account
            .at(call)
            .acknowledge_domain_alert(id, alert, owner)
            .err(),
        Some(Refusal::AlertAlreadyResolved)
    );
    let shown = account
        .at(call)
        .domain_alert(id, alert, owner)
        .expect("there");
    let shown = serde_json::to_value(shown).expect("json");
    assert_eq!(shown["status"], "resolved");
    assert_eq!(shown["acknowledged_at"], "2026-01-01T00:00:02+00:00");
    assert!(
        shown["explanation"]
            .as_str()
            .is_some_and(|text| text.contains("a.example"))
    );
}

#[test]
fn the_errors_of_a_transition_come_in_order_c8() {
    let (mut bench, id) = scanned();
    let other = bench.new_domain(42, "b.example");
    let alert = list(&mut bench, id, all()).items[0].id;
    let now = bench.now;
    bench
        .account
        .at(now)
        .remove_portal_account(client(42))
        .expect("removed");
    let call = bench.call();
    let mut refusal = |domain, alert, number| {
        let account = &mut bench.account;
        let owner = client(number);
        let acknowledged = account
            .at(call)
            .acknowledge_domain_alert(domain, alert, owner);
        let resolved = account.at(call).resolve_domain_alert(domain, alert, owner);
        assert_eq!(acknowledged.as_ref().err(), resolved.as_ref().err());
        acknowledged.err()
    };
    assert_eq!(
        refusal(Uuid::nil(), alert, 42),
        Some(Refusal::DomainNotFound)
    );
    assert_eq!(refusal(id, alert, 43), Some(Refusal::DomainNotFound));
    assert_eq!(
        refusal(id, Uuid::nil(), 42),
        Some(Refusal::DomainAlertNotFound)
    );
    assert_eq!(
        refusal(other, alert, 42),
        Some(Refusal::DomainAlertNotFound)
    );
    assert_eq!(refusal(id, alert, 42), Some(Refusal::UserNotFound));
}

#[test]
fn earlier_alerts_keep_the_old_name_c3() {
    let (mut bench, id) = scanned();
    let call = bench.call();
    bench
        .account
        .at(call)
        .update_domain(id, &domain_name("b.example"))
        .expect("renamed");
    find(&mut bench, id, (3, 5, 1, 1));
    let names: Vec<String> = list(&mut bench, id, all())
        .items
        .into_iter()
        .map(|alert| alert.domain)
        .collect();
    assert_eq!(names[0], "b.example");
    assert!(names[1..].iter().all(|name| name == "a.example"));
}

#[test]
fn a_terminated_domain_still_answers_and_its_alerts_move_c6() {
    let (mut bench, id) = scanned();
    let alert = list(&mut bench, id, all()).items[0].id;
    let call = bench.call();
    bench
        .account
        .at(call)
        .terminate_domain(id)
        .expect("terminated");
    let acknowledged = bench
        .account
        .at(call)
        .acknowledge_domain_alert(id, alert, client(42));
    assert!(acknowledged.is_ok());
    assert_eq!(mentions(&mut bench, id, None).len(), 1);
}

#[test]
fn a_mention_is_new_until_an_unfiltered_read_returned_it_c9() {
    let (mut bench, id) = scanned();
    find(&mut bench, id, (2, 5, 1, 5));
    assert_eq!(mentions(&mut bench, id, Some(true)).len(), 3, "a page");
    assert!(
        mentions(&mut bench, id, Some(false)).is_empty(),
        "nothing seen"
    );
    let first = mentions(&mut bench, id, None);
    assert!(
        first.iter().all(|mention| mention.is_new),
        "still true in that read"
    );
    assert!(first.is_sorted_by(|newer, older| newer.created_at >= older.created_at));
    let seen = mentions(&mut bench, id, Some(false));
    let ids = |mentions: &[MentionView]| -> Vec<Uuid> { mentions.iter().map(|m| m.id).collect() };
    assert_eq!(ids(&seen), ids(&first));
    assert!(seen.iter().all(|mention| !mention.is_new));
    let unseen = mentions(&mut bench, id, Some(true));
    assert_eq!(unseen.len(), 2, "the second page was not read");
    assert!(
        mentions(&mut bench, id, None)
            .iter()
            .all(|mention| !mention.is_new)
    );
}

#[test]
fn a_mention_that_was_seen_stays_seen_when_others_go_c9() {
    let (mut bench, id) = scanned();
    find(&mut bench, id, (0, 0, 0, 4));
    assert_eq!(mentions(&mut bench, id, None).len(), 3, "a page");
    find(&mut bench, id, (0, 0, 0, 3));
    assert_eq!(mentions(&mut bench, id, Some(false)).len(), 2);
    assert_eq!(mentions(&mut bench, id, Some(true)).len(), 1);
}

#[test]
fn when_mentions_fall_the_newest_go_c9() {
    let (mut bench, id) = scanned();
    let oldest = mentions(&mut bench, id, None)[0].id;
    find(&mut bench, id, (2, 5, 1, 3));
    let three = mentions(&mut bench, id, None);
    find(&mut bench, id, (2, 5, 1, 2));
    let two = mentions(&mut bench, id, None);
    assert_eq!(two.len(), 2);
    assert_eq!((two[0].id, two[1].id), (three[1].id, oldest));
    find(&mut bench, id, (2, 5, 1, 3));
    let again = mentions(&mut bench, id, None);
    assert_ne!(again[0].id, three[0].id, "a new mention");
    assert!(again[0].is_new);
    find(&mut bench, id, (2, 5, 1, 0));
    assert!(mentions(&mut bench, id, None).is_empty());
    let export = bench.account.export().to_string();
    assert!(export.contains(r#""seen":[]"#), "nothing is kept of them");
}

#[test]
fn leaks_are_read_in_pages_of_fifty_and_by_category_c10() {
    let (mut bench, id) = scanned();
    find(&mut bench, id, (60, 3, 0, 0));
    let LeakAnswer::Page(first) = leaks(&mut bench, id, None, 1) else {
        panic!("the dataset is configured");
    };
    assert!(first.enabled);
    assert_eq!((first.items.len(), first.total), (50, 63));
    assert_eq!((first.page, first.page_size), (1, 50));
    let shown = serde_json::to_value(&first.items[0]).expect("json");
    for field in ["email", "source", "leaked_at", "category"] {
        assert!(shown[field].is_string(), "{field}");
    }
    let LeakAnswer::Page(second) = leaks(&mut bench, id, None, 2) else {
        panic!("the dataset is configured");
    };
    assert_eq!(second.items.len(), 13);
    let LeakAnswer::Page(customers) = leaks(&mut bench, id, Some(Category::Customers), 1) else {
        panic!("the dataset is configured");
    };
    assert_eq!((customers.items.len(), customers.total), (3, 3));
    let text = format!("{first:?}");
    assert!(!text.contains('@'), "leak records stay out of debug output");
    assert_eq!(
        leaks(&mut bench, id, None, 1),
        LeakAnswer::Page(first),
        "stable"
    );
}

#[test]
fn the_dataset_can_be_missing_or_out_of_reach_c10() {
    let (mut bench, id) = scanned();
    bench
        .account
        .at(bench.now)
        .set_leak_dataset(LeakDataset::Unconfigured);
    let LeakAnswer::Page(page) = leaks(&mut bench, id, None, 1) else {
        panic!("there is a page");
    };
    let shown = serde_json::to_value(page).expect("json");
    let expected = json!({"enabled": false, "items": [], "total": 0, "page": 1, "page_size": 50});
    assert_eq!(shown, expected);
    bench
        .account
        .at(bench.now)
        .set_leak_dataset(LeakDataset::Unreachable);
    let LeakAnswer::Unreachable(failure) = leaks(&mut bench, id, None, 3) else {
        panic!("it is unreachable");
    };
    let shown = serde_json::to_value(failure).expect("json");
    assert_eq!(shown["enabled"], true);
    assert_eq!(shown["items"], json!([]));
    assert_eq!((&shown["total"], &shown["page"]), (&json!(0), &json!(3)));
    assert!(shown["error"].is_string());
}
