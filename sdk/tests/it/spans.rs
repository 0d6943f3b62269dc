//! The span of a call, with OpenTelemetry's names.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use http::StatusCode;
use secmon::operations::{SuspendEndpoint, UpdateDomain};
use secmon::testing::MockTransport;
use secmon::transport::TransportErrorKind;
use secmon::{Client, Operation};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use crate::leaks::Log;
use crate::support::*;

/// The fields of the spans of calls.
#[derive(Clone, Default)]
struct Fields(Arc<Mutex<BTreeMap<String, String>>>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut fields = self.0.lock().expect("a map");
        fields.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

impl<S: tracing::Subscriber> Layer<S> for Fields {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        if attributes.metadata().name() == "secmon.call" {
            attributes.record(&mut self.clone());
        }
    }

    fn on_record(&self, _: &Id, record: &Record<'_>, _: Context<'_, S>) {
        record.record(&mut self.clone());
    }
}

/// The fields of the span of one call to this address, which meets what is prepared.
async fn fields_of_a_call(
    url: &str,
    prepare: impl FnOnce(&MockTransport),
) -> BTreeMap<String, String> {
    fields_of(url, prepare, SuspendEndpoint::new(endpoint_id())).await
}

async fn fields_of(
    url: &str,
    prepare: impl FnOnce(&MockTransport),
    operation: impl Operation,
) -> BTreeMap<String, String> {
    // Somebody listens everywhere, or a place that another test passes first stays silent.
    let _everywhere = Log::default().start();
    let fields = Fields::default();
    let _guard =
        tracing::subscriber::set_default(tracing_subscriber::registry().with(fields.clone()));
    tracing::callsite::rebuild_interest_cache();
    let script = MockTransport::new();
    prepare(&script);
    let client = Client::builder(url, key())
        .transport(script.clone())
        .allow_http("mock");
    let client = client
        .with(|calls| calls.max_retries(0))
        .build()
        .expect("a client");
    drop(client.send(operation).await);
    let fields = fields.0.lock().expect("a map");
    fields.clone()
}

#[tokio::test]
async fn a_span_names_the_server_and_says_nothing_of_an_error_where_there_is_none() {
    for (url, port) in [
        ("https://portal.example.com", "443"),
        ("https://portal.example.com:8443", "8443"),
        ("http://mock", "80"),
        ("http://127.0.0.1:4377", "4377"),
    ] {
        let fields = fields_of_a_call(url, |script| script.answer(StatusCode::OK, paused())).await;
        let field = |name: &str| fields.get(name).map(String::as_str);
        assert_eq!(field("server.port"), Some(port), "{fields:?}");
        assert_eq!(
            field("http.response.status_code"),
            Some("200"),
            "{fields:?}"
        );
        assert_eq!(field("otel.status_code"), None, "{fields:?}");
        assert_eq!(field("error.type"), None, "{fields:?}");
    }
}

#[tokio::test]
async fn a_span_says_what_went_wrong_by_code_status_or_kind() {
    let refused = |status: u16, code: &'static str| {
        move |script: &MockTransport| {
            let status = StatusCode::from_u16(status).expect("a status");
            script.answer(status, failure(json!(code), "No.", json!({})));
        }
    };
    let url = "https://portal.example.com";
    let named = fields_of_a_call(url, refused(404, "ENDPOINT_NOT_FOUND")).await;
    // A code that this version does not know is a text of the service.
    let unknown = fields_of_a_call(url, refused(409, "canary")).await;
    let lost = fields_of_a_call(url, |script| script.fail(TransportErrorKind::Connect)).await;
    // What is refused before it is sent ends like any other call.
    let nameless = UpdateDomain::new(ID.parse().expect("an id"), "");
    let invalid = fields_of(url, |_| (), nameless).await;
    assert_eq!(
        invalid.get("otel.name").map(String::as_str),
        Some("update_domain"),
        "{invalid:?}"
    );
    for (fields, kind) in [
        (named, "ENDPOINT_NOT_FOUND"),
        (unknown, "409"),
        (lost, "connect"),
        (invalid, "validation"),
    ] {
        assert_eq!(
            fields.get("otel.status_code").map(String::as_str),
            Some("ERROR"),
            "{fields:?}"
        );
        assert_eq!(
            fields.get("error.type").map(String::as_str),
            Some(kind),
            "{fields:?}"
        );
    }
}
