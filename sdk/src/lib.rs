//! Typed async client for the partner security-monitoring API.

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
