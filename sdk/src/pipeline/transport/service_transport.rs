//! A transport over any service of http types: a server in this process, or a stack of the caller's.

use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use http_body::Body;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use tower_service::Service;

use super::interface::{BODY_LIMIT, Transport, TransportError, TransportErrorKind};
use crate::future::BoxFuture;

type BoxError = Box<dyn Error + Send + Sync>;
type Answer<'a> = BoxFuture<'a, Result<Response<Bytes>, TransportError>>;
type Exchange = dyn Fn(Request<Bytes>, usize) -> Answer<'static> + Send + Sync;

/// Sends to a [`tower_service::Service`], without a network of its own.
///
/// The service gets the request with an absolute address and a `Host` header, as a proxy would. An error of its
/// readiness counts as no connection; any other may have come after the request was acted on. It must not follow
/// redirects: the request carries the key.
pub struct ServiceTransport {
    exchange: Box<Exchange>,
    body_limit: usize,
}

impl ServiceTransport {
    /// For a service that takes the body `Full<Bytes>` or any: an `axum::Router`, for example.
    pub fn new<S, A>(service: S) -> Self
    where
        S: Service<Request<Full<Bytes>>, Response = Response<A>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        A: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    {
        Self::with_body(service)
    }

    /// For a service that takes one type of body alone, `axum::body::Body` for example.
    pub fn with_body<S, B, A>(service: S) -> Self
    where
        S: Service<Request<B>, Response = Response<A>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: From<Bytes> + Send + 'static,
        A: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    {
        // The lock makes a service of one thread at a time one of all; it is held for the clone alone.
        let service = Mutex::new(service);
        Self {
            exchange: Box::new(move |request, limit| {
                let service = service.lock().unwrap_or_else(PoisonError::into_inner);
                Box::pin(exchange(service.clone(), request.map(B::from), limit))
            }),
            body_limit: BODY_LIMIT,
        }
    }

    /// Largest body of an answer that is read, in bytes; 16 MiB unless set.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }
}

impl Transport for ServiceTransport {
    fn send(&self, mut request: Request<Bytes>) -> Answer<'_> {
        let host = request.uri().authority().map(|host| host.as_str());
        if let Some(Ok(host)) = host.map(HeaderValue::from_str) {
            request.headers_mut().entry(header::HOST).or_insert(host);
        }
        (self.exchange)(request, self.body_limit)
    }
}

impl fmt::Debug for ServiceTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceTransport")
            .field("body_limit", &self.body_limit)
            .finish_non_exhaustive()
    }
}

async fn exchange<S, B, A>(
    mut service: S,
    request: Request<B>,
    limit: usize,
) -> Result<Response<Bytes>, TransportError>
where
    S: Service<Request<B>, Response = Response<A>>,
    S::Error: Into<BoxError>,
    A: Body<Error: Into<BoxError>>,
{
    poll_fn(|context| service.poll_ready(context))
        .await
        .map_err(|error| failed(TransportErrorKind::Connect, error.into()))?;
    let answer = service
        .call(request)
        .await
        .map_err(|error| failed(TransportErrorKind::Interrupted, error.into()))?;
    let (parts, body) = answer.into_parts();
    match Limited::new(body, limit).collect().await {
        Ok(body) => Ok(Response::from_parts(parts, body.to_bytes())),
        Err(error) if error.is::<LengthLimitError>() => Err(TransportError::too_large(limit)),
        Err(error) => Err(failed(TransportErrorKind::Interrupted, error)),
    }
}

fn failed(kind: TransportErrorKind, error: BoxError) -> TransportError {
    TransportError::new(kind, error.to_string()).with_source(error)
}
