//! Subscriptions: provision, suspend, resume, terminate, change.

use secmon_engine::{
    Capacity, ChangeSubscription, Client, Done, DowngradeCheck, Outcome, ProvisionDomain,
    ProvisionSubscription, Refusal, SandboxHeader, ServiceId, Session, SubscriptionChange,
    SubscriptionMoved, SubscriptionRef, SubscriptionStatus,
};
use serde_json::{Value, json};

use crate::bench::{Bench, What, client, domain_name, subscription};

const PORTS: &str = "port_monitoring";
const DOMAINS: &str = "domain_monitoring";

type Move = fn(&mut Session<'_>, &SubscriptionRef) -> Result<Done<SubscriptionMoved>, Refusal>;

const SUSPEND: Move = |session, named| session.suspend_subscription(named);
const RESUME: Move = |session, named| session.resume_subscription(named);
const TERMINATE: Move = |session, named| session.terminate_subscription(named);

fn go(bench: &mut Bench, operation: Move, named: &SubscriptionRef) -> (SubscriptionStatus, bool) {
    let call = bench.call();
    let done = operation(&mut bench.account.at(call), named).expect("moved");
    (done.value.status, done.note.is_some())
}

fn request(product: &str, plan: Option<&str>, quantity: Option<u32>) -> ProvisionSubscription {
    ProvisionSubscription {
        client: Client::new(client(42)),
        service: ServiceId::new(1).expect("a service"),
        product: product.to_owned(),
        plan: plan.map(str::to_owned),
        quantity,
    }
}

fn provision(bench: &mut Bench, request: ProvisionSubscription) -> (Outcome, Value) {
    let call = bench.call();
    let done = bench.account.at(call).provision_subscription(request);
    let done = done.expect("provisioned");
    let mut shown = serde_json::to_value(done.value).expect("json");
    shown
        .as_object_mut()
        .expect("an object")
        .remove("subscription_id");
    (done.outcome, shown)
}

fn change(
    bench: &mut Bench,
    product: &str,
    plan: Option<&str>,
    quantity: Option<u32>,
    downgrade: DowngradeCheck,
) -> Result<Value, Refusal> {
    let call = bench.call();
    let request = ChangeSubscription {
        subscription: subscription(42, 1, product),
        new_plan: plan.map(str::to_owned),
        new_quantity: quantity,
        downgrade,
    };
    let changed = bench.account.at(call).change_subscription(request)?;
    let mut shown = serde_json::to_value(changed).expect("json");
    let shown_id = shown.as_object_mut().expect("an object");
    assert!(shown_id.remove("subscription_id").is_some());
    Ok(shown)
}

#[test]
fn each_product_takes_what_it_takes_and_ignores_the_rest_b4() {
    let mut bench = Bench::new();
    let shown = provision(&mut bench, request(PORTS, Some("starter"), Some(9)));
    assert_eq!(
        shown,
        (
            Outcome::Created,
            json!({
                "product_slug": PORTS,
                "plan_slug": "starter",
                "quantity": 1,
                "status": "active"
            })
        )
    );
    let shown = provision(&mut bench, request(DOMAINS, Some("nonsense"), Some(9)));
    assert_eq!(
        shown.1,
        json!({"product_slug": DOMAINS, "plan_slug": null, "quantity": 9, "status": "active"})
    );
    let shown = provision(&mut bench, request("endpoint", Some("nonsense"), Some(9)));
    assert_eq!(
        shown.1,
        json!({"product_slug": "endpoint", "plan_slug": null, "quantity": 1, "status": "active"})
    );
    let mut other = Bench::new();
    let shown = provision(&mut other, request(DOMAINS, None, None));
    assert_eq!(shown.1["quantity"], 1);
}

#[test]
fn a_plan_product_needs_a_known_plan_when_it_is_new_b4() {
    let mut bench = Bench::new();
    let call = bench.call();
    let mut refused = |plan| {
        let done = bench
            .account
            .at(call)
            .provision_subscription(request(PORTS, plan, None));
        matches!(done, Err(Refusal::Invalid(fields)) if fields.contains_key("plan_slug"))
    };
    assert!(refused(None));
    assert!(refused(Some("gold")));
    assert!(!refused(Some("starter")));
    assert!(!refused(None), "recorded by now");
    assert!(refused(Some("gold")));
}

#[test]
fn an_unknown_product_is_not_found_d1() {
    let mut bench = Bench::new();
    let call = bench.call();
    let account = &mut bench.account;
    let unknown = request("antivirus", None, None);
    assert_eq!(
        account.at(call).provision_subscription(unknown).err(),
        Some(Refusal::ProductNotFound)
    );
    let named = subscription(42, 1, "antivirus");
    for operation in [SUSPEND, RESUME, TERMINATE] {
        assert_eq!(
            operation(&mut account.at(call), &named).err(),
            Some(Refusal::ProductNotFound)
        );
    }
    assert_eq!(
        change(
            &mut bench,
            "antivirus",
            None,
            Some(1),
            DowngradeCheck::Refuse
        ),
        Err(Refusal::ProductNotFound)
    );
}

#[test]
fn what_is_not_recorded_is_told_apart_d1() {
    let mut bench = Bench::new();
    let call = bench.call();
    let named = subscription(42, 1, PORTS);
    let refusal = |bench: &mut Bench, named: &SubscriptionRef| {
        SUSPEND(&mut bench.account.at(call), named).err()
    };
    let nothing = Some(Refusal::BillingClientNotFound);
    let other_product = Some(Refusal::SubscriptionNotFound);
    assert_eq!(refusal(&mut bench, &named), nothing);
    bench.subscribe(42, 1, What::Slots(1));
    assert_eq!(refusal(&mut bench, &named), other_product);
    assert_eq!(refusal(&mut bench, &subscription(42, 2, PORTS)), nothing);
    assert_eq!(refusal(&mut bench, &subscription(43, 1, PORTS)), nothing);
    bench.new_domain(42, "example.com");
    assert_eq!(
        refusal(&mut bench, &subscription(42, 7, PORTS)),
        other_product,
        "a domain is recorded with service 7"
    );
    assert_eq!(
        change(
            &mut bench,
            PORTS,
            Some("starter"),
            None,
            DowngradeCheck::Refuse
        ),
        Err(Refusal::SubscriptionNotFound)
    );
}

#[test]
fn a_subscription_moves_and_repeats_with_a_note_d3() {
    use SubscriptionStatus::{Active, Cancelled, Suspended};
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(1));
    let named = subscription(42, 1, DOMAINS);
    assert_eq!(go(&mut bench, RESUME, &named), (Active, true));
    assert_eq!(go(&mut bench, SUSPEND, &named), (Suspended, false));
    assert_eq!(go(&mut bench, SUSPEND, &named), (Suspended, true));
    assert_eq!(go(&mut bench, RESUME, &named), (Active, false));
    assert_eq!(go(&mut bench, SUSPEND, &named), (Suspended, false));
    assert_eq!(go(&mut bench, TERMINATE, &named), (Cancelled, false));
    assert_eq!(go(&mut bench, TERMINATE, &named), (Cancelled, true));
    let call = bench.call();
    for operation in [SUSPEND, RESUME] {
        assert_eq!(
            operation(&mut bench.account.at(call), &named).err(),
            Some(Refusal::SubscriptionNotChangeable)
        );
    }
    assert_eq!(
        change(&mut bench, DOMAINS, None, Some(1), DowngradeCheck::Force),
        Err(Refusal::SubscriptionNotChangeable)
    );
}

