//! What an error shows of a service's words: one line, of bounded length, without the key.

use http::StatusCode;
use secmon::operations::SuspendEndpoint;
use secmon::testing::{self, MockTransport};
use secmon::{ApiKey, Client, Error};
use serde_json::json;

use crate::support::*;

/// Longest message that an error keeps, in bytes.
const LIMIT: usize = 1024;
/// How much of a page it keeps.
const SNIPPET: usize = 2 * 1024;

/// The error of a client with this key for an answer of the service.
async fn refused(key: &str, answer: http::Response<bytes::Bytes>) -> Error {
    let script = MockTransport::new();
    script.respond(answer);
    let key = ApiKey::new(key).expect("a key");
    let client = Client::builder("https://portal.example.com", key).transport(script);
    let client = client.build().expect("a client");
    let error = client.send(SuspendEndpoint::new(endpoint_id())).await;
    error.expect_err("refused")
}

/// What is shown of a message.
async fn shown(message: &str) -> String {
    let answer = testing::api_error(StatusCode::CONFLICT, "ENDPOINT_NOT_ACTIVE", message);
    let error = refused(KEY, answer).await;
    error.api().expect("the service's account").message.clone()
}

#[tokio::test]
async fn what_breaks_a_line_or_turns_its_direction_becomes_a_blank() {
    for (text, line) in [
        ("one\r\ntwo\tthree\u{b}\u{c}", "one  two three  "),
        ("a\u{85}b\u{2028}c\u{2029}d", "a b c d"),
        ("\u{1b}[31mred\u{7f}\0", " [31mred  "),
        (
            "\u{202e}evil\u{202c}\u{2066}x\u{2069}\u{200f}\u{200e}\u{61c}",
            " evil  x    ",
        ),
        ("schöne Grüße, 日本", "schöne Grüße, 日本"),
    ] {
        assert_eq!(shown(text).await, line);
    }
}

#[tokio::test]
async fn a_longer_text_ends_in_an_ellipsis_within_the_limit() {
    let filled = |end: &str| format!("{}{end}", "x".repeat(LIMIT - 8));
    for (end, kept) in [
        ("12345678", "12345678"),
        ("123456789", "12345…"),
        ("äöüß", "äöüß"),
        ("äöüßx", "äö…"),
        ("xäöüß", "xäö…"),
        ("a\nb\ncdefgh", "a b c…"),
    ] {
        assert_eq!(shown(&filled(end)).await, filled(kept), "{end:?}");
    }
}

/// What is shown of a page that no service wrote.
async fn snippet(page: &str) -> String {
    let error = refused(KEY, testing::html(StatusCode::CONFLICT, page)).await;
    error.body_snippet().expect("an answer").to_owned()
}

#[tokio::test]
async fn a_key_that_the_limit_cuts_shows_nothing() {
    let escaped: String = KEY.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    for key in [KEY, &escaped] {
        for before in SNIPPET - key.len() - 20..SNIPPET + 5 {
            let page = format!("{}\n{key} was refused.", ".".repeat(before));
            let shown = snippet(&page).await;
            assert!(shown.len() <= SNIPPET, "{shown}");
            let mut runs = KEY.as_bytes().windows(4);
            let seen = runs.any(|run| shown.as_bytes().windows(4).any(|shown| shown == run));
            assert!(!seen && !shown.contains("u00"), "{shown}");
        }
    }
    // What is looked at would fit into the limit without the keys, and ends in the middle of one.
    let masked = snippet(&format!("{KEY}.").repeat(1000)).await;
    assert!(
        masked.len() < SNIPPET && masked.ends_with("****…"),
        "{masked}"
    );
}

#[tokio::test]
async fn strings_names_and_numbers_of_details_lose_the_key() {
    let details = json!({
        "message": "Bearer key_1234567890_x is invalid",
        "key_1234567890_x": [["a", {"\\u006bey_1234567890_x": "b"}], true, null, 1.5],
        "whole": 1234567890, "negative": -123456789.5, "other": 987654321, "small": 1234567,
    });
    let status = StatusCode::CONFLICT;
    let answer = testing::api_error_with(status, "ENDPOINT_NOT_ACTIVE", "No.", details);
    let error = refused("key_1234567890_x", answer).await;
    let clean = json!({
        "message": "Bearer **** is invalid",
        "****": [["a", {"****": "b"}], true, null, 1.5],
        "whole": "****", "negative": "-****.5", "other": 987654321, "small": 1234567,
    });
    let details = error.details().expect("details");
    assert_eq!(json!(details.as_map()), clean);
}
