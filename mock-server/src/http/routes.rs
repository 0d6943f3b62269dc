//! The table of operations. The router, the 405 answers and `secmon-mock routes` come from it.

use http::Method;
use secmon_engine::RateGroup;

use super::context::Context;
use super::problem::{ErrorShape, Problem};
use super::reply::Reply;
use super::{
    domain_monitoring, domains, endpoints, firewall, port_alerts, pricing, rules, sandbox, servers,
    sso, sso_page, subscriptions, sync,
};
use crate::observation::notices::Known;

/// The groups of operations: what they have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Health,
    Provisioning,
    Sso,
    /// The landing page of sign-in tokens, which is no part of the partner API.
    SsoPage,
    DomainMonitoring,
    PortAlerts,
    AllowedPorts,
    Endpoints,
    Sandbox,
    FirewallIngest,
}

impl Group {
    /// The rate window that its calls count in (A10).
    pub(crate) fn window(self) -> Option<RateGroup> {
        match self {
            Self::Health | Self::SsoPage | Self::Sandbox => None,
            Self::Provisioning
            | Self::Sso
            | Self::DomainMonitoring
            | Self::PortAlerts
            | Self::FirewallIngest => Some(RateGroup::Strict),
            Self::AllowedPorts | Self::Endpoints => Some(RateGroup::Default),
        }
    }

    /// How it writes errors without a string code of their own (A11).
    pub(crate) fn error_shape(self) -> ErrorShape {
        match self {
            Self::Health
            | Self::Provisioning
            | Self::Sso
            | Self::SsoPage
            | Self::DomainMonitoring
            | Self::Sandbox
            | Self::FirewallIngest => ErrorShape::Envelope,
            Self::PortAlerts => ErrorShape::NumberedEnvelope,
            Self::AllowedPorts | Self::Endpoints => ErrorShape::BareNumber,
        }
    }

    /// Whether the called host must be the key's portal domain (A4).
    pub(crate) fn checks_host(self) -> bool {
        matches!(self, Self::Provisioning | Self::Sso)
    }
}

/// Answers an operation for an account.
pub(crate) type Answer = fn(&mut Context<'_>) -> Result<Reply, Problem>;

/// What an operation needs before it answers.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// Nothing: the health check.
    Open,
    /// A key of an account.
    Keyed(Answer),
    /// A sign-in token.
    SignIn,
}

