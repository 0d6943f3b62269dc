//! The health check.

use http::Method;
use serde::{Deserialize, Serialize};

use crate::envelope::Envelope;
use crate::model::Timestamp;
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, Response};

/// `GET /api/v1/health`: whether the service is up. It is sent without the key, and counts in no rate window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct GetHealth {}

impl GetHealth {
    /// The request.
    pub fn new() -> Self {
        Self {}
    }
}

impl Operation for GetHealth {
    type Output = Health;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "get_health",
        group: Group::Health,
        method: Method::GET,
        path: "/api/v1/health",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Document,
    };
}

/// What the health check says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Health {
    /// Whether the service considers itself up.
    pub success: bool,
    /// `ok` when it is up.
    pub status: String,
    /// The service's clock.
    #[serde(default)]
    pub timestamp: Option<Timestamp>,
    /// About the answer.
    #[serde(default)]
    pub meta: Option<HealthMeta>,
}

/// About the health check's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HealthMeta {
    /// Version of the API, `v1`.
    #[serde(default)]
    pub version: Option<String>,
}

impl Client {
    /// Asks whether the service is up: [`GetHealth`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn health(&self) -> Result<Response<Health>, Error> {
        self.send(GetHealth::new()).await
    }
}
