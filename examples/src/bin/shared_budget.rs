//! One of several workers that share the rate limit of one key through Redis. It reads the servers of one customer
//! after the other, and meets no 429, however many of it run, on however many hosts.
//!
//! ```sh
//! redis-server --port 6380 --save '' &
//! cargo build -p secmon-mock -p secmon-examples --features secmon-examples/redis
//! export REDIS_URL=redis://127.0.0.1:6380/ CALLS=50
//! target/debug/secmon-mock exec -- \
//!   sh -c 'for worker in 1 2 3 4; do target/debug/shared-budget & done; wait'
//! ```
//!
//! It needs what [`secmon_examples::connect`] reads from the environment, `REDIS_URL`, and `CALLS`, 120 unless given.
//! `compose.yaml` starts two of it in containers.

use secmon::ApiKey;
use secmon::model::CustomerId;
use secmon::operations::ListEndpoints;
use secmon::pacing::RedisRateLimiter;
use secmon_examples::connect::{self, Limits, variable};
use secmon_examples::end::{self, End};
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    end::exit("shared-budget", run().await)
}

async fn run() -> Result<End, Box<dyn Error>> {
    let calls: u32 = match std::env::var("CALLS") {
        Ok(text) => text
            .parse()
            .map_err(|_| format!("CALLS: {text:?} is no number of calls: write it as 120"))?,
        Err(_) => 120,
    };
    // Redis sees the key's fingerprint alone. Whoever has the same key shares the count.
    let key = ApiKey::new(variable("SECMON_API_KEY")?)?;
    let name = key.fingerprint_with(&variable("SECMON_BASE_URL")?);
    let limits = Limits::from_environment()?;
    let budget = RedisRateLimiter::new(&variable("REDIS_URL")?, &name)?.rate_limits(
        limits.strict,
        limits.default,
        limits.window,
    );
    let client = connect::from_environment()?
        .rate_limiter(Arc::new(budget))
        .build()?;

    let start = Instant::now();
    for call in 1..=calls {
        let customer = CustomerId::try_from(u64::from(call))?;
        let answer = client.send(ListEndpoints::new(customer)).await?;
        println!(
            "{:>4} s: call {call} of {calls}, attempt {}",
            start.elapsed().as_secs(),
            answer.attempts()
        );
    }
    Ok(End::Done)
}
