//! The table of operations. The router, the 405 answers and `secmon-mock routes` come from it.

use http::Method;
use secmon_engine::RateGroup;

use super::ask::Ask;
use super::problem::{ErrorShape, Problem};
use super::reply::Reply;
use super::{
    domain_monitoring, domains, endpoints, firewall, port_alerts, pricing, rules, sandbox, servers,
    sso, sso_page, subscriptions, sync,
};

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
pub(crate) type Answer = fn(&mut Ask<'_>) -> Result<Reply, Problem>;

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

struct Row(Method, At, Group, Run);

/// One operation on one path.
#[derive(Clone)]
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) group: Group,
    pub(crate) run: Run,
}

#[rustfmt::skip]
const TABLE: &[Row] = &[
    Row(Method::GET,    At::Path("/health"),                       Group::Health,       Run::Open),

    Row(Method::POST,   At::Namespaces("/provision"),              Group::Provisioning, Run::Keyed(servers::provision)),
    Row(Method::POST,   At::Namespaces("/suspend"),                Group::Provisioning, Run::Keyed(servers::suspend)),
    Row(Method::POST,   At::Namespaces("/resume"),                 Group::Provisioning, Run::Keyed(servers::resume)),
    Row(Method::POST,   At::Namespaces("/terminate"),              Group::Provisioning, Run::Keyed(servers::terminate)),
    Row(Method::POST,   At::Billing("/scan-endpoint"),             Group::Provisioning, Run::Keyed(servers::scan)),

    Row(Method::POST,   At::Namespaces("/provision-domain"),       Group::Provisioning, Run::Keyed(domains::provision)),
    Row(Method::POST,   At::Namespaces("/suspend-domain"),         Group::Provisioning, Run::Keyed(domains::suspend)),
    Row(Method::POST,   At::Namespaces("/resume-domain"),          Group::Provisioning, Run::Keyed(domains::resume)),
    Row(Method::POST,   At::Namespaces("/terminate-domain"),       Group::Provisioning, Run::Keyed(domains::terminate)),
    Row(Method::POST,   At::Namespaces("/update-domain"),          Group::Provisioning, Run::Keyed(domains::update)),
    Row(Method::POST,   At::Billing("/release-domain"),            Group::Provisioning, Run::Keyed(domains::release)),

    Row(Method::POST,   At::Namespaces("/provision-subscription"), Group::Provisioning, Run::Keyed(subscriptions::provision)),
    Row(Method::POST,   At::Namespaces("/suspend-subscription"),   Group::Provisioning, Run::Keyed(subscriptions::suspend)),
    Row(Method::POST,   At::Namespaces("/resume-subscription"),    Group::Provisioning, Run::Keyed(subscriptions::resume)),
    Row(Method::POST,   At::Namespaces("/terminate-subscription"), Group::Provisioning, Run::Keyed(subscriptions::terminate)),
    Row(Method::POST,   At::Namespaces("/change-subscription"),    Group::Provisioning, Run::Keyed(subscriptions::change)),

    Row(Method::POST,   At::Billing("/sync-services"),             Group::Provisioning, Run::Keyed(sync::services)),
    Row(Method::POST,   At::Billing("/pricing"),                   Group::Provisioning, Run::Keyed(pricing::set)),
    Row(Method::DELETE, At::Billing("/pricing"),                   Group::Provisioning, Run::Keyed(pricing::delete)),

    Row(Method::POST,   At::Path("/sso/token"),                    Group::Sso,          Run::Keyed(sso::token)),
    Row(Method::GET,    At::Beside(sso_page::PATH),                Group::SsoPage,      Run::SignIn),

    Row(Method::GET,    At::Path("/domains"),                      Group::DomainMonitoring, Run::Keyed(domain_monitoring::list)),
    Row(Method::GET,    At::Path("/domains/{id}/summary"),         Group::DomainMonitoring, Run::Keyed(domain_monitoring::summary)),
    Row(Method::GET,    At::Path("/domains/{id}/alerts"),          Group::DomainMonitoring, Run::Keyed(domain_monitoring::alerts)),
    Row(Method::GET,    At::Path("/domains/{id}/alerts/{alertId}"), Group::DomainMonitoring, Run::Keyed(domain_monitoring::alert)),
    Row(Method::POST,   At::Path("/domains/{id}/alerts/{alertId}/acknowledge"), Group::DomainMonitoring, Run::Keyed(domain_monitoring::acknowledge)),
    Row(Method::POST,   At::Path("/domains/{id}/alerts/{alertId}/resolve"), Group::DomainMonitoring, Run::Keyed(domain_monitoring::resolve)),
    Row(Method::GET,    At::Path("/domains/{id}/dark-web-mentions"), Group::DomainMonitoring, Run::Keyed(domain_monitoring::mentions)),
    Row(Method::GET,    At::Path("/domains/{id}/credential-leaks"), Group::DomainMonitoring, Run::Keyed(domain_monitoring::leaks)),
    Row(Method::GET,    At::Path("/domains/{id}/scan-history"),    Group::DomainMonitoring, Run::Keyed(domain_monitoring::scan_history)),

    Row(Method::GET,    At::Path("/alerts"),                       Group::PortAlerts,   Run::Keyed(port_alerts::list)),
    Row(Method::GET,    At::Path("/alerts/{alert}"),               Group::PortAlerts,   Run::Keyed(port_alerts::show)),
    Row(Method::POST,   At::Path("/alerts/{alert}/resolve"),       Group::PortAlerts,   Run::Keyed(port_alerts::resolve)),

    Row(Method::GET,    At::Path("/whitelists/endpoint-summary"),  Group::AllowedPorts, Run::Keyed(rules::summary)),
    Row(Method::GET,    At::Path("/whitelists"),                   Group::AllowedPorts, Run::Keyed(rules::list)),
    Row(Method::POST,   At::Path("/whitelists"),                   Group::AllowedPorts, Run::Keyed(rules::create)),
    Row(Method::GET,    At::Path("/whitelists/{whitelist}"),       Group::AllowedPorts, Run::Keyed(rules::show)),
    Row(Method::PUT,    At::Path("/whitelists/{whitelist}"),       Group::AllowedPorts, Run::Keyed(rules::update)),
    Row(Method::DELETE, At::Path("/whitelists/{whitelist}"),       Group::AllowedPorts, Run::Keyed(rules::delete)),

    Row(Method::GET,    At::Path("/endpoints"),                    Group::Endpoints,    Run::Keyed(endpoints::list)),
    Row(Method::POST,   At::Path("/endpoints"),                    Group::Endpoints,    Run::Keyed(endpoints::create)),
    Row(Method::GET,    At::Path("/endpoints/{endpoint}"),         Group::Endpoints,    Run::Keyed(endpoints::show)),
    Row(Method::GET,    At::Path("/endpoints/{endpoint}/detail"),  Group::Endpoints,    Run::Keyed(endpoints::detail)),
    Row(Method::PUT,    At::Path("/endpoints/{endpoint}"),         Group::Endpoints,    Run::Keyed(endpoints::update)),
    Row(Method::DELETE, At::Path("/endpoints/{endpoint}"),         Group::Endpoints,    Run::Keyed(endpoints::delete)),

    Row(Method::GET,    At::Path("/sandbox/scenarios"),            Group::Sandbox,      Run::Keyed(sandbox::scenarios)),
    Row(Method::POST,   At::Path("/sandbox/scenario"),             Group::Sandbox,      Run::Keyed(sandbox::choose)),

    Row(Method::POST,   At::Path("/firewall/ingest"),              Group::FirewallIngest, Run::Keyed(firewall::ingest)),
];

/// Every operation on every path that it has.
pub(crate) fn all() -> Vec<Route> {
    let mut routes = Vec::new();
    for Row(method, at, group, run) in TABLE {
        for path in paths(*at) {
            routes.push(Route {
                method: method.clone(),
                path,
                group: *group,
                run: *run,
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
