//! Monitored endpoints: list, create, read, update, delete.

use http::Method;
use serde::Serialize;
use uuid::Uuid;

use super::{paged, setters};
use crate::envelope::Envelope;
use crate::model::{
    CustomerId, Endpoint, EndpointDetail, EndpointId, EndpointPage, EndpointStatus,
};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Pages, Response, validate};

/// `GET /api/v1/endpoints`: the monitored servers, a page at a time, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ListEndpoints {
    /// Only this customer's; without it, those of the whole account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_customer_id: Option<CustomerId>,
    /// Only those in this state: active or paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<EndpointStatus>,
    /// Servers per page, at least 1; 25 unless given, at most 100 (assumed).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_page: Option<u32>,
    /// Number of the page, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

impl ListEndpoints {
    /// The first page of the whole account.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(ListEndpoints {
    billing_customer_id: CustomerId,
    status: EndpointStatus,
    per_page: u32,
    page: u32,
});
paged!(ListEndpoints);

impl Operation for ListEndpoints {
    type Output = EndpointPage;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "list_endpoints",
        group: Group::Endpoints,
        method: Method::GET,
        path: "/api/v1/endpoints",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Document,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        active_or_paused(problems, self.status.as_ref());
        validate::at_least_one(problems, "per_page", self.per_page);
        validate::at_least_one(problems, "page", self.page);
    }
}

/// `POST /api/v1/endpoints`: monitors a server, by address or by hostname, from now on or paused.
///
/// When the customer has or had this address, the answer is that endpoint with a status of 200 in place of 201.
///
/// Errors: `ENDPOINT_LIMIT_EXCEEDED`, `DNS_RESOLUTION_FAILED`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CreateEndpoint {
    /// The customer who owns it.
    pub billing_customer_id: CustomerId,
    /// An address, or a hostname that the service resolves; at most 255 characters.
    pub ip_address: String,
    /// Display name, at most 255 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nickname: Option<String>,
    /// Active (unless given) or paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<EndpointStatus>,
    /// Name of the customer's account, used when it is created; at most 255 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// E-mail address of the customer's account, used when it is created; at most 255 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_email: Option<String>,
}

impl CreateEndpoint {
    /// A server of this customer at this address or hostname.
    pub fn new(billing_customer_id: CustomerId, ip_address: impl Into<String>) -> Self {
        Self {
            billing_customer_id,
            ip_address: ip_address.into(),
            nickname: None,
            status: None,
            client_name: None,
            client_email: None,
        }
    }
}

setters!(CreateEndpoint {
    [nickname, client_name, client_email]
    status: EndpointStatus,
});

impl Operation for CreateEndpoint {
    type Output = Endpoint;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "create_endpoint",
        group: Group::Endpoints,
        method: Method::POST,
        path: "/api/v1/endpoints",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Resource,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        validate::required_text(problems, "ip_address", &self.ip_address, 255);
        validate::max_length(problems, "nickname", self.nickname.as_deref(), 255);
        active_or_paused(problems, self.status.as_ref());
        validate::max_length(problems, "client_name", self.client_name.as_deref(), 255);
        validate::email(problems, "client_email", self.client_email.as_deref());
    }
}

/// `GET /api/v1/endpoints/{endpoint}`: one server. Error: 404.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GetEndpoint {
    /// The server.
    #[serde(skip)]
    pub endpoint_id: EndpointId,
    /// Refuses the call (403) unless this customer owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_customer_id: Option<CustomerId>,
}

/// `GET /api/v1/endpoints/{endpoint}/detail`: one server with what its scans found. Error: 404.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GetEndpointDetail {
    /// The server.
    #[serde(skip)]
    pub endpoint_id: EndpointId,
    /// Refuses the call (403) unless this customer owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_customer_id: Option<CustomerId>,
}

/// `DELETE /api/v1/endpoints/{endpoint}`: takes a server out of every list; adding its address again restores it.
///
/// Error: 404. A 404 after an attempt whose answer was lost counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DeleteEndpoint {
    /// The server.
    #[serde(skip)]
    pub endpoint_id: EndpointId,
    /// Refuses the call (403) unless this customer owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_customer_id: Option<CustomerId>,
}

