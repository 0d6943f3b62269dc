//! All that is known of an operation before it is called.

use http::Method;

use crate::envelope::Envelope;

/// Where the fields of a request travel that are not in its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldsIn {
    /// In the query of the address.
    Query,
    /// In a JSON body.
    Body,
}

/// All that is known of an operation before it is called: one row of the table.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationInfo {
    /// The request type's name in snake case, for example `provision_endpoint`.
    pub name: &'static str,
    /// The group of the specification, which decides the rate window.
    pub group: Group,
    /// The HTTP method.
    pub method: Method,
    /// The path from the root. `{namespace}` is filled by the client's [`Namespace`], any other name in braces by the
    /// field of that name.
    pub path: &'static str,
    /// Whether the call may be sent again when its answer was lost.
    pub safety: RetrySafety,
    /// Whether the specification gives its shape, or it is assumed.
    pub shape_origin: ShapeOrigin,
    /// The shape of a successful answer.
    pub envelope: Envelope,
    /// Where the fields travel that are not in the path.
    pub fields_in: FieldsIn,
    /// Whether the answer holds what no text may show: a sign-in token, leaked credentials.
    pub secret: bool,
    /// The names of the request's fields; empty for an operation from outside this crate that does not tell.
    pub fields: &'static [&'static str],
}

impl OperationInfo {
    /// A row with what is usual: the success envelope, fields in the query of a GET or DELETE and else in the body,
    /// only a GET repeatable, an assumed shape. The methods below change that.
    pub const fn new(name: &'static str, group: Group, method: Method, path: &'static str) -> Self {
        let is_get = matches!(method, Method::GET);
        Self {
            name,
            group,
            path,
            safety: RetrySafety::usual(&method),
            shape_origin: ShapeOrigin::Assumed,
            envelope: Envelope::Success,
            fields_in: if is_get || matches!(method, Method::DELETE) {
                FieldsIn::Query
            } else {
                FieldsIn::Body
            },
            secret: false,
            fields: &[],
            method,
        }
    }

    /// Whether it may be sent again when its answer was lost.
    #[must_use]
    pub const fn safety(mut self, safety: RetrySafety) -> Self {
        self.safety = safety;
        self
    }

    /// Where its shape comes from.
    #[must_use]
    pub const fn shape_origin(mut self, shape_origin: ShapeOrigin) -> Self {
        self.shape_origin = shape_origin;
        self
    }

    /// The shape of its successful answer.
    #[must_use]
    pub const fn envelope(mut self, envelope: Envelope) -> Self {
        self.envelope = envelope;
        self
    }

    /// Sends the fields in a JSON body, whatever the method.
    #[must_use]
    pub const fn in_body(mut self) -> Self {
        self.fields_in = FieldsIn::Body;
        self
    }

    /// Its answer holds secrets: nothing of it is shown in an error, an event or `Debug`.
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// The names of its fields.
    #[must_use]
    pub const fn fields(mut self, fields: &'static [&'static str]) -> Self {
        self.fields = fields;
        self
    }

    /// The window this operation counts in; `None` when it is not rate limited.
    pub fn rate_group(&self) -> Option<RateGroup> {
        self.group.rate_group()
    }

    /// Whether the call changes nothing at the service.
    pub fn is_read(&self) -> bool {
        self.method == Method::GET
    }

    /// Whether the path exists under `/api/v1/billing/` only, with no `/api/v1/provisioning/` twin.
    pub(crate) fn is_billing_only(&self) -> bool {
        self.path.starts_with("/api/v1/billing/")
    }

    /// Whether a concrete path (no query) is one of this operation's.
    pub fn matches(&self, method: &Method, path: &str) -> bool {
        let fits = |expected: &str, segment: &str| match expected {
            "{namespace}" => Namespace::VARIANTS
                .iter()
                .any(|name| name.as_str() == segment),
            placeholder if placeholder.starts_with('{') => !segment.is_empty(),
            literal => literal == segment,
        };
        self.method == *method && path_fits(self.path, path, fits)
    }
}

/// Whether each segment of a path fits the one of the pattern in its place.
pub(crate) fn path_fits(pattern: &str, path: &str, fits: impl Fn(&str, &str) -> bool) -> bool {
    let (mut pattern, mut path) = (pattern.split('/'), path.split('/'));
    pattern.all(|expected| path.next().is_some_and(|segment| fits(expected, segment)))
        && path.next().is_none()
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
    /// The window the group counts in; `None` when it is not rate limited.
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
    /// Sent twice in a row, it leaves the service as sent once does. A repeat that comes late is another thing: it undoes
    /// what somebody else has changed in between, as a create that puts an old plan back
    /// ([`order_hooks`](crate::guides::order_hooks)).
    Repeatable,
    /// A second copy could act twice or give another answer, so it is sent again only when the first one was provably
    /// not processed.
    Once,
}

impl RetrySafety {
    /// What holds unless more is known of an operation.
    pub(crate) const fn usual(method: &Method) -> Self {
        match *method {
            Method::GET => Self::Repeatable,
            _ => Self::Once,
        }
    }
}

/// Where an operation's shape comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShapeOrigin {
    /// The API specification gives it.
    Specified,
    /// The specification leaves it open; this crate and the mock agree on an assumed shape.
    Assumed,
}

/// The first part of the provisioning paths; both are identical, and a client stays with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Namespace {
    /// `/api/v1/billing/...`, where every provisioning operation exists.
    #[default]
    Billing,
    /// `/api/v1/provisioning/...`, without scan-endpoint, sync-services, release-domain and pricing.
    Provisioning,
}

impl Namespace {
    /// Both namespaces.
    pub const VARIANTS: [Self; 2] = [Self::Billing, Self::Provisioning];

    /// The name as it stands in the path.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Billing => "billing",
            Self::Provisioning => "provisioning",
        }
    }
}
