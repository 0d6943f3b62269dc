//! Provisioning of domains: provision, suspend, resume, terminate, update, release.

use super::declaration::operations;
use crate::model::tolerant::record;
use crate::model::{CustomerId, DomainId, DomainStatus, ServiceId};
use crate::validate::{email, most, text_to};

operations! {
    {
        /// `POST .../provision-domain`: starts watching a domain. Creates the customer's account on first use.
        ///
        /// The service reduces a URL to its hostname. A domain that is watched already comes back as it is, a terminated
        /// one is restored; both with a [note](crate::Response::note) and a status of 200. One that is paused stays so
        /// (assumed): check `data.status`.
        ///
        /// Error: `DOMAIN_LIMIT_EXCEEDED`.
        provision_domain: ProvisionDomain -> DomainState = POST "/api/v1/{namespace}/provision-domain",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The customer in the billing system.
            client_id: CustomerId,
            /// The domain or a URL in it, at most 253 characters.
            domain: String [text_to(253)],
            /// The service in the billing system that pays for it.
            service_id: ServiceId,
        }
        optional {
            /// Name of the customer's account, used when it is created; at most 255 characters.
            client_name: String [most(255)],
            /// E-mail address of the customer's account, used when it is created; at most 255 characters.
            client_email: String [email],
        }
        answer {
            |_, answer, check| {
                check.starts_in_none_of(&[DomainStatus::Terminated], &answer.status);
            }
        }
        accessors { Domains:
            /// Starts watching a domain: [`ProvisionDomain`].
            call provision(domain: ProvisionDomain) = domain;
        }
    }
    {
        /// `POST .../suspend-domain`: stops watching a domain; its findings are kept.
        ///
        /// Repeating it succeeds with a [note](crate::Response::note). Error: `DOMAIN_NOT_FOUND`.
        suspend_domain: SuspendDomain -> DomainState = POST "/api/v1/{namespace}/suspend-domain",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The domain.
            monitored_domain_id: DomainId,
        }
        answer {
            |_, answer, check| check.same("status", &DomainStatus::Paused, &answer.status)
        }
        accessors { Domains:
            /// Stops watching a domain: [`SuspendDomain`].
            call suspend(domain: DomainId);
        }
    }
    {
        /// `POST .../resume-domain`: watches a paused domain again.
        ///
        /// Repeating it succeeds with a [note](crate::Response::note). A domain that the platform paused needs a free slot
        /// (assumed): else `DOMAIN_LIMIT_EXCEEDED`. Error: `DOMAIN_NOT_FOUND`.
        resume_domain: ResumeDomain -> DomainState = POST "/api/v1/{namespace}/resume-domain",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The domain.
            monitored_domain_id: DomainId,
        }
        answer {
            |_, answer, check| check.same("status", &DomainStatus::Active, &answer.status)
        }
        accessors { Domains:
            /// Watches a paused domain again: [`ResumeDomain`].
            call resume(domain: DomainId);
        }
    }
    {
        /// `POST .../terminate-domain`: ends the monitoring of a domain; its slot can be used again.
        ///
        /// Repeating it succeeds with a [note](crate::Response::note). Error: `DOMAIN_NOT_FOUND`.
        terminate_domain: TerminateDomain -> DomainState = POST "/api/v1/{namespace}/terminate-domain",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The domain.
            monitored_domain_id: DomainId,
        }
        answer {
            |_, answer, check| check.same("status", &DomainStatus::Terminated, &answer.status)
        }
        accessors { Domains:
            /// Ends the monitoring of a domain: [`TerminateDomain`].
            call terminate(domain: DomainId);
        }
    }
    {
        /// `POST .../update-domain`: watches another domain in its place; the history stays on the record.
        ///
        /// Errors: `DOMAIN_NOT_FOUND`, `DOMAIN_ALREADY_EXISTS`; the latter may be this call's own doing where
        /// [`delivery`](crate::Error::delivery) is `Maybe`.
        update_domain: UpdateDomain -> DomainState = POST "/api/v1/{namespace}/update-domain",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The record.
            monitored_domain_id: DomainId,
            /// The new domain, at most 253 characters.
            domain: String [text_to(253)],
        }
        accessors { Domains:
            /// Watches another domain in its place: [`UpdateDomain`].
            call update(domain: DomainId, name: impl Into<String>);
        }
    }
    {
        /// `POST /api/v1/billing/release-domain`: gives a domain slot up for good. Only in the billing namespace.
        ///
        /// It is not idempotent: after a lost answer, read the domain before releasing it again. Payload and answer are
        /// assumed. Errors (assumed): `DOMAIN_NOT_FOUND`, `BILLING_CLIENT_NOT_FOUND`, `SUBSCRIPTION_NOT_FOUND`,
        /// `SUBSCRIPTION_NOT_CHANGEABLE`.
        release_domain: ReleaseDomain -> ReleasedDomain = POST "/api/v1/billing/release-domain",
        Provisioning, Once, Assumed, Success;
        required {
            /// The customer in the billing system.
            client_id: CustomerId,
            /// The service whose slot is given up.
            service_id: ServiceId,
            /// The domain, which is removed with its alerts and history.
            monitored_domain_id: DomainId,
        }
        answer {
            |_, answer, check| {
                if !answer.released {
                    check.refuse("released", "it says that nothing was released");
                }
            }
        }
        accessors { Domains:
            /// Gives a domain slot up for good: [`ReleaseDomain`].
            call release(customer: CustomerId, service: ServiceId, domain: DomainId);
        }
    }
}

record! {
    /// A domain and its state after a provisioning call.
    DomainState {
        /// The domain.
        monitored_domain_id: DomainId,
        /// Its name, as the service normalised it; absent from suspend, resume and terminate.
        #[serde(skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        /// Its state now.
        status: DomainStatus,
    }
}

// The shape is assumed (C7).
record! {
    /// The answer to [`ReleaseDomain`] (assumed).
    ReleasedDomain {
        /// The domain that is gone.
        monitored_domain_id: DomainId,
        /// Whether the slot was given up.
        released: bool,
        /// Slots that are left.
        slots_total: Option<u64>,
        /// Slots in use.
        slots_used: Option<u64>,
    }
}
