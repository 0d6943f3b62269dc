//! The module against the whole service, as the mock server plays it in this process.

use secmon::model::{CustomerId, EndpointId, ProductSlug};
use secmon::operations::{ProvisionDomain, ProvisionEndpoint, ServiceReport};
use secmon_examples::billing::Module;
use secmon_examples::billing::bulk::Bulk;
use secmon_examples::billing::policy::{Next, next};
use secmon_examples::billing::queue::{Goods, Hook, Order, Outcome, Queue};
use secmon_examples::billing::{nightly, page, sso, watch};
use secmon_mock::{
    CloseAt, Config, DomainFindings, Fault, Manners, MockServer, OpenPort, Progress, Protocol,
    RateLimits, ScanOutcome, Tenant,
};
use serde_json::json;
use std::num::NonZero;
use std::sync::OnceLock;
use std::time::Duration;

/// An account that fails its test where the module made a careless call.
struct Account(Tenant);

impl std::ops::Deref for Account {
    type Target = Tenant;

    fn deref(&self) -> &Tenant {
        &self.0
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        if let Err(told) = self.0.verify_no_notices() {
            panic!("{told}");
        }
    }
}

fn tenant() -> Account {
    static SERVER: OnceLock<MockServer> = OnceLock::new();
    let server = SERVER.get_or_init(|| MockServer::start().expect("a mock"));
    Account(server.tenant())
}

fn module(tenant: &Tenant) -> Module {
    Module::connect(tenant.url(), tenant.api_key()).expect("a module")
}

fn queue(name: &str) -> Queue {
    let file = std::env::temp_dir().join(format!("secmon-mock-{name}-{}.json", std::process::id()));
    let _ = std::fs::remove_file(&file);
    Queue::open(file).expect("a queue")
}

fn ann() -> CustomerId {
    "42".parse().expect("an id")
}

fn order(service: u64, goods: Goods) -> Order {
    Order {
        customer: ann(),
        service: service.try_into().expect("an id"),
        goods,
        client_name: Some("Ann".to_owned()),
    }
}

fn server(service: u64) -> Order {
    order(
        service,
        Goods::Server(format!("203.0.113.{service}").into()),
    )
}

fn plan(slug: &str) -> Order {
    order(100, Goods::Plan(slug.into()))
}

/// Takes the hook in and works it off.
async fn play(
    queue: &mut Queue,
    module: &Module,
    delivery: &str,
    hook: Hook,
    order: &Order,
) -> Vec<Outcome> {
    queue.take(delivery, hook, order).expect("written");
    queue.work(&module.background, 0).await.expect("written")
}

#[tokio::test]
async fn three_orders_live_their_lives_twice_delivered() {
    let (tenant, mut queue) = (tenant(), queue("lives"));
    let module = module(&tenant);
    let orders = [
        plan("professional"),
        order(101, Goods::DomainSlots(2)),
        server(7),
    ];
    let life = [
        (Hook::Created, ["active", "active", "monitored from now on"]),
        (Hook::Suspended, ["suspended", "suspended", "paused"]),
        (Hook::Unsuspended, ["active"; 3]),
        (Hook::Terminated, ["cancelled", "cancelled", "terminated"]),
    ];
    for (hook, states) in life {
        for (order, state) in orders.iter().zip(states) {
            let delivery = format!("{hook:?}-{}", order.service);
            let outcomes = play(&mut queue, &module, &delivery, hook, order).await;
            assert_eq!(
                (&outcomes[0].next, outcomes[0].text.as_str()),
                (&Next::Done, state)
            );
            assert_eq!(play(&mut queue, &module, &delivery, hook, order).await, []);
            // Another id for the same thing: it is sent, and does no harm.
            let again = play(
                &mut queue,
                &module,
                &format!("{delivery}-again"),
                hook,
                order,
            )
            .await;
            assert_eq!(again[0].next, Next::Done, "{again:?}");
        }
    }
    assert_eq!(tenant.calls("POST", "*/billing/*").len(), 24);
    let outcomes = play(
        &mut queue,
        &module,
        "late",
        Hook::ChangedPackage,
        &plan("business"),
    )
    .await;
    assert!(
        matches!(outcomes[0].next, Next::AskOperator(_)),
        "{outcomes:?}"
    );
}

#[tokio::test]
async fn a_moved_server_is_monitored_at_its_new_address_alone() {
    let (tenant, mut queue) = (tenant(), queue("moved"));
    let module = module(&tenant);
    play(&mut queue, &module, "d1", Hook::Created, &server(7)).await;
    let moved = order(7, Goods::Server("203.0.113.70".into()));
    let outcomes = play(&mut queue, &module, "d2", Hook::ChangedPackage, &moved).await;
    assert_eq!(outcomes[0].next, Next::Done);
    tenant
        .verify("POST", "*/terminate", 1)
        .expect("the old one");
    let page = page::read(&module.screen, ann(), 1).await;
    let active = |row: &&page::ServerRow| row.status.as_str() == "active";
    let rows = page.servers.expect("servers");
    assert_eq!(
        rows.iter()
            .filter(active)
            .map(|row| row.address.as_str())
            .collect::<Vec<_>>(),
        ["203.0.113.70"]
    );
}

