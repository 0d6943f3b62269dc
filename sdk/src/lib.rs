//! Typed async client for the partner security-monitoring API: provisioning of monitored servers, domains and
//! subscriptions, what their scans found, Allowed Ports rules, alerts, and sign-in tokens.
//!
//! An operation is a value, a [`Client`] sends it. The client keeps inside the rate limit before the service has to say
//! so, sends again what is safe to send again, and tells in every error whether the service may have acted.
//!
//! The service calls a monitored server an endpoint (`Endpoint`, `EndpointId`), and so do the types here;
//! [`Client::servers`] leads to all about them. A customer of the billing system has one number, a
//! [`CustomerId`](model::CustomerId): the service calls it `client_id` where something is provisioned and
//! `billing_customer_id` everywhere else, and the fields here are named as there. [`Client`] is the API client.
//!
//! # The first call
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (Ok(url), Ok(key)) = (std::env::var("SECMON_BASE_URL"), std::env::var("SECMON_API_KEY")) else {
//! #     return Ok(());
//! # };
//! use secmon::operations::ProvisionEndpoint;
//! use secmon::{ApiKey, Client};
//!
//! let client = Client::builder(&url, ApiKey::new(key)?).build()?;
//! let customer = "42".parse()?;
//!
//! let server = ProvisionEndpoint::new(customer).ip_address("203.0.113.10").client_name("Ann");
//! let provisioned = client.servers().provision(server).await?;
//!
//! match provisioned.was_created() {
//!     Some(true) => println!("monitoring {}", provisioned.data.endpoint_id),
//!     Some(false) => println!("{}", provisioned.note().unwrap_or("it was there already")),
//!     None => println!("monitored; an earlier attempt of this call may have made it"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The address is the origin of the partner's portal, over https; plain http is taken for this computer only, or for a
//! host that [`ClientBuilder::allow_http`] names.
//!
//! # Calls
//!
//! Every request is a type of [`operations`], made by `new` with what it needs and setters for the rest. There is one
//! way to send it, [`Client::call`], whose result is awaited; [`Client::send`] is short for it, and so are the methods
//! of [`Client::servers`], [`domains`](Client::domains), [`subscriptions`](Client::subscriptions),
//! [`rules`](Client::rules), [`port_alerts`](Client::port_alerts) and so on:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (Ok(url), Ok(key)) = (std::env::var("SECMON_BASE_URL"), std::env::var("SECMON_API_KEY")) else {
//! #     return Ok(());
//! # };
//! # let client = secmon::Client::builder(&url, secmon::ApiKey::new(key)?).build()?;
//! use std::time::Duration;
//! use secmon::operations::GetEndpoint;
//! # let customer: secmon::model::CustomerId = "42".parse()?;
//! # let server = secmon::operations::ProvisionEndpoint::new(customer).ip_address("203.0.113.10");
//! # let server = client.send(server).await?.data.endpoint_id;
//!
//! // The same call three times; the last one has a time-out of its own.
//! client.servers().get(customer, server).await?;
//! client.send(GetEndpoint::new(customer, server)).await?;
//! let get = client.servers().get(customer, server);
//! get.with(|call| call.operation_timeout(Duration::from_secs(5))).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Suspend, resume and terminate of a server or a domain, and the rename of a domain, take the record's id alone, as the
//! API does: nothing checks whose it is. Elsewhere the customer comes first, and is sent along, so that one customer's id
//! never shows another's record. The forms for the whole account say so in their names (`get_account_wide`,
//! [`GetEndpoint::account_wide`](operations::GetEndpoint::account_wide)).
//!
//! [`RequestOptions`] hold what can be set for one call, for a part of a program ([`Client::with`]) or for a client
//! ([`ClientBuilder::with`]): time-outs, retries, [`Priority`](pacing::Priority), the sandbox mark, headers of your own.
//! [`Client::raw`] reaches paths that have no type here, and [`Operation`] can be implemented for them outside this crate.
//!
//! Requests can be stored and sent later: they are `Serialize` and `Deserialize`, ids of the path included. A member that a
//! request does not have is refused when it is read, so that a misspelt one is not passed over.
//!
//! # Results
//!
//! A [`Response`] holds the result in `data`, and status, headers, attempts and elapsed time beside it. Enums are open:
//! a value that this version does not know is kept and written back as it came. So are fields:
//! [`Response::raw_field`] reads those that no type has. What the service did not send is `None`, never 0 or an empty
//! list; money ([`Money`](model::Money)) is decimal.
//!
//! # Errors
//!
//! One opaque [`Error`] for everything. Ask [`kind`](Error::kind) what happened, [`code`](Error::code) what the service
//! says, and [`delivery`](Error::delivery) whether it may have acted: after [`Delivery::Maybe`], look before you send again. Where
//! [`is_retryable`](Error::is_retryable) says so as well, the same call may follow at once; later only if nothing else has
//! changed the service ([`order_hooks`](guides::order_hooks)). A policy for a billing module needs a few lines:
//!
//! ```
//! use secmon::{Error, ErrorCode, Delivery};
//!
//! enum Next { Done, TryLater, AskThePerson, LookFirst, CallUs }
//!
//! /// `is_termination`: of a server or a domain. The numbers and the product that name a subscription may be wrong, and any
//! /// other 404 says that something else is: then nothing has ended.
//! fn next(error: &Error, is_termination: bool) -> Next {
//!     match error.code() {
//!         // Whatever the last answer says, an attempt before it may have acted.
//!         _ if error.delivery() == Delivery::Maybe => Next::LookFirst,
//!         _ if error.is_retryable() => Next::TryLater, // retry_after() may say when
//!         _ if error.is_record_not_found() && is_termination => Next::Done,
//!         // The customer's plan is full, or its use exceeds the smaller plan: details() has the numbers.
//!         Some(ErrorCode::EndpointLimitExceeded | ErrorCode::DomainLimitExceeded) => Next::AskThePerson,
//!         Some(ErrorCode::DowngradeUsageExceeded | ErrorCode::DnsResolutionFailed) => Next::AskThePerson,
//!         // The order's own data, refused here or by the service.
//!         _ if error.field_errors().is_some() => Next::AskThePerson,
//!         // The key, the account, the set-up: nothing will work until somebody looks.
//!         _ => Next::CallUs,
//!     }
//! }
//! ```
//!
//! Requests are checked before they are sent, against every limit of the specification and all fields at once; such an
//! error names the fields as the service's own 422 does ([`Error::field_errors`]).
//! [`RequestOptions::validation`], set to false, leaves the judgement to the service.
//!
//! # Retries
//!
//! What was provably not processed is sent again: no connection, a 429, a 503 with one of the service's own codes. What
//! may have been processed (a lost answer, a time-out, a 500, 502, 504, any other 503) is sent again only when repeating
//! it is harmless ([`RetrySafety`], a column of [`OPERATIONS`]). So a rule is never created twice, and a slot never
//! released twice. A success after such an attempt says so ([`Response::may_have_acted_before`]).
//!
//! Refused certificates, a proxy that wants credentials, redirects, and the 500s that the service documents are not
//! tried again. Pauses double from 0.2 to 8 seconds, [`max_retries`](RequestOptions::max_retries) bounds a call and the
//! [`RetryBudget`] all calls of a client together. `Retry-After` is obeyed as the least wait, where
//! a 429 asks for more than a window can last see [pacing](crate#pacing); one that is longer than the time left, or than
//! [`queue_timeout`](RequestOptions::queue_timeout), ends the call at once and is handed over in [`Error::retry_after`].
//!
//! # Pacing
//!
//! The service counts 60 requests a minute in one group of operations and 100 in another ([`RateGroup`]). The client
//! counts with it, so that callers wait in line instead of being refused; who cannot be served within its time is told
//! so at once, with the time at which it could be. Somebody who waits at a screen goes before a nightly job: calls of
//! [`Priority::Batch`](pacing::Priority) come last and leave five slots free.
//!
//! Clones of a client share the count; clients built apart share it when they are given the same [`pacing::RateLimiter`].
//! [`ClientBuilder::rate_limits`] sets other limits, [`ClientBuilder::no_rate_limit`] none. Workers on several hosts share
//! it through Redis or Valkey, with `pacing::RedisRateLimiter` of the feature `redis`.
//!
//! When others use the same key, 429s come all the same. Then the client waits as long as the service asks; where it does
//! not say, longer each time, with one probe before everybody goes again; where it asks for longer than a window can
//! last, for one window and a second ([`Client::reset_rate_limit`] ends that). The fifth 429 in a row ends a call.
//!
//! # Lists
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (Ok(url), Ok(key)) = (std::env::var("SECMON_BASE_URL"), std::env::var("SECMON_API_KEY")) else {
//! #     return Ok(());
//! # };
//! # let client = secmon::Client::builder(&url, secmon::ApiKey::new(key)?).build()?;
//! use secmon::model::Severity;
//!
//! let critical = client.port_alerts().list("42".parse()?).with_request(|list| list.severity(Severity::Critical));
//! let mut alerts = critical.max_items(500).items();
//! while let Some(alert) = alerts.next().await {
//!     let alert = alert?;
//!     println!("{} {}/{}", alert.id, alert.port, alert.protocol);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Pages`] fetches page by page, and can begin at any page; a page that fails loses nothing of what came before. A list
//! that contradicts itself, or whose source is down, ends with an error, never as a short list.
//!
//! # Waiting
//!
//! The service tells of nothing by itself. [`watch`] looks for you: until scans have ended
//! ([`Servers::scan_and_wait`](resources::Servers::scan_and_wait),
//! [`wait_for_scan`](resources::Servers::wait_for_scan)), and for alerts that are raised and resolved
//! ([`Client::watch_alerts`]).
//!
//! # What goes on
//!
//! [`ClientBuilder::observer`] hears of every wait, every attempt and every end of a call. Each call is a `tracing` span
//! at level DEBUG, `secmon.call`, with OpenTelemetry's names.
//!
//! # Testing
//!
//! `testing::MockTransport` (feature `test-util`, for a dev-dependency) answers from a script, without a network, and
//! `testing` has builders for every shape of answer.
//! For the real states, limits and faults, run the mock server of this project: `secmon-mock exec -- cargo test` starts
//! one and sets `SECMON_BASE_URL` and `SECMON_API_KEY`. The examples on this page are run that way.
//!
//! # Security
//!
//! The key is a root credential for the whole partner account. It is sent to the configured origin only, in a header
//! marked sensitive; redirects are never followed. It is wiped from memory, and never part of an error, a log or
//! `Debug` output, be it as it is, escaped for JSON or a URL, or in base64. After a 401 nothing more is sent with it
//! ([`Client::key_rejected`], [`Client::reset_key_rejection`]); another key ends that. A [`RotatingKey`], or a
//! [`KeyProvider`] of your own, replaces it while the client lives. Of sign-in tokens and leaked records nothing is shown
//! at all: errors of these two operations keep the service's code and none of its words.
//!
//! https trusts what the system trusts and goes through the proxy of the environment; [`transport::HttpOptions`] adds a
//! private authority or names a proxy, and `HttpTransport::with_client` (feature `reqwest`) takes a client of your own for
//! anything else. Plain http, to this computer or to hosts you allowed by name, goes past any proxy.
//!
//! # Features
//!
//! - `default-transport` (on): the transport over reqwest. Without it, [`ClientBuilder::transport`] is needed.
//! - `tls` (on): https in that transport, with rustls, ring and the trust store of the system.
//! - `tls-aws-lc-rs`: the same with aws-lc-rs, where `tls` is off.
//! - `tls-no-provider`: the same with the crypto provider that the program has installed for its process, where both of
//!   the above are off.
//! - `redis`: `pacing::RedisRateLimiter`, a rate budget on Redis or Valkey that processes and hosts share; `redis-tls` adds
//!   `rediss://` addresses.
//! - `reqwest`: `HttpTransport::with_client`, for a `reqwest::Client` of your own.
//! - `test-util`: the module `testing`; put it on the dev-dependency.
//! - `tower`: `transport::ServiceTransport`, for any `tower::Service` of http types: a server called in process, or a
//!   stack of layers.
//!
//! # What is assumed
//!
//! The specification leaves some shapes open. Operations built on an assumption say so in their documentation and in
//! their row of [`OPERATIONS`] ([`ShapeOrigin::Assumed`]); [`ClientBuilder::path`] moves them to another path.

#![warn(missing_debug_implementations)]

mod answer;
mod answer_check;
mod client;
mod client_builder;
mod envelope;
mod error;
mod event;
mod future;
pub mod model;
mod operation;
mod operation_info;
pub mod operations;
mod origin;
mod page;
mod pages;
mod pipeline;
mod raw;
mod redact;
mod request_options;
mod response;
mod retry_after;
mod secret;
#[cfg(feature = "test-util")]
pub mod testing;
mod validate;
pub mod watch;

#[cfg(feature = "redis")]
pub use redis;
#[cfg(feature = "reqwest")]
pub use reqwest;
/// The crates whose types stand in this one's interface, in the versions that fit.
pub use {bytes, chrono, futures_core, http, secrecy, serde_json, uuid};
#[cfg(feature = "tower")]
pub use {http_body, http_body_util, tower_service};

pub use answer_check::AnswerCheck;
pub use client::call::CallBuilder;
pub use client::{Client, resources};
pub use client_builder::ClientBuilder;
pub use envelope::Envelope;
pub use error::{ApiError, Delivery, Details, Error, ErrorCode, ErrorKind, FieldErrors};
pub use event::{Event, WaitReason};
pub use operation::Operation;
pub use operation_info::{
    FieldsIn, Group, Namespace, OperationInfo, RateGroup, RetrySafety, ShapeOrigin,
};
pub use operations::OPERATIONS;
pub use page::{Page, Position};
pub use pages::{Items, PagedOperation, Pages};
pub use pipeline::pacer as pacing;
pub use pipeline::retry::RetryBudget;
pub use pipeline::transport;
pub use raw::{RawRequest, RawResponse};
pub use request_options::RequestOptions;
pub use response::Response;
pub use secret::{ApiKey, KeyProvider, RotatingKey};

/// How to: guides that belong to no one type.
#[cfg(any(doc, doctest))]
pub mod guides {
    #[doc = include_str!("../guides/blocking.md")]
    pub mod blocking {}
    #[doc = include_str!("../guides/calls.md")]
    pub mod calls {}
    #[doc = include_str!("../guides/order_hooks.md")]
    pub mod order_hooks {}
}

/// Holds the README to what compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
