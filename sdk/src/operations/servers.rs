//! Provisioning of servers: provision, suspend, resume, terminate, scan.

use http::Method;
use serde::{Deserialize, Serialize};

use super::setters;
use crate::envelope::Envelope;
use crate::model::{CustomerId, EndpointId, EndpointStatus, ScanId, ScanStatus, ServiceId};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Response, validate};

/// `POST .../provision`: starts monitoring a server. Creates the customer's account on first use.
///
/// When the customer already has this address, the answer is the existing endpoint with a
/// [note](Response::note) and a status of 200 in place of 201.
///
/// Errors: `TENANT_NOT_FOUND`, `ENDPOINT_LIMIT_EXCEEDED`; with a hostname alone (assumed) `DNS_RESOLUTION_FAILED`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProvisionEndpoint {
    /// The customer in the billing system.
    pub client_id: CustomerId,
    /// IPv4 or IPv6 address. Without one the hostname is resolved (assumed).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    /// The service in the billing system that pays for this server; sync-services finds the server by it (assumed).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_id: Option<ServiceId>,
    /// Display hostname, at most 255 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// Name of the customer's account, used when it is created; at most 255 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// E-mail address of the customer's account, used when it is created; at most 255 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_email: Option<String>,
    /// The product sold, at most 50 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product_slug: Option<String>,
    /// The plan sold, at most 50 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_slug: Option<String>,
    /// Monthly price, 0.01 to 9999.99.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mrr: Option<f64>,
}

impl ProvisionEndpoint {
    /// A server of this customer; its address or hostname is still to be set.
    pub fn new(client_id: CustomerId) -> Self {
        Self {
            client_id,
            ip_address: None,
            service_id: None,
            hostname: None,
            client_name: None,
            client_email: None,
            product_slug: None,
            plan_slug: None,
            mrr: None,
        }
    }
}

setters!(ProvisionEndpoint {
    [ip_address, hostname, client_name, client_email, product_slug, plan_slug]
    service_id: ServiceId,
    mrr: f64,
});

impl Operation for ProvisionEndpoint {
    type Output = EndpointState;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "provision_endpoint",
        group: Group::Provisioning,
        method: Method::POST,
        path: "/api/v1/{namespace}/provision",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Success,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        let given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
        match self.ip_address.as_deref() {
            Some(address) if !address.is_empty() => {
                validate::ip_address(problems, "ip_address", address);
            }
            _ if !given(&self.hostname) => {
                problems.add("ip_address", "An address or a hostname is required.");
            }
            _ => {}
        }
        validate::max_length(problems, "hostname", self.hostname.as_deref(), 255);
        validate::max_length(problems, "client_name", self.client_name.as_deref(), 255);
        validate::email(problems, "client_email", self.client_email.as_deref());
        validate::max_length(problems, "product_slug", self.product_slug.as_deref(), 50);
        validate::max_length(problems, "plan_slug", self.plan_slug.as_deref(), 50);
        validate::mrr(problems, self.mrr);
    }
}

/// An endpoint and its state after a provisioning call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndpointState {
    /// The server.
    pub endpoint_id: EndpointId,
    /// Its state now.
    pub status: EndpointStatus,
}

/// One line a transition: the request, its name, its path.
macro_rules! transitions {
    ($($(#[$about:meta])* $request:ident: $name:literal, $path:literal;)+) => {$(
        $(#[$about])*
        ///
        /// Repeating it succeeds with a [note](Response::note). Error: `ENDPOINT_NOT_FOUND`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        pub struct $request {
            /// The server.
            pub endpoint_id: EndpointId,
        }

        impl $request {
            /// The request for this server.
            pub fn new(endpoint_id: EndpointId) -> Self {
                Self { endpoint_id }
            }
        }

        impl Operation for $request {
            type Output = EndpointState;

            const INFO: &'static OperationInfo = &OperationInfo {
                name: $name,
                group: Group::Provisioning,
                method: Method::POST,
                path: $path,
                safety: RetrySafety::Repeatable,
                basis: Basis::Specified,
                envelope: Envelope::Success,
            };
        }
    )+};
}

