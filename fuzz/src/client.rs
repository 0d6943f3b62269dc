//! What the client reads besides bodies.

use std::time::Duration;

use http::{HeaderValue, StatusCode, header};
use secmon::operations::SuspendEndpoint;
use secmon::testing::MockTransport;
use secmon::{ApiKey, Client};
use tokio::time::Instant;

use crate::block_on;

/// No header makes a throttled call wait longer than a window, a second and some jitter (F6).
pub fn retry_after(input: &[u8]) {
    let Ok(header) = HeaderValue::from_bytes(input) else {
        return;
    };
    let script = MockTransport::new();
    let throttled = http::Response::builder()
        .status(StatusCode::TOO_MANY_REQUESTS)
        .header(header::RETRY_AFTER, header)
        .body(r#"{"message":"Too Many Attempts.","errors":{}}"#.into());
    script.respond(throttled.expect("an answer"));
    script.answer(
        StatusCode::OK,
        r#"{"status":"success","data":{"endpoint_id":"6f9619ff-8b86-4011-b42d-00c04fc964ff","status":"paused"}}"#,
    );
    let key = ApiKey::new("fuzzing_key").expect("a key");
    let id = "6f9619ff-8b86-4011-b42d-00c04fc964ff"
        .parse()
        .expect("an id");
    block_on(async {
        let client = Client::builder("https://portal.example.com", key)
            .transport(script)
            .build()
            .expect("a client");
        let begun = Instant::now();
        if let Err(error) = client.send(SuspendEndpoint::new(id)).await {
            let _ = format!("{error} {error:?} {:?}", error.retry_after());
        }
        let waited = begun.elapsed();
        assert!(waited <= Duration::from_secs(75), "it waited {waited:?}");
    });
}
