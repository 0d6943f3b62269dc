//! How a module of one's own is tested with the mock in the test's process: what a partner would write for
//! [`secmon_examples::own_module`].
//!
//! Each test has an account of its own, with its own key, faults and journal, so all run side by side on one server.

use reqwest::Method;
use secmon::{ApiKey, Client};
use secmon_examples::own_module::{Order, Shop};
use secmon_examples::policy::Next;
use secmon_mock::{CloseAt, Fault, MockServer, Tenant};
use serde_json::{Value, json};
use std::sync::OnceLock;
use std::time::Duration;

fn server() -> &'static MockServer {
    static SERVER: OnceLock<MockServer> = OnceLock::new();
    SERVER.get_or_init(|| MockServer::start().expect("a mock"))
}

fn shop(url: &str, key: &str) -> Shop {
    let key = ApiKey::new(key).expect("a key");
    Shop::new(Client::builder(url, key).build().expect("a client"))
}

fn shop_of(account: &Tenant) -> Shop {
    shop(account.url(), account.api_key())
}

fn order(service: u64, servers: &[&str]) -> Order {
    Order {
        customer: "42".parse().expect("an id"),
        service: service.try_into().expect("an id"),
        plan: "starter".into(),
        servers: servers.iter().map(|server| (*server).into()).collect(),
    }
}

#[tokio::test]
async fn who_signs_up_is_monitored_and_who_leaves_is_not() {
    let account = server().tenant();
    let (shop, order) = (
        shop_of(&account),
        order(501, &["203.0.113.1", "203.0.113.2"]),
    );
    let servers = shop.sign_up(&order).await.expect("signed up");
    assert_eq!(servers.len(), 2);
    // Twice is as good as once: the same servers, and no more of them.
    assert_eq!(shop.sign_up(&order).await, Ok(servers));
    let services = [(order.service, "port_monitoring".into())];
    shop.cancel(order.customer, &services).await.expect("gone");
    account
        .verify("POST", "*/terminate", 2)
        .expect("each server");
    shop.cancel(order.customer, &services)
        .await
        .expect("gone already");
    account
        .verify("POST", "*/terminate", 2)
        .expect("nothing is ended twice");
    account.verify_no_notices().expect("no careless call");
}

#[tokio::test]
async fn a_lost_answer_makes_no_second_server() {
    let account = server().tenant();
    account.fault(Fault::close(CloseAt::After).on("POST", "*/provision"));
    account.fault(Fault::close(CloseAt::MidBody).on("POST", "*/terminate"));
    let (shop, order) = (shop_of(&account), order(501, &["203.0.113.1"]));
    let servers = shop.sign_up(&order).await.expect("signed up");
    assert_eq!(shop.sign_up(&order).await, Ok(servers));
    let services = [(order.service, "port_monitoring".into())];
    shop.cancel(order.customer, &services).await.expect("gone");
    account.verify_no_notices().expect("no careless call");
}

#[tokio::test]
async fn a_429_is_waited_for() {
    let account = server().tenant();
    let busy = Fault::status(http::StatusCode::TOO_MANY_REQUESTS).on("POST", "*/provision");
    account.fault(busy);
    let signed_up = shop_of(&account)
        .sign_up(&order(501, &["203.0.113.1"]))
        .await;
    assert_eq!(signed_up.map(|servers| servers.len()), Ok(1));
    let statuses = account.calls("POST", "*/provision");
    let statuses: Vec<_> = statuses.iter().map(|call| call.status).collect();
    assert_eq!(statuses, [Some(429), Some(201)]);
    // It would tell of a call before `Retry-After` was over.
    account.verify_no_notices().expect("no careless call");
}

#[tokio::test]
async fn a_full_plan_is_a_sentence_for_the_customer_and_keeps_what_fits() {
    let account = server().tenant();
    let addresses: Vec<String> = (1..=6).map(|host| format!("203.0.113.{host}")).collect();
    let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
    let full = shop_of(&account).sign_up(&order(501, &addresses)).await;
    let sentence = "Your plan includes 5 servers: a larger one makes room for this server.";
    assert_eq!(full, Err(Next::AskCustomer(sentence.to_owned())));
    let made = account.calls("POST", "*/provision");
    assert_eq!(
        made.iter().filter(|call| call.status == Some(201)).count(),
        5
    );
    account.verify_no_notices().expect("no careless call");
}

#[tokio::test]
async fn a_service_that_is_down_is_tried_later_and_a_refused_key_is_not() {
    let account = server().tenant();
    let (shop, order) = (shop_of(&account), order(501, &["203.0.113.1"]));
    let down = Fault::status(http::StatusCode::BAD_GATEWAY).on("POST", "*/provision*");
    account.fault(down.times(0));
    let later = shop.sign_up(&order).await;
    assert!(matches!(later, Err(Next::RetryLater { .. })), "{later:?}");
    account.clear_faults();
    account.revoke_key(account.api_key()).expect("revoked");
    let halt = shop.sign_up(&order).await;
    assert!(matches!(halt, Err(Next::Halt(_))), "{halt:?}");
    account.verify_no_notices().expect("no careless call");
}

/// A playbook of the mock: an account that is prepared with trouble, a goal, and a verdict.
struct Playbook {
    http: reqwest::Client,
    run: Value,
}

impl Playbook {
    async fn start(name: &str) -> Self {
        // Another test may have been first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .no_proxy()
            .build()
            .expect("a client");
        let path = format!("{}/_mock/playbooks", server().admin_url());
        let start = http
            .request(Method::POST, path)
            .json(&json!({ "name": name }));
        let run = start.send().await.expect("an answer").json().await;
        let run = run.expect("a run");
        Self { http, run }
    }

    fn shop(&self) -> Shop {
        let text = |name: &str| self.run[name].as_str().expect("text").to_owned();
        shop(&text("base_url"), &text("api_key"))
    }

    async fn verdict(&self) -> Value {
        let id = &self.run["id"];
        let path = format!("{}/_mock/playbooks/{id}?finished=1", server().admin_url());
        let answer = self.http.get(path).timeout(Duration::from_secs(60)).send();
        answer
            .await
            .expect("an answer")
            .json()
            .await
            .expect("a verdict")
    }
}

#[tokio::test]
async fn an_order_that_is_delivered_twice_passes_the_playbook_double_billing() {
    let playbook = Playbook::start("double-billing").await;
    let (shop, order) = (playbook.shop(), order(601, &["203.0.113.17"]));
    for _ in 0..2 {
        shop.sign_up(&order).await.expect("signed up");
    }
    assert_eq!(
        playbook.verdict().await,
        json!({ "verdict": "passed", "findings": [] })
    );
}

#[tokio::test]
async fn a_customer_who_leaves_passes_the_playbook_customer_leaves() {
    let playbook = Playbook::start("customer-leaves").await;
    let service = |id: u64, product: &str| (id.try_into().expect("an id"), product.into());
    let services = [
        service(701, "port_monitoring"),
        service(702, "domain_monitoring"),
    ];
    let ended = playbook
        .shop()
        .cancel("42".parse().expect("an id"), &services)
        .await;
    assert_eq!(ended, Ok(()));
    assert_eq!(
        playbook.verdict().await,
        json!({ "verdict": "passed", "findings": [] })
    );
}