#[test]
fn provisioning_again_updates_and_revives_but_does_not_resume_d2() {
    let mut bench = Bench::new();
    let first = bench.subscribe(42, 1, What::Plan("professional"));
    let named = subscription(42, 1, PORTS);
    let kept = provision(&mut bench, request(PORTS, None, None));
    assert_eq!(kept.0, Outcome::Changed);
    assert_eq!(kept.1["plan_slug"], "professional");
    go(&mut bench, SUSPEND, &named);
    let suspended = provision(&mut bench, request(PORTS, Some("business"), None));
    assert_eq!(suspended.1["status"], "suspended");
    assert_eq!(suspended.1["plan_slug"], "business");
    go(&mut bench, TERMINATE, &named);
    let revived = bench.subscribe(42, 1, What::Plan("starter"));
    assert_eq!(revived.status, SubscriptionStatus::Active);
    assert_eq!(revived.subscription_id, first.subscription_id);
}

#[test]
fn pro_rata_windows_are_recorded_with_each_move_b12() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(1));
    let named = subscription(42, 1, DOMAINS);
    for operation in [SUSPEND, RESUME, RESUME, TERMINATE] {
        bench.wait(60);
        go(&mut bench, operation, &named);
    }
    let document = bench.account.export();
    let records = document["records"].as_array().expect("records");
    let recorded = records
        .iter()
        .find(|record| record["table"] == "subscriptions")
        .expect("the subscription");
    let minute = |minute: u32| format!("2026-01-01T00:{minute:02}:00.000+00:00");
    assert_eq!(
        recorded["value"]["pro_rata"],
        json!([
            {"event": "suspend", "from": minute(0), "at": minute(1)},
            {"event": "resume", "from": minute(1), "at": minute(2)},
            {"event": "terminate", "from": minute(2), "at": minute(4)},
        ])
    );
}

