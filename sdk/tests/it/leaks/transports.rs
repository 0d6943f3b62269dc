//! What fails below the client, beside it, or after it: transports and budgets that quote the key, headers named after
//! it, raw requests and pages.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use secmon::operations::{GetEndpoint, ListCredentialLeaks};
use secmon::pacing::{Acquire, Permit, RateLimiter, RateLimiterError};
use secmon::testing::MockTransport;
use secmon::transport::{BoxFuture, Transport, TransportError, TransportErrorKind};
use secmon::{ApiKey, Client, RawRequest};
use serde_json::json;

use super::{KEY, PASSWORD, Watch, assert_nothing_seen};
use crate::specified::secrets::{ENCODINGS, Secret};
use crate::specified::shown::{self, faults};
use crate::support::{ID, customer, endpoint_id};

const KINDS: [TransportErrorKind; 8] = [
    TransportErrorKind::Connect,
    TransportErrorKind::Tls,
    TransportErrorKind::Proxy,
    TransportErrorKind::Timeout,
    TransportErrorKind::Interrupted,
    TransportErrorKind::BodyTooLarge,
    TransportErrorKind::Redirected,
    TransportErrorKind::Refused,
];

/// A cause that says one thing to people and another to developers.
#[derive(Clone)]
struct Cause {
    display: String,
    debug: String,
    source: Option<Box<Cause>>,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display)
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.debug)
    }
}

impl StdError for Cause {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Fails every request, with a message and a cause.
struct Failing {
    kind: TransportErrorKind,
    message: String,
    cause: Option<Cause>,
}

impl Transport for Failing {
    fn send(&self, _: Request<Bytes>) -> BoxFuture<'_, Result<Response<Bytes>, TransportError>> {
        let error = TransportError::new(self.kind, self.message.clone());
        let error = match self.cause.clone() {
            Some(cause) => error.with_source(cause),
            None => error,
        };
        Box::pin(std::future::ready(Err(error)))
    }
}

/// Causes around a text: it stands in one of their texts, at one depth.
fn causes(text: &str) -> Vec<Cause> {
    let cause = |display: &str, debug: &str, source: Option<Cause>| Cause {
        display: display.to_owned(),
        debug: debug.to_owned(),
        source: source.map(Box::new),
    };
    let quoting = [
        cause(text, "Cause", None),
        cause("a cause", text, None),
        cause(text, text, None),
    ];
    let deep = |inner: Cause| cause("lost", "Lost", Some(cause("reset", "Reset", Some(inner))));
    let between = cause(
        "lost",
        "Lost",
        Some(cause(text, text, Some(cause("reset", "Reset", None)))),
    );
    quoting
        .iter()
        .cloned()
        .chain(quoting.iter().cloned().map(deep))
        .chain([between])
        .collect()
}

/// What can be seen of a read through this transport.
fn seen(watch: &Watch, transport: Failing) -> Vec<shown::Shown> {
    let client = watch.client_over(Arc::new(transport));
    let error = watch
        .block_on(client.send(GetEndpoint::account_wide(endpoint_id())))
        .expect_err("no answer");
    let mut seen = shown::of_error(&error);
    seen.extend(watch.around(&client));
    seen
}

#[test]
fn a_transport_that_quotes_the_key_shows_none_of_it() {
    let (watch, secret) = (Watch::new(), Secret::new(KEY));
    let (mut checked, mut all) = (0, Vec::new());
    for kind in KINDS {
        for (name, encode) in ENCODINGS {
            let text = format!("header `authorization: {}` refused", encode(KEY));
            let messages = vec![(text.clone(), None)].into_iter();
            let causes = causes(&text)
                .into_iter()
                .map(|cause| ("lost".to_owned(), Some(cause)));
            for (message, cause) in messages.chain(causes) {
                checked += 1;
                let seen = seen(
                    &watch,
                    Failing {
                        kind,
                        message,
                        cause,
                    },
                );
                all.extend(faults(&seen, &secret).map(|fault| format!("{kind:?} {name}: {fault}")));
            }
        }
    }
    assert_nothing_seen(checked, &all);
}

#[test]
fn what_a_transport_says_is_one_line_of_bounded_length() {
    let (watch, secret) = (Watch::new(), Secret::new(KEY));
    let (mut checked, mut all) = (0, Vec::new());
    for text in [
        "one\r\ntwo\u{2028}three\u{1b}[31m".to_owned(),
        "long ".repeat(200_000),
        format!("{KEY}\n").repeat(500),
    ] {
        let messages = vec![(text.clone(), None)].into_iter();
        let causes = causes(&text)
            .into_iter()
            .map(|cause| ("lost".to_owned(), Some(cause)));
        for (message, cause) in messages.chain(causes) {
            checked += 1;
            let kind = TransportErrorKind::Interrupted;
            all.extend(faults(
                &seen(
                    &watch,
                    Failing {
                        kind,
                        message,
                        cause,
                    },
                ),
                &secret,
            ));
        }
    }
    assert_nothing_seen(checked, &all);
}

