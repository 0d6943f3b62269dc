//! The playbooks, played by our client as its documentation says: it passes each.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;

use secmon::model::{
    CustomerId, DomainId, DomainStatus, EndpointId, ProductSlug, Protocol, ServiceId,
    SubscriptionStatus,
};
use secmon::operations::{
    ChangeSubscription, CreateRule, ListCredentialLeaks, ListEndpoints, ListMentions,
    ListPortAlerts, ListRules, ProvisionEndpoint, ProvisionSubscription, ScanEndpoint,
    ServiceReport, SyncServices,
};
use secmon::{ApiKey, Client, Delivery, ErrorKind};
use secmon_contract_tests::{Repeatability, Service, ask};
use secmon_mock::MockServer;
use serde_json::{Value, json};
use tokio::runtime::Builder;

checks! {
    a_client_that_does_right_passes_every_playbook(Playbooks),
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

/// A playbook, and who plays it.
const PARTS: &[(&str, Player)] = &[
    ("provision-lifecycle", play!(live_through)),
    ("capacity-drop", play!(give_up_two_domains)),
    ("throttle-storm", play!(provision_patiently)),
    ("lost-answer", play!(look_after_a_lost_answer)),
    ("scan-cooldown", play!(wait_for_the_cooldown)),
    ("paging", play!(read_every_page)),
    ("drift-sync", play!(report_once)),
    ("unknown-values", play!(go_on_after_unknown_values)),
    ("key-revoked", play!(stop_when_the_key_is_refused)),
    ("upstream-down", play!(read_the_summary_all_the_same)),
    ("double-billing", play!(deliver_an_order_twice)),
    ("customer-leaves", play!(take_a_customer_out)),
    ("all-findings", play!(read_every_finding)),
    ("lost-change", play!(look_after_a_lost_change)),
    ("paused-by-whom", play!(resume_what_was_paused_by_hand)),
    ("local-expiry", play!(end_a_rule_in_auckland)),
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
        let stands = found.repeatability != Repeatability::Loose;
        let own = stands.then(|| MockServer::start().expect("a server"));
        let service = own.as_ref().map_or(found, Service::of);
        Self { service, _own: own }
    }

    fn admin(&self, method: &str, path: &str, body: &Value) -> Value {
        let address = format!("{}{path}", self.service.admin_url);
        let answer = ask(method, &address, self.service.admin_key.as_deref(), body);
        let (status, json) = answer.expect("an answer");
        assert!((200..300).contains(&status), "{path}: {status} {json}");
        json
    }
}

/// A playbook that was started.
struct Play<'a> {
    theatre: &'a Theatre,
    id: u64,
    tenant: String,
    client: Client,
}

impl<'a> Play<'a> {
    fn start(theatre: &'a Theatre, name: &str) -> Self {
        let body = json!({"name": name});
        let started = theatre.admin("POST", "/_mock/playbooks", &body);
        let members = started.as_object().into_iter().flatten();
        let members: BTreeSet<&str> = members.map(|(name, _)| name.as_str()).collect();
        let known = ["id", "tenant", "base_url", "api_key", "goal"];
        assert_eq!(members, BTreeSet::from(known));
        let service = &theatre.service;
        // It says where it was asked, which is the partner API's address unless the two are apart.
        if service.url == service.admin_url {
            assert_eq!(started["base_url"], service.url);
        }
        let key = started["api_key"].as_str().unwrap_or_default();
        let builder = Client::builder(&service.url, ApiKey::new(key).expect("a key"));
        let builder = builder.allow_http(service.host()).no_rate_limit();
        Self {
            theatre,
            id: started["id"].as_u64().expect("an id"),
            tenant: started["tenant"].as_str().unwrap_or_default().to_owned(),
            client: builder.build().expect("a client"),
        }
    }

    /// The verdict; then its account is removed.
    fn judged(self) -> Value {
        let path = format!("/_mock/playbooks/{}?finished=1", self.id);
        let judged = self.theatre.admin("GET", &path, &Value::Null);
        let account = format!("/_mock/tenants/{}", self.tenant);
        self.theatre.admin("DELETE", &account, &Value::Null);
        judged
    }
}

fn a_client_that_does_right_passes_every_playbook() {
    let theatre = Theatre::open();
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    for (name, well) in PARTS {
        let play = Play::start(&theatre, name);
        runtime.block_on(well(play.client.clone()));
        let passed = json!({"verdict": "passed", "findings": []});
        assert_eq!(play.judged(), passed, "{name}");
    }
}

