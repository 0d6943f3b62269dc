//! The client: sends operations to one service with one key.

pub(crate) mod call;
pub mod resources;
pub(crate) mod target;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::operation_info::{Group, Namespace, OperationInfo};
use crate::pipeline::{Call, Pipeline};
use crate::request_options::RequestOptions;

/// Sends operations to one service with one key.
///
/// Cloning is cheap; clones share connections, the rate budget and the knowledge that the key was refused.
///
/// [`call`](Client::call), [`health`](Client::health) and the methods of its resources give a
/// [`CallBuilder`](crate::CallBuilder): await it, or take the future of its [`send`](crate::CallBuilder::send) where one is
/// asked for. Every future of a client may be dropped at any time, and the client works on; but a change whose future was
/// dropped may have been made, as after [`Delivery::Maybe`](crate::Delivery::Maybe), and no error tells so.
#[derive(Clone)]
pub struct Client {
    pub(crate) core: Arc<Core>,
    pub(crate) settings: Arc<RequestOptions>,
}

/// What clones share, whatever their options.
pub(crate) struct Core {
    pub(crate) pipeline: Pipeline,
    /// Scheme, host and port, without a slash at the end.
    pub(crate) origin: String,
    pub(crate) namespace: Namespace,
    pub(crate) paths: Paths,
    /// What every request carries, but for the key.
    pub(crate) headers: HeaderMap,
}

/// Paths of the caller's for operations whose own are assumed, by the operation's name.
pub(crate) type Paths = BTreeMap<&'static str, String>;

const X_SANDBOX: HeaderName = HeaderName::from_static("x-sandbox");

/// Headers that the client alone sets.
pub(crate) static RESERVED: [HeaderName; 2] = [header::AUTHORIZATION, X_SANDBOX];

/// Headers that belong to the connection: where a request goes, and where its body ends.
pub(crate) static OF_THE_CONNECTION: [HeaderName; 9] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::TE,
    header::TRAILER,
    header::UPGRADE,
];

impl Client {
    /// The same client with other [`RequestOptions`]: it shares connections, rate budget, retry budget and the knowledge that
    /// the key was refused.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(RequestOptions) -> RequestOptions) -> Self {
        Self {
            core: self.core.clone(),
            settings: Arc::new(change(RequestOptions::clone(&self.settings))),
        }
    }

    /// Whether calls can be timed where this runs (F16).
    pub(crate) fn check_runtime(&self) -> Result<(), Error> {
        self.core.pipeline.runtime.check()
    }

    /// Tells of a call that ended before there was anything to send, and gives its error back.
    pub(crate) fn refuse(&self, operation: &'static str, error: Error) -> Error {
        self.core.pipeline.refused(operation, &error);
        error
    }

    /// Whether the service has refused the key (401), so that nothing more is sent until there is another one.
    pub fn key_rejected(&self) -> bool {
        self.core.pipeline.key_rejected()
    }

    /// Forgets that the service refused the key, so that calls go out again; for a key that was unlocked meanwhile.
    pub fn reset_key_rejection(&self) {
        self.core.pipeline.reset_key();
    }

    /// Forgets what a 429 closed, so that calls go out again; for a `Retry-After` that made no sense.
    pub async fn reset_rate_limit(&self) {
        self.core.pipeline.rate_limiter.clear_throttle().await;
    }

    /// Scheme, host and port of the service.
    pub fn base_url(&self) -> &str {
        &self.core.origin
    }

    /// The namespace of the provisioning calls.
    pub fn namespace(&self) -> Namespace {
        self.core.namespace
    }

    /// The headers of a request, but for the key.
    pub(crate) fn headers_for(&self, group: Option<Group>, settings: &RequestOptions) -> HeaderMap {
        let mut headers = settings.headers.clone();
        for own in RESERVED.iter().chain(&OF_THE_CONNECTION) {
            headers.remove(own);
        }
        headers.extend(self.core.headers.clone());
        if group == Some(Group::Provisioning) && settings.sandbox {
            headers.insert(X_SANDBOX, HeaderValue::from_static("true"));
        }
        headers
    }

    pub(crate) fn prepare(
        &self,
        info: &'static OperationInfo,
        mut fields: Map<String, Value>,
        settings: Arc<RequestOptions>,
    ) -> Result<Call, Error> {
        let namespace = self.core.namespace;
        if info.is_billing_only() && namespace == Namespace::Provisioning {
            return Err(Error::configuration(format!(
                "{} exists in the billing namespace only: build the client with Namespace::Billing",
                info.path
            )));
        }
        let template = self
            .core
            .paths
            .get(info.name)
            .map_or(info.path, String::as_str);
        let path = target::path(template, namespace, &mut fields).map_err(Error::configuration)?;
        let address = format!("{}{path}", self.core.origin);
        let (uri, body) = target::address_and_body(address, info.fields_in, fields)
            .map_err(Error::configuration)?;
        Ok(Call {
            operation: Some(info),
            method: info.method.clone(),
            uri,
            headers: self.headers_for(Some(info.group), &settings),
            body,
            rate_group: info.rate_group(),
            safety: info.safety,
            settings,
        })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("origin", &self.core.origin)
            .field("namespace", &self.core.namespace)
            .finish_non_exhaustive()
    }
}
