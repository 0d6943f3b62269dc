//! Provisioning of domains: provision, suspend, resume, terminate, update, release.

use http::Method;
use serde::{Deserialize, Serialize};

use super::setters;
use crate::envelope::Envelope;
use crate::model::{CustomerId, DomainId, DomainStatus, ServiceId};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Response, validate};

/// `POST .../provision-domain`: starts watching a domain. Creates the customer's account on first use.
///
/// The service reduces a URL to its hostname. A domain that is watched already comes back as it is, a terminated one
/// is restored; both with a [note](Response::note) and a status of 200.
///
/// Error: `DOMAIN_LIMIT_EXCEEDED`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProvisionDomain {
    /// The customer in the billing system.
    pub client_id: CustomerId,
    /// The domain or a URL in it, at most 253 characters.
    pub domain: String,
    /// The service in the billing system that pays for it.
    pub service_id: ServiceId,
    /// Name of the customer's account, used when it is created; at most 255 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// E-mail address of the customer's account, used when it is created; at most 255 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_email: Option<String>,
}

impl ProvisionDomain {
    /// A domain of this customer, paid for by this service.
    pub fn new(client_id: CustomerId, domain: impl Into<String>, service_id: ServiceId) -> Self {
        Self {
            client_id,
            domain: domain.into(),
            service_id,
            client_name: None,
            client_email: None,
        }
    }
}

setters!(ProvisionDomain { [client_name, client_email] });

impl Operation for ProvisionDomain {
    type Output = DomainState;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "provision_domain",
        group: Group::Provisioning,
        method: Method::POST,
        path: "/api/v1/{namespace}/provision-domain",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Success,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        validate::required_text(problems, "domain", &self.domain, 253);
        validate::max_length(problems, "client_name", self.client_name.as_deref(), 255);
        validate::email(problems, "client_email", self.client_email.as_deref());
    }
}

/// A domain and its state after a provisioning call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DomainState {
    /// The domain.
    pub monitored_domain_id: DomainId,
    /// Its name, as the service normalised it; absent from suspend, resume and terminate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Its state now.
    pub status: DomainStatus,
}

/// One line a transition: the request, its name, its path.
macro_rules! transitions {
    ($($(#[$about:meta])* $request:ident: $name:literal, $path:literal;)+) => {$(
        $(#[$about])*
        ///
        /// Repeating it succeeds with a [note](Response::note). Error: `DOMAIN_NOT_FOUND`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        pub struct $request {
            /// The domain.
            pub monitored_domain_id: DomainId,
        }

        impl $request {
            /// The request for this domain.
            pub fn new(monitored_domain_id: DomainId) -> Self {
                Self { monitored_domain_id }
            }
        }

        impl Operation for $request {
            type Output = DomainState;

            const INFO: &'static OperationInfo = &OperationInfo {
                name: $name,
                group: Group::Provisioning,
                method: Method::POST,
                path: $path,
                safety: RetrySafety::Repeatable,
                basis: Basis::Specified,
                envelope: Envelope::Success,
            };
        }
    )+};
}

transitions! {
    /// `POST .../suspend-domain`: stops watching a domain; its findings are kept.
    SuspendDomain: "suspend_domain", "/api/v1/{namespace}/suspend-domain";
    /// `POST .../resume-domain`: watches a paused domain again.
    ///
    /// A domain that the platform paused needs a free slot (assumed): else `DOMAIN_LIMIT_EXCEEDED`.
    ResumeDomain: "resume_domain", "/api/v1/{namespace}/resume-domain";
    /// `POST .../terminate-domain`: ends the monitoring of a domain; its slot can be used again.
    TerminateDomain: "terminate_domain", "/api/v1/{namespace}/terminate-domain";
}

/// `POST .../update-domain`: watches another domain in its place; the history stays on the record.
///
/// Errors: `DOMAIN_NOT_FOUND`, `DOMAIN_ALREADY_EXISTS`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UpdateDomain {
    /// The record.
    pub monitored_domain_id: DomainId,
    /// The new domain, at most 253 characters.
    pub domain: String,
}

