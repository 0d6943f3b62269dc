//! Notices: what a tolerant service hides from a careless client, and the client should hear of (M10).

pub(crate) mod call_context;
pub(crate) mod history;
pub(crate) mod names;
mod namespaces;
mod no_such_path;
pub(crate) mod of_call;
pub(crate) mod pages;
mod refused_repeat;
pub(crate) mod rejected_key;
pub(crate) mod short_looks;
mod sign_ins;
mod synced_lines;
mod unused_tokens;
