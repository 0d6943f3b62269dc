//! What an operation is, and the table of all of them.

use http::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::FieldErrors;
use crate::envelope::Envelope;
use crate::operations::*;

/// A request of the API as a value: what is sent, and what its answer decodes to.
///
/// The serialised value is the query or the JSON body ([`fields_in`](Operation::fields_in)); identifiers that belong
/// into the path are left out of it and given by [`path_ids`](Operation::path_ids).
pub trait Operation: Serialize + Send + Sync {
    /// What the call gives on success.
    type Output: DeserializeOwned + Send;

    /// The operation's row in [`OPERATIONS`].
    const INFO: &'static OperationInfo;

    /// The identifiers that fill the placeholders of the path, in order.
    fn path_ids(&self) -> Vec<Uuid> {
        Vec::new()
    }

    /// Where the fields travel; by the method, unless the operation is an exception.
    fn fields_in() -> FieldsIn {
        match Self::INFO.method {
            Method::GET | Method::DELETE => FieldsIn::Query,
            _ => FieldsIn::Body,
        }
    }

    /// Adds what the service would refuse in its 422, under the same field names.
    fn validate(&self, _problems: &mut FieldErrors) {}
}

/// Where the fields of a request travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldsIn {
    /// In the query of the address.
    Query,
    /// In a JSON body.
    Body,
}

/// One row of the table: all that is known of an operation before it is called.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationInfo {
    /// The request type's name in snake case, for example `provision_endpoint`.
    pub name: &'static str,
    /// The group of the specification, which decides the rate window.
    pub group: Group,
    /// The HTTP method.
    pub method: Method,
    /// The path from the root, with placeholders in braces; `{namespace}` is filled by the client's [`Namespace`].
    pub path: &'static str,
    /// Whether the call may be sent again when its answer was lost.
    pub safety: RetrySafety,
    /// Whether the specification gives its shape, or it is assumed.
    pub basis: Basis,
    pub(crate) envelope: Envelope,
}

impl OperationInfo {
    /// The window this operation counts in; none when it is not rate limited.
    pub fn rate_group(&self) -> Option<RateGroup> {
        self.group.rate_group()
    }

    /// Whether the call changes nothing at the service.
    pub fn is_read(&self) -> bool {
        self.method == Method::GET
    }

    /// Whether the answer holds what must not be kept in an error or a log: a sign-in token, leaked credentials.
    pub fn answers_secrets(&self) -> bool {
        self.group == Group::Sso || self.envelope == Envelope::SuccessOrUnavailable
    }

    /// Whether the path exists under `/api/v1/billing/` only, with no `/api/v1/provisioning/` twin.
    pub fn is_billing_only(&self) -> bool {
        self.path.starts_with("/api/v1/billing/")
    }

    /// Whether a concrete path (no query) is one of this operation's.
    pub fn matches(&self, method: &Method, path: &str) -> bool {
        let mut given = path.split('/');
        let fits = self.path.split('/').all(|expected| {
            given.next().is_some_and(|segment| match expected {
                "{namespace}" => Namespace::ALL.iter().any(|name| name.as_str() == segment),
                placeholder if placeholder.starts_with('{') => !segment.is_empty(),
                literal => literal == segment,
            })
        });
        self.method == *method && fits && given.next().is_none()
    }
}

/// The groups of operations that the specification names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Group {
    /// The health check.
    Health,
    /// Provisioning of servers, domains and subscriptions.
    Provisioning,
    /// Monitored endpoints: list, create, read, update, delete.
    Endpoints,
    /// Allowed Ports rules.
    AllowedPorts,
    /// Port alerts.
    Alerts,
    /// Monitored domains: reads and alert transitions.
    DomainMonitoring,
    /// Sign-in tokens.
    Sso,
    /// Firewall ingest.
    Firewall,
    /// Sandbox scenarios.
    Sandbox,
}

impl Group {
    /// The window the group counts in; none when it is not rate limited.
    pub fn rate_group(self) -> Option<RateGroup> {
        match self {
            Self::Health | Self::Sandbox => None,
            Self::Provisioning
            | Self::Alerts
            | Self::DomainMonitoring
            | Self::Sso
            | Self::Firewall => Some(RateGroup::Strict),
            Self::Endpoints | Self::AllowedPorts => Some(RateGroup::Default),
        }
    }
}

/// The two rate windows of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateGroup {
    /// 60 requests a minute: provisioning, sign-in, alerts, domain monitoring and firewall ingest together.
    Strict,
    /// 100 requests a minute: endpoints and Allowed Ports together.
    Default,
}

/// Whether a call may be sent again when nobody knows if the first one arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RetrySafety {
    /// Sending it twice leaves the service as sending it once does.
    Repeatable,
    /// A second copy could act twice or give another answer, so it is sent again only when the first one was provably
    /// not processed.
    Once,
}

/// Where an operation's shape comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The API specification gives it.
    Specified,
    /// The specification leaves it open; this crate and the mock agree on an assumed shape.
    Assumed,
}

/// The first part of the provisioning paths; both are identical, and a client stays with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Namespace {
    /// `/api/v1/billing/...`, where every provisioning operation exists.
    #[default]
    Billing,
    /// `/api/v1/provisioning/...`, without scan-endpoint, sync-services, release-domain and pricing.
    Provisioning,
}

impl Namespace {
    /// Both namespaces.
    pub const ALL: [Self; 2] = [Self::Billing, Self::Provisioning];

    /// The name as it stands in the path.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Billing => "billing",
            Self::Provisioning => "provisioning",
        }
    }
}

/// Every operation this crate can send, in the order of the specification.
pub static OPERATIONS: &[&OperationInfo] = &[
    GetHealth::INFO,
    ProvisionEndpoint::INFO,
    SuspendEndpoint::INFO,
    ResumeEndpoint::INFO,
    TerminateEndpoint::INFO,
    ScanEndpoint::INFO,
    ProvisionDomain::INFO,
    SuspendDomain::INFO,
    ResumeDomain::INFO,
    TerminateDomain::INFO,
    UpdateDomain::INFO,
    ReleaseDomain::INFO,
    ProvisionSubscription::INFO,
    SuspendSubscription::INFO,
    ResumeSubscription::INFO,
    TerminateSubscription::INFO,
    ChangeSubscription::INFO,
    SyncServices::INFO,
    SetPrice::INFO,
    RemovePrice::INFO,
    ListDomains::INFO,
    GetDomainSummary::INFO,
    ListDomainAlerts::INFO,
    GetDomainAlert::INFO,
    ListMentions::INFO,
    ListCredentialLeaks::INFO,
    GetScanHistory::INFO,
    AcknowledgeDomainAlert::INFO,
    ResolveDomainAlert::INFO,
    GetRuleSummary::INFO,
    ListRules::INFO,
    CreateRule::INFO,
    GetRule::INFO,
    UpdateRule::INFO,
    DeleteRule::INFO,
    ListEndpoints::INFO,
    CreateEndpoint::INFO,
    GetEndpoint::INFO,
    GetEndpointDetail::INFO,
    UpdateEndpoint::INFO,
    DeleteEndpoint::INFO,
    ListPortAlerts::INFO,
    GetPortAlert::INFO,
    ResolvePortAlert::INFO,
    CreateSsoToken::INFO,
    ListScenarios::INFO,
    SetScenario::INFO,
    IngestFirewall::INFO,
];
