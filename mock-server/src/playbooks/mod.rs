//! Playbooks: an account prepared with some trouble, a goal, and a verdict on how a client in any language dealt with
//! it (M8).

pub(crate) mod book;
pub(crate) mod findings;
pub(crate) mod hints;
pub(crate) mod records;
pub(crate) mod run;
pub(crate) mod start;
pub(crate) mod watch;
