//! What holds for every input, tried on many.

use http::StatusCode;
use proptest::prelude::*;
use secmon::model::*;
use secmon::operations::*;
use secmon::{ApiKey, Client, Error, ErrorKind};
use serde_json::{Value, json};

use crate::support::*;

/// Runs a future to its end; nothing in these tests waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.expect("a runtime").block_on(future)
}

/// The errors of three reads, each of another shape, that are answered with these bytes.
fn errors_of_reads(status: StatusCode, body: &[u8]) -> Vec<Error> {
    let answered = || {
        let (client, script) = scripted_once();
        script.answer(status, body.to_vec());
        client
    };
    let customer = customer();
    let domain: DomainId = ID.parse().expect("an id");
    let results = now(async {
        [
            answered()
                .send(GetEndpointDetail::account_wide(endpoint_id()))
                .await
                .err(),
            answered().send(ListEndpoints::account_wide()).await.err(),
            answered().send(ListPortAlerts::new(customer)).await.err(),
            answered()
                .send(ListCredentialLeaks::new(customer, domain))
                .await
                .err(),
            answered()
                .send(DeleteRule::account_wide(rule_id()))
                .await
                .err(),
        ]
    });
    results.into_iter().flatten().collect()
}

/// JSON of any shape, made of the names that answers are made of.
fn json_like() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(json!(ID)),
    ];
    let name = prop_oneof![
        Just("data"),
        Just("success"),
        Just("error"),
        Just("errors"),
        Just("code"),
        Just("message"),
        Just("details"),
        Just("meta"),
        Just("links"),
        Just("status"),
        Just("alerts"),
        Just("id"),
        Just("items"),
        Just("current_page"),
        Just("per_page"),
        Just("total"),
        Just("enabled"),
        Just("note"),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..6).prop_map(|fields| {
                fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()
            }),
        ]
    })
}

fn any_status() -> impl Strategy<Value = StatusCode> {
    (200..600_u16).prop_map(|status| StatusCode::from_u16(status).expect("a status"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn arbitrary_bytes_are_answers_that_cannot_be_read(status in any_status(), body in prop::collection::vec(any::<u8>(), 0..200)) {
        for error in errors_of_reads(status, &body) {
            prop_assert!(matches!(error.kind(), ErrorKind::Decode | ErrorKind::Gateway | ErrorKind::Redirect | ErrorKind::Proxy | ErrorKind::Api));
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn json_of_any_shape_is_a_result_or_one_clear_error(status in any_status(), body in json_like()) {
        for error in errors_of_reads(status, body.to_string().as_bytes()) {
            prop_assert!(matches!(error.kind(), ErrorKind::Decode | ErrorKind::Gateway | ErrorKind::Redirect | ErrorKind::Proxy | ErrorKind::Api));
            prop_assert_eq!(error.status(), Some(status));
        }
    }

    #[test]
    fn any_text_survives_an_open_enum(text in ".{0,40}") {
        let status = EndpointStatus::from(text.as_str());
        prop_assert_eq!(serde_json::to_value(&status).expect("JSON"), json!(text));
        let code = secmon::ErrorCode::from(text.as_str());
        prop_assert_eq!(code.to_str().into_owned(), text);
    }

    #[test]
    fn a_port_range_is_read_as_it_is_written(a in 1..=u16::MAX, b in 1..=u16::MAX) {
        let text = if a == b { a.to_string() } else { format!("{}-{}", a.min(b), a.max(b)) };
        prop_assert_eq!(text.parse::<PortRange>().expect("a range").to_string(), text);
    }

    #[test]
    fn an_identifier_is_read_as_it_is_written(bits in any::<u128>(), number in 1..=i64::MAX as u64) {
        let id = EndpointId::from(uuid::Uuid::from_u128(bits));
        prop_assert_eq!(id.to_string().parse::<EndpointId>(), Ok(id));
        let customer = CustomerId::try_from(number).expect("a customer");
        prop_assert_eq!(customer.to_string().parse::<CustomerId>(), Ok(customer));
    }

    #[test]
    fn a_timestamp_keeps_its_text_and_its_instant(seconds in 0..253_402_300_799_i64, minutes in -14 * 60..14 * 60_i32) {
        let offset = chrono::FixedOffset::east_opt(minutes * 60).expect("an offset");
        let instant = chrono::DateTime::from_timestamp(seconds, 0).expect("an instant").with_timezone(&offset);
        let text = instant.to_rfc3339();
        if let Ok(timestamp) = text.parse::<Timestamp>() {
            prop_assert_eq!(timestamp.as_str(), text);
            prop_assert_eq!(timestamp.date_time(), instant);
        } else {
            prop_assert!(text.len() > "9999-12-31T23:59:59+00:00".len(), "{}", text);
        }
    }

    #[test]
    fn no_text_that_holds_the_key_keeps_eight_characters_of_it(before in ".{0,20}", after in ".{0,20}", from in 0..15_usize) {
        let script = secmon::testing::MockTransport::new();
        let piece = &KEY[from..];
        let body = json!({"message": format!("{before}{piece}{after}")});
        script.answer(StatusCode::BAD_REQUEST, body.to_string());
        let client = Client::builder("https://portal.example.com", ApiKey::new(KEY).expect("a key"));
        let client = client.transport(script).build().expect("a client");
        let error = now(client.send(GetEndpoint::account_wide(endpoint_id()))).expect_err("refused");
        let shown = format!("{error} {error:?} {}", error.body_snippet().unwrap_or_default());
        prop_assert!(KEY.as_bytes().windows(8).all(|run| !shown.contains(std::str::from_utf8(run).expect("ASCII"))));
    }
}
