//! Trouble below and beside the API: every effect of the faults API against every class of operation, once and for as long
//! as it takes, with the number of requests that the service saw and the state it was left in.

use std::sync::Arc;

use crate::{Account, Customer, Stage};
use futures_util::future::join_all;
use http::Method;
use secmon::model::{EndpointId, EndpointStatus, PortRange, Protocol, Rule, RuleId};
use secmon::operations::{CreateRule, ListRules};
use secmon::{Client, Delivery, Error, ErrorKind, Response};
use serde_json::{Value, json};

cases! {
    spec_ref: "F5, F6";
    anywhere: ;
    steered:
        every_fault_of_a_read_loses_nothing(Faults, Journal),
        every_fault_of_a_write_that_may_be_repeated_acts_once(Faults, Journal),
        every_fault_of_a_write_that_may_not_be_repeated_acts_once_and_says_what_is_known(Faults, Journal),
        every_fault_of_a_sign_in_mints_one_token_at_most(Faults, Journal),
        a_read_gives_up_with_the_last_error(Faults, Journal),
        a_write_that_may_be_repeated_gives_up_and_acts_once(Faults, Journal),
        a_write_that_may_not_be_repeated_gives_up_and_acts_once(Faults, Journal),
}

/// What a call ends with: a result, or an error of a kind that says whether the service may have acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Done,
    Failed(ErrorKind, Delivery),
}

const PROCESSED: bool = true;
const UNTOUCHED: bool = false;

/// Every effect, and for each class how many requests the service saw and what the call ended with; whether the
/// requests that it hits are processed.
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
const LOST: (usize, End) = (1, End::Failed(ErrorKind::Interrupted, Delivery::Maybe));
const UNREADABLE: (usize, End) = (1, End::Failed(ErrorKind::Decode, Delivery::Maybe));
/// A page in the service's place.
const GATEWAY: (usize, End) = (1, End::Failed(ErrorKind::Gateway, Delivery::Maybe));
/// An error status that does not say what happened, and one that does.
const LEFT_OPEN: (usize, End) = (1, End::Failed(ErrorKind::Api, Delivery::Maybe));
const REFUSED: (usize, End) = (1, End::Failed(ErrorKind::Api, Delivery::Answered));

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
        fault(json!({"status": 504}),             UNTOUCHED, TWICE, LEFT_OPEN),
        fault(json!({"close": "before"}),         UNTOUCHED, TWICE, LOST),
        fault(json!({"close": "reset"}),          UNTOUCHED, TWICE, LOST),
        fault(json!({"close": "after"}),          PROCESSED, TWICE, LOST),
        fault(json!({"close": "mid_body"}),       PROCESSED, TWICE, LOST),
        fault(page(502),                          UNTOUCHED, TWICE, GATEWAY),
        // Answers that end the call.
        fault(page(200),                          UNTOUCHED, UNREADABLE, UNREADABLE),
        fault(json!({"status": 404}),             UNTOUCHED, REFUSED, REFUSED),
        fault(coded(500, "SCAN_DISPATCH_FAILED"), UNTOUCHED, REFUSED, REFUSED),
        // Only slow.
        fault(json!({"latency_ms": 50}),          PROCESSED, (1, End::Done), (1, End::Done)),
    ]
}

impl Fault {
    /// The status of a request that it hits, as the journal has it, where the operation itself answers `own`; none
    /// where nothing was answered.
    fn status(&self, own: u64) -> Option<u64> {
        match (
            self.effect["status"].as_u64(),
            self.effect["close"].as_str(),
        ) {
            (Some(ordered), _) => Some(ordered),
            (None, None | Some("mid_body")) => Some(own),
            (None, Some(_)) => None,
        }
    }

    /// The statuses of all requests, when it hits the first.
    fn statuses(&self, own: u64, requests: usize) -> Vec<Option<u64>> {
        let mut statuses = vec![Some(own); requests];
        statuses[0] = self.status(own);
        statuses
    }

    /// How often the service acted unseen: it processed the request and answered nothing.
    fn unseen_acts(&self) -> usize {
        usize::from(self.processed && self.status(200).is_none())
    }
}

