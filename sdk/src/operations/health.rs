//! The health check.

use serde::{Deserialize, Serialize};

use super::operations;
use crate::client::{CallBuilder, Client};
use crate::model::Timestamp;
use crate::model::tolerant::optional;

operations! {
    {
        /// `GET /api/v1/health`: whether the service is up. It is sent without the key, and counts in no rate window.
        #[derive(Default)]
        get_health: GetHealth -> Health = GET "/api/v1/health",
        Health, Repeatable, Specified, Document;
    }
}

impl Client {
    /// Asks whether the service is up: [`GetHealth`].
    pub fn health(&self) -> CallBuilder<GetHealth> {
        self.call(GetHealth::new())
    }
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
    #[serde(default, deserialize_with = "optional")]
    pub timestamp: Option<Timestamp>,
    /// About the answer.
    #[serde(default, deserialize_with = "optional")]
    pub meta: Option<HealthMeta>,
}

/// About the health check's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HealthMeta {
    /// Version of the API, `v1`.
    #[serde(default, deserialize_with = "optional")]
    pub version: Option<String>,
}
