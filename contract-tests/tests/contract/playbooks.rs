//! The playbooks, played by a client that does right and by one that does not: the first passes each, the second fails
//! each for the right reason.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, header};
use secmon::model::{
    CustomerId, DomainId, EndpointId, ProductSlug, Protocol, ServiceId, SubscriptionStatus,
};
use secmon::operations::{
    ChangeSubscription, CreateRule, ListCredentialLeaks, ListEndpoints, ListPortAlerts, ListRules,
    ProvisionEndpoint, ScanEndpoint, ServiceReport, SyncServices,
};
use secmon::transport::{HttpOptions, HttpTransport, Transport};
use secmon::{ApiKey, Client, ErrorKind, Sent};
use secmon_contract_tests::{Repeatability, Service, assert_keys};
use secmon_mock::MockServer;
use serde_json::{Value, json};
use tokio::runtime::Builder;

checks! {
    a_client_that_does_right_passes_every_playbook(Playbooks),
    a_client_that_does_wrong_fails_every_playbook_for_that_reason(Playbooks),
    every_playbook_is_played(Playbooks),
}

type Played = Pin<Box<dyn Future<Output = ()>>>;

type Player = fn(Client) -> Played;

/// `play!(name)` is `name` as a function that can stand in a table.
macro_rules! play {
    ($player:ident) => {
        |client| Box::pin($player(client))
    };
}

/// A playbook, who plays it well, and who plays it badly with what is said of them.
#[rustfmt::skip]
const PARTS: &[(&str, Player, Player, &str)] = &[
    ("provision-lifecycle", play!(live_through), play!(resume_what_is_terminated), "A call was refused"),
    ("capacity-drop", play!(give_up_two_domains), play!(force_the_downgrade), "The downgrade was forced"),
    ("throttle-storm", play!(provision_patiently), play!(provision_at_once), "before the Retry-After"),
    ("lost-answer", play!(look_after_a_lost_answer), play!(send_a_rule_twice), "The rule was sent twice"),
    ("scan-cooldown", play!(wait_for_the_cooldown), play!(scan_again_and_again), "before details.retry_after_seconds were over"),
    ("paging", play!(read_every_page), play!(read_a_page_twice), "A page was read twice"),
    ("drift-sync", play!(report_once), play!(suspend_by_hand), "suspended by another operation"),
    ("unknown-values", play!(go_on_after_unknown_values), play!(read_alerts_over_and_over), "over and over"),
    ("key-revoked", play!(stop_when_the_key_is_refused), play!(go_on_with_a_refused_key), "used again after it was refused"),
    ("upstream-down", play!(read_the_summary_all_the_same), play!(read_leaks_over_and_over), "over and over"),
];

/// Where playbooks are played: at the service under test, or at a mock of their own where that one's clock stands.
struct Theatre {
    service: Service,
    /// Kept running.
    _own: Option<MockServer>,
}

impl Theatre {
    fn open() -> Self {
        let found = Service::found();
        if found.repeatability == Repeatability::Loose {
            return Self {
                service: found,
                _own: None,
            };
        }
        let own = MockServer::start().expect("a server");
        Self {
            service: Service::of(&own),
            _own: Some(own),
        }
    }

    async fn admin(&self, method: Method, path: &str, body: &Value) -> Value {
        let address = format!("{}{path}", self.service.admin_url);
        let mut request = Request::builder().method(method).uri(address);
        if let Some(key) = &self.service.admin_key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        let request = request.body(match body {
            Value::Null => Bytes::new(),
            body => body.to_string().into(),
        });
        let transport = HttpTransport::new(&HttpOptions::default());
        let answer = transport.send(request.expect("a request")).await;
        let answer = answer.expect("an answer");
        assert!(answer.status().is_success(), "{path}: {:?}", answer.body());
        serde_json::from_slice(answer.body()).unwrap_or_default()
    }
}

/// A playbook that was started.
struct Play<'a> {
    theatre: &'a Theatre,
    id: u64,
    client: Client,
}

impl<'a> Play<'a> {
    async fn start(theatre: &'a Theatre, name: &str) -> Self {
        let body = json!({"name": name});
        let started = theatre.admin(Method::POST, "/_mock/playbooks", &body).await;
        assert_keys(&started, &["id", "base_url", "api_key", "goal"]);
        let service = &theatre.service;
        // It says where it was asked, which is the partner API's address unless the two are apart.
        if service.url == service.admin_url {
            assert_eq!(started["base_url"], service.url);
        }
        let key = started["api_key"].as_str().unwrap_or_default();
        let builder = Client::builder(&service.url, ApiKey::new(key).expect("a key"));
        let builder = builder.allow_http(service.host()).unlimited();
        Self {
            theatre,
            id: started["id"].as_u64().expect("an id"),
            client: builder.build().expect("a client"),
        }
    }