/// What a call came to, whatever its result is.
struct Ended {
    end: End,
    attempts: u32,
    /// Of a success: whether it was so already, whether it is unsure, and what it made.
    note: bool,
    unsure: bool,
    created: Option<bool>,
}

fn ended<T>(result: Result<Response<T>, Error>) -> Ended {
    match result {
        Ok(response) => Ended {
            end: End::Done,
            attempts: response.attempts(),
            note: response.note().is_some(),
            unsure: response.may_have_acted_before(),
            created: response.was_created(),
        },
        Err(error) => Ended {
            end: End::Failed(error.kind(), error.delivery()),
            attempts: error.attempts(),
            note: false,
            unsure: false,
            created: None,
        },
    }
}

/// What the service was asked at a path since this began, and what it answered.
struct Watch<'a> {
    account: &'a Account,
    method: Method,
    path: &'static str,
    before: usize,
}

impl<'a> Watch<'a> {
    async fn start(account: &'a Account, method: Method, path: &'static str) -> Self {
        let before = account.calls(&method, path).await;
        Self {
            account,
            method,
            path,
            before,
        }
    }

    async fn entries(&self) -> Vec<Value> {
        let mut entries = self.account.journal(&self.method, self.path).await;
        entries.drain(..self.before);
        entries
    }

    /// The status of each answer; none where there was no answer.
    async fn statuses(&self) -> Vec<Option<u64>> {
        let entries = self.entries().await;
        let statuses = entries.iter().map(|entry| entry["status"].as_u64());
        statuses.collect()
    }

    /// How often it answered that it acted: with data, and not with the note that it was so already.
    async fn acts(&self) -> usize {
        let entries = self.entries().await;
        let data = entries.iter().map(|entry| &entry["response"]["data"]);
        data.filter(|data| data.is_object() && data.get("note").is_none())
            .count()
    }
}

const ONE_SERVER: &str = "/api/v1/endpoints/*";
const SUSPEND: &str = "/api/v1/billing/suspend";
const RULES: &str = "/api/v1/whitelists";
const TOKENS: &str = "/api/v1/sso/token";

/// Attempts of a client besides the first.
const RETRIES: u32 = 2;

fn patient(account: &Account) -> Client {
    let client = account.patient_client();
    client.with(|calls| calls.max_retries(RETRIES))
}

/// An operation for each class: it reads, may be repeated, may not, and may not though a second is as good as the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Read,
    Suspend,
    Allow,
    SignIn,
}

impl Class {
    /// Where it is called, and what it is answered.
    fn call(self) -> (Method, &'static str, u64) {
        match self {
            Self::Read => (Method::GET, ONE_SERVER, 200),
            Self::Suspend => (Method::POST, SUSPEND, 200),
            Self::Allow => (Method::POST, RULES, 201),
            Self::SignIn => (Method::POST, TOKENS, 200),
        }
    }

    async fn ask(self, client: &Client, customer: Customer<'_>, server: EndpointId) -> Ended {
        let servers = client.servers();
        match self {
            Self::Read => ended(servers.get_account_wide(server).await),
            Self::Suspend => ended(servers.suspend(server).await),
            Self::Allow => ended(allow(client, server).await),
            Self::SignIn => ended(client.sso_token(customer.id).await),
        }
    }

    /// How many requests there are when a fault hits one of them, or all, and what the call ends with.
    fn expected(self, fault: &Fault, lasts: bool) -> (usize, End) {
        let expected = match self {
            Self::Read | Self::Suspend => fault.repeatable,
            Self::Allow | Self::SignIn => fault.once,
        };
        // What a single attempt of a write that may not be repeated ends with is what the last attempt of any ends with.
        match (lasts && expected == TWICE, fault.once) {
            (false, _) => expected,
            (true, TWICE) => (1 + RETRIES as usize, REFUSED.1),
            (true, (_, end)) => (1 + RETRIES as usize, end),
        }
    }

    /// How often the call shows in what the service was left as.
    async fn has_acted(self, account: &Account, server: EndpointId) -> Option<usize> {
        match self {
            Self::Read | Self::Suspend => Some(usize::from(is_paused(account, server).await)),
            Self::Allow => Some(rules_of(account, server).await.len()),
            Self::SignIn => None,
        }
    }
}