#[tokio::test]
async fn less_capacity_pauses_the_newest_and_the_report_says_whose() {
    let (tenant, mut queue) = (tenant(), queue("capacity"));
    let module = module(&tenant);
    play(
        &mut queue,
        &module,
        "plan",
        Hook::Created,
        &plan("professional"),
    )
    .await;
    for service in 1..=6 {
        play(
            &mut queue,
            &module,
            &format!("d{service}"),
            Hook::Created,
            &server(service),
        )
        .await;
    }
    let outcomes = play(
        &mut queue,
        &module,
        "less",
        Hook::ChangedPackage,
        &plan("starter"),
    )
    .await;
    assert_eq!(
        outcomes[0].next,
        Next::AskCustomer("6 are in use, and the smaller plan holds 5.".to_owned())
    );
    let report = |service: u64, status: &str| {
        ServiceReport::new(
            ann(),
            service.try_into().expect("an id"),
            ProductSlug::PortMonitoring,
            status,
        )
    };
    let night = [report(100, "suspended"), report(999, "active")];
    let result = nightly::correct(&module.background, &night).await;
    assert_eq!(
        (result.changed.to_string().as_str(), result.unknown.len()),
        ("1", 1)
    );
    assert_eq!(
        (
            result.paused.len(),
            result.paused[0].customer,
            result.paused[0].resources.len()
        ),
        (1, ann(), 6)
    );
    assert_eq!((result.open.as_slice(), result.failed.len()), (&[][..], 0));
    let page = page::read(&module.screen, ann(), 1).await;
    assert!(
        page.servers
            .expect("servers")
            .iter()
            .all(|row| row.paused_for_capacity == Some(true))
    );
    // The first report of the next night is processed, and its answer gets lost.
    tenant.fault(Fault::close(CloseAt::After).on("POST", "*/sync-services"));
    let result = nightly::correct(&module.background, &[report(100, "active")]).await;
    assert_eq!(
        (result.changed.to_string().as_str(), result.resumed.len()),
        ("not known", 0)
    );
    assert_eq!(result.open.len(), 1, "{result}");
}

#[tokio::test]
async fn a_full_plan_refuses_one_server_of_a_bulk_and_a_lost_answer_none() {
    let (tenant, mut queue) = (tenant(), queue("full"));
    let module = module(&tenant);
    play(&mut queue, &module, "plan", Hook::Created, &plan("starter")).await;
    tenant.fault(
        Fault::close(CloseAt::After)
            .on("POST", "*/provision")
            .times(2),
    );
    let servers =
        (1..=6).map(|host| ProvisionEndpoint::new(ann()).ip_address(format!("198.51.100.{host}")));
    let mut bulk = Bulk::new(servers);
    assert_eq!(bulk.run(&module.background, |_| ()).await, Next::Done);
    assert_eq!((bulk.progress().monitored, bulk.progress().refused), (5, 1));
}

#[tokio::test]
async fn a_lost_change_of_plan_is_found_made() {
    let (tenant, mut queue) = (tenant(), queue("change"));
    let module = module(&tenant);
    play(&mut queue, &module, "plan", Hook::Created, &plan("starter")).await;
    tenant.fault(Fault::close(CloseAt::MidBody).on("POST", "*/change-subscription"));
    let outcomes = play(
        &mut queue,
        &module,
        "more",
        Hook::ChangedPackage,
        &plan("business"),
    )
    .await;
    assert_eq!(outcomes[0].next, Next::RetryLater { after: Some(60) });
    tenant
        .verify("POST", "*/change-subscription", 1)
        .expect("sent once");
    let outcomes = queue.work(&module.background, 60).await.expect("written");
    assert_eq!(outcomes[0].text, "as before");
}

