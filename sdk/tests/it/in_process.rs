//! A service in this process in the network's place.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::routing::get;
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::Full;
use secmon::transport::{ServiceTransport, Transport, TransportErrorKind};
use secmon::{Client, Delivery, ErrorKind};
use tower_service::Service;

use crate::support::*;

fn client(transport: ServiceTransport) -> Client {
    Client::builder("https://portal.example.com:8443", key())
        .transport(Arc::new(transport))
        .with(|calls| calls.max_retries(0))
        .build()
        .expect("a client")
}

/// What an axum program would answer to the read of one endpoint.
async fn read(Path(id): Path<String>, headers: HeaderMap) -> (StatusCode, String) {
    assert_eq!(headers["host"], "portal.example.com:8443");
    assert_eq!(headers["authorization"], format!("Bearer {KEY}"));
    match id == ID {
        true => (StatusCode::OK, resource(endpoint())),
        false => (StatusCode::NOT_FOUND, String::new()),
    }
}

fn router() -> Router {
    Router::new().route("/api/v1/endpoints/{id}", get(read))
}

#[tokio::test]
async fn a_router_is_called_as_if_it_stood_behind_the_address() {
    let client = client(ServiceTransport::new(router()));
    let read = client.send(secmon::operations::GetEndpoint::account_wide(endpoint_id()));
    assert_eq!(read.await.expect("an endpoint").data.id, endpoint_id());
}

/// Takes one type of body, and fails where it is told to.
#[derive(Clone, Copy)]
struct Failing {
    ready: bool,
}

impl Service<Request<Body>> for Failing {
    type Response = Response<Full<Bytes>>;
    type Error = io::Error;
    type Future = Ready<Result<Self::Response, io::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ready = self.ready.then_some(());
        Poll::Ready(ready.ok_or_else(|| io::Error::other("no room")))
    }

    fn call(&mut self, _: Request<Body>) -> Self::Future {
        ready(Err(io::Error::other("gone in the middle")))
    }
}

#[tokio::test]
async fn a_service_that_is_not_ready_was_never_called_and_one_that_fails_may_have_acted() {
    for (ready, kind, sent, reason) in [
        (false, ErrorKind::Connect, Delivery::NotSent, "no room"),
        (
            true,
            ErrorKind::Interrupted,
            Delivery::Maybe,
            "gone in the middle",
        ),
    ] {
        let client = client(ServiceTransport::with_body(Failing { ready }));
        let error = client.health().await.expect_err("no answer");
        assert_eq!((error.kind(), error.delivery()), (kind, sent));
        assert!(error.to_string().contains(reason), "{error}");
    }
}

/// Answers in pieces of eight bytes, and then with an error where it is told to.
#[derive(Clone, Copy)]
struct Dripping {
    pieces: u32,
    breaks: bool,
}

impl http_body::Body for Dripping {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<http_body::Frame<Bytes>>>> {
        let Some(left) = self.pieces.checked_sub(1) else {
            return Poll::Ready(self.breaks.then(|| Err(io::Error::other("cut"))));
        };
        self.pieces = left;
        let piece = Bytes::from_static(b"12345678");
        Poll::Ready(Some(Ok(http_body::Frame::data(piece))))
    }
}

impl Service<Request<Full<Bytes>>> for Dripping {
    type Response = Response<Self>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Full<Bytes>>) -> Self::Future {
        ready(Ok(Response::new(*self)))
    }
}

#[tokio::test]
async fn a_body_is_read_to_the_limit_and_a_cut_one_is_an_interruption() {
    let read = async |pieces, breaks| {
        let transport = ServiceTransport::new(Dripping { pieces, breaks }).body_limit(80);
        let answer = transport.send(Request::new(Bytes::new())).await;
        answer.map(|answer| answer.body().len())
    };
    assert_eq!(read(10, false).await.expect("an answer"), 80);

    let too_large = read(11, false).await.expect_err("a piece too many");
    assert_eq!(too_large.kind(), TransportErrorKind::BodyTooLarge);
    assert_eq!(too_large.to_string(), "the answer is larger than 80 bytes");

    let cut = read(1, true).await.expect_err("no complete answer");
    assert_eq!(cut.kind(), TransportErrorKind::Interrupted);
    assert_eq!(cut.to_string(), "cut");
}