    /// The verdict; then its account is removed.
    async fn judged(self) -> (String, String) {
        let path = format!("/_mock/playbooks/{}?finished=1", self.id);
        let read = |path: String| async move {
            let theatre = self.theatre;
            theatre.admin(Method::GET, &path, &Value::Null).await
        };
        let judged = read(path).await;
        let listed = read("/_mock/playbooks".to_owned()).await;
        let mut runs = listed["runs"].as_array().into_iter().flatten();
        let run = runs.find(|run| run["id"] == self.id).expect("this run");
        let account = run["tenant"].as_str().expect("its account");
        let account = format!("/_mock/tenants/{account}");
        let removed = self.theatre.admin(Method::DELETE, &account, &Value::Null);
        removed.await;
        let verdict = judged["verdict"].as_str().unwrap_or_default().to_owned();
        (verdict, judged["findings"].to_string())
    }
}

fn wait_for(future: impl Future<Output = ()>) {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(future);
}

fn a_client_that_does_right_passes_every_playbook() {
    let theatre = Theatre::open();
    wait_for(async {
        for (name, well, _, _) in PARTS {
            let play = Play::start(&theatre, name).await;
            well(play.client.clone()).await;
            let passed = ("passed".to_owned(), "[]".to_owned());
            assert_eq!(play.judged().await, passed, "{name}");
        }
    });
}

fn a_client_that_does_wrong_fails_every_playbook_for_that_reason() {
    let theatre = Theatre::open();
    wait_for(async {
        for (name, _, badly, finding) in PARTS {
            let play = Play::start(&theatre, name).await;
            badly(play.client.clone()).await;
            let (verdict, findings) = play.judged().await;
            assert_eq!(verdict, "failed", "{name}");
            assert!(findings.contains(finding), "{name}: {findings}");
        }
    });
}

fn every_playbook_is_played() {
    let theatre = Theatre::open();
    wait_for(async {
        let listed = theatre
            .admin(Method::GET, "/_mock/playbooks", &Value::Null)
            .await;
        let listed = listed["playbooks"].as_array().expect("a list");
        let mut listed: Vec<_> = listed
            .iter()
            .filter_map(|book| book["name"].as_str())
            .collect();
        let mut played: Vec<_> = PARTS.iter().map(|part| part.0).collect();
        listed.sort_unstable();
        played.sort_unstable();
        assert_eq!(played, listed);
    });
}

fn customer() -> CustomerId {
    "42".parse().expect("a customer")
}

fn service() -> ServiceId {
    "501".parse().expect("a service")
}

const DOMAINS: ProductSlug = ProductSlug::DomainMonitoring;

fn server(last: u8) -> ProvisionEndpoint {
    ProvisionEndpoint::new(customer()).ip_address(format!("203.0.113.{last}"))
}

async fn provisioned(client: &Client, last: u8) -> EndpointId {
    let made = client
        .servers()
        .provision(server(last))
        .await
        .expect("provisioned");
    made.data.endpoint_id
}

async fn domains(client: &Client) -> Vec<DomainId> {
    let overview = client.domains().list(customer()).await.expect("domains");
    let domains = overview.data.domains.expect("the domains");
    domains.iter().map(|domain| domain.id).collect()
}

fn rule() -> CreateRule {
    let ports = "22".parse().expect("a port");
    CreateRule::account_wide(ports, Protocol::Tcp, "SSH for operations")
}

async fn live_through(client: Client) {
    let id = provisioned(&client, 10).await;
    client.servers().suspend(id).await.expect("suspended");
    client.servers().resume(id).await.expect("resumed");
    client.servers().terminate(id).await.expect("terminated");
}

async fn resume_what_is_terminated(client: Client) {
    let id = provisioned(&client, 10).await;
    client.servers().terminate(id).await.expect("terminated");
    client.servers().resume(id).await.expect_err("it is gone");
}

async fn give_up_two_domains(client: Client) {
    for id in domains(&client).await.into_iter().skip(1) {
        client.domains().terminate(id).await.expect("terminated");
    }
    let change = ChangeSubscription::new(customer(), service(), DOMAINS).new_quantity(1);
    client
        .subscriptions()
        .change(change)
        .await
        .expect("one slot is enough now");
}

