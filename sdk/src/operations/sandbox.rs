//! Scenarios of the sandbox. The specification names these operations without their shape; all here is assumed (E12).

use http::Method;
use serde::{Deserialize, Serialize};

use super::setters;
use crate::envelope::Envelope;
use crate::model::{DomainId, EndpointId, Scenario};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Response};

/// `GET /api/v1/sandbox/scenarios` (assumed): what there is to choose from. Error: `SANDBOX_DISABLED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ListScenarios {}

impl ListScenarios {
    /// The request.
    pub fn new() -> Self {
        Self {}
    }
}

impl Operation for ListScenarios {
    type Output = Scenarios;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "list_scenarios",
        group: Group::Sandbox,
        method: Method::GET,
        path: "/api/v1/sandbox/scenarios",
        safety: RetrySafety::Repeatable,
        basis: Basis::Assumed,
        envelope: Envelope::Success,
    };
}

/// The scenarios of the sandbox (assumed).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Scenarios {
    /// All there are.
    pub scenarios: Vec<Scenario>,
    /// The account's own.
    #[serde(default)]
    pub current: Option<Scenario>,
}

/// `POST /api/v1/sandbox/scenario` (assumed): what scans shall find from now on, for the account, or for one server or
/// one domain. It shows at the next scan. Errors: `SANDBOX_DISABLED`, `ENDPOINT_NOT_FOUND`, `DOMAIN_NOT_FOUND`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetScenario {
    /// The scenario.
    pub scenario: Scenario,
    /// For this server only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_id: Option<EndpointId>,
    /// For this domain only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monitored_domain_id: Option<DomainId>,
}

impl SetScenario {
    /// A scenario for the whole account.
    pub fn new(scenario: Scenario) -> Self {
        Self {
            scenario,
            endpoint_id: None,
            monitored_domain_id: None,
        }
    }
}

setters!(SetScenario {
    endpoint_id: EndpointId,
    monitored_domain_id: DomainId
});

impl Operation for SetScenario {
    type Output = ChosenScenario;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "set_scenario",
        group: Group::Sandbox,
        method: Method::POST,
        path: "/api/v1/sandbox/scenario",
        safety: RetrySafety::Repeatable,
        basis: Basis::Assumed,
        envelope: Envelope::Success,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        if matches!(self.scenario, Scenario::Unknown(_)) {
            problems.add("scenario", "It must be `clean`, `warnings` or `critical`.");
        }
        if self.endpoint_id.is_some() && self.monitored_domain_id.is_some() {
            for field in ["endpoint_id", "monitored_domain_id"] {
                problems.add(field, "A server or a domain may be given, not both.");
            }
        }
    }
}

/// The scenario that holds now (assumed).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ChosenScenario {
    /// The scenario.
    pub scenario: Scenario,
    /// The server it holds for.
    #[serde(default)]
    pub endpoint_id: Option<EndpointId>,
    /// The domain it holds for.
    #[serde(default)]
    pub monitored_domain_id: Option<DomainId>,
}

/// Scenarios of the sandbox, from [`Client::sandbox`].
#[derive(Clone, Copy)]
pub struct Sandbox<'a>(&'a Client);

impl Client {
    /// Scenarios of the sandbox.
    pub fn sandbox(&self) -> Sandbox<'_> {
        Sandbox(self)
    }
}

impl Sandbox<'_> {
    /// What there is to choose from: [`ListScenarios`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn scenarios(self) -> Result<Response<Scenarios>, Error> {
        self.0.send(ListScenarios::new()).await
    }

    /// What scans shall find from now on: [`SetScenario`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn set(self, scenario: SetScenario) -> Result<Response<ChosenScenario>, Error> {
        self.0.send(scenario).await
    }
}
