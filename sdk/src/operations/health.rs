//! The health check.

use super::declaration::operations;
use crate::client::Client;
use crate::client::call::CallBuilder;
use crate::model::Timestamp;
use crate::model::tolerant::record;

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

record! {
    /// What the health check says.
    Health {
        /// Whether the service considers itself up.
        success: bool,
        /// `ok` when it is up.
        status: String,
        /// The service's clock.
        timestamp: Option<Timestamp>,
        /// About the answer.
        meta: Option<HealthMeta>,
    }
}

record! {
    /// About the health check's answer.
    HealthMeta {
        /// Version of the API, `v1`.
        version: Option<String>,
    }
}
