//! Whoever waits as long as a refused scan says is not refused again, on a clock that nobody moves (A19).

use std::sync::Arc;

use std::fmt;
use std::time::Duration;

use crate::{Account, RawAnswer, Stage};
use http::{Method, header};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

cases! {
    spec_ref: "Limits, A19";
    anywhere: the_wait_for_a_scan_is_not_too_short;
    steered:
}

/// From a scan to the next one of the same server, which is refused: late enough to show a wait that is rounded to the
/// nearest second, early enough for an answer within the same second.
const PAUSE: Duration = Duration::from_millis(600);

/// From one server's scan to the next server's. A service that keeps the time of a scan in whole seconds may tell one second
/// less wherever a second ends in between; four scans a quarter of a second apart cannot all meet that.
const STEP: Duration = Duration::from_millis(1250);

const SERVERS: usize = 4;

/// A scan, and the one that was refused after it.
struct Refusal {
    /// The whole seconds of the cooldown, and those that are told to be left.
    cooldown: u64,
    told: u64,
    /// From before the first call until the second answer.
    passed: Duration,
}

async fn the_wait_for_a_scan_is_not_too_short(stage: Arc<Stage>) {
    let account = Account::new(&stage).await;
    account.unpinned();
    let customer = account.customer();
    let mut servers = Vec::new();
    for number in 1..=SERVERS {
        servers.push(customer.provisioned(&format!("192.0.2.{number}")).await);
    }
    let start = Instant::now();
    let mut refusals = Vec::new();
    for (number, server) in (0..).zip(servers) {
        let scan = json!({"client_id": customer.id, "endpoint_id": server});
        // Where a clock stands, waiting changes nothing.
        let at = (!account.is_the_mocks()).then(|| start + STEP * number);
        match refusal(&account, &scan, at).await {
            Some(refusal) => refusals.push(refusal),
            None => return,
        }
    }
    assert!(
        !refusals.iter().all(Refusal::is_too_short),
        "{}",
        refusals[0]
    );
}

/// Scans a server twice; nothing where the cooldown is over by then, or was never begun.
async fn refusal(account: &Account, scan: &Value, at: Option<Instant>) -> Option<Refusal> {
    if let Some(at) = at {
        sleep_until(at).await;
    }
    let sent = Instant::now();
    let queued = asked(account, scan).await;
    let cooldown = queued.json["data"]["cooldown_seconds"].as_u64()?;
    if at.is_some() {
        sleep_until(sent + PAUSE).await;
    }
    let refused = asked(account, scan).await;
    Some(Refusal {
        cooldown,
        told: told(&refused)?,
        passed: sent.elapsed(),
    })
}

async fn asked(account: &Account, scan: &Value) -> RawAnswer {
    let call = account.raw(Method::POST, "/api/v1/billing/scan-endpoint");
    call.json(scan).send().await.expect("an answer")
}

/// The shorter one of the waits that a refusal tells, in its header and in its details.
fn told(refused: &RawAnswer) -> Option<u64> {
    let details = refused.json["error"]["details"]["retry_after_seconds"].as_u64()?;
    let header = refused.headers.get(header::RETRY_AFTER);
    let header = header.and_then(|told| told.to_str().ok()?.parse().ok());
    Some(header.map_or(details, |header: u64| header.min(details)))
}

impl Refusal {
    /// Whether the next scan would be refused again after the wait, however late within these calls the cooldown began.
    fn is_too_short(&self) -> bool {
        Duration::from_secs(self.told) + self.passed < Duration::from_secs(self.cooldown)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cooldown, told) = (self.cooldown, self.told);
        write!(
            f,
            "a scan that is asked for {} ms after the one before is told to wait {told} s, though the cooldown is {cooldown} s: \
             who waits as long as told is refused again",
            self.passed.as_millis()
        )
    }
}
