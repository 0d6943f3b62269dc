//! Typed async client for the partner security-monitoring API: provisioning of monitored servers, domains and
//! subscriptions, what their scans found, Allowed Ports rules, alerts, and sign-in tokens.
//!
//! An operation is a value, a [`Client`] sends it. The client keeps inside the rate limit before the service has to
//! say so, sends again what is safe to send again, and tells in every error whether the service may have acted.
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
//! if provisioned.created() {
//!     println!("monitoring {}", provisioned.data.endpoint_id);
//! } else {
//!     println!("{}", provisioned.note().unwrap_or("it was there already"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The address is the origin of the partner's portal, over https; plain http is taken for this machine only, or for a
//! host that [`ClientBuilder::allow_http`] names. The accessors ([`Client::servers`], [`Client::rules`] and so on) are
//! short for [`Client::send`], which takes any type of [`operations`]. [`Client::call`] gives one call settings of its
//! own, and [`Client::raw`] reaches paths that have no type here.
//!
//! # Results
//!
//! A [`Response`] holds the result in `data`, and status, headers, attempts and elapsed time beside it. Enums are open:
//! a value that this version does not know is kept and written back as it came. So are fields:
//! [`Response::raw_field`] reads those that no type has.
//!
//! # Errors
//!
//! One opaque [`Error`] for everything. Ask [`kind`](Error::kind) what happened, [`code`](Error::code) what the service
//! says, and [`sent`](Error::sent) whether it may have acted: after [`Sent::Maybe`], look before you send again.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (Ok(url), Ok(key)) = (std::env::var("SECMON_BASE_URL"), std::env::var("SECMON_API_KEY")) else {
//! #     return Ok(());
//! # };
//! # let client = secmon::Client::builder(&url, secmon::ApiKey::new(key)?).build()?;
//! use secmon::operations::ScanEndpoint;
//! use secmon::{ErrorCode, ErrorKind, Sent};
//!
//! let scan = ScanEndpoint::new("42".parse()?, "6f9619ff-8b86-4011-b42d-00c04fc964ff".parse()?);
//! if let Err(error) = client.send(scan).await {
//!     match (error.kind(), error.code()) {
//!         (_, Some(ErrorCode::EndpointNotFound)) => println!("no such server of this customer"),
//!         (_, Some(ErrorCode::RateLimited)) => println!("scanned just now; again in {:?}", error.retry_after()),
//!         (ErrorKind::Validation, _) => println!("never sent: {}", error),
//!         _ if error.sent() == Sent::Maybe => println!("the answer was lost: look before you ask again"),
//!         _ => return Err(error.into()),
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Requests are checked before they are sent, against every limit of the specification and all fields at once; such an
//! error names the fields as the service's own 422 does ([`Error::field_errors`]).
//! [`without_validation`](CallBuilder::without_validation) leaves the judgement to the service.
//!
//! # Retries
//!
//! What was provably not processed is sent again: no connection, a 429, a 503 with one of the service's own codes. What
//! may have been processed (a lost answer, a time-out, a 500, 502, 504) is sent again only when repeating it is harmless
//! ([`RetrySafety`], a column of [`OPERATIONS`]). So a rule is never created twice, and a slot never released twice.
//! `Retry-After` is obeyed as the least wait; one that is longer than the time left, or than
//! [`max_wait`](ClientBuilder::max_wait), ends the call at once and is handed over in [`Error::retry_after`].
//!
//! # Pacing
//!
//! The service counts 60 requests a minute in one group of operations and 100 in another ([`RateGroup`]). The client
//! counts with it, so that callers wait in line instead of being refused. Clones of a client share the count; clients
//! built apart share it when they are given the same [`pacing::Budget`]. [`ClientBuilder::rate_limits`] sets other
//! limits, [`ClientBuilder::unlimited`] none, and [`ClientBuilder::observer`] hears of every wait. Workers on several
//! hosts share it through Redis or Valkey, with `pacing::RedisBudget` of the feature `redis`.
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
//! use secmon::operations::ListPortAlerts;
//!
//! let critical = ListPortAlerts::new("42".parse()?).severity(Severity::Critical);
//! let mut alerts = client.pages(critical).max_items(500).items();
//! while let Some(alert) = alerts.next().await {
//!     let alert = alert?;
//!     println!("{} {}/{}", alert.id, alert.port, alert.protocol);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Pages`] fetches page by page, and can begin at any page; a page that fails loses nothing of what came before.
//!
//! # Testing
//!
//! [`testing::Script`] answers from a script, without a network. For the real states, limits and faults, run the mock
//! server of this project: `secmon-mock exec -- cargo test` starts one and sets `SECMON_BASE_URL` and `SECMON_API_KEY`.
//! The examples on this page are run that way.
//!
//! # Security
//!
//! The key is a root credential for the whole partner account. It is sent to the configured origin only, in a header
//! marked sensitive; redirects are never followed. It is wiped from memory, and never part of an error, a log or
//! `Debug` output, even when an answer echoes it. After a 401 nothing more is sent with it
//! ([`Client::reset_key_rejection`]). Sign-in tokens and leaked records show nothing in `Debug` either.
//!
//! https trusts what the system trusts and goes through the proxy of the environment; [`ClientBuilder::extra_roots`]
//! adds a private authority, [`ClientBuilder::proxy`] names a proxy, and [`ClientBuilder::http_client`] takes a
//! `reqwest::Client` of your own for anything else. Plain http, to this machine or to hosts you allowed by name, goes
//! past any proxy.
//!
//! # Features
//!
//! - `default-transport` (on): the transport over reqwest. Without it, [`ClientBuilder::transport`] is needed.
//! - `tls` (on): https in that transport, with rustls, ring and the trust store of the system.
//! - `redis`: `pacing::RedisBudget`, a rate budget on Redis or Valkey that processes and hosts share.
//!
//! # What is assumed
//!
//! The specification leaves some shapes open. Operations built on an assumption say so in their documentation and in
//! their row of [`OPERATIONS`] ([`Basis::Assumed`]); [`ClientBuilder::path`] moves them to another path.

mod client;
mod envelope;
mod error;
mod event;
pub mod model;
mod operation;
pub mod operations;
mod page;
mod pipeline;
mod response;
mod secret;
pub mod testing;
mod validate;

pub use client::{CallBuilder, Client, ClientBuilder, RawRequest, RawResponse};
pub use error::{ApiError, Details, Error, ErrorCode, ErrorKind, FieldErrors, Sent};
pub use event::{Event, WaitReason};
pub use operation::{
    Basis, FieldsIn, Group, Namespace, OPERATIONS, Operation, OperationInfo, RateGroup, RetrySafety,
};
pub use page::{Items, Page, PagedOperation, Pages};
pub use pipeline::pacer as pacing;
pub use pipeline::transport;
pub use response::Response;
pub use secret::ApiKey;