#[tokio::test]
async fn others_who_use_the_key_slow_the_module_and_stop_nothing() {
    let rate_limits = RateLimits {
        strict: 3,
        default: 3,
        window: 1,
    };
    let config = Config {
        rate_limits,
        ..Config::default()
    };
    let mock = MockServer::builder()
        .config(config)
        .manners(Manners::Unkind)
        .start()
        .expect("a mock");
    let tenant = Account(mock.tenant());
    let module = module(&tenant);
    let mut bulk = Bulk::new(
        (1..=8).map(|host| ProvisionEndpoint::new(ann()).ip_address(format!("198.51.100.{host}"))),
    );
    assert_eq!(bulk.run(&module.background, |_| ()).await, Next::Done);
    assert_eq!(bulk.progress().monitored, 8);
    assert!(
        tenant
            .calls("POST", "*/provision")
            .iter()
            .any(|call| call.status == Some(429))
    );
    // Small pages, values nobody knows: the page shows them.
    let page = page::read(&module.screen, ann(), 1).await;
    assert!(
        page.servers
            .is_some_and(|rows| rows.iter().all(|row| row.alerts.is_some())),
        "{:?}",
        page.problems
    );
}

#[tokio::test]
async fn a_customer_sees_its_own_and_nobody_elses() {
    let (tenant, mut queue) = (tenant(), queue("page"));
    let module = module(&tenant);
    play(&mut queue, &module, "d1", Hook::Created, &server(7)).await;
    play(
        &mut queue,
        &module,
        "d2",
        Hook::Created,
        &order(101, Goods::DomainSlots(2)),
    )
    .await;
    let watched = ProvisionDomain::new(
        ann(),
        "https://example.com/shop",
        101u64.try_into().expect("an id"),
    );
    let domain = module
        .screen
        .send(watched)
        .await
        .expect("a domain")
        .data
        .monitored_domain_id;
    tenant
        .set_findings(
            domain.into(),
            DomainFindings::new(3, 0, 1, 2).expect("findings"),
        )
        .expect("set");
    tenant
        .scan_domain_now(domain.into(), ScanOutcome::Completed)
        .expect("scanned");
    let page = serde_json::to_value(page::read(&module.screen, ann(), 1).await).expect("JSON");
    let row = &page["domains"]["domains"][0];
    assert_eq!(
        (&row["domain"], &row["employees"], &row["customers"]),
        (&json!("example.com"), &json!(3), &json!(0))
    );
    let bob: CustomerId = "43".parse().expect("an id");
    let other = serde_json::to_value(page::read(&module.screen, bob, 1).await).expect("JSON");
    assert_eq!(
        (&other["servers"], &other["domains"]["subscribed"]),
        (&json!([]), &json!("no"))
    );
    let server = queue.server(server(7).service).expect("provisioned");
    let foreign = module
        .screen
        .servers()
        .detail(bob, server)
        .await
        .expect_err("not Bob's");
    assert!(
        matches!(next(&foreign), Next::AskOperator(_) | Next::LookFirst),
        "{foreign}"
    );
    let link = sso::sign_in(&module.screen, ann(), Some("/domains"))
        .await
        .expect("a link")
        .into_location();
    assert!(link.starts_with(&format!("{}/sso?token=", tenant.url())));
    let nobody = sso::sign_in(&module.screen, bob, None)
        .await
        .expect_err("no account");
    assert!(matches!(next(&nobody), Next::AskOperator(_)), "{nobody}");
}

#[tokio::test]
async fn first_scans_and_alerts_are_told_and_the_key_changes_meanwhile() {
    let (tenant, mut queue) = (tenant(), queue("watch"));
    let module = module(&tenant);
    tenant.set_progress(Progress::Manual).expect("set");
    play(&mut queue, &module, "d1", Hook::Created, &server(7)).await;
    let id: EndpointId = queue.server(server(7).service).expect("provisioned");
    let open = |ports: &[u16]| {
        let port = |port: &u16| OpenPort {
            port: NonZero::new(*port).expect("a port"),
            protocol: Protocol::Tcp,
        };
        tenant
            .set_ports(id.into(), &ports.iter().map(port).collect::<Vec<_>>())
            .expect("set");
        tenant
            .scan_now(id.into(), ScanOutcome::Completed)
            .expect("scanned");
    };
    let mut notifier = watch::Notifier::new(&module.background, ann(), None);
    assert_eq!(notifier.look().await.expect("a look"), []);
    open(&[22]);
    let mut ends = Vec::new();
    let done = watch::first_scans(
        &module.background,
        ann(),
        [id],
        Duration::from_secs(60),
        |end| ends.push(end),
    )
    .await;
    assert_eq!((done, ends.len()), (Ok(()), 1));
    let new_key = tenant.issue_key().expect("a key");
    tenant.revoke_key(tenant.api_key()).expect("revoked");
    let error = notifier.look().await.expect_err("the key is gone");
    assert!(matches!(next(&error), Next::Halt(_)), "{error}");
    module.rotate_key(&new_key).expect("a key");
    let notices = notifier.look().await.expect("a look");
    assert!(notices.len() == 1 && notices[0].new, "{notices:?}");
    open(&[]);
    let notices = notifier.look().await.expect("a look");
    assert!(notices.len() == 1 && !notices[0].new, "{notices:?}");
}