/// Where an operation is found, under `/api/v1`.
#[derive(Clone, Copy)]
enum At {
    /// In both provisioning namespaces.
    Namespaces(&'static str),
    /// In the billing namespace only.
    Billing(&'static str),
    /// Under a path of its own.
    Path(&'static str),
    /// Beside the API.
    Beside(&'static str),
}

/// The operation's name, then what it is.
struct Row(&'static str, Method, At, Group, Run);

/// One operation on one path.
#[derive(Clone)]
pub(crate) struct Route {
    /// The same in both namespaces.
    pub(crate) operation: &'static str,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) group: Group,
    pub(crate) run: Run,
    /// None for what is no part of the partner API.
    pub(crate) known: Option<Known>,
}

#[rustfmt::skip]
const TABLE: &[Row] = &[
    Row("get_health",               Method::GET,    At::Path("/health"),                       Group::Health,       Run::Open),

    Row("provision_endpoint",       Method::POST,   At::Namespaces("/provision"),              Group::Provisioning, Run::Keyed(servers::provision)),
    Row("suspend_endpoint",         Method::POST,   At::Namespaces("/suspend"),                Group::Provisioning, Run::Keyed(servers::suspend)),
    Row("resume_endpoint",          Method::POST,   At::Namespaces("/resume"),                 Group::Provisioning, Run::Keyed(servers::resume)),
    Row("terminate_endpoint",       Method::POST,   At::Namespaces("/terminate"),              Group::Provisioning, Run::Keyed(servers::terminate)),
    Row("scan_endpoint",            Method::POST,   At::Billing("/scan-endpoint"),             Group::Provisioning, Run::Keyed(servers::scan)),

    Row("provision_domain",         Method::POST,   At::Namespaces("/provision-domain"),       Group::Provisioning, Run::Keyed(domains::provision)),
    Row("suspend_domain",           Method::POST,   At::Namespaces("/suspend-domain"),         Group::Provisioning, Run::Keyed(domains::suspend)),
    Row("resume_domain",            Method::POST,   At::Namespaces("/resume-domain"),          Group::Provisioning, Run::Keyed(domains::resume)),
    Row("terminate_domain",         Method::POST,   At::Namespaces("/terminate-domain"),       Group::Provisioning, Run::Keyed(domains::terminate)),
    Row("update_domain",            Method::POST,   At::Namespaces("/update-domain"),          Group::Provisioning, Run::Keyed(domains::update)),
    Row("release_domain",           Method::POST,   At::Billing("/release-domain"),            Group::Provisioning, Run::Keyed(domains::release)),

    Row("provision_subscription",   Method::POST,   At::Namespaces("/provision-subscription"), Group::Provisioning, Run::Keyed(subscriptions::provision)),
    Row("suspend_subscription",     Method::POST,   At::Namespaces("/suspend-subscription"),   Group::Provisioning, Run::Keyed(subscriptions::suspend)),
    Row("resume_subscription",      Method::POST,   At::Namespaces("/resume-subscription"),    Group::Provisioning, Run::Keyed(subscriptions::resume)),
    Row("terminate_subscription",   Method::POST,   At::Namespaces("/terminate-subscription"), Group::Provisioning, Run::Keyed(subscriptions::terminate)),
    Row("change_subscription",      Method::POST,   At::Namespaces("/change-subscription"),    Group::Provisioning, Run::Keyed(subscriptions::change)),

    Row("sync_services",            Method::POST,   At::Billing("/sync-services"),             Group::Provisioning, Run::Keyed(sync::services)),
    Row("set_price",                Method::POST,   At::Billing("/pricing"),                   Group::Provisioning, Run::Keyed(pricing::set)),
    Row("remove_price",             Method::DELETE, At::Billing("/pricing"),                   Group::Provisioning, Run::Keyed(pricing::delete)),

    Row("create_sso_token",         Method::POST,   At::Path("/sso/token"),                    Group::Sso,          Run::Keyed(sso::token)),
    Row("sign_in",                  Method::GET,    At::Beside(sso_page::PATH),                Group::SsoPage,      Run::SignIn),

    Row("list_domains",             Method::GET,    At::Path("/domains"),                      Group::DomainMonitoring, Run::Keyed(domain_monitoring::list)),
    Row("get_domain_summary",       Method::GET,    At::Path("/domains/{id}/summary"),         Group::DomainMonitoring, Run::Keyed(domain_monitoring::summary)),
    Row("list_domain_alerts",       Method::GET,    At::Path("/domains/{id}/alerts"),          Group::DomainMonitoring, Run::Keyed(domain_monitoring::alerts)),
    Row("get_domain_alert",         Method::GET,    At::Path("/domains/{id}/alerts/{alertId}"), Group::DomainMonitoring, Run::Keyed(domain_monitoring::alert)),
    Row("acknowledge_domain_alert", Method::POST,   At::Path("/domains/{id}/alerts/{alertId}/acknowledge"), Group::DomainMonitoring, Run::Keyed(domain_monitoring::acknowledge)),
    Row("resolve_domain_alert",     Method::POST,   At::Path("/domains/{id}/alerts/{alertId}/resolve"), Group::DomainMonitoring, Run::Keyed(domain_monitoring::resolve)),
    Row("list_mentions",            Method::GET,    At::Path("/domains/{id}/dark-web-mentions"), Group::DomainMonitoring, Run::Keyed(domain_monitoring::mentions)),
    Row("list_credential_leaks",    Method::GET,    At::Path("/domains/{id}/credential-leaks"), Group::DomainMonitoring, Run::Keyed(domain_monitoring::leaks)),
    Row("get_scan_history",         Method::GET,    At::Path("/domains/{id}/scan-history"),    Group::DomainMonitoring, Run::Keyed(domain_monitoring::scan_history)),

    Row("list_port_alerts",         Method::GET,    At::Path("/alerts"),                       Group::PortAlerts,   Run::Keyed(port_alerts::list)),
    Row("get_port_alert",           Method::GET,    At::Path("/alerts/{alert}"),               Group::PortAlerts,   Run::Keyed(port_alerts::show)),
    Row("resolve_port_alert",       Method::POST,   At::Path("/alerts/{alert}/resolve"),       Group::PortAlerts,   Run::Keyed(port_alerts::resolve)),

    Row("get_rule_summary",         Method::GET,    At::Path("/whitelists/endpoint-summary"),  Group::AllowedPorts, Run::Keyed(rules::summary)),
    Row("list_rules",               Method::GET,    At::Path("/whitelists"),                   Group::AllowedPorts, Run::Keyed(rules::list)),
    Row("create_rule",              Method::POST,   At::Path("/whitelists"),                   Group::AllowedPorts, Run::Keyed(rules::create)),
    Row("get_rule",                 Method::GET,    At::Path("/whitelists/{whitelist}"),       Group::AllowedPorts, Run::Keyed(rules::show)),
    Row("update_rule",              Method::PUT,    At::Path("/whitelists/{whitelist}"),       Group::AllowedPorts, Run::Keyed(rules::update)),
    Row("delete_rule",              Method::DELETE, At::Path("/whitelists/{whitelist}"),       Group::AllowedPorts, Run::Keyed(rules::delete)),

    Row("list_endpoints",           Method::GET,    At::Path("/endpoints"),                    Group::Endpoints,    Run::Keyed(endpoints::list)),
    Row("create_endpoint",          Method::POST,   At::Path("/endpoints"),                    Group::Endpoints,    Run::Keyed(endpoints::create)),
    Row("get_endpoint",             Method::GET,    At::Path("/endpoints/{endpoint}"),         Group::Endpoints,    Run::Keyed(endpoints::show)),
    Row("get_endpoint_detail",      Method::GET,    At::Path("/endpoints/{endpoint}/detail"),  Group::Endpoints,    Run::Keyed(endpoints::detail)),
    Row("update_endpoint",          Method::PUT,    At::Path("/endpoints/{endpoint}"),         Group::Endpoints,    Run::Keyed(endpoints::update)),
    Row("delete_endpoint",          Method::DELETE, At::Path("/endpoints/{endpoint}"),         Group::Endpoints,    Run::Keyed(endpoints::delete)),

    Row("list_scenarios",           Method::GET,    At::Path("/sandbox/scenarios"),            Group::Sandbox,      Run::Keyed(sandbox::scenarios)),
    Row("set_scenario",             Method::POST,   At::Path("/sandbox/scenario"),             Group::Sandbox,      Run::Keyed(sandbox::choose)),

    Row("ingest_firewall",          Method::POST,   At::Path("/firewall/ingest"),              Group::FirewallIngest, Run::Keyed(firewall::ingest)),
];

/// Every operation on every path that it has.
pub(crate) fn all() -> Vec<Route> {
    let mut routes = Vec::new();
    for Row(operation, method, at, group, run) in TABLE {
        for path in paths(*at) {
            routes.push(Route {
                operation,
                method: method.clone(),
                path,
                group: *group,
                run: *run,
                known: Known::by(operation),
            });
        }
    }
    routes
}

fn paths(at: At) -> Vec<String> {
    match at {
        At::Namespaces(name) => vec![
            format!("/api/v1/billing{name}"),
            format!("/api/v1/provisioning{name}"),
        ],
        At::Billing(name) => vec![format!("/api/v1/billing{name}")],
        At::Path(path) => vec![format!("/api/v1{path}")],
        At::Beside(path) => vec![path.to_owned()],
    }
}
