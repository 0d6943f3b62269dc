//! Trouble that lasts: how often each class of operation is tried, what the last error says, and what is left.

use std::time::Duration;

use http::Method;
use secmon::{Client, ErrorCode, ErrorKind, Sent};
use secmon_contract_tests::{Account, assert_api_error, cases};
use serde_json::json;

use crate::faults::{
    End, Fault, ONE_SERVER, REFUSED, RULES, SUSPEND, TWICE, Watch, allow, end_of, faults,
    is_paused, rules_of,
};

cases! {
    anywhere: ;
    steered:
        a_read_gives_up_with_the_last_error(Faults, Journal),
        a_write_that_may_be_repeated_gives_up_and_acts_once(Faults, Journal),
        a_write_that_may_not_be_repeated_gives_up_and_acts_once(Faults, Journal),
        a_deletion_gives_up_and_says_that_it_may_be_done(Faults, Journal),
        a_window_that_stays_full_is_waited_for_until_the_time_is_over(Faults, Journal),
        the_fifth_full_window_in_a_row_ends_a_call(Faults, Journal),
        trouble_that_ends_in_time_is_overcome(Faults, Journal)
}

const RETRIES: u32 = 2;

fn patient(account: &Account) -> Client {
    let client = account.patient_client();
    client.with(|calls| calls.max_retries(RETRIES))
}

/// The effects after which retries are counted: a full window is no failure, and is waited for until it was full five
/// times in a row.
fn counted() -> impl Iterator<Item = Fault> {
    faults()
        .into_iter()
        .filter(|fault| fault.effect["status"] != 429)
}

impl Fault {
    /// How many requests there are when it hits all of them, and what the call ends with.
    fn lasting(&self, once: (usize, End)) -> (usize, End) {
        // What a single attempt of a write that may not be repeated ends with is what the last attempt of any ends with.
        let last = match self.once {
            TWICE => REFUSED.1,
            (_, end) => end,
        };
        match once {
            TWICE => (1 + RETRIES as usize, last),
            end => end,
        }
    }
}

async fn a_read_gives_up_with_the_last_error() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.100").await;
    for fault in counted() {
        let effect = &fault.effect;
        let placed = account.lasting_fault(&Method::GET, ONE_SERVER, effect.clone());
        placed.await;
        let watch = Watch::start(&account, Method::GET, ONE_SERVER).await;
        let read = patient(&account).servers().get_account_wide(id).await;
        let (requests, end) = fault.lasting(fault.repeatable);
        assert_eq!(end_of(&read), end, "{effect}");
        let statuses = vec![fault.status(200); requests];
        assert_eq!(watch.statuses().await, statuses, "{effect}");
        if let Err(error) = read {
            assert_eq!(error.attempts() as usize, requests, "{effect}");
        }
        account.clear_faults().await;
        assert!(!is_paused(&account, id).await, "{effect}");
    }
}

async fn a_write_that_may_be_repeated_gives_up_and_acts_once() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.101").await;
    for fault in counted() {
        let effect = &fault.effect;
        account.client.servers().resume(id).await.expect("active");
        let placed = account.lasting_fault(&Method::POST, SUSPEND, effect.clone());
        placed.await;
        let watch = Watch::start(&account, Method::POST, SUSPEND).await;
        let suspended = patient(&account).servers().suspend(id).await;
        let (requests, end) = fault.lasting(fault.repeatable);
        assert_eq!(end_of(&suspended), end, "{effect}");
        let statuses = vec![fault.status(200); requests];
        assert_eq!(watch.statuses().await, statuses, "{effect}");
        let acts = watch.acts().await + fault.unseen_acts();
        assert_eq!(acts, usize::from(fault.processed), "{effect}");
        account.clear_faults().await;
        assert_eq!(is_paused(&account, id).await, fault.processed, "{effect}");
        if let Err(error) = suspended {
            assert_eq!(error.attempts() as usize, requests, "{effect}");
            let may_have_acted = error.sent() == Sent::Maybe;
            assert!(may_have_acted || !fault.processed, "{effect}: {error}");
        }
    }
}