/// A budget that cannot be asked, and quotes the key.
struct Broken;

impl RateLimiter for Broken {
    fn acquire<'a>(
        &'a self,
        _: Acquire<'a>,
    ) -> BoxFuture<'a, Result<Box<dyn Permit>, RateLimiterError>> {
        let reason = format!("redis://:{KEY}@localhost refuses\nline two");
        Box::pin(std::future::ready(Err(RateLimiterError::Unavailable(
            reason,
        ))))
    }

    fn window(&self) -> Duration {
        Duration::from_secs(60)
    }
}

#[test]
fn a_budget_that_quotes_the_key_shows_none_of_it() {
    let (watch, secret) = (Watch::new(), Secret::new(KEY));
    let client = Client::builder(
        "https://portal.example.com",
        ApiKey::new(KEY).expect("a key"),
    );
    let client = client
        .transport(MockTransport::new())
        .rate_limiter(Arc::new(Broken))
        .build()
        .expect("a client");
    let error = watch
        .block_on(client.send(GetEndpoint::account_wide(endpoint_id())))
        .expect_err("no permit");
    let mut seen = shown::of_error(&error);
    seen.extend(watch.around(&client));
    assert_eq!(faults(&seen, &secret), None);
}

#[test]
fn a_header_that_is_named_after_the_key_is_not_shown() {
    // A key of characters that a header's name can have; names are in lower case.
    let key = "canary_k7qz0plw9xvt3mnb";
    let (watch, secret) = (Watch::new(), Secret::new(key));
    for status in [400, 401, 404, 500] {
        let script = MockTransport::new();
        let mut answer = Response::new(Bytes::from_static(b"{}"));
        *answer.status_mut() = StatusCode::from_u16(status).expect("a status");
        let name = HeaderName::from_bytes(format!("x-{key}").as_bytes()).expect("a name");
        answer
            .headers_mut()
            .insert(name, HeaderValue::from_static("1"));
        script.respond(answer);
        let client = Client::builder(
            "https://portal.example.com",
            ApiKey::new(key).expect("a key"),
        )
        .transport(script)
        .with(|calls| calls.max_retries(0))
        .build()
        .expect("a client");
        let error = watch
            .block_on(client.send(GetEndpoint::account_wide(endpoint_id())))
            .expect_err("refused");
        assert_eq!(faults(&shown::of_error(&error), &secret), None);
    }
}

#[test]
fn a_raw_request_shows_neither_the_key_nor_the_answer() {
    let (watch, secret) = (Watch::new(), Secret::new(KEY));
    for path in [
        "endpoints".to_owned(),
        format!("endpoints/{}", KEY.replace('=', "%3D")),
        format!("endpoints?k={KEY}"),
    ] {
        let request = || RawRequest::new(Method::GET, path.clone());
        let failing = Failing {
            kind: TransportErrorKind::Interrupted,
            message: format!("at {path}"),
            cause: None,
        };
        let client = watch.client_over(Arc::new(failing));
        let error = watch
            .block_on(client.raw(request()))
            .expect_err("no answer");
        let mut seen = shown::of_error(&error);
        seen.extend(watch.around(&client));
        assert_eq!(faults(&seen, &secret), None);

        let script = MockTransport::new();
        script.answer(StatusCode::OK, json!({"key": KEY}).to_string());
        let client = watch.client(&script);
        let response = watch.block_on(client.raw(request())).expect("an answer");
        let mut seen = vec![("a raw response", format!("{response:?}"))];
        seen.extend(watch.around(&client));
        assert_eq!(faults(&seen, &secret), None);
    }
}

#[test]
fn the_error_of_a_list_shows_no_record_of_it() {
    let (watch, secret) = (Watch::new(), Secret::new(PASSWORD));
    let leaks = || ListCredentialLeaks::new(customer(), ID.parse().expect("an id"));
    let page = |number: u32, total: u32, error: Option<&str>| {
        let record = json!({"email": "ann@example.com", "password": PASSWORD, PASSWORD: 1});
        let data = json!({"enabled": true, "items": [record], "total": total, "page": number, "page_size": 1, "error": error});
        json!({"success": true, "data": data}).to_string()
    };
    let lists = [
        vec![page(7, 1, None)],
        vec![page(1, 2, None), page(2, 2, None)],
        vec![page(1, 1, Some(PASSWORD))],
        vec![page(1, 2, None), format!("{PASSWORD}{}", page(2, 2, None))],
    ];
    for pages in lists {
        let script = MockTransport::new();
        pages
            .into_iter()
            .for_each(|page| script.answer(StatusCode::OK, page));
        let client = watch.client(&script);
        let error = watch
            .block_on(client.pages(leaks()).collect_all())
            .expect_err("no list");
        let mut seen = shown::of_error(&error);
        seen.extend(watch.around(&client));
        assert_eq!(faults(&seen, &secret), None);
    }
}
