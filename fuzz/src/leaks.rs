//! A secret anywhere in a good answer, in any encoding, under any status, is in nothing that an error, an event or a
//! `Debug` shows; and whatever is shown is one line of at most 4 KiB.
//!
//! The answers, the places and the search are those of the client's tests, which try 256 cases of the same on every run.

#[allow(dead_code)]
#[path = "../../sdk/tests/it/specified/mod.rs"]
mod specified;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use secmon::testing::MockTransport;
use secmon::{ApiKey, Client, Event};
use specified::answers::{self, Answer};
use specified::planting::{Planted, SPOTS, STATUSES, plant, plant_anywhere};
use specified::secrets::{ENCODINGS, Secret};
use specified::shown::{self, Shown, faults};
use tokio::runtime::{Builder, Runtime};

/// Stands for the key, for a token, or for a value of a record.
const SECRET: &str = "cnry/K7qz+0pL/w9Xv=T3mNb~64sQ";

thread_local! {
    static ROWS: Vec<Answer> = answers::all();
    static SEARCHED: Secret = Secret::new(SECRET);
    static RUNTIME: Runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
}

/// Its bytes choose the answer, the place (two bytes), the encoding and the status.
pub fn leaks(input: &[u8]) {
    let [row, high, low, way, status, ..] = input else {
        return;
    };
    let (row, place) = (*row, u16::from_be_bytes([*high, *low]));
    ROWS.with(|rows| {
        let row = &rows[usize::from(row) % rows.len()];
        let good = row
            .body
            .as_ref()
            .map(|body| body.value())
            .unwrap_or_default();
        let encoding = &ENCODINGS[usize::from(*way) % ENCODINGS.len()];
        let status = STATUSES[usize::from(*status) % STATUSES.len()];
        let place = usize::from(place);
        let planted = match SPOTS.get(place) {
            Some(spot) => plant(&good, spot, encoding, status, SECRET),
            None => plant_anywhere(&good, place - SPOTS.len(), encoding, status, SECRET),
        };
        let fault = SEARCHED.with(|secret| faults(&seen(row, &planted), secret));
        assert!(
            fault.is_none(),
            "{} {planted:?}: {fault:?}",
            row.operation.name
        );
    });
}

/// Everything that can be seen of an operation with this answer.
fn seen(row: &Answer, answer: &Planted) -> Vec<Shown> {
    let script = MockTransport::new();
    script.respond(answer.response());
    let events = Arc::new(Mutex::new(Vec::new()));
    let ears = events.clone();
    let client = Client::builder(
        "https://portal.example.com",
        ApiKey::new(SECRET).expect("a key"),
    )
    .transport(script)
    .no_rate_limit()
    .observer(Arc::new(move |event: &Event| {
        ears.lock().expect("a list").push(event.clone())
    }))
    .with(|calls| calls.max_retries(0).queue_timeout(Duration::ZERO))
    .build()
    .expect("a client");
    let mut seen = match RUNTIME.with(|runtime| runtime.block_on(row.send(&client))) {
        Ok(done) => done
            .shown
            .into_iter()
            .map(|text| (shown::LAID_OUT, text))
            .collect(),
        Err(error) => shown::of_error(&error),
    };
    seen.extend(shown::of_client(&client));
    seen.extend(events.lock().expect("a list").iter().map(shown::of_event));
    seen
}