fn every_playbook_is_played() {
    let theatre = Theatre::open();
    let listed = theatre.admin("GET", "/_mock/playbooks", &Value::Null);
    let listed = listed["playbooks"].as_array().into_iter().flatten();
    let listed: BTreeSet<_> = listed.filter_map(|book| book["name"].as_str()).collect();
    let played: BTreeSet<_> = PARTS.iter().map(|part| part.0).collect();
    assert_eq!(played, listed);
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

async fn provision_patiently(client: Client) {
    for last in 11..=13 {
        provisioned(&client, last).await;
    }
}

async fn look_after_a_lost_answer(client: Client) {
    let lost = client
        .rules()
        .create(customer(), rule())
        .await
        .expect_err("the answer is lost");
    assert_eq!(lost.delivery(), Delivery::Maybe);
    let list = ListRules::new(customer());
    let made = client.pages(list).collect_all().await.expect("rules");
    let made = made.iter().any(|rule| rule.protocol == Protocol::Tcp);
    assert!(made, "it was made: nothing is left to do");
}

async fn servers(client: &Client) -> Vec<(EndpointId, String)> {
    let list = ListEndpoints::new(customer());
    let servers = client.pages(list).collect_all().await.expect("servers");
    let servers = servers.into_iter();
    servers
        .map(|server| (server.id, server.ip_address.to_string()))
        .collect()
}

async fn wait_for_the_cooldown(client: Client) {
    let servers = servers(&client).await.into_iter();
    let mut servers = servers.filter(|(_, address)| address == "203.0.113.14");
    let (server, _) = servers.next().expect("the server");
    let scan = ScanEndpoint::new(customer(), server);
    client
        .call(scan)
        .with(|call| call.wait_for_cooldown(true))
        .send()
        .await
        .expect("queued");
}

async fn read_every_page(client: Client) {
    let list = ListEndpoints::new(customer());
    client.pages(list).collect_all().await.expect("servers");
}

async fn report_once(client: Client) {
    let status = SubscriptionStatus::Suspended;
    let report = ServiceReport::new(customer(), service(), DOMAINS, status);
    client
        .send(SyncServices::new(vec![report]))
        .await
        .expect("reported");
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

async fn deliver_an_order_twice(client: Client) {
    for _ in 0..2 {
        let service = "601".parse().expect("a service");
        let order = ProvisionSubscription::new(customer(), service, ProductSlug::PortMonitoring);
        let order = order.plan_slug("starter");
        client.send(order).await.expect("ordered");
        provisioned(&client, 17).await;
    }
}

async fn take_a_customer_out(client: Client) {
    for (id, _) in servers(&client).await {
        client.servers().terminate(id).await.expect("terminated");
    }
    for id in domains(&client).await {
        client.domains().terminate(id).await.expect("terminated");
    }
    for (service, product) in [("701", ProductSlug::PortMonitoring), ("702", DOMAINS)] {
        let service = service.parse().expect("a service");
        let ended = client
            .subscriptions()
            .terminate(customer(), service, product);
        ended.await.expect("cancelled");
    }
}

async fn read_every_finding(client: Client) {
    let alerts = client.pages(ListPortAlerts::new(customer()));
    let alerts = alerts.collect_all().await.expect("alerts");
    assert_eq!(alerts.len(), 120);
    let id = domains(&client).await[0];
    let mentions = client.pages(ListMentions::new(customer(), id));
    let mentions = mentions.collect_all().await.expect("mentions");
    assert_eq!(mentions.len(), 120);
}

async fn look_after_a_lost_change(client: Client) {
    let change = ChangeSubscription::new(customer(), service(), DOMAINS).new_quantity(5);
    let lost = client.subscriptions().change(change).await;
    let lost = lost.expect_err("the answer is lost");
    assert_eq!(lost.delivery(), Delivery::Maybe);
    let overview = client.domains().list(customer()).await.expect("domains");
    assert_eq!(overview.data.slots_total, Some(5), "nothing is left to do");
}

async fn resume_what_was_paused_by_hand(client: Client) {
    let overview = client.domains().list(customer()).await.expect("domains");
    let domains = overview.data.domains.expect("the domains").into_iter();
    let by_hand = domains.filter(|domain| {
        domain.status == DomainStatus::Paused && domain.quota_paused == Some(false)
    });
    for domain in by_hand {
        client.domains().resume(domain.id).await.expect("resumed");
    }
}

async fn end_a_rule_in_auckland(client: Client) {
    let last_second = "2030-06-30T23:59:59+12:00".parse().expect("a moment");
    let mut rule = rule();
    rule.expires_at = Some(last_second);
    client
        .rules()
        .create(customer(), rule)
        .await
        .expect("created");
}