/// One line for each operation on a server that exists.
macro_rules! on_one_endpoint {
    ($($request:ident -> $output:ty: $name:literal, $method:ident, $path:literal, $envelope:ident;)+) => {$(
        impl $request {
            /// The request for this server, whoever owns it.
            pub fn new(endpoint_id: EndpointId) -> Self {
                Self { endpoint_id, billing_customer_id: None }
            }
        }

        setters!($request { billing_customer_id: CustomerId });

        impl Operation for $request {
            type Output = $output;

            const INFO: &'static OperationInfo = &OperationInfo {
                name: $name,
                group: Group::Endpoints,
                method: Method::$method,
                path: $path,
                safety: RetrySafety::Repeatable,
                basis: Basis::Specified,
                envelope: Envelope::$envelope,
            };

            fn path_ids(&self) -> Vec<Uuid> {
                vec![self.endpoint_id.uuid()]
            }
        }
    )+};
}

on_one_endpoint! {
    GetEndpoint -> Endpoint: "get_endpoint", GET, "/api/v1/endpoints/{endpoint}", Resource;
    GetEndpointDetail -> EndpointDetail:
        "get_endpoint_detail", GET, "/api/v1/endpoints/{endpoint}/detail", Document;
    DeleteEndpoint -> (): "delete_endpoint", DELETE, "/api/v1/endpoints/{endpoint}", Empty;
}

/// `PUT /api/v1/endpoints/{endpoint}`: changes nickname or state; the address is fixed.
///
/// Errors: 404; 403 when another customer owns it. Making a server active that the platform paused needs room
/// (assumed): else `ENDPOINT_LIMIT_EXCEEDED`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UpdateEndpoint {
    /// The server.
    #[serde(skip)]
    pub endpoint_id: EndpointId,
    /// The customer who owns it.
    pub billing_customer_id: CustomerId,
    /// New display name, at most 255 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nickname: Option<String>,
    /// Active or paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<EndpointStatus>,
}

impl UpdateEndpoint {
    /// A change of this customer's server; what to change is still to be set.
    pub fn new(endpoint_id: EndpointId, billing_customer_id: CustomerId) -> Self {
        Self {
            endpoint_id,
            billing_customer_id,
            nickname: None,
            status: None,
        }
    }
}

setters!(UpdateEndpoint { [nickname] status: EndpointStatus });

impl Operation for UpdateEndpoint {
    type Output = Endpoint;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "update_endpoint",
        group: Group::Endpoints,
        method: Method::PUT,
        path: "/api/v1/endpoints/{endpoint}",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Resource,
    };

    fn path_ids(&self) -> Vec<Uuid> {
        vec![self.endpoint_id.uuid()]
    }

    fn validate(&self, problems: &mut FieldErrors) {
        validate::max_length(problems, "nickname", self.nickname.as_deref(), 255);
        active_or_paused(problems, self.status.as_ref());
    }
}

fn active_or_paused(problems: &mut FieldErrors, status: Option<&EndpointStatus>) {
    if !matches!(
        status,
        None | Some(EndpointStatus::Active | EndpointStatus::Paused)
    ) {
        problems.add("status", "It must be `active` or `paused`.");
    }
}

/// Monitored endpoints, from [`Client::endpoints`].
#[derive(Clone, Copy)]
pub struct Endpoints<'a>(&'a Client);

impl Client {
    /// Monitored endpoints.
    pub fn endpoints(&self) -> Endpoints<'_> {
        Endpoints(self)
    }
}

impl Endpoints<'_> {
    /// The pages of a list: [`ListEndpoints`].
    pub fn list(self, list: ListEndpoints) -> Pages<ListEndpoints> {
        self.0.pages(list)
    }

    /// Monitors a server: [`CreateEndpoint`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn create(self, endpoint: CreateEndpoint) -> Result<Response<Endpoint>, Error> {
        self.0.send(endpoint).await
    }

    /// One server: [`GetEndpoint`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn get(self, endpoint: EndpointId) -> Result<Response<Endpoint>, Error> {
        self.0.send(GetEndpoint::new(endpoint)).await
    }

    /// One server with what its scans found: [`GetEndpointDetail`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn detail(self, endpoint: EndpointId) -> Result<Response<EndpointDetail>, Error> {
        self.0.send(GetEndpointDetail::new(endpoint)).await
    }

    /// Changes nickname or state: [`UpdateEndpoint`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn update(self, change: UpdateEndpoint) -> Result<Response<Endpoint>, Error> {
        self.0.send(change).await
    }

    /// Takes a server out of every list: [`DeleteEndpoint`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn delete(self, endpoint: EndpointId) -> Result<Response<()>, Error> {
        self.0.send(DeleteEndpoint::new(endpoint)).await
    }
}
