//! A scan of a server as a step, and what its detail says afterwards.

use std::collections::BTreeSet;

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::account::Account;
use crate::need::Need;
use crate::sample_account::SampleAccount;

/// A scan that finds ports.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scan {
    #[serde(rename = "scan")]
    server: String,
    /// The ports that are open then.
    open: BTreeSet<u64>,
    /// Those that were open before, where that is to be held against what changed.
    was: Option<BTreeSet<u64>>,
    /// Whether it fails.
    #[serde(default)]
    fails: bool,
}

impl Scan {
    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// Lets it find the ports, and holds what the detail says of it against the last scan that was completed.
    pub(super) async fn act(&self, sample: &SampleAccount) {
        let account = &sample.account;
        let id = sample.filled_name(&self.server).await;
        let before = detail(account, &id).await;
        self.run(account, &id).await;
        let after = detail(account, &id).await;
        // Another service has words of its own.
        let said = &after["latest_scan"]["status"];
        let outcome = self.outcome();
        let right = *said == outcome || !account.is_the_mocks();
        assert!(right, "a scan that {outcome} is called {said}");
        if self.fails {
            assert_eq!(
                changes(&after),
                changes(&before),
                "new_ports and closed_ports after a scan that failed"
            );
            return;
        }
        let open = numbers(&after["latest_scan"]["open_ports"]);
        assert_eq!(open, self.open, "open_ports");
        // Before the second scan there is nothing to compare with.
        if let Some(was) = &self.was {
            let changed = [&self.open - was, was - &self.open];
            let what = format!("new_ports and closed_ports since {was:?}");
            assert_eq!(changes(&after), changed, "{what}");
        }
    }

    fn outcome(&self) -> &'static str {
        if self.fails { "failed" } else { "completed" }
    }

    async fn run(&self, account: &Account, id: &str) {
        let open = self.open.iter();
        let open = open.map(|port| json!({"port": port, "protocol": "tcp"}));
        let world = json!({"open": open.collect::<Vec<_>>()});
        let path = format!("/_mock/endpoints/{id}/ports");
        account.steer(Need::World, Method::PUT, &path, &world).await;
        let path = format!("/_mock/endpoints/{id}/scan");
        let ends = json!({"outcome": self.outcome()});
        account.steer(Need::World, Method::POST, &path, &ends).await;
    }
}

async fn detail(account: &Account, id: &str) -> Value {
    let path = format!("/api/v1/endpoints/{id}/detail");
    let answer = account.raw(Method::GET, &path).send().await;
    answer.expect("an answer").json
}

fn changes(detail: &Value) -> [BTreeSet<u64>; 2] {
    ["new_ports", "closed_ports"].map(|ports| numbers(&detail[ports]))
}

fn numbers(ports: &Value) -> BTreeSet<u64> {
    let ports = ports.as_array().into_iter().flatten();
    ports.filter_map(Value::as_u64).collect()
}
