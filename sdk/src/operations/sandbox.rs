//! Scenarios of the sandbox. The specification names these operations without their shape; all here is assumed (E12).

use super::declaration::operations;
use crate::model::tolerant::record;
use crate::model::{DomainId, EndpointId, Scenario};
use crate::validate::one_of;

operations! {
    {
        /// `GET /api/v1/sandbox/scenarios` (assumed): what there is to choose from. Error: `SANDBOX_DISABLED`.
        #[derive(Default)]
        list_scenarios: ListScenarios -> Scenarios = GET "/api/v1/sandbox/scenarios",
        Sandbox, Repeatable, Assumed, Success;
        accessors { Sandbox:
            /// What there is to choose from: [`ListScenarios`].
            call scenarios();
        }
    }
    {
        /// `POST /api/v1/sandbox/scenario` (assumed): what scans shall find from now on, for the account, or for one server
        /// or one domain. It shows at the next scan. Errors: `SANDBOX_DISABLED`, `ENDPOINT_NOT_FOUND`, `DOMAIN_NOT_FOUND`.
        set_scenario: SetScenario -> ChosenScenario = POST "/api/v1/sandbox/scenario",
        Sandbox, Repeatable, Assumed, Success;
        required {
            /// The scenario.
            scenario: Scenario [one_of(Scenario::VARIANTS)],
        }
        optional {
            /// For this server only.
            endpoint_id: EndpointId,
            /// For this domain only.
            monitored_domain_id: DomainId,
        }
        check {
            |request, problems| {
                if request.endpoint_id.is_some() && request.monitored_domain_id.is_some() {
                    for field in ["endpoint_id", "monitored_domain_id"] {
                        problems.add(field, "A server or a domain may be given, not both.");
                    }
                }
            }
        }
        answer {
            |request, answer, check| {
                check.same("scenario", &request.scenario, &answer.scenario);
                check.present_if_asked("endpoint_id", request.endpoint_id.as_ref(), answer.endpoint_id.as_ref());
                let (asked, answered) = (&request.monitored_domain_id, &answer.monitored_domain_id);
                check.present_if_asked("monitored_domain_id", asked.as_ref(), answered.as_ref());
            }
        }
        accessors { Sandbox:
            /// What scans shall find from now on: [`SetScenario`].
            call set(scenario: SetScenario) = scenario;
        }
    }
}

record! {
    /// The scenarios of the sandbox (assumed).
    Scenarios {
        /// All there are.
        scenarios: Vec<Scenario>,
        /// The account's own.
        current: Option<Scenario>,
    }
}

record! {
    /// The scenario that holds now (assumed).
    ChosenScenario {
        /// The scenario.
        scenario: Scenario,
        /// The server it holds for.
        endpoint_id: Option<EndpointId>,
        /// The domain it holds for.
        monitored_domain_id: Option<DomainId>,
    }
}
