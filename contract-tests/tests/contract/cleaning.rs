//! A case takes away what it made in an account that others use, whatever happened on the way.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request};
use secmon::model::{ProductSlug, Protocol};
use secmon::operations::{
    CreateRule, IngestFirewall, ListEndpoints, ProvisionDomain, ProvisionSubscription,
};
use secmon::transport::{HttpOptions, HttpTransport, Transport};
use secmon_contract_tests::{
    Account, Case, Namespace, Run, Service, Stage, Steering, embedded, run_case,
};
use secmon_mock::MockServer;
use serde_json::Value;
use tokio::runtime::Builder;

use crate::deviation::{Deviation, Doing};
use crate::proxy::Proxy;

checks! {
    what_was_made_is_taken_away_when_its_answer_was_lost(Embedded),
    what_was_made_is_taken_away_when_its_answer_names_nothing(Embedded),
    what_cannot_be_taken_away_is_named_and_the_rest_is_gone(Embedded),
}

const MAKES_ALL: Case = Case {
    path: "contract::cleaning::makes_one_of_each",
    spec_ref: "none",
    needs: &[],
    namespace: Namespace::Billing,
    body: secmon_contract_tests::Body::Alone(|stage| Box::pin(makes_one_of_each(stage))),
};

const WHY: &str = "For the operations team";

/// Makes one of each kind of record, whatever is answered, and falls.
async fn makes_one_of_each(stage: Arc<Stage>) {
    let account = Account::new(&stage).await;
    let (customer, service) = (account.customer(), account.next_service());
    let client = &account.client;
    let _ = client
        .servers()
        .provision(customer.server("203.0.113.1"))
        .await;
    let _ = client
        .servers()
        .create(customer.endpoint("203.0.113.2"))
        .await;
    let list = ListEndpoints::new(customer.id);
    let servers = client.pages(list).collect_all().await.expect("servers");
    assert_eq!(servers.len(), 2, "the service processed the calls");
    let rule =
        |ports: &str| CreateRule::account_wide(ports.parse().expect("a port"), Protocol::Tcp, WHY);
    let ssh = "22".parse().expect("a port");
    let of_a_server = CreateRule::for_endpoint(servers[0].id, ssh, Protocol::Tcp, WHY);
    let _ = client.rules().create_account_wide(of_a_server).await;
    let _ = client.rules().create(customer.id, rule("23")).await;
    let _ = client.rules().create_account_wide(rule("24")).await;
    let dump = IngestFirewall::new(
        customer.id,
        servers[1].id,
        "*filter\n:INPUT DROP [0:0]\n-A INPUT -p tcp -m tcp --dport 25 -j ACCEPT\nCOMMIT\n",
    );
    let _ = client.rules().ingest_firewall(dump).await;
    let slots = ProvisionSubscription::new(customer.id, service, ProductSlug::DomainMonitoring);
    let _ = client.subscriptions().provision(slots).await;
    let domain = ProvisionDomain::new(customer.id, "example.com", service);
    let _ = client.domains().provision(domain).await;
    panic!("the case falls");
}

/// Runs that case in an account that it does not own, at a service bent in this way.
fn run_at(mock: &MockServer, bend: Deviation) -> Run {
    let mut service = Service::of(mock);
    service.steering = Steering::Impossible;
    let proxy = Proxy::start(&service.url, bend);
    run_case(&MAKES_ALL, &service.through(proxy.url()))
}

/// What makes something; some of it ends something, which is not bent.
const MAKES: &str = "POST */provision, POST */endpoints, POST */whitelists, POST */ingest, POST *-domain, POST *-subscription";

/// A bend of the answers to what makes something.
fn bent(answer: &str) -> Deviation {
    let program = format!(r#"if $call | is("* */terminate*") then . else {answer} end"#);
    Deviation::new(MAKES, Doing::Answer(program))
}

fn read(mock: &MockServer, path: &str) -> Value {
    let request = Request::get(format!("{}{path}", mock.url()));
    let request = request.header("authorization", "Bearer test_key_acme");
    let runtime = Builder::new_current_thread().enable_all().build();
    let transport = HttpTransport::new(&HttpOptions::default());
    let sent = transport.send(request.body(Bytes::new()).expect("a request"));
    let answer = runtime.expect("a runtime").block_on(sent);
    serde_json::from_slice(answer.expect("an answer").body()).expect("JSON")
}

/// Servers and rules of the account, domains and slots of the case's customer.
fn alive(mock: &MockServer, run: &Run) -> [Value; 4] {
    let exchanges = run.exchanges();
    let list = exchanges
        .iter()
        .find(|call| call.path == "/api/v1/endpoints" && call.method == Method::GET);
    let query = &list.expect("the case lists its servers").query;
    let customer = query
        .split('&')
        .find(|pair| pair.starts_with("billing_customer_id="));
    let domains = format!("/api/v1/domains?{}", customer.expect("a customer"));
    let domains = read(mock, &domains)["data"].take();
    let total = |list: &str| read(mock, list)["meta"]["total"].clone();
    [
        total("/api/v1/endpoints"),
        total("/api/v1/whitelists"),
        domains["slots_used"].clone(),
        domains["slots_total"].clone(),
    ]
}

#[track_caller]
fn assert_nothing_is_left(bend: Deviation) {
    let mock = embedded();
    let run = run_at(&mock, bend);
    let failure = run.failure.as_ref().expect("it falls");
    assert_eq!(failure.message, "the case falls");
    assert_eq!(alive(&mock, &run), [0, 0, 0, 0].map(Value::from));
}

fn what_was_made_is_taken_away_when_its_answer_was_lost() {
    assert_nothing_is_left(bent("null"));
}

fn what_was_made_is_taken_away_when_its_answer_names_nothing() {
    assert_nothing_is_left(bent(".body.data = {}"));
}

fn what_cannot_be_taken_away_is_named_and_the_rest_is_gone() {
    let mock = embedded();
    let refused = Doing::Instead("answered(409; {})".to_owned());
    let run = run_at(
        &mock,
        Deviation::new("DELETE /api/v1/endpoints/{id}", refused),
    );
    let left = run.not_cleaned_up.as_ref().expect("two servers are left");
    assert_eq!(
        left.message.matches("DELETE /api/v1/endpoints/").count(),
        2,
        "{}",
        left.message
    );
    assert_eq!(alive(&mock, &run), [2, 0, 0, 0].map(Value::from));
}
