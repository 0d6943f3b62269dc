//! Trouble below and beside the API: every effect of the faults API against every class of operation, with the number
//! of requests that the service saw and the state it was left in.

use std::time::Duration;

use http::Method;
use secmon::model::{EndpointId, EndpointStatus, PortRange, Protocol, RuleId};
use secmon::operations::{CreateRule, DeleteRule, GetEndpoint, ListRules, SuspendEndpoint};
use secmon::{Client, Error, ErrorKind, RawRequest, Response, Sent};
use secmon_contract_tests::table::TABLE;
use secmon_contract_tests::{Account, Customer, cases};
use serde_json::{Value, json};
use uuid::Uuid;

cases! {
    anywhere: ;
    steered:
        every_fault_of_a_read_loses_nothing(Faults, Journal),
        every_fault_of_a_write_that_may_be_repeated_acts_once(Faults, Journal),
        every_fault_of_a_write_that_may_not_be_repeated_acts_once_and_says_what_is_known(Faults, Journal),
        every_operation_is_sent_again_when_that_is_harmless_and_only_then(Faults, Journal),
        a_slow_answer_is_waited_for_or_given_up(Faults, Journal),
        a_deletion_whose_answer_was_lost_is_done(Faults, Journal),
        a_page_of_a_proxy_keeps_its_text(Faults),
        an_unknown_value_is_kept_and_the_answer_read(Faults)
}

/// What a call ends with: a result, or an error of a kind that says whether the service may have acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Done,
    Failed(ErrorKind, Sent),
}

const PROCESSED: bool = true;
const UNTOUCHED: bool = false;

/// Every effect, and for each class how many requests the service saw and what the call ended with; whether the first
/// of them was processed.
struct Fault {
    effect: Value,
    processed: bool,
    /// Of a read, and of a write that may be repeated.
    repeatable: (usize, End),
    /// Of a write that may not.
    once: (usize, End),
}

fn fault(effect: Value, processed: bool, repeatable: (usize, End), once: (usize, End)) -> Fault {
    Fault {
        effect,
        processed,
        repeatable,
        once,
    }
}

const TWICE: (usize, End) = (2, End::Done);
const LOST: (usize, End) = (1, End::Failed(ErrorKind::Interrupted, Sent::Maybe));
const UNREADABLE: (usize, End) = (1, End::Failed(ErrorKind::Decode, Sent::Maybe));
/// An error status that does not say what happened, and one that does.
const LEFT_OPEN: (usize, End) = (1, End::Failed(ErrorKind::Api, Sent::Maybe));
const REFUSED: (usize, End) = (1, End::Failed(ErrorKind::Api, Sent::Yes));

#[rustfmt::skip]
fn faults() -> Vec<Fault> {
    let page = |status: u16| json!({"body": "<html>Bad Gateway</html>", "status": status});
    let coded = |status: u16, code| json!({"status": status, "code": code});
    vec![
        // Provably not processed: everything is sent again.
        fault(coded(503, "SCANNING_UNAVAILABLE"), UNTOUCHED, TWICE, TWICE),
        fault(json!({"status": 429}),             UNTOUCHED, TWICE, TWICE),
        // Perhaps processed, for all that the client knows.
        fault(json!({"status": 503}),             UNTOUCHED, TWICE, LEFT_OPEN),
        fault(json!({"status": 500}),             UNTOUCHED, TWICE, LEFT_OPEN),
        fault(json!({"status": 502}),             UNTOUCHED, TWICE, LEFT_OPEN),
        fault(json!({"close": "before"}),         UNTOUCHED, TWICE, LOST),
        fault(json!({"close": "reset"}),          UNTOUCHED, TWICE, LOST),
        fault(json!({"close": "after"}),          PROCESSED, TWICE, LOST),
        fault(json!({"close": "mid_body"}),       PROCESSED, TWICE, LOST),
        fault(page(502),                          UNTOUCHED, TWICE, UNREADABLE),
        // Answers that end the call.
        fault(page(200),                          UNTOUCHED, UNREADABLE, UNREADABLE),
        fault(json!({"status": 404}),             UNTOUCHED, REFUSED, REFUSED),
        fault(coded(500, "SCAN_DISPATCH_FAILED"), UNTOUCHED, REFUSED, REFUSED),
        // Only slow.
        fault(json!({"latency_ms": 50}),          PROCESSED, (1, End::Done), (1, End::Done)),
    ]
}

fn end_of<T>(result: &Result<Response<T>, Error>) -> End {
    match result {
        Ok(_) => End::Done,
        Err(error) => End::Failed(error.kind(), error.sent()),
    }
}

/// How many requests there were at a path until now.
struct Counter<'a> {
    account: &'a Account,
    method: Method,
    path: &'static str,
    before: usize,
}

impl<'a> Counter<'a> {
    async fn new(account: &'a Account, method: Method, path: &'static str) -> Self {
        let before = account.calls(&method, path).await;
        Self {
            account,
            method,
            path,
            before,
        }
    }

