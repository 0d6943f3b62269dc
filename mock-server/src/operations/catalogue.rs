//! Every operation of the partner API: its name, where it is found, and what it has in common with others. Paths, notices,
//! faults, reports and `secmon-mock routes` come from it; `http/routes.rs` says what answers each.

use http::Method;

use super::group::Group;
use super::known_names::Known;

/// Where a browser lands with a sign-in token.
pub(crate) const SIGN_IN_PATH: &str = "/sso";

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

/// A row of the table.
struct Row {
    id: OperationId,
    name: &'static str,
    method: Method,
    at: At,
    group: Group,
}

macro_rules! operations {
    ($($id:ident $name:literal $method:ident $at:ident($path:expr) $group:ident;)*) => {
        /// An operation, on whichever path.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum OperationId {
            $($id),*
        }

        const TABLE: &[Row] = &[$(Row {
            id: OperationId::$id,
            name: $name,
            method: Method::$method,
            at: At::$at($path),
            group: Group::$group,
        }),*];
    };
}

operations! {
    GetHealth "get_health" GET Path("/health") Health;

    ProvisionEndpoint "provision_endpoint" POST Namespaces("/provision") Provisioning;
    SuspendEndpoint "suspend_endpoint" POST Namespaces("/suspend") Provisioning;
    ResumeEndpoint "resume_endpoint" POST Namespaces("/resume") Provisioning;
    TerminateEndpoint "terminate_endpoint" POST Namespaces("/terminate") Provisioning;
    ScanEndpoint "scan_endpoint" POST Billing("/scan-endpoint") Provisioning;

    ProvisionDomain "provision_domain" POST Namespaces("/provision-domain") Provisioning;
    SuspendDomain "suspend_domain" POST Namespaces("/suspend-domain") Provisioning;
    ResumeDomain "resume_domain" POST Namespaces("/resume-domain") Provisioning;
    TerminateDomain "terminate_domain" POST Namespaces("/terminate-domain") Provisioning;
    UpdateDomain "update_domain" POST Namespaces("/update-domain") Provisioning;
    ReleaseDomain "release_domain" POST Billing("/release-domain") Provisioning;

    ProvisionSubscription "provision_subscription" POST Namespaces("/provision-subscription") Provisioning;
    SuspendSubscription "suspend_subscription" POST Namespaces("/suspend-subscription") Provisioning;
    ResumeSubscription "resume_subscription" POST Namespaces("/resume-subscription") Provisioning;
    TerminateSubscription "terminate_subscription" POST Namespaces("/terminate-subscription") Provisioning;
    ChangeSubscription "change_subscription" POST Namespaces("/change-subscription") Provisioning;

    SyncServices "sync_services" POST Billing("/sync-services") Provisioning;
    SetPrice "set_price" POST Billing("/pricing") Provisioning;
    RemovePrice "remove_price" DELETE Billing("/pricing") Provisioning;

    CreateSsoToken "create_sso_token" POST Path("/sso/token") Sso;
    SignIn "sign_in" GET Beside(SIGN_IN_PATH) SsoPage;

    ListDomains "list_domains" GET Path("/domains") DomainMonitoring;
    GetDomainSummary "get_domain_summary" GET Path("/domains/{id}/summary") DomainMonitoring;
    ListDomainAlerts "list_domain_alerts" GET Path("/domains/{id}/alerts") DomainMonitoring;
    GetDomainAlert "get_domain_alert" GET Path("/domains/{id}/alerts/{alertId}") DomainMonitoring;
    AcknowledgeDomainAlert "acknowledge_domain_alert" POST Path("/domains/{id}/alerts/{alertId}/acknowledge") DomainMonitoring;
    ResolveDomainAlert "resolve_domain_alert" POST Path("/domains/{id}/alerts/{alertId}/resolve") DomainMonitoring;
    ListMentions "list_mentions" GET Path("/domains/{id}/dark-web-mentions") DomainMonitoring;
    ListCredentialLeaks "list_credential_leaks" GET Path("/domains/{id}/credential-leaks") DomainMonitoring;
    GetScanHistory "get_scan_history" GET Path("/domains/{id}/scan-history") DomainMonitoring;

    ListPortAlerts "list_port_alerts" GET Path("/alerts") PortAlerts;
    GetPortAlert "get_port_alert" GET Path("/alerts/{alert}") PortAlerts;
    ResolvePortAlert "resolve_port_alert" POST Path("/alerts/{alert}/resolve") PortAlerts;

    GetRuleSummary "get_rule_summary" GET Path("/whitelists/endpoint-summary") AllowedPorts;
    ListRules "list_rules" GET Path("/whitelists") AllowedPorts;
    CreateRule "create_rule" POST Path("/whitelists") AllowedPorts;
    GetRule "get_rule" GET Path("/whitelists/{whitelist}") AllowedPorts;
    UpdateRule "update_rule" PUT Path("/whitelists/{whitelist}") AllowedPorts;
    DeleteRule "delete_rule" DELETE Path("/whitelists/{whitelist}") AllowedPorts;

    ListEndpoints "list_endpoints" GET Path("/endpoints") Endpoints;
    CreateEndpoint "create_endpoint" POST Path("/endpoints") Endpoints;
    GetEndpoint "get_endpoint" GET Path("/endpoints/{endpoint}") Endpoints;
    GetEndpointDetail "get_endpoint_detail" GET Path("/endpoints/{endpoint}/detail") Endpoints;
    UpdateEndpoint "update_endpoint" PUT Path("/endpoints/{endpoint}") Endpoints;
    DeleteEndpoint "delete_endpoint" DELETE Path("/endpoints/{endpoint}") Endpoints;

    ListScenarios "list_scenarios" GET Path("/sandbox/scenarios") Sandbox;
    SetScenario "set_scenario" POST Path("/sandbox/scenario") Sandbox;

    IngestFirewall "ingest_firewall" POST Path("/firewall/ingest") FirewallIngest;
}

/// An operation on one of its paths.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) id: OperationId,
    pub(crate) name: &'static str,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) group: Group,
    /// None for what is no part of the partner API.
    pub(crate) known: Option<Known>,
}

/// Every operation on every path that it has.
pub(crate) fn all() -> Vec<Operation> {
    let on_its_paths = |row: &'static Row| {
        paths(row.at).into_iter().map(|path| Operation {
            id: row.id,
            name: row.name,
            method: row.method.clone(),
            path,
            group: row.group,
            known: Known::by(row.name),
        })
    };
    TABLE.iter().flat_map(on_its_paths).collect()
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
