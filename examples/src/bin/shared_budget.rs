//! One of several workers that share the rate limit of a key through Redis: it reads the list of servers over and over,
//! and meets no 429, however many of it run.
//!
//! `SECMON_BASE_URL`, `SECMON_API_KEY` and `REDIS_URL` say where, `CALLS` how often (120 unless given), and
//! `SECMON_ALLOW_HTTP` which host plain http may reach besides this machine.

use secmon::operations::ListEndpoints;
use secmon::pacing::RedisBudget;
use secmon::{ApiKey, Client};
use std::env;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let variable = |name: &str| env::var(name).map_err(|_| format!("{name} is not set"));
    let address = variable("SECMON_BASE_URL")?;
    let key = ApiKey::new(variable("SECMON_API_KEY")?)?;
    let calls: u32 = variable("CALLS").map_or(Ok(120), |calls| calls.parse())?;

    // Redis sees the key's fingerprint alone. Whoever has the same key shares the count.
    let budget = RedisBudget::new(&variable("REDIS_URL")?, &key.fingerprint_with(&address))?;
    let mut builder = Client::builder(&address, key).budget(Arc::new(budget));
    if let Ok(host) = variable("SECMON_ALLOW_HTTP") {
        builder = builder.allow_http(host);
    }
    let client = builder.build()?;

    let start = Instant::now();
    for call in 1..=calls {
        let answer = client.send(ListEndpoints::account_wide()).await?;
        println!(
            "{:>4} s: call {call} of {calls}, attempt {}",
            start.elapsed().as_secs(),
            answer.attempts()
        );
    }
    Ok(())
}
