//! The key, a sign-in token and leaked credentials appear nowhere: whatever an answer does with them, no error, event,
//! log or `Debug` shows a piece of them, in whatever encoding (F2). And every text is one line of at most 4 KiB.

mod bounds;
mod transports;

use std::io::Write;
use std::mem;
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

use proptest::prelude::*;
use secmon::testing::MockTransport;
use secmon::transport::Transport;
use secmon::{ApiKey, Client, Event};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::specified::answers::{self, Answer};
use crate::specified::planting::{Planted, SPOTS, STATUSES, plant, plant_anywhere};
use crate::specified::secrets::{ENCODINGS, Secret};
use crate::specified::shown::{self, LAID_OUT, Shown, faults};

/// With characters that every encoding has to write in its own way.
pub const KEY: &str = "cnry/K7qz+0pL/w9Xv=T3mNb~64sQ";
const TOKEN: &str = "tok.9f8e/7d6c+5b4a-Zz_19=QqWw";
const PASSWORD: &str = "hunter2/Tr0ub4dor+3&Horse=77";

/// Everything that is logged while it lives, at every level.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub fn start(&self) -> tracing::subscriber::DefaultGuard {
        // Where one subscriber alone is known, a place of the log that is passed for the first time by another test, to which
        // nobody listens, is silent from then on. So somebody listens everywhere.
        static EVERYWHERE: Once = Once::new();
        EVERYWHERE.call_once(|| {
            tracing::subscriber::set_global_default(tracing_subscriber::registry())
                .expect("nobody else listens everywhere");
        });
        let log = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(move || log.clone())
            .finish();
        let guard = tracing::subscriber::set_default(subscriber);
        // Another test may have passed a place of the log while nobody listened anywhere, which is remembered of it.
        tracing::callsite::rebuild_interest_cache();
        guard
    }

    /// What was logged since the last time.
    pub fn take(&self) -> String {
        let bytes = mem::take(&mut *self.0.lock().expect("a log"));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("a log").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_log_is_heard_where_somebody_passed_first_to_whom_nobody_listened() {
    let pass = || tracing::info!("passed");
    let log = Log::default();
    let _guard = log.start();
    std::thread::spawn(pass).join().expect("it passes");
    pass();
    assert!(log.take().contains("passed"));
}

/// Sends operations, and gathers everything that could be seen of it.
pub struct Watch {
    runtime: Runtime,
    log: Log,
    events: Arc<Mutex<Vec<Event>>>,
    _guard: tracing::subscriber::DefaultGuard,
}

impl Watch {
    pub fn new() -> Self {
        let log = Log::default();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        Self {
            runtime: runtime.expect("a runtime"),
            _guard: log.start(),
            log,
            events: Arc::default(),
        }
    }

    /// A client with the key that answers from the script, and whose events are heard.
    pub fn client(&self, script: &Arc<MockTransport>) -> Client {
        self.client_over(script.clone())
    }

    pub fn client_over(&self, transport: Arc<dyn Transport>) -> Client {
        let ears = self.events.clone();
        let client = Client::builder(
            "https://portal.example.com",
            ApiKey::new(KEY).expect("a key"),
        )
        .transport(transport)
        .no_rate_limit()
        .observer(Arc::new(move |event: &Event| {
            ears.lock().expect("a list").push(event.clone())
        }))
        .with(|calls| calls.max_retries(0).queue_timeout(Duration::ZERO));
        client.build().expect("a client")
    }

    /// Everything that can be seen of an operation with this answer.
    pub fn seen(&self, row: &Answer, answer: &Planted) -> Vec<Shown> {
        let script = MockTransport::new();
        script.respond(answer.response());
        let client = self.client(&script);
        let mut seen = match self.runtime.block_on(row.send(&client)) {
            Ok(done) => done
                .shown
                .into_iter()
                .map(|text| (LAID_OUT, text))
                .collect(),
            Err(error) => shown::of_error(&error),
        };
        seen.extend(self.around(&client));
        seen
    }

    /// What was heard and logged meanwhile, and the client itself.
    pub fn around(&self, client: &Client) -> Vec<Shown> {
        let mut seen = shown::of_client(client);
        let events = mem::take(&mut *self.events.lock().expect("a list"));
        seen.extend(events.iter().map(shown::of_event));
        seen.push((LAID_OUT, self.log.take()));
        seen
    }

    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// An operation, and what its answers must not show.
struct Target {
    row: Answer,
    good: Value,
    secret: Secret,
}

fn target(name: &str, secret: &str) -> Target {
    let row = answers::all()
        .into_iter()
        .find(|row| row.operation.name == name)
        .expect("a row");
    let good = row.body.as_ref().expect("a body").value();
    let secret = Secret::new(secret);
    Target { row, good, secret }
}

/// An ordinary operation, and those whose answers hold secrets.
fn targets() -> Vec<Target> {
    vec![
        target("get_endpoint", KEY),
        target("create_sso_token", TOKEN),
        target("list_credential_leaks", PASSWORD),
    ]
}

/// Fails with the first of what was seen.
fn assert_nothing_seen(checked: usize, faults: &[String]) {
    let first: Vec<&str> = faults.iter().take(60).map(String::as_str).collect();
    assert!(
        faults.is_empty(),
        "{} of {checked} answers show something:\n{}",
        faults.len(),
        first.join("\n")
    );
}

#[test]
fn no_spot_of_an_answer_and_no_encoding_shows_a_secret() {
    let (watch, mut checked, mut all) = (Watch::new(), 0, Vec::new());
    for target in &targets() {
        for (at, spot) in SPOTS.iter().enumerate() {
            for (way, encoding) in ENCODINGS.iter().enumerate() {
                // The statuses go around, so that each meets every spot and every encoding.
                let status = STATUSES[(checked + at + way) % STATUSES.len()];
                let planted = plant(&target.good, spot, encoding, status, &target.secret.text);
                checked += 1;
                if let Some(fault) = faults(&watch.seen(&target.row, &planted), &target.secret) {
                    all.push(format!(
                        "{} {status}, {} {}: {fault}",
                        target.row.operation.name, spot.0, encoding.0
                    ));
                }
            }
        }
    }
    assert_nothing_seen(checked, &all);
}

#[test]
fn no_status_shows_a_secret() {
    let (watch, mut checked, mut all) = (Watch::new(), 0, Vec::new());
    for target in &targets() {
        for spot in SPOTS {
            for status in STATUSES.iter().skip(checked % 2).step_by(2) {
                let planted = plant(
                    &target.good,
                    spot,
                    &ENCODINGS[0],
                    *status,
                    &target.secret.text,
                );
                checked += 1;
                if let Some(fault) = faults(&watch.seen(&target.row, &planted), &target.secret) {
                    all.push(format!(
                        "{} {status}, {}: {fault}",
                        target.row.operation.name, spot.0
                    ));
                }
            }
        }
    }
    assert_nothing_seen(checked, &all);
}

#[test]
fn no_operation_shows_the_key() {
    let (watch, mut checked, mut all) = (Watch::new(), 0, Vec::new());
    let secret = Secret::new(KEY);
    for row in &answers::all() {
        let good = row
            .body
            .as_ref()
            .map(|body| body.value())
            .unwrap_or_default();
        for (at, spot) in SPOTS.iter().enumerate() {
            let status = STATUSES[(checked + at) % STATUSES.len()];
            let planted = plant(
                &good,
                spot,
                &ENCODINGS[checked % ENCODINGS.len()],
                status,
                KEY,
            );
            checked += 1;
            if let Some(fault) = faults(&watch.seen(row, &planted), &secret) {
                all.push(format!(
                    "{} {status}, {}: {fault}",
                    row.operation.name, spot.0
                ));
            }
        }
    }
    assert_nothing_seen(checked, &all);
}

#[test]
fn the_search_finds_a_secret_in_every_encoding() {
    for text in [KEY, TOKEN, PASSWORD] {
        let secret = Secret::new(text);
        for (name, encode) in ENCODINGS {
            let written = encode(text);
            assert!(
                secret.found_in(&format!("It is {written}.")).is_some(),
                "{name}: {written}"
            );
            let read: String =
                serde_json::from_str(&format!("\"{written}\"")).expect("a JSON string");
            assert!(secret.found_in(&read).is_some(), "{name}: {read}");
        }
        assert_eq!(
            secret.found_in(
                "suspend_endpoint: 200 the answer cannot be read: `data`: missing field `id`"
            ),
            None
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn a_secret_anywhere_in_a_good_answer_is_not_shown(
        target in 0..3_usize, place in 0..600_usize, way in 0..ENCODINGS.len(), status in 0..STATUSES.len()
    ) {
        let (watch, target) = (Watch::new(), targets().swap_remove(target));
        let status = STATUSES[status];
        let planted = plant_anywhere(&target.good, place, &ENCODINGS[way], status, &target.secret.text);
        let seen = watch.seen(&target.row, &planted);
        prop_assert_eq!(faults(&seen, &target.secret), None, "{} {:?}", target.row.operation.name, planted);
    }
}