transitions! {
    /// `POST .../suspend`: stops the scans of a server; its history is kept.
    SuspendEndpoint: "suspend_endpoint", "/api/v1/{namespace}/suspend";
    /// `POST .../resume`: scans a paused server again.
    ///
    /// A server that the platform paused needs room (assumed): else `ENDPOINT_LIMIT_EXCEEDED`.
    ResumeEndpoint: "resume_endpoint", "/api/v1/{namespace}/resume";
    /// `POST .../terminate`: ends the monitoring of a server.
    TerminateEndpoint: "terminate_endpoint", "/api/v1/{namespace}/terminate";
}

/// `POST /api/v1/billing/scan-endpoint`: queues a scan now. Only in the billing namespace.
///
/// The scan is asynchronous: results appear on the endpoint when it is complete.
///
/// Errors: `ENDPOINT_NOT_FOUND`, `ENDPOINT_NOT_ACTIVE`, `SCAN_DISPATCH_FAILED`, `SCANNING_UNAVAILABLE`, and
/// `RATE_LIMITED` while the server is in its cooldown
/// ([`retry_after_seconds`](crate::Details::retry_after_seconds)), which only
/// [`wait_for_cooldown`](crate::CallBuilder::wait_for_cooldown) sleeps through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ScanEndpoint {
    /// The customer who owns the server.
    pub client_id: CustomerId,
    /// The server.
    pub endpoint_id: EndpointId,
}

impl ScanEndpoint {
    /// A scan of this customer's server.
    pub fn new(client_id: CustomerId, endpoint_id: EndpointId) -> Self {
        Self {
            client_id,
            endpoint_id,
        }
    }
}

impl Operation for ScanEndpoint {
    type Output = QueuedScan;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "scan_endpoint",
        group: Group::Provisioning,
        method: Method::POST,
        path: "/api/v1/billing/scan-endpoint",
        safety: RetrySafety::Once,
        basis: Basis::Specified,
        envelope: Envelope::Success,
    };
}

/// A scan that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QueuedScan {
    /// The scan.
    pub scan_id: ScanId,
    /// `pending`.
    pub status: ScanStatus,
    /// Seconds until the server may be scanned by hand again.
    #[serde(default)]
    pub cooldown_seconds: Option<u64>,
}

/// Provisioning of servers, from [`Client::servers`].
#[derive(Clone, Copy)]
pub struct Servers<'a>(&'a Client);

impl Client {
    /// Provisioning of servers.
    pub fn servers(&self) -> Servers<'_> {
        Servers(self)
    }
}

impl Servers<'_> {
    /// Starts monitoring a server: [`ProvisionEndpoint`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn provision(
        self,
        server: ProvisionEndpoint,
    ) -> Result<Response<EndpointState>, Error> {
        self.0.send(server).await
    }

    /// Stops the scans of a server: [`SuspendEndpoint`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn suspend(self, endpoint: EndpointId) -> Result<Response<EndpointState>, Error> {
        self.0.send(SuspendEndpoint::new(endpoint)).await
    }

    /// Scans a paused server again: [`ResumeEndpoint`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn resume(self, endpoint: EndpointId) -> Result<Response<EndpointState>, Error> {
        self.0.send(ResumeEndpoint::new(endpoint)).await
    }

    /// Ends the monitoring of a server: [`TerminateEndpoint`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn terminate(self, endpoint: EndpointId) -> Result<Response<EndpointState>, Error> {
        self.0.send(TerminateEndpoint::new(endpoint)).await
    }

    /// Queues a scan now: [`ScanEndpoint`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn scan(
        self,
        customer: CustomerId,
        endpoint: EndpointId,
    ) -> Result<Response<QueuedScan>, Error> {
        self.0.send(ScanEndpoint::new(customer, endpoint)).await
    }
}