async fn a_write_that_may_not_be_repeated_gives_up_and_acts_once() {
    let account = Account::new().await;
    for fault in counted() {
        let effect = &fault.effect;
        let server = account.customer().provisioned("203.0.113.102").await;
        let placed = account.lasting_fault(&Method::POST, RULES, effect.clone());
        placed.await;
        let watch = Watch::start(&account, Method::POST, RULES).await;
        let created = allow(&patient(&account), server).await;
        let (requests, end) = fault.lasting(fault.once);
        assert_eq!(end_of(&created), end, "{effect}");
        let statuses = vec![fault.status(201); requests];
        assert_eq!(watch.statuses().await, statuses, "{effect}");
        account.clear_faults().await;
        let rules = rules_of(&account, server).await;
        assert_eq!(rules.len(), usize::from(fault.processed), "{effect}");
        if let Err(error) = created {
            assert_eq!(error.attempts() as usize, requests, "{effect}");
            let may_have_acted = error.sent() == Sent::Maybe;
            assert!(may_have_acted || rules.is_empty(), "{effect}: {error}");
        }
    }
}

async fn a_deletion_gives_up_and_says_that_it_may_be_done() {
    let account = Account::new().await;
    for (close, gone) in [
        ("before", false),
        ("reset", false),
        ("after", true),
        ("mid_body", true),
    ] {
        let id = account.customer().provisioned("203.0.113.103").await;
        let placed = account.lasting_fault(&Method::DELETE, ONE_SERVER, json!({"close": close}));
        placed.await;
        let deleted = patient(&account).servers().delete_account_wide(id).await;
        let lost = End::Failed(ErrorKind::Interrupted, Sent::Maybe);
        assert_eq!(end_of(&deleted), lost, "closed {close}");
        account.clear_faults().await;
        let endpoints = account.client.servers();
        let left = endpoints.get_account_wide(id).await;
        assert_eq!(left.is_err(), gone, "closed {close}");
        let again = endpoints.delete_account_wide(id).await;
        match gone {
            true => drop(assert_api_error(again, 404, ErrorCode::Number(404))),
            false => assert_eq!(end_of(&again), End::Done, "closed {close}"),
        }
    }
    let requests = account.calls(&Method::DELETE, ONE_SERVER).await;
    assert_eq!(requests, 4 * (1 + RETRIES as usize) + 4);
}

async fn a_window_that_stays_full_is_waited_for_until_the_time_is_over() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.105").await;
    // Time for one wait of a second, and no second one.
    let hurried = || {
        let client = account.patient_client();
        client.with(|calls| {
            calls
                .max_retries(0)
                .operation_timeout(Duration::from_secs(2))
        })
    };
    for (method, path) in [
        (Method::GET, ONE_SERVER),
        (Method::POST, SUSPEND),
        (Method::POST, RULES),
    ] {
        let full = json!({"status": 429});
        account.lasting_fault(&method, path, full).await;
        let watch = Watch::start(&account, method, path).await;
        let end = match path {
            ONE_SERVER => end_of(&hurried().servers().get_account_wide(id).await),
            SUSPEND => end_of(&hurried().servers().suspend(id).await),
            _ => end_of(&allow(&hurried(), id).await),
        };
        assert_eq!(end, REFUSED.1, "{path}");
        assert_eq!(watch.statuses().await, [Some(429), Some(429)], "{path}");
        account.clear_faults().await;
        assert!(!is_paused(&account, id).await);
        assert!(rules_of(&account, id).await.is_empty());
    }
}

/// There is time for more.
async fn the_fifth_full_window_in_a_row_ends_a_call() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.106").await;
    let full = json!({"status": 429});
    account.lasting_fault(&Method::POST, SUSPEND, full).await;
    let watch = Watch::start(&account, Method::POST, SUSPEND).await;
    let suspended = patient(&account).servers().suspend(id).await;
    assert_eq!(end_of(&suspended), REFUSED.1);
    assert_eq!(watch.statuses().await, [Some(429); 5]);
    account.clear_faults().await;
    assert!(!is_paused(&account, id).await);
}

/// Only as many attempts fail as there are retries.
async fn trouble_that_ends_in_time_is_overcome() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.104").await;
    let client = patient(&account);
    let lost = json!({"close": "after"});
    for effect in [json!({"status": 500}), lost.clone()] {
        account.fault(&Method::POST, SUSPEND, effect).await;
    }
    let watch = Watch::start(&account, Method::POST, SUSPEND).await;
    let suspended = client.servers().suspend(id).await.expect("suspended");
    assert_eq!(
        (suspended.attempts(), suspended.note().is_some()),
        (3, true)
    );
    assert_eq!(watch.statuses().await, [Some(500), None, Some(200)]);
    assert!(is_paused(&account, id).await);
}
