//! What a user of the SDK notices, through its public names only.

mod envelopes;
mod hostile_answers;
mod key_secrecy;
mod models;
mod pacing;
mod paging;
mod raw_requests;
mod requests;
mod retries;
mod setup;
mod support;
mod validation;
