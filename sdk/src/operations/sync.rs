//! Telling the service the state of many mapped services at once.

use std::collections::BTreeMap;

use http::Method;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::setters;
use crate::envelope::Envelope;
use crate::model::tolerant::{map_or_empty_list, null_as_default};
use crate::model::{CapacityReports, CustomerId, ProductSlug, ServiceId, SubscriptionStatus};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Response, validate};

/// `POST /api/v1/billing/sync-services`: reports the state of 1 to 500 services, so that drift is corrected. It never
/// creates a service. Only in the billing namespace.
///
/// A service may be listed twice; one invalid entry rejects the whole request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SyncServices {
    /// The services, 1 to 500.
    pub services: Vec<ServiceReport>,
    /// Version of the billing module, at most 20 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module_version: Option<String>,
}

/// The state of one service in the billing system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceReport {
    /// The service.
    pub service_id: ServiceId,
    /// The customer.
    pub client_id: CustomerId,
    /// One of the three known products.
    pub product_slug: ProductSlug,
    /// Its state.
    pub status: SubscriptionStatus,
}

impl SyncServices {
    /// A report of these services.
    pub fn new(services: impl IntoIterator<Item = ServiceReport>) -> Self {
        Self {
            services: services.into_iter().collect(),
            module_version: None,
        }
    }
}

setters!(SyncServices { [module_version] });

impl Operation for SyncServices {
    type Output = SyncResult;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "sync_services",
        group: Group::Provisioning,
        method: Method::POST,
        path: "/api/v1/billing/sync-services",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Success,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        if !(1..=500).contains(&self.services.len()) {
            problems.add("services", "There must be 1 to 500 services.");
        }
        for (position, service) in self.services.iter().enumerate() {
            if matches!(service.product_slug, ProductSlug::Unknown(_)) {
                problems.add(
                    format!("services.{position}.product_slug"),
                    "It must be `endpoint`, `port_monitoring` or `domain_monitoring`.",
                );
            }
            if matches!(service.status, SubscriptionStatus::Unknown(_)) {
                problems.add(
                    format!("services.{position}.status"),
                    "It must be `active`, `suspended` or `cancelled`.",
                );
            }
        }
        validate::max_length(
            problems,
            "module_version",
            self.module_version.as_deref(),
            20,
        );
    }
}

/// What a sync did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SyncResult {
    /// Services that were moved to another state.
    pub changed: u64,
    /// Services that were there already.
    pub unchanged: u64,
    /// Services that the platform does not recognise.
    #[serde(default, deserialize_with = "null_as_default")]
    pub unknown_services: Vec<UnknownService>,
    /// What the changes did to each customer's resources; empty when nothing changed (the service writes `[]` then).
    #[serde(default, deserialize_with = "map_or_empty_list")]
    pub enforcement: BTreeMap<CustomerId, CapacityReports>,
}

/// A service that the platform does not recognise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct UnknownService {
    /// The service.
    pub service_id: ServiceId,
    /// The customer (assumed field).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<CustomerId>,
    /// The product (assumed field).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product_slug: Option<ProductSlug>,
}

impl<'de> Deserialize<'de> for UnknownService {
    /// An object (assumed), or the bare number of the service.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Fields {
            service_id: ServiceId,
            client_id: Option<CustomerId>,
            product_slug: Option<ProductSlug>,
        }
        let fields = match Value::deserialize(deserializer)? {
            Value::Number(service) => serde_json::json!({"service_id": service}),
            other => other,
        };
        let Fields {
            service_id,
            client_id,
            product_slug,
        } = serde_json::from_value(fields).map_err(serde::de::Error::custom)?;
        Ok(Self {
            service_id,
            client_id,
            product_slug,
        })
    }
}

impl Client {
    /// Reports the state of many services: [`SyncServices`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn sync_services(&self, report: SyncServices) -> Result<Response<SyncResult>, Error> {
        self.send(report).await
    }
}