    async fn requests(&self) -> usize {
        self.account.calls(&self.method, self.path).await - self.before
    }
}

async fn every_fault_of_a_read_loses_nothing() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.60").await;
    for fault in faults() {
        let client = account.patient_client();
        account
            .fault(&Method::GET, "/api/v1/endpoints/*", fault.effect.clone())
            .await;
        let counter = Counter::new(&account, Method::GET, "/api/v1/endpoints/*").await;
        let read = client.endpoints().get(id).await;
        let (requests, end) = fault.repeatable;
        assert_eq!(end_of(&read), end, "{}", fault.effect);
        assert_eq!(counter.requests().await, requests, "{}", fault.effect);
        if let Ok(read) = read {
            assert_eq!(
                (read.data.id, &read.data.status),
                (id, &EndpointStatus::Active)
            );
            assert_eq!(read.attempts() as usize, requests, "{}", fault.effect);
        }
    }
}

async fn every_fault_of_a_write_that_may_be_repeated_acts_once() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.61").await;
    for fault in faults() {
        let client = account.patient_client();
        client.servers().resume(id).await.expect("active");
        account
            .fault(
                &Method::POST,
                "/api/v1/billing/suspend",
                fault.effect.clone(),
            )
            .await;
        let counter = Counter::new(&account, Method::POST, "/api/v1/billing/suspend").await;
        let suspended = client.servers().suspend(id).await;
        let (requests, end) = fault.repeatable;
        assert_eq!(end_of(&suspended), end, "{}", fault.effect);
        assert_eq!(counter.requests().await, requests, "{}", fault.effect);
        let after = account
            .client
            .endpoints()
            .get(id)
            .await
            .expect("read")
            .data
            .status;
        let done = end == End::Done || fault.processed;
        let expected = if done {
            EndpointStatus::Paused
        } else {
            EndpointStatus::Active
        };
        assert_eq!(after, expected, "{}", fault.effect);
        if let Ok(suspended) = suspended {
            let found_so = fault.processed && requests == 2;
            assert_eq!(suspended.note().is_some(), found_so, "{}", fault.effect);
        }
    }
}

async fn every_fault_of_a_write_that_may_not_be_repeated_acts_once_and_says_what_is_known() {
    let account = Account::new().await;
    for fault in faults() {
        let client = account.patient_client();
        let server = account.customer().provisioned("203.0.113.62").await;
        account
            .fault(&Method::POST, "/api/v1/whitelists", fault.effect.clone())
            .await;
        let counter = Counter::new(&account, Method::POST, "/api/v1/whitelists").await;
        let created = allow(&client, server).await;
        let (requests, end) = fault.once;
        assert_eq!(end_of(&created), end, "{}", fault.effect);
        assert_eq!(counter.requests().await, requests, "{}", fault.effect);
        let rules = rules_of(&account, server).await;
        let expected = usize::from(end == End::Done || fault.processed);
        assert_eq!(rules.len(), expected, "{}", fault.effect);
        if let Err(error) = created {
            let may_have_acted = error.sent() == Sent::Maybe;
            assert!(
                may_have_acted || rules.is_empty(),
                "{}: {error}",
                fault.effect
            );
        }
    }
}

async fn allow(
    client: &Client,
    server: EndpointId,
) -> Result<Response<secmon::model::Rule>, Error> {
    let ports: PortRange = "22".parse().expect("a port");
    let rule = CreateRule::new(ports, Protocol::Tcp, "SSH for operations").endpoint_id(server);
    client.rules().create(rule).await
}

async fn rules_of(account: &Account, server: EndpointId) -> Vec<RuleId> {
    let list = ListRules::new().endpoint_id(server);
    let rules = account
        .client
        .pages(list)
        .collect_all()
        .await
        .expect("a list");
    rules.into_iter().map(|rule| rule.id).collect()
}

/// Operations that a second copy could make act twice, or answer otherwise (F5).
const ONCE: [&str; 9] = [
    "release_domain",
    "change_subscription",
    "create_rule",
    "scan_endpoint",
    "create_sso_token",
    "acknowledge_domain_alert",
    "resolve_domain_alert",
    "resolve_port_alert",
    "ingest_firewall",
];

async fn every_operation_is_sent_again_when_that_is_harmless_and_only_then() {
    let account = Account::new().await;
    // The health check carries no key: it is of no account, and faults of an account never hit it.
    for row in TABLE.operations().filter(|row| row.group != "health") {
        // Its own client: all retries of one are bounded together.
        let client = account.patient_client();
        let path = row.path_with(&Uuid::from_u128(7).to_string());
        account
            .fault(&row.http_method(), &path, json!({"close": "after"}))
            .await;
        let before = account.calls(&row.http_method(), &path).await;
        let sent = client.raw(RawRequest::new(row.http_method(), &path)).await;
        let requests = account.calls(&row.http_method(), &path).await - before;
        if ONCE.contains(&row.operation.as_str()) {
            let error = sent.expect_err("the answer was lost");
            assert_eq!((requests, error.sent()), (1, Sent::Maybe), "{}", row.name);
        } else {
            sent.expect("the second answer came");
            assert_eq!(requests, 2, "{}", row.name);
        }
    }
}

