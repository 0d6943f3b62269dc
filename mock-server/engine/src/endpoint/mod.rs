//! Monitored servers: what calls do with them, and what they see of them.

pub(crate) mod detail;
pub(crate) mod manage;
pub(crate) mod provision;
pub(crate) mod scan;
pub(crate) mod view;
