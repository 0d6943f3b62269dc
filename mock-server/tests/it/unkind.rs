//! Unkind answers: legal, and unhelpful.

use secmon_mock::{AnswerStyle, Instant};
use serde_json::json;

use crate::client::Stage;

fn stage() -> Stage {
    Stage::of(|builder| builder.answer_style(AnswerStyle::Unkind)).unjudged()
}

#[test]
fn answers_have_fields_that_nobody_documented() {
    let stage = stage();
    stage.endpoint(42, "192.0.2.1");
    let list = stage.acme.get("/api/v1/endpoints").expect(200);
    for place in ["", "/meta", "/data/0"] {
        assert_eq!(list.at(&format!("{place}/added_later")), true, "{place}");
    }
    let refused = stage.anyone.get("/api/v1/endpoints").expect(401);
    assert_eq!(refused.at("/errors"), json!({}));
}

#[test]
fn the_first_byte_is_slow() {
    let stage = stage();
    stage.anyone.get("/api/v1/health").expect(200);
    let took = stage
        .anyone
        .get("/_mock/requests")
        .at("/requests/0/duration_us");
    assert!(took.as_u64().is_some_and(|took| took >= 25_000), "{took}");
}

#[test]
fn enum_values_come_up_that_nobody_documented() {
    let stage = stage();
    stage.scanned_endpoint(42, "192.0.2.1");
    let alerts = stage
        .acme
        .get("/api/v1/alerts?billing_customer_id=42&severity=low")
        .expect(200);
    assert_eq!(alerts.at("/data/alerts/0/severity"), "notice");
}

#[test]
fn pages_are_small_unless_their_size_is_asked_for() {
    let stage = stage();
    for last in 1..=3 {
        stage.endpoint(42, &format!("192.0.2.{last}"));
    }
    let list = |query: &str| {
        stage
            .acme
            .get(&format!("/api/v1/endpoints{query}"))
            .expect(200)
    };
    assert_eq!(list("").at("/data").as_array().map(Vec::len), Some(2));
    assert!(list("").at("/links/next").is_string());
    assert_eq!(
        list("?per_page=25").at("/data").as_array().map(Vec::len),
        Some(3)
    );
}

#[test]
fn what_no_document_fixes_is_drawn_and_a_record_keeps_its_own() {
    let drawn = |seed: u64| {
        let clock = Instant::from_unix_millis(1_767_225_600_000);
        let stage = Stage::of(|builder| {
            let builder = builder.answer_style(AnswerStyle::Unkind).seed(seed);
            builder.manual_clock(clock)
        });
        let stage = stage.unjudged();
        stage.scanned_endpoint(42, "192.0.2.1");
        let title = || {
            let alerts = stage.acme.get("/api/v1/alerts?billing_customer_id=42");
            alerts.expect(200).at("/data/alerts/0/title")
        };
        let (first, again) = (title(), title());
        assert_eq!(first, again, "a record keeps its own");
        let refused = stage.acme.post("/api/v1/endpoints", json!({})).expect(422);
        assert!(refused.at("/errors/ip_address/0").is_string());
        (first, refused.at("/message"))
    };
    let [one, other] = [drawn(1), drawn(2)];
    assert_ne!(one.0, other.0, "titles of findings");
    assert_ne!(one.1, other.1, "sentences");
    assert_eq!(one, drawn(1), "the same seed and calls");
}
