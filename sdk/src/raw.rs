//! Requests without a type of their own.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use serde_json::Value;

use crate::answer::Answer;
use crate::client::{Client, OF_THE_CONNECTION, target};
use crate::error::Error;
use crate::operation_info::{OperationInfo, RateGroup, RetrySafety};
use crate::operations::OPERATIONS;
use crate::pipeline::{Call, Failure};

/// A request to any path of the service.
#[derive(Debug, Clone)]
#[must_use = "a request does nothing until it is sent"]
pub struct RawRequest {
    /// The HTTP method.
    pub method: Method,
    /// The path: from the root when it starts with `/api/`, else below `/api/v1/`. It may carry a query.
    pub path: String,
    /// Further query parameters.
    pub query: Vec<(String, String)>,
    /// Further headers; `Authorization` is not among them, the client sets it.
    pub headers: HeaderMap,
    /// The JSON body.
    pub body: Option<Value>,
}

impl RawRequest {
    /// A request without query, further headers or body.
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: None,
        }
    }
}

/// A complete answer, whatever its status; `Debug` shows the status alone.
#[derive(Clone)]
#[non_exhaustive]
pub struct RawResponse {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as it came.
    pub body: Bytes,
}

impl fmt::Debug for RawResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawResponse({}, {} bytes)", self.status, self.body.len())
    }
}

impl Client {
    /// Sends a request that has no type here, paced and retried by what [`OPERATIONS`] says of its method and path. Unknown
    /// ones count in the stricter window, and are sent again only when they are reads.
    ///
    /// # Errors
    /// None for an error status: every complete answer is a result. All other errors as with [`send`](Client::send).
    pub async fn raw(&self, request: RawRequest) -> Result<RawResponse, Error> {
        send(self, request).await
    }
}

async fn send(client: &Client, request: RawRequest) -> Result<RawResponse, Error> {
    // Nothing is known of the operation before the path is read.
    let call = prepare(client, request).map_err(|error| client.refuse("raw", error))?;
    let answer = match client.core.pipeline.run(&call, Ok::<Answer, Failure>).await {
        Ok(answer) => answer,
        Err(Failure {
            answer: Some(answer),
            ..
        }) => *answer,
        Err(failure) => return Err(failure.error),
    };
    Ok(RawResponse {
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
    })
}

fn prepare(client: &Client, request: RawRequest) -> Result<Call, Error> {
    if request.headers.contains_key(header::AUTHORIZATION) {
        return Err(Error::configuration(
            "leave the Authorization header out: the client sends its own key",
        ));
    }
    let mut of_the_connection = OF_THE_CONNECTION.iter();
    if let Some(name) = of_the_connection.find(|name| request.headers.contains_key(*name)) {
        return Err(Error::configuration(format!(
            "leave the header {name} out: the client sets it itself"
        )));
    }
    let path = absolute(&request.path)?;
    let name = path.split('?').next().unwrap_or_default();
    // A literal path stands before the one whose placeholder would take it, as in the table.
    let mut table = OPERATIONS.iter().copied();
    let operation = table.find(|info| info.matches(&request.method, name));
    let mut address = format!("{}{path}", client.base_url());
    target::push_query(&mut address, request.query);
    let mut headers = client.headers_for(operation.map(|info| info.group), &client.settings);
    headers.extend(request.headers);
    Ok(Call {
        operation,
        uri: target::parse(&address).map_err(Error::configuration)?,
        headers,
        body: request
            .body
            .map(|body| body.to_string().into())
            .unwrap_or_default(),
        rate_group: operation.map_or(Some(RateGroup::Strict), OperationInfo::rate_group),
        safety: operation.map_or(RetrySafety::usual(&request.method), |info| info.safety),
        settings: client.settings.clone(),
        method: request.method,
    })
}

/// The path from the root. Segments that climb are refused: what they end at is not what the table was asked about.
fn absolute(path: &str) -> Result<String, Error> {
    let names = path.split('?').next().unwrap_or_default();
    if names.contains("://") || target::climbs(names) {
        return Err(Error::configuration(format!(
            "`{names}` is not a path of the service: write it as in /api/v1/endpoints"
        )));
    }
    match path.starts_with("/api/") {
        true => Ok(path.to_owned()),
        false => Ok(format!("/api/v1/{}", path.trim_start_matches('/'))),
    }
}
