//! Small values and readers that every part uses, and that use no other part.

pub(crate) mod admin_error;
pub(crate) mod chance;
pub(crate) mod clock;
pub(crate) mod escape;
pub(crate) mod fields;
pub(crate) mod lock;
pub(crate) mod nearest;
pub(crate) mod notifier;
pub(crate) mod odd_json;
pub(crate) mod query;
pub(crate) mod secret;
pub(crate) mod subset;
pub(crate) mod wildcard;
