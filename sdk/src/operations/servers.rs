//! Provisioning of servers: provision, suspend, resume, terminate, scan.

use super::declaration::operations;
use crate::model::tolerant::record;
use crate::model::{
    Address, CustomerId, EndpointId, EndpointStatus, Money, PlanSlug, ProductSlug, ScanId,
    ScanStatus, ServiceId,
};
use crate::validate::{email, ip_address, monthly_price, most, plan, product};

operations! {
    {
        /// `POST .../provision`: starts monitoring a server. Creates the customer's account on first use.
        ///
        /// It needs an address or a hostname. When the customer already has this address, the answer is the existing
        /// endpoint with a [note](crate::Response::note) and a status of 200 in place of 201. One that is paused stays so and is
        /// not scanned (assumed): check `data.status`. A terminated one is restored.
        ///
        /// Errors: `TENANT_NOT_FOUND`, `ENDPOINT_LIMIT_EXCEEDED`; with a hostname alone (assumed) `DNS_RESOLUTION_FAILED`.
        provision_endpoint: ProvisionEndpoint -> EndpointState = POST "/api/v1/{namespace}/provision",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The customer in the billing system.
            client_id: CustomerId,
        }
        optional {
            /// IPv4 or IPv6 address. Without one the hostname is resolved (assumed).
            ip_address: Address [ip_address],
            /// The service in the billing system that pays for this server; sync-services finds the server by it (assumed).
            service_id: ServiceId,
            /// Display hostname, at most 255 characters.
            hostname: String [most(255)],
            /// Name of the customer's account, used when it is created; at most 255 characters.
            client_name: String [most(255)],
            /// E-mail address of the customer's account, used when it is created; at most 255 characters.
            client_email: String [email],
            /// The product sold, at most 50 characters.
            product_slug: ProductSlug [product],
            /// The plan sold, at most 50 characters.
            plan_slug: PlanSlug [plan],
            /// Monthly price, 0.01 to 9999.99.
            mrr: Money [monthly_price],
        }
        check {
            |request, problems| {
                let address = request.ip_address.as_ref().map_or("", Address::as_str);
                if address.is_empty() && request.hostname.as_deref().unwrap_or_default().is_empty() {
                    problems.add("ip_address", "An address or a hostname is required.");
                }
            }
        }
        answer {
            |_, answer, check| {
                check.starts_in_none_of(&[EndpointStatus::Terminated], &answer.status);
            }
        }
        accessors { Servers:
            /// Starts monitoring a server that a service of the billing
            /// system pays for, and is the one to choose there: [`ProvisionEndpoint`].
            call provision(server: ProvisionEndpoint) = server;
        }
    }
    {
        /// `POST .../suspend`: stops the scans of a server; its history is kept.
        ///
        /// Repeating it succeeds with a [note](crate::Response::note). Error: `ENDPOINT_NOT_FOUND`.
        suspend_endpoint: SuspendEndpoint -> EndpointState = POST "/api/v1/{namespace}/suspend",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The server.
            endpoint_id: EndpointId,
        }
        answer {
            |_, answer, check| check.same("status", &EndpointStatus::Paused, &answer.status)
        }
        accessors { Servers:
            /// Stops the scans of a server: [`SuspendEndpoint`].
            call suspend(server: EndpointId);
        }
    }
    {
        /// `POST .../resume`: scans a paused server again.
        ///
        /// Repeating it succeeds with a [note](crate::Response::note). A server that the platform paused needs room
        /// (assumed): else `ENDPOINT_LIMIT_EXCEEDED`. Error: `ENDPOINT_NOT_FOUND`.
        resume_endpoint: ResumeEndpoint -> EndpointState = POST "/api/v1/{namespace}/resume",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The server.
            endpoint_id: EndpointId,
        }
        answer {
            |_, answer, check| check.same("status", &EndpointStatus::Active, &answer.status)
        }
        accessors { Servers:
            /// Scans a paused server again: [`ResumeEndpoint`].
            call resume(server: EndpointId);
        }
    }
    {
        /// `POST .../terminate`: ends the monitoring of a server.
        ///
        /// Repeating it succeeds with a [note](crate::Response::note). Error: `ENDPOINT_NOT_FOUND`.
        terminate_endpoint: TerminateEndpoint -> EndpointState = POST "/api/v1/{namespace}/terminate",
        Provisioning, Repeatable, Specified, Success;
        required {
            /// The server.
            endpoint_id: EndpointId,
        }
        answer {
            |_, answer, check| check.same("status", &EndpointStatus::Terminated, &answer.status)
        }
        accessors { Servers:
            /// Ends the monitoring of a server when its service ends in the billing system: [`TerminateEndpoint`].
            call terminate(server: EndpointId);
        }
    }
    {
        /// `POST /api/v1/billing/scan-endpoint`: queues a scan now. Only in the billing namespace.
        ///
        /// The scan is asynchronous: results appear on the endpoint when it is complete
        /// ([`scan_and_wait`](crate::resources::Servers::scan_and_wait)).
        ///
        /// Errors: `ENDPOINT_NOT_FOUND`, `ENDPOINT_NOT_ACTIVE`, `SCAN_DISPATCH_FAILED`, `SCANNING_UNAVAILABLE`, and
        /// `RATE_LIMITED` while the server is in its cooldown
        /// ([`retry_after_seconds`](crate::Details::retry_after_seconds)), which only
        /// [`wait_for_cooldown`](crate::RequestOptions::wait_for_cooldown) sleeps through.
        scan_endpoint: ScanEndpoint -> QueuedScan = POST "/api/v1/billing/scan-endpoint",
        Provisioning, Once, Specified, Success;
        required {
            /// The customer who owns the server.
            client_id: CustomerId,
            /// The server.
            endpoint_id: EndpointId,
        }
        answer {
            |_, answer, check| {
                if answer.status == ScanStatus::Failed {
                    check.refuse("status", "it says that the scan has failed, of one that was only queued");
                }
            }
        }
        accessors { Servers:
            /// Queues a scan now: [`ScanEndpoint`].
            call scan(customer: CustomerId, server: EndpointId);
        }
    }
}

record! {
    /// An endpoint and its state after a provisioning call.
    EndpointState {
        /// The server.
        endpoint_id: EndpointId,
        /// Its state now: after a provision `paused`, where a server that was there is paused.
        status: EndpointStatus,
    }
}

record! {
    /// A scan that was accepted.
    QueuedScan {
        /// The scan.
        scan_id: ScanId,
        /// `pending`.
        status: ScanStatus,
        /// Seconds until the server may be scanned by hand again.
        cooldown_seconds: Option<u64>,
    }
}
