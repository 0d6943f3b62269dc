//! Sandbox scenarios (E12).

use http::StatusCode;
use secmon_engine::Scenario;
use serde_json::json;
use uuid::Uuid;

use super::context::Context;
use super::problem::Problem;
use super::reply::{self, Reply};
use crate::values::fields::{Fields, readers};

/// `GET /sandbox/scenarios`.
pub(crate) fn scenarios(context: &mut Context<'_>) -> Result<Reply, Problem> {
    require_sandbox(context)?;
    let data = json!({
        "scenarios": Scenario::ALL.map(Scenario::name),
        "current": context.account.scenario().name(),
    });
    Ok(reply::success(StatusCode::OK, data, context.now()))
}

/// What a scenario is chosen for.
#[derive(Clone, Copy)]
enum Subject {
    Account,
    Endpoint(Uuid),
    Domain(Uuid),
}

/// `POST /sandbox/scenario`.
pub(crate) fn choose(context: &mut Context<'_>) -> Result<Reply, Problem> {
    require_sandbox(context)?;
    let mut fields = Fields::of_body(context.request.object()?);
    let scenario = fields.required(
        "scenario",
        readers::named(Scenario::from_name, "clean, warnings, critical"),
    );
    let subject = subject(&mut fields);
    let (scenario, subject) = fields.finish(|| Some((scenario?, subject)))?;
    let now = context.now();
    let (endpoint, domain) = match subject {
        Subject::Account => {
            context.account.at(now).set_scenario(scenario);
            (None, None)
        }
        Subject::Endpoint(id) => {
            context
                .account
                .at(now)
                .set_endpoint_scenario(id, scenario)?;
            (Some(id), None)
        }
        Subject::Domain(id) => {
            context.account.at(now).set_domain_scenario(id, scenario)?;
            (None, Some(id))
        }
    };
    let data = json!({
        "scenario": scenario.name(),
        "endpoint_id": endpoint,
        "monitored_domain_id": domain,
    });
    Ok(reply::success(StatusCode::OK, data, now))
}

fn subject(fields: &mut Fields<'_>) -> Subject {
    let endpoint = fields.optional("endpoint_id", readers::uuid);
    let domain = fields.optional("monitored_domain_id", readers::uuid);
    match (endpoint, domain) {
        (None, None) => Subject::Account,
        (Some(id), None) => Subject::Endpoint(id),
        (None, Some(id)) => Subject::Domain(id),
        (Some(_), Some(id)) => {
            for name in ["endpoint_id", "monitored_domain_id"] {
                fields.reject(
                    name,
                    "Only one of endpoint_id and monitored_domain_id may be given.".to_owned(),
                );
            }
            Subject::Domain(id)
        }
    }
}

fn require_sandbox(context: &Context<'_>) -> Result<(), Problem> {
    if context.account.settings().sandbox.is_on() {
        Ok(())
    } else {
        Err(Problem::SandboxDisabled)
    }
}
