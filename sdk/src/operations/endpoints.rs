//! Monitored endpoints: list, create, read, update, delete.

use super::declaration::of_a_customer;
use super::declaration::operations;
use crate::model::{
    Address, CustomerId, Endpoint, EndpointDetail, EndpointId, EndpointPage, EndpointStatus,
};
use crate::validate::{at_least_one, email, most, one_of, server_address};

/// The states that a caller may ask for.
const SETTABLE: &[EndpointStatus] = &[EndpointStatus::Active, EndpointStatus::Paused];

operations! {
    {
        account_wide
        /// `GET /api/v1/endpoints`: the monitored servers, a page at a time, oldest first.
        list_endpoints: ListEndpoints -> EndpointPage = GET "/api/v1/endpoints",
        Endpoints, Repeatable, Specified, Document;
        optional {
            /// Only this customer's; without it, those of the whole account.
            billing_customer_id: CustomerId,
            /// Only those in this state: active or paused.
            status: EndpointStatus [one_of(SETTABLE)],
            /// Servers per page, at least 1; 25 unless given, at most 100 (assumed).
            per_page: u32 [at_least_one],
            /// Number of the page, from 1.
            page: u32 [at_least_one],
        }
        answer {
            |request, answer, check| check.page("meta.current_page", request.page, answer.meta.current_page)
        }
        accessors { Servers:
            /// A customer's servers: [`ListEndpoints`].
            pages list(customer: CustomerId);
            /// The servers of all customers: [`ListEndpoints`].
            pages list_account_wide() = ListEndpoints::account_wide();
        }
    }
    {
        /// `POST /api/v1/endpoints`: monitors a server, by address or by hostname, from now on or paused.
        ///
        /// When the customer has or had this address, the answer is that endpoint with a status of 200 in place of 201.
        ///
        /// Errors: `ENDPOINT_LIMIT_EXCEEDED`, `DNS_RESOLUTION_FAILED`.
        create_endpoint: CreateEndpoint -> Endpoint = POST "/api/v1/endpoints",
        Endpoints, Repeatable, Specified, Resource;
        required {
            /// The customer who owns it.
            billing_customer_id: CustomerId,
            /// An address, or a hostname that the service resolves; at most 255 characters.
            ip_address: Address [server_address],
        }
        optional {
            /// Display name, at most 255 characters.
            nickname: String [most(255)],
            /// Active (unless given) or paused.
            status: EndpointStatus [one_of(SETTABLE)],
            /// Name of the customer's account, used when it is created; at most 255 characters.
            client_name: String [most(255)],
            /// E-mail address of the customer's account, used when it is created; at most 255 characters.
            client_email: String [email],
        }
        answer {
            |_, answer, check| {
                check.starts_in_none_of(&[EndpointStatus::Terminated], &answer.status);
            }
        }
        accessors { Servers:
            /// Monitors a server that a person adds, by address or hostname, with a nickname of its own and perhaps paused;
            /// no service or price is recorded with it, as [`provision`](crate::resources::Servers::provision) does:
            /// [`CreateEndpoint`].
            call create(server: CreateEndpoint) = server;
        }
    }
    {
        account_wide
        /// `GET /api/v1/endpoints/{endpoint_id}`: one server. Error: 404.
        get_endpoint: GetEndpoint -> Endpoint = GET "/api/v1/endpoints/{endpoint_id}",
        Endpoints, Repeatable, Specified, Resource;
        required {
            /// The server.
            endpoint_id: EndpointId,
        }
        optional {
            /// Refuses the call (403) unless this customer owns it.
            billing_customer_id: CustomerId,
        }
        answer {
            |request, answer, check| check.same("id", &request.endpoint_id, &answer.id)
        }
        accessors { Servers:
            /// One server of a customer: [`GetEndpoint`].
            call get(customer: CustomerId, server: EndpointId);
            /// One server, whoever owns it: [`GetEndpoint`].
            call get_account_wide(server: EndpointId) = GetEndpoint::account_wide(server);
        }
    }
    {
        account_wide
        /// `GET /api/v1/endpoints/{endpoint_id}/detail`: one server with what its scans found. Error: 404.
        get_endpoint_detail: GetEndpointDetail -> EndpointDetail = GET "/api/v1/endpoints/{endpoint_id}/detail",
        Endpoints, Repeatable, Specified, Document;
        required {
            /// The server.
            endpoint_id: EndpointId,
        }
        optional {
            /// Refuses the call (403) unless this customer owns it.
            billing_customer_id: CustomerId,
        }
        answer {
            |request, answer, check| check.same("data.id", &request.endpoint_id, &answer.data.id)
        }
        accessors { Servers:
            /// One server of a customer with what its scans found: [`GetEndpointDetail`].
            call detail(customer: CustomerId, server: EndpointId);
            /// One server with what its scans found, whoever owns it: [`GetEndpointDetail`].
            call detail_account_wide(server: EndpointId) = GetEndpointDetail::account_wide(server);
        }
    }
    {
        /// `PUT /api/v1/endpoints/{endpoint_id}`: changes nickname or state; the address is fixed. What is left out stays as
        /// it is, where [`UpdateRule`](super::UpdateRule) replaces all there is.
        ///
        /// Errors: 404; 403 when another customer owns it. Making a server active that the platform paused needs room
        /// (assumed): else `ENDPOINT_LIMIT_EXCEEDED`.
        update_endpoint: UpdateEndpoint -> Endpoint = PUT "/api/v1/endpoints/{endpoint_id}",
        Endpoints, Repeatable, Specified, Resource;
        required {
            /// The customer who owns it.
            billing_customer_id: CustomerId,
            /// The server.
            endpoint_id: EndpointId,
        }
        optional {
            /// New display name, at most 255 characters.
            nickname: String [most(255)],
            /// Active or paused.
            status: EndpointStatus [one_of(SETTABLE)],
        }
        answer {
            |request, answer, check| {
                check.same("id", &request.endpoint_id, &answer.id);
                check.same_if_present("status", request.status.as_ref(), Some(&answer.status));
            }
        }
        accessors { Servers:
            /// Changes nickname or state: [`UpdateEndpoint`].
            call update(change: UpdateEndpoint) = change;
        }
    }
    {
        account_wide
        /// `DELETE /api/v1/endpoints/{endpoint_id}`: takes a server out of every list; adding its address again restores it.
        ///
        /// It is done by a 204 alone. Error: 404. A 404 after an attempt whose answer was lost counts as done.
        delete_endpoint: DeleteEndpoint -> () = DELETE "/api/v1/endpoints/{endpoint_id}",
        Endpoints, Repeatable, Specified, Empty;
        required {
            /// The server.
            endpoint_id: EndpointId,
        }
        optional {
            /// Refuses the call (403) unless this customer owns it.
            billing_customer_id: CustomerId,
        }
        accessors { Servers:
            /// Takes a customer's server out of every list; [`terminate`](crate::resources::Servers::terminate) ends the
            /// monitoring and keeps the record: [`DeleteEndpoint`].
            call delete(customer: CustomerId, server: EndpointId);
            /// Takes a server out of every list, whoever owns it: [`DeleteEndpoint`].
            call delete_account_wide(server: EndpointId) = DeleteEndpoint::account_wide(server);
        }
    }
}

of_a_customer! {
    ListEndpoints();
    GetEndpoint(server: EndpointId);
    GetEndpointDetail(server: EndpointId);
    DeleteEndpoint(server: EndpointId);
}