#[test]
fn a_change_tells_its_direction_and_what_was_before_d4() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Plan("professional"));
    let refuse = DowngradeCheck::Refuse;
    let up = change(&mut bench, PORTS, Some("business"), None, refuse);
    let expected = json!({
        "changed": true,
        "plan_slug": "business",
        "direction": "upgrade",
        "previous_plan_slug": "professional",
        "effective_at": "2026-01-01T00:00:00+00:00",
        "quantity": 1,
        "previous_quantity": 1,
    });
    assert_eq!(up, Ok(expected));
    let down = change(&mut bench, PORTS, Some("starter"), None, refuse).expect("changed");
    assert_eq!(down["direction"], "downgrade");
    let same = change(&mut bench, PORTS, Some("starter"), None, refuse);
    let unchanged = json!({
        "changed": false,
        "plan_slug": "starter",
        "quantity": 1,
        "direction": null,
    });
    assert_eq!(same, Ok(unchanged.clone()));
    let not_taken = change(&mut bench, PORTS, None, Some(7), refuse);
    assert_eq!(not_taken, Ok(unchanged));
    bench.subscribe(42, 1, What::Slots(3));
    let units = change(&mut bench, DOMAINS, None, Some(5), refuse).expect("changed");
    assert_eq!(units["previous_plan_slug"], Value::Null);
    assert_eq!(
        (&units["quantity"], &units["previous_quantity"]),
        (&json!(5), &json!(3))
    );
    let unknown = change(&mut bench, PORTS, Some("gold"), None, refuse);
    assert!(
        matches!(unknown, Err(Refusal::Invalid(fields)) if fields.contains_key("new_plan_slug"))
    );
}

#[test]
fn a_change_to_another_plan_of_the_same_size_is_an_upgrade_d4() {
    let mut bench = Bench::with(|settings| {
        let plans = &mut settings.catalogue.port_monitoring;
        plans.insert("renamed".to_owned(), 5);
    });
    bench.subscribe(42, 1, What::Plan("starter"));
    let refuse = DowngradeCheck::Refuse;
    let changed = change(&mut bench, PORTS, Some("renamed"), None, refuse).expect("changed");
    assert_eq!(changed["direction"], "upgrade");
}

#[test]
fn a_suspended_subscription_can_be_changed_d4() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(3));
    for name in ["a.example", "b.example"] {
        bench.new_domain(42, name);
    }
    go(&mut bench, SUSPEND, &subscription(42, 1, DOMAINS));
    let changed = change(&mut bench, DOMAINS, None, Some(1), DowngradeCheck::Refuse);
    assert!(
        changed.is_ok(),
        "it holds nothing, so usage does not matter"
    );
    assert_eq!(bench.domains(42).slots_total, 0);
}

#[test]
fn a_downgrade_below_usage_is_refused_unless_forced_d5() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(4));
    bench.subscribe(42, 2, What::Slots(1));
    for name in ["a.example", "b.example", "c.example"] {
        bench.new_domain(42, name);
    }
    let refuse = DowngradeCheck::Refuse;
    assert!(change(&mut bench, DOMAINS, None, Some(2), refuse).is_ok());
    assert_eq!(
        change(&mut bench, DOMAINS, None, Some(1), refuse),
        Err(Refusal::DowngradeUsageExceeded(Capacity {
            limit: 2,
            current_usage: 3
        }))
    );
    let forced = change(&mut bench, DOMAINS, None, Some(1), DowngradeCheck::Force);
    assert_eq!(forced.expect("forced")["direction"], "downgrade");
    let paused: Vec<bool> = bench
        .domains(42)
        .domains
        .iter()
        .map(|d| d.quota_paused)
        .collect();
    assert_eq!(paused, [false, false, true]);
}

#[test]
fn a_refused_downgrade_names_the_room_that_all_services_would_leave_d5() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(2));
    bench.subscribe(42, 2, What::Slots(3));
    for name in [
        "a.example",
        "b.example",
        "c.example",
        "d.example",
        "e.example",
    ] {
        bench.new_domain(42, name);
    }
    assert_eq!(
        change(&mut bench, DOMAINS, None, Some(1), DowngradeCheck::Refuse),
        Err(Refusal::DowngradeUsageExceeded(Capacity {
            limit: 4,
            current_usage: 5
        }))
    );
}