/// The first attempt runs out of time at the client, while the service goes on.
async fn a_slow_answer_is_waited_for_or_given_up() {
    let account = Account::new().await;
    let slow = || json!({"latency_ms": 3_000});
    let builder = account.builder().attempt_timeout(Duration::from_secs(1));
    let hasty = builder
        .max_retries(3)
        .max_wait(Duration::from_secs(5))
        .build()
        .expect("a client");
    let customer = account.customer();
    let server = customer.provisioned("203.0.113.63").await;

    account
        .fault(&Method::GET, "/api/v1/endpoints/*", slow())
        .await;
    let read = hasty
        .endpoints()
        .get(server)
        .await
        .expect("the second answer came in time");
    assert_eq!(read.attempts(), 2);

    account
        .fault(&Method::POST, "/api/v1/billing/suspend", slow())
        .await;
    let suspended = hasty.servers().suspend(server).await.expect("likewise");
    assert_eq!(
        (suspended.attempts(), suspended.data.status.clone()),
        (2, EndpointStatus::Paused)
    );

    account
        .fault(&Method::POST, "/api/v1/whitelists", slow())
        .await;
    let error = allow(&hasty, server)
        .await
        .expect_err("late, and not sent again");
    assert_eq!(
        (error.kind(), error.sent(), error.attempts()),
        (ErrorKind::Timeout, Sent::Maybe, 1)
    );
    assert!(rules_of(&account, server).await.len() <= 1);

    account
        .fault(&Method::GET, "/api/v1/endpoints/*", slow())
        .await;
    let call = account
        .client
        .call(GetEndpoint::new(server))
        .timeout(Duration::from_millis(200));
    let error = call.send().await.expect_err("late");
    assert_eq!(
        (error.kind(), error.sent()),
        (ErrorKind::Deadline, Sent::Maybe)
    );
    settled(&account, customer).await;
}

/// Waits until the service is done with what nobody waits for any more: a patient call comes after it.
async fn settled(account: &Account, customer: Customer<'_>) {
    account
        .fault(
            &Method::GET,
            "/api/v1/whitelists",
            json!({"latency_ms": 3_000}),
        )
        .await;
    let list = ListRules::new().billing_customer_id(customer.id);
    account.client.send(list).await.expect("a page");
}

async fn a_deletion_whose_answer_was_lost_is_done() {
    let account = Account::new().await;
    let client = account.patient_client();
    for close in ["before", "after", "mid_body", "reset"] {
        let id = account.customer().provisioned("203.0.113.64").await;
        account
            .fault(
                &Method::DELETE,
                "/api/v1/endpoints/*",
                json!({"close": close}),
            )
            .await;
        let deleted = client.endpoints().delete(id).await.expect("deleted");
        assert_eq!(deleted.attempts(), 2, "closed {close}");
    }
    let server = account.customer().provisioned("203.0.113.65").await;
    let rule = allow(&client, server).await.expect("created").data.id;
    account
        .fault(
            &Method::DELETE,
            "/api/v1/whitelists/*",
            json!({"close": "after"}),
        )
        .await;
    client.rules().delete(rule).await.expect("deleted");
    let again = client
        .send(DeleteRule::new(rule))
        .await
        .expect_err("gone, and this call never was lost");
    assert_eq!(again.status().map(|status| status.as_u16()), Some(404));
    assert_eq!(
        account.calls(&Method::DELETE, "/api/v1/whitelists/*").await,
        3
    );
}

async fn a_page_of_a_proxy_keeps_its_text() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.66").await;
    for status in [200, 502] {
        let page = json!({"body": "<html>Bad Gateway</html>", "status": status});
        account
            .fault(&Method::GET, "/api/v1/endpoints/*", page)
            .await;
        let error = account
            .client
            .endpoints()
            .get(id)
            .await
            .expect_err("no JSON");
        assert_eq!(error.kind(), ErrorKind::Decode);
        assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
        assert_eq!(error.body_snippet(), Some("<html>Bad Gateway</html>"));
    }
}

async fn an_unknown_value_is_kept_and_the_answer_read() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.67").await;
    let data = json!({"endpoint_id": id, "status": "hibernating", "until": "spring"});
    let odd = json!({"success": true, "data": data});
    let effect = json!({"body": odd.to_string(), "status": 200});
    account
        .fault(&Method::POST, "/api/v1/billing/suspend", effect)
        .await;
    let state = account
        .client
        .send(SuspendEndpoint::new(id))
        .await
        .expect("read");
    assert_eq!(state.data.status.as_str(), "hibernating");
    assert_eq!(state.raw_field("/data/until"), Some(json!("spring")));
}