impl UpdateDomain {
    /// Another domain for this record.
    pub fn new(monitored_domain_id: DomainId, domain: impl Into<String>) -> Self {
        Self {
            monitored_domain_id,
            domain: domain.into(),
        }
    }
}

impl Operation for UpdateDomain {
    type Output = DomainState;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "update_domain",
        group: Group::Provisioning,
        method: Method::POST,
        path: "/api/v1/{namespace}/update-domain",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Success,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        validate::required_text(problems, "domain", &self.domain, 253);
    }
}

/// `POST /api/v1/billing/release-domain`: gives a domain slot up for good. Only in the billing namespace.
///
/// It is not idempotent: after a lost answer, read the domain before releasing it again. Payload and answer are
/// assumed. Errors (assumed): `DOMAIN_NOT_FOUND`, `BILLING_CLIENT_NOT_FOUND`, `SUBSCRIPTION_NOT_FOUND`,
/// `SUBSCRIPTION_NOT_CHANGEABLE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ReleaseDomain {
    /// The customer in the billing system.
    pub client_id: CustomerId,
    /// The service whose slot is given up.
    pub service_id: ServiceId,
    /// The domain, which is removed with its alerts and history.
    pub monitored_domain_id: DomainId,
}

impl ReleaseDomain {
    /// The release of this domain's slot.
    pub fn new(
        client_id: CustomerId,
        service_id: ServiceId,
        monitored_domain_id: DomainId,
    ) -> Self {
        Self {
            client_id,
            service_id,
            monitored_domain_id,
        }
    }
}

impl Operation for ReleaseDomain {
    type Output = ReleasedDomain;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "release_domain",
        group: Group::Provisioning,
        method: Method::POST,
        path: "/api/v1/billing/release-domain",
        safety: RetrySafety::Once,
        basis: Basis::Assumed,
        envelope: Envelope::Success,
    };
}

/// The answer to [`ReleaseDomain`] (assumed).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReleasedDomain {
    /// The domain that is gone.
    pub monitored_domain_id: DomainId,
    /// Whether the slot was given up.
    pub released: bool,
    /// Slots that are left.
    #[serde(default)]
    pub slots_total: Option<u64>,
    /// Slots in use.
    #[serde(default)]
    pub slots_used: Option<u64>,
}

/// Provisioning of domains, from [`Client::domains`].
#[derive(Clone, Copy)]
pub struct Domains<'a>(&'a Client);

impl Client {
    /// Provisioning of domains.
    pub fn domains(&self) -> Domains<'_> {
        Domains(self)
    }
}

impl Domains<'_> {
    /// Starts watching a domain: [`ProvisionDomain`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn provision(self, domain: ProvisionDomain) -> Result<Response<DomainState>, Error> {
        self.0.send(domain).await
    }

    /// Stops watching a domain: [`SuspendDomain`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn suspend(self, domain: DomainId) -> Result<Response<DomainState>, Error> {
        self.0.send(SuspendDomain::new(domain)).await
    }

    /// Watches a paused domain again: [`ResumeDomain`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn resume(self, domain: DomainId) -> Result<Response<DomainState>, Error> {
        self.0.send(ResumeDomain::new(domain)).await
    }

    /// Ends the monitoring of a domain: [`TerminateDomain`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn terminate(self, domain: DomainId) -> Result<Response<DomainState>, Error> {
        self.0.send(TerminateDomain::new(domain)).await
    }

    /// Watches another domain in its place: [`UpdateDomain`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn update(self, change: UpdateDomain) -> Result<Response<DomainState>, Error> {
        self.0.send(change).await
    }

    /// Gives a domain slot up for good: [`ReleaseDomain`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn release(self, release: ReleaseDomain) -> Result<Response<ReleasedDomain>, Error> {
        self.0.send(release).await
    }
}
