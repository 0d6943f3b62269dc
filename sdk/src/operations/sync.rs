//! Telling the service the state of many mapped services at once.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::declaration::operations;
use crate::FieldErrors;
use crate::model::object_only::as_an_object;
use crate::model::tolerant::{OptionalValue, optional};
use crate::model::{CapacityReports, CustomerId, ProductSlug, ServiceId, SubscriptionStatus};
use crate::validate::{most, one_of};

/// The services of one report.
pub type Services = Vec<ServiceReport>;

operations! {
    {
        /// `POST /api/v1/billing/sync-services`: reports the state of 1 to 500 services, so that drift is corrected. It
        /// never creates a service. Only in the billing namespace.
        ///
        /// What is reported is made so: a port or domain service that has ended is revived by `active` or `suspended` (assumed).
        /// So a report from a snapshot that is older than a termination undoes it: leave out what has changed since
        /// ([`order_hooks`](crate::guides::order_hooks)).
        ///
        /// A service may be listed twice; one invalid entry rejects the whole request. A repeat after a lost answer finds
        /// the services changed already, and its report no longer tells what the first one paused: see
        /// [`may_have_acted_before`](crate::Response::may_have_acted_before).
        sync_services: SyncServices -> SyncResult = POST "/api/v1/billing/sync-services",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The services, 1 to 500.
            services: Services [one_to_five_hundred],
        }
        optional {
            /// Version of the billing module, at most 20 characters.
            module_version: String [most(20)],
        }
        check {
            |request, problems| {
                for (position, service) in request.services.iter().enumerate() {
                    service.validate(&format!("services.{position}"), problems);
                }
            }
        }
        answer {
            |request, answer, check| {
                check.some_member("changed", &[
                    answer.changed.is_some(),
                    answer.unchanged.is_some(),
                    answer.unknown_services.is_some(),
                    answer.enforcement.is_some(),
                ]);
                let services = request.services.iter();
                let reported: BTreeSet<_> = services.map(|service| (service.service_id, service.client_id)).collect();
                let services: BTreeSet<_> = reported.iter().map(|(service, _)| *service).collect();
                let customers: BTreeSet<_> = reported.iter().map(|(_, customer)| *customer).collect();
                for customer in answer.enforcement.iter().flat_map(BTreeMap::keys) {
                    if !customers.contains(customer) {
                        check.refuse("enforcement", "it names a customer who was not reported");
                    }
                }
                for (position, unknown) in answer.unknown_services.iter().flatten().enumerate() {
                    let was_reported = match (unknown.service_id(), unknown.client_id()) {
                        (Some(service), Some(customer)) => reported.contains(&(service, customer)),
                        (Some(service), None) => services.contains(&service),
                        (None, Some(customer)) => customers.contains(&customer),
                        (None, None) => true,
                    };
                    if !was_reported {
                        let member = format!("unknown_services[{position}]");
                        check.refuse(member, "it is a service that was not reported");
                    }
                }
            }
        }
        accessors { Subscriptions:
            /// Reports the state of many services at once: [`SyncServices`].
            call sync(services: impl Into<Services>);
        }
    }
}

fn one_to_five_hundred(services: &Services) -> Option<String> {
    (!(1..=500).contains(&services.len())).then(|| "There must be 1 to 500 services.".to_owned())
}

/// The state of one service in the billing system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ServiceReport {
    /// The customer.
    pub client_id: CustomerId,
    /// The service.
    pub service_id: ServiceId,
    /// One of the three known products.
    pub product_slug: ProductSlug,
    /// Its state.
    pub status: SubscriptionStatus,
}

impl ServiceReport {
    /// The state of this customer's service.
    pub fn new(
        client_id: CustomerId,
        service_id: ServiceId,
        product_slug: impl Into<ProductSlug>,
        status: impl Into<SubscriptionStatus>,
    ) -> Self {
        Self {
            client_id,
            service_id,
            product_slug: product_slug.into(),
            status: status.into(),
        }
    }

    fn validate(&self, place: &str, problems: &mut FieldErrors) {
        let field = |name: &str| format!("{place}.{name}");
        let (product, status) = (Some(&self.product_slug), Some(&self.status));
        problems.check(
            &field("product_slug"),
            product,
            one_of(ProductSlug::VARIANTS),
        );
        problems.check(
            &field("status"),
            status,
            one_of(SubscriptionStatus::VARIANTS),
        );
    }
}

/// What a sync did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub struct SyncResult {
    /// Services that were moved to another state.
    #[serde(default, deserialize_with = "optional")]
    pub changed: Option<u64>,
    /// Services that were there already.
    #[serde(default, deserialize_with = "optional")]
    pub unchanged: Option<u64>,
    /// Services that the platform does not recognise; `None` where the answer does not tell.
    #[serde(default, deserialize_with = "optional")]
    pub unknown_services: Option<Vec<UnknownService>>,
    /// What the changes did to each customer's resources; empty when nothing changed (the service writes `[]` then),
    /// `None` where the answer does not tell.
    #[serde(default, deserialize_with = "by_customer")]
    pub enforcement: Option<BTreeMap<CustomerId, CapacityReports>>,
}

as_an_object!(SyncResult);

/// A member whose name is no customer's is passed over: the services are changed, whatever else the report tells.
fn by_customer<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<BTreeMap<CustomerId, CapacityReports>>, D::Error> {
    let by_name: Option<BTreeMap<String, OptionalValue<CapacityReports>>> = optional(deserializer)?;
    Ok(by_name.map(|reports| {
        let reports = reports.into_iter();
        let of_customer = |(name, reports): (String, OptionalValue<_>)| {
            Some((name.parse().ok()?, reports.0.unwrap_or_default()))
        };
        reports.filter_map(of_customer).collect()
    }))
}

/// A service that the platform does not recognise. The specification gives it no shape, so any is kept: an object with
/// the names below (assumed), or the service's bare number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnknownService(Value);

impl UnknownService {
    /// The service.
    pub fn service_id(&self) -> Option<ServiceId> {
        match &self.0 {
            Value::Object(_) => self.member("service_id"),
            bare => serde_json::from_value(bare.clone()).ok(),
        }
    }

    /// The customer (assumed member).
    pub fn client_id(&self) -> Option<CustomerId> {
        self.member("client_id")
    }

    /// The product (assumed member).
    pub fn product_slug(&self) -> Option<ProductSlug> {
        self.member("product_slug")
    }

    /// What the service wrote.
    pub fn as_value(&self) -> &Value {
        &self.0
    }

    fn member<T: serde::de::DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_value(self.0.get(name)?.clone()).ok()
    }
}
