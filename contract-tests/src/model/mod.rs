//! Random walks of what a customer has and what pays for it, each call's answer and the whole view of the customer held against a small reference.
//!
//! The walks are the same in every run. `SECMON_CONTRACT_MODEL_WALKS` asks for more of them, from a seed of their own.
//! Every walk has a seed; a failure names it, and `SECMON_CONTRACT_MODEL_SEED` walks that one again.

mod ops;
mod reference;
mod walk;
mod words;

use std::sync::Arc;

use std::collections::BTreeSet;
use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Account;
use crate::stage::Stage;
use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;

use self::ops::Op;
use self::walk::Walk;

cases! {
    spec_ref: "States and transitions, B5 to B9, D1 to D6";
    anywhere: ;
    steered:
        random_walks_agree_with_the_reference(Accounts, Clock, World)
}

/// Walks that between them are given every answer, most of them more than once.
const SEEDS: [u64; 9] = [7, 16, 20, 22, 26, 27, 30, 32, 39];
const LONGEST: usize = 120;

/// What the line begins with that says how the suite's own people walk again.
pub(crate) const AGAIN: &str = "walked again by ";

/// What steps are answered: walks that never come to one of these would show little.
const ANSWERS: &[&str] = &[
    "200",
    "200 note",
    "200 unchanged",
    "201",
    "204",
    "403 DOMAIN_LIMIT_EXCEEDED",
    "403 ENDPOINT_LIMIT_EXCEEDED",
    "404 BILLING_CLIENT_NOT_FOUND",
    "404 DOMAIN_NOT_FOUND",
    "404 ENDPOINT_NOT_FOUND",
    "404 SUBSCRIPTION_NOT_FOUND",
    "404 number",
    "409 DOMAIN_ALREADY_EXISTS",
    "422 DOWNGRADE_USAGE_EXCEEDED",
    "422 SUBSCRIPTION_NOT_CHANGEABLE",
];

async fn random_walks_agree_with_the_reference(stage: Arc<Stage>) {
    let number = |name: &str| -> Option<u64> {
        let text = env::var(name).ok()?;
        Some(text.parse().expect("a number"))
    };
    let walks = number("SECMON_CONTRACT_MODEL_WALKS");
    let seed = number("SECMON_CONTRACT_MODEL_SEED");
    let seeds = match (seed, walks) {
        (None, None) => SEEDS.to_vec(),
        (seed, walks) => {
            let first = seed.unwrap_or_else(seconds_now);
            (first..first + walks.unwrap_or(1)).collect()
        }
    };
    let mut answers = BTreeSet::new();
    for seed in seeds.iter().copied() {
        match walked_by(&stage, seed).await {
            Ok(given) => answers.extend(given),
            Err((why, shortest)) => {
                let steps: Vec<String> = shortest.iter().map(|op| format!("  {op}")).collect();
                panic!(
                    "{why}\nafter these steps, in an account of their own\n{}\n{AGAIN}SECMON_CONTRACT_MODEL_SEED={seed} \
                     cargo test -p secmon-contract-tests --test contract -- model::",
                    steps.join("\n")
                );
            }
        }
    }
    if seeds == SEEDS {
        let missed = |answer: &&&str| !answers.contains(**answer);
        let missed: Vec<_> = ANSWERS.iter().filter(missed).collect();
        assert!(missed.is_empty(), "no walk was answered {missed:?}");
    }
}

/// Walks as a seed says, and tells what was answered.
///
/// # Errors
/// What went wrong, in the shortest walk that goes wrong.
async fn walked_by(stage: &Arc<Stage>, seed: u64) -> Result<BTreeSet<String>, (String, Vec<Op>)> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let ops = vec(ops::ops(), 1..LONGEST);
    let mut tree = ops.new_tree(&mut runner).expect("a walk");
    let mut why = match walked(stage, &tree.current()).await {
        Ok(answers) => return Ok(answers),
        Err(why) => why,
    };
    let mut shortest = tree.current();
    let mut is_another = tree.simplify();
    while is_another {
        is_another = match walked(stage, &tree.current()).await {
            Err(reason) => {
                (shortest, why) = (tree.current(), reason);
                tree.simplify()
            }
            Ok(_) => tree.complicate(),
        };
    }
    // Some steps can go only now that others are smaller.
    for at in (0..shortest.len()).rev() {
        let mut fewer = shortest.clone();
        fewer.remove(at);
        if let Err(reason) = walked(stage, &fewer).await {
            (shortest, why) = (fewer, reason);
        }
    }
    // Its calls are the last ones that a report can show.
    if let Err(reason) = walked(stage, &shortest).await {
        why = reason;
    }
    Err((why, shortest))
}

/// Walks in an account of its own.
async fn walked(stage: &Arc<Stage>, ops: &[Op]) -> Result<BTreeSet<String>, String> {
    let limit = reference::LIMIT_WITHOUT_PLAN;
    let options = json!({"rate_limit": false, "default_endpoint_limit": limit});
    let account = Account::with(stage, options).await;
    account.unpinned();
    account.end_scans_by_hand().await;
    let mut walk = Walk::new(&account);
    for op in ops {
        walk.step(op).await?;
    }
    walk.end().await?;
    Ok(walk.answers)
}

fn seconds_now() -> u64 {
    let age = SystemTime::now().duration_since(UNIX_EPOCH);
    age.map_or(0, |age| age.as_secs())
}