#[test]
fn a_change_names_the_subscription_it_is_about_d4() {
    let mut bench = Bench::new();
    bench.subscribe(42, 9, What::Slots(1));
    let id = bench.subscribe(42, 1, What::Slots(3)).subscription_id;
    for quantity in [5, 5] {
        let request = ChangeSubscription {
            subscription: subscription(42, 1, DOMAINS),
            new_plan: None,
            new_quantity: Some(quantity),
            downgrade: DowngradeCheck::Refuse,
        };
        let call = bench.call();
        let answer = bench.account.at(call).change_subscription(request);
        let named = match answer.expect("accepted") {
            SubscriptionChange::Changed(changed) => changed.subscription_id,
            SubscriptionChange::Unchanged(unchanged) => unchanged.subscription_id,
        };
        assert_eq!(named, id);
    }
}

#[test]
fn a_move_to_the_current_status_says_so_d3() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(1));
    let named = subscription(42, 1, DOMAINS);
    let moves: [(Move, &str); 3] = [
        (RESUME, "The subscription is already active."),
        (SUSPEND, "The subscription is already suspended."),
        (TERMINATE, "The subscription is already cancelled."),
    ];
    for (operation, note) in moves {
        let call = bench.call();
        operation(&mut bench.account.at(call), &named).expect("recorded");
        let again = operation(&mut bench.account.at(call), &named).expect("recorded");
        assert_eq!((again.outcome, again.note), (Outcome::Existing, Some(note)));
    }
}

#[test]
fn a_subscription_of_a_server_moves_alone_d9() {
    let mut bench = Bench::new();
    let id = bench.provision(42, "203.0.113.10");
    provision(&mut bench, request("endpoint", None, None));
    let named = subscription(42, 1, "endpoint");
    let moved = go(&mut bench, SUSPEND, &named);
    assert_eq!(moved, (SubscriptionStatus::Suspended, false));
    assert_eq!(
        bench.endpoint(id).status,
        secmon_engine::EndpointStatus::Active
    );
    assert_eq!(
        bench.list(Some(42)).endpoint_limit,
        25,
        "no capacity of its own"
    );
    let unchanged = change(
        &mut bench,
        "endpoint",
        None,
        Some(5),
        DowngradeCheck::Refuse,
    );
    assert_eq!(unchanged.expect("unchanged")["changed"], false);
}

#[test]
fn the_change_to_the_current_plan_is_told_apart_by_type() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(3));
    let call = bench.call();
    let request = ChangeSubscription {
        subscription: subscription(42, 1, DOMAINS),
        new_plan: None,
        new_quantity: Some(3),
        downgrade: DowngradeCheck::Refuse,
    };
    let answer = bench.account.at(call).change_subscription(request);
    assert!(matches!(answer, Ok(SubscriptionChange::Unchanged(_))));
}

#[test]
fn the_sandbox_header_marks_subscriptions_and_domains_too_a14() {
    let marks = |header: SandboxHeader| {
        let mut bench = Bench::new();
        let mut call = bench.call();
        call.sandbox = header;
        let account = &mut bench.account;
        account
            .at(call)
            .provision_subscription(request(DOMAINS, None, Some(1)))
            .expect("provisioned");
        let domain = ProvisionDomain {
            client: Client::new(client(42)),
            domain: domain_name("example.com"),
            service: ServiceId::new(1).expect("a service"),
        };
        account
            .at(call)
            .provision_domain(domain)
            .expect("provisioned");
        let export = account.export().to_string();
        export.matches(r#""simulated":true"#).count()
    };
    assert_eq!(marks(SandboxHeader::Simulate), 2);
    assert_eq!(marks(SandboxHeader::Absent), 0);
}

#[test]
fn the_plans_on_sale_hold_what_they_hold_b4() {
    let mut bench = Bench::new();
    for (plan, servers) in [
        ("starter", 5),
        ("professional", 25),
        ("business", 100),
        ("enterprise", 1000),
    ] {
        bench.subscribe(42, 1, What::Plan(plan));
        assert_eq!(bench.list(Some(42)).endpoint_limit, servers);
    }
    let mut bench = Bench::with(|settings| {
        let plans = &mut settings.catalogue.port_monitoring;
        plans.insert("tiny".to_owned(), 1);
        plans.remove("starter");
    });
    bench.subscribe(42, 1, What::Plan("tiny"));
    assert_eq!(bench.list(Some(42)).endpoint_limit, 1);
    let call = bench.call();
    let gone = request(PORTS, Some("starter"), None);
    assert!(bench.account.at(call).provision_subscription(gone).is_err());
}
