//! What a user of the SDK notices, through its public names only.

mod budget;
mod closed_connections;
mod domain_requests;
mod envelopes;
#[cfg(feature = "tls-no-provider")]
mod environment_proxies;
mod every_operation;
mod foreign_text;
mod hostile_answers;
#[cfg(feature = "tls-no-provider")]
mod https;
#[cfg(feature = "tower")]
mod in_process;
mod key_secrecy;
mod leaks;
mod matrix;
mod models;
mod moving_lists;
mod other_makers;
mod pacing;
mod paging;
mod properties;
mod raw_requests;
mod redaction;
mod requests;
mod retries;
mod retry_rules;
mod script;
mod seams;
mod secret_results;
mod setup;
mod spans;
mod specified;
mod support;
mod types;
mod validation;
mod watching;
