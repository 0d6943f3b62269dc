//! What answers each operation of the catalogue.

use super::context::Context;
use super::problem::Problem;
use super::reply::Reply;
use super::{
    domain_monitoring, domains, endpoints, firewall, port_alerts, pricing, rules, sandbox, servers,
    sso, subscriptions, sync,
};
use crate::operations::catalogue::OperationId;

/// Answers an operation for an account.
pub(crate) type Answer = fn(&mut Context<'_>) -> Result<Reply, Problem>;

/// What an operation needs before it answers.
#[derive(Clone, Copy)]
pub(crate) enum Route {
    /// Nothing: the health check.
    Open,
    /// A key of an account.
    Keyed(Answer),
    /// A sign-in token.
    SignIn,
}

/// The route of an operation.
pub(crate) fn route(operation: OperationId) -> Route {
    use OperationId as Id;
    match operation {
        Id::GetHealth => Route::Open,
        Id::ProvisionEndpoint => Route::Keyed(servers::provision),
        Id::SuspendEndpoint => Route::Keyed(servers::suspend),
        Id::ResumeEndpoint => Route::Keyed(servers::resume),
        Id::TerminateEndpoint => Route::Keyed(servers::terminate),
        Id::ScanEndpoint => Route::Keyed(servers::scan),
        Id::ProvisionDomain => Route::Keyed(domains::provision),
        Id::SuspendDomain => Route::Keyed(domains::suspend),
        Id::ResumeDomain => Route::Keyed(domains::resume),
        Id::TerminateDomain => Route::Keyed(domains::terminate),
        Id::UpdateDomain => Route::Keyed(domains::update),
        Id::ReleaseDomain => Route::Keyed(domains::release),
        Id::ProvisionSubscription => Route::Keyed(subscriptions::provision),
        Id::SuspendSubscription => Route::Keyed(subscriptions::suspend),
        Id::ResumeSubscription => Route::Keyed(subscriptions::resume),
        Id::TerminateSubscription => Route::Keyed(subscriptions::terminate),
        Id::ChangeSubscription => Route::Keyed(subscriptions::change),
        Id::SyncServices => Route::Keyed(sync::services),
        Id::SetPrice => Route::Keyed(pricing::set),
        Id::RemovePrice => Route::Keyed(pricing::delete),
        Id::CreateSsoToken => Route::Keyed(sso::token),
        Id::SignIn => Route::SignIn,
        Id::ListDomains => Route::Keyed(domain_monitoring::list),
        Id::GetDomainSummary => Route::Keyed(domain_monitoring::summary),
        Id::ListDomainAlerts => Route::Keyed(domain_monitoring::alerts),
        Id::GetDomainAlert => Route::Keyed(domain_monitoring::alert),
        Id::AcknowledgeDomainAlert => Route::Keyed(domain_monitoring::acknowledge),
        Id::ResolveDomainAlert => Route::Keyed(domain_monitoring::resolve),
        Id::ListMentions => Route::Keyed(domain_monitoring::mentions),
        Id::ListCredentialLeaks => Route::Keyed(domain_monitoring::leaks),
        Id::GetScanHistory => Route::Keyed(domain_monitoring::scan_history),
        Id::ListPortAlerts => Route::Keyed(port_alerts::list),
        Id::GetPortAlert => Route::Keyed(port_alerts::show),
        Id::ResolvePortAlert => Route::Keyed(port_alerts::resolve),
        Id::GetRuleSummary => Route::Keyed(rules::summary),
        Id::ListRules => Route::Keyed(rules::list),
        Id::CreateRule => Route::Keyed(rules::create),
        Id::GetRule => Route::Keyed(rules::show),
        Id::UpdateRule => Route::Keyed(rules::update),
        Id::DeleteRule => Route::Keyed(rules::delete),
        Id::ListEndpoints => Route::Keyed(endpoints::list),
        Id::CreateEndpoint => Route::Keyed(endpoints::create),
        Id::GetEndpoint => Route::Keyed(endpoints::show),
        Id::GetEndpointDetail => Route::Keyed(endpoints::detail),
        Id::UpdateEndpoint => Route::Keyed(endpoints::update),
        Id::DeleteEndpoint => Route::Keyed(endpoints::delete),
        Id::ListScenarios => Route::Keyed(sandbox::scenarios),
        Id::SetScenario => Route::Keyed(sandbox::choose),
        Id::IngestFirewall => Route::Keyed(firewall::ingest),
    }
}
