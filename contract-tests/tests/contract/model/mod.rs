//! Random walks over HTTP, each call's answer and the whole view of the customer held against a small reference.
//!
//! The walks are the same in every run. `SECMON_CONTRACT_MODEL_WALKS` asks for more of them, then with a seed of their
//! own, which a failure names; `SECMON_CONTRACT_MODEL_SEED` repeats it.

mod reference;
mod walk;

use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use secmon_contract_tests::{Account, cases};
use serde_json::json;

use self::walk::{Op, Walk};

cases! {
    anywhere: ;
    steered:
        random_walks_agree_with_the_reference(Accounts, World)
}

const WALKS: u32 = 40;
const LONGEST: usize = 60;

async fn random_walks_agree_with_the_reference() {
    let number = |name: &str| {
        env::var(name)
            .ok()
            .map(|text| text.parse().expect("a number"))
    };
    let walks: Option<u64> = number("SECMON_CONTRACT_MODEL_WALKS");
    let seed = number("SECMON_CONTRACT_MODEL_SEED");
    let seed = seed.unwrap_or_else(|| walks.map_or(1, |_| seconds_now()));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let ops = vec(walk::ops(), 1..LONGEST);
    for _ in 0..walks.unwrap_or(WALKS.into()) {
        let mut tree = ops.new_tree(&mut runner).expect("a walk");
        let Err(mut why) = walked(&tree.current()).await else {
            continue;
        };
        let mut shortest = tree.current();
        let mut is_another = tree.simplify();
        while is_another {
            is_another = match walked(&tree.current()).await {
                Err(reason) => {
                    (shortest, why) = (tree.current(), reason);
                    tree.simplify()
                }
                Ok(()) => tree.complicate(),
            };
        }
        let steps: Vec<String> = shortest.iter().map(|op| format!("  {op:?}")).collect();
        panic!("seed {seed}: {why}\nin the walk\n{}", steps.join("\n"));
    }
}

/// Walks in an account of its own.
async fn walked(ops: &[Op]) -> Result<(), String> {
    let limit = reference::LIMIT_WITHOUT_PLAN;
    let options = json!({"rate_limit": false, "default_endpoint_limit": limit});
    let account = Account::with(options).await;
    account.unpinned();
    let mut walk = Walk::new(&account);
    for op in ops {
        walk.step(op).await?;
    }
    walk.end().await
}

fn seconds_now() -> u64 {
    let age = SystemTime::now().duration_since(UNIX_EPOCH);
    age.map_or(0, |age| age.as_secs())
}