/// Every fault of a class, once or until it is taken away.
async fn every_fault(stage: &Arc<Stage>, class: Class, lasts: bool) {
    // A full window that lasts is waited for.
    let counted = |fault: &Fault| !lasts || fault.effect["status"] != 429;
    let faults = faults().into_iter().filter(counted);
    join_all(faults.map(|fault| meet(stage, class, fault, lasts))).await;
}

/// An account of its own, so that all the waiting is done at once.
async fn meet(stage: &Arc<Stage>, class: Class, fault: Fault, lasts: bool) {
    let account = Account::new(stage).await;
    account.unpinned();
    let (method, path, own) = class.call();
    let effect = &fault.effect;
    let customer = account.customer();
    let server = customer.provisioned("203.0.113.60").await;
    match lasts {
        true => account.lasting_fault(&method, path, effect.clone()).await,
        false => account.fault(&method, path, effect.clone()).await,
    }
    let watch = Watch::start(&account, method, path).await;
    let ended = class.ask(&patient(&account), customer, server).await;
    let (requests, end) = class.expected(&fault, lasts);
    assert_eq!(ended.end, end, "{effect}");
    assert_eq!(ended.attempts as usize, requests, "{effect}");
    let statuses = match lasts {
        true => vec![fault.status(own); requests],
        false => fault.statuses(own, requests),
    };
    assert_eq!(watch.statuses().await, statuses, "{effect}");
    let done = class != Class::Read && (end == End::Done || fault.processed);
    let acts = watch.acts().await + fault.unseen_acts();
    account.clear_faults().await;
    if class != Class::Read {
        assert_eq!(acts, usize::from(done), "{effect}");
    }
    let acted = class.has_acted(&account, server).await;
    assert!(
        acted.is_none_or(|acted| acted == usize::from(done)),
        "{effect}"
    );
    if let End::Failed(_, sent) = end {
        assert!(sent == Delivery::Maybe || !done, "{effect}");
    } else if class == Class::Suspend {
        assert_eq!(ended.note, fault.processed && requests == 2, "{effect}");
        let unsure = requests == 2 && fault.once != TWICE;
        assert_eq!(ended.unsure, unsure, "{effect}");
        assert_eq!(ended.created, (!unsure).then_some(false), "{effect}");
    }
}

async fn every_fault_of_a_read_loses_nothing(stage: Arc<Stage>) {
    every_fault(&stage, Class::Read, false).await;
}

async fn every_fault_of_a_write_that_may_be_repeated_acts_once(stage: Arc<Stage>) {
    every_fault(&stage, Class::Suspend, false).await;
}

async fn every_fault_of_a_write_that_may_not_be_repeated_acts_once_and_says_what_is_known(
    stage: Arc<Stage>,
) {
    every_fault(&stage, Class::Allow, false).await;
}

/// A second rule would be refused; a second token is minted like the first.
async fn every_fault_of_a_sign_in_mints_one_token_at_most(stage: Arc<Stage>) {
    every_fault(&stage, Class::SignIn, false).await;
}

async fn a_read_gives_up_with_the_last_error(stage: Arc<Stage>) {
    every_fault(&stage, Class::Read, true).await;
}

async fn a_write_that_may_be_repeated_gives_up_and_acts_once(stage: Arc<Stage>) {
    every_fault(&stage, Class::Suspend, true).await;
}

async fn a_write_that_may_not_be_repeated_gives_up_and_acts_once(stage: Arc<Stage>) {
    every_fault(&stage, Class::Allow, true).await;
}

async fn is_paused(account: &Account, server: EndpointId) -> bool {
    let read = account
        .client
        .servers()
        .get_account_wide(server)
        .await
        .expect("read");
    read.data.status == EndpointStatus::Paused
}

async fn allow(client: &Client, server: EndpointId) -> Result<Response<Rule>, Error> {
    let ports: PortRange = "22".parse().expect("a port");
    let rule = CreateRule::for_endpoint(server, ports, Protocol::Tcp, "SSH for operations");
    client.rules().create_account_wide(rule).await
}

async fn rules_of(account: &Account, server: EndpointId) -> Vec<RuleId> {
    let list = ListRules::account_wide().endpoint_id(server);
    let rules = account.client.pages(list).collect_all().await;
    let rules = rules.expect("a list").into_iter();
    rules.map(|rule| rule.id).collect()
}
