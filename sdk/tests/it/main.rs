//! What a user of the SDK notices, through its public names only.

mod domain_requests;
mod envelopes;
mod every_operation;
mod hostile_answers;
mod https;
mod key_secrecy;
mod models;
mod pacing;
mod paging;
mod properties;
mod raw_requests;
mod requests;
mod retries;
mod secret_results;
mod setup;
mod support;
mod validation;