async fn force_the_downgrade(client: Client) {
    let change = ChangeSubscription::new(customer(), service(), DOMAINS).new_quantity(1);
    client
        .subscriptions()
        .change(change.force(true))
        .await
        .expect("forced");
}

async fn provision_patiently(client: Client) {
    for last in 11..=13 {
        provisioned(&client, last).await;
    }
}

async fn provision_at_once(client: Client) {
    for _ in 0..2 {
        let call = client.call(server(11));
        let call = call.with(|call| call.operation_timeout(Duration::from_millis(500)));
        call.send()
            .await
            .expect_err("throttled, and out of patience");
    }
}

async fn look_after_a_lost_answer(client: Client) {
    let lost = client
        .rules()
        .create(customer(), rule())
        .await
        .expect_err("the answer is lost");
    assert_eq!(lost.sent(), Sent::Maybe);
    let list = ListRules::new(customer());
    let made = client.pages(list).collect_all().await.expect("rules");
    assert_eq!(made.len(), 1, "it was made: nothing is left to do");
}

async fn send_a_rule_twice(client: Client) {
    client
        .rules()
        .create(customer(), rule())
        .await
        .expect_err("the answer is lost");
    client
        .rules()
        .create(customer(), rule())
        .await
        .expect_err("it is there");
}

async fn the_only_server(client: &Client) -> EndpointId {
    let list = ListEndpoints::new(customer());
    let servers = client.pages(list).collect_all().await.expect("servers");
    servers[0].id
}

async fn wait_for_the_cooldown(client: Client) {
    let scan = ScanEndpoint::new(customer(), the_only_server(&client).await);
    client
        .call(scan)
        .with(|call| call.wait_for_cooldown(true))
        .send()
        .await
        .expect("queued");
}

async fn scan_again_and_again(client: Client) {
    let id = the_only_server(&client).await;
    for _ in 0..2 {
        client
            .servers()
            .scan(customer(), id)
            .await
            .expect_err("in its cooldown");
    }
}

async fn read_every_page(client: Client) {
    let list = ListEndpoints::new(customer());
    client.pages(list).collect_all().await.expect("servers");
}

async fn read_a_page_twice(client: Client) {
    for _ in 0..2 {
        read_every_page(client.clone()).await;
    }
}

async fn report_once(client: Client) {
    let status = SubscriptionStatus::Suspended;
    let report = ServiceReport::new(customer(), service(), DOMAINS, status);
    client
        .send(SyncServices::new(vec![report]))
        .await
        .expect("reported");
}

async fn suspend_by_hand(client: Client) {
    client
        .subscriptions()
        .suspend(customer(), service(), DOMAINS)
        .await
        .expect("suspended");
}

async fn go_on_after_unknown_values(client: Client) {
    let list = ListPortAlerts::new(customer());
    let alerts = client.pages(list).collect_all().await.expect("alerts");
    assert_eq!(
        alerts[0]
            .severity
            .as_ref()
            .map(ToString::to_string)
            .as_deref(),
        Some("galactic")
    );
    client
        .rules()
        .create(customer(), rule())
        .await
        .expect("created");
}

async fn read_alerts_over_and_over(client: Client) {
    for _ in 0..4 {
        client
            .send(ListPortAlerts::new(customer()))
            .await
            .expect("alerts");
    }
}

async fn stop_when_the_key_is_refused(client: Client) {
    provisioned(&client, 15).await;
    let refused = client
        .servers()
        .provision(server(16))
        .await
        .expect_err("refused");
    assert_eq!(refused.status().map(|status| status.as_u16()), Some(401));
    let unsent = client
        .servers()
        .provision(server(16))
        .await
        .expect_err("not even sent");
    assert_eq!(unsent.kind(), ErrorKind::KeyRejected);
}

async fn go_on_with_a_refused_key(client: Client) {
    provisioned(&client, 15).await;
    for _ in 0..2 {
        client
            .servers()
            .provision(server(16))
            .await
            .expect_err("refused");
        client.reset_key_rejection();
    }
}

async fn read_the_summary_all_the_same(client: Client) {
    let id = domains(&client).await[0];
    let leaks = client
        .send(ListCredentialLeaks::new(customer(), id))
        .await
        .expect("a result");
    assert!(leaks.data.unavailable().is_some());
    client
        .domains()
        .summary(customer(), id)
        .await
        .expect("a summary");
}

async fn read_leaks_over_and_over(client: Client) {
    let id = domains(&client).await[0];
    for _ in 0..4 {
        client
            .send(ListCredentialLeaks::new(customer(), id))
            .await
            .expect("a result");
    }
}
