//! Monitored domains: what calls do with them, and what they see of them.

pub(crate) mod alert;
pub(crate) mod leaks;
pub(crate) mod mentions;
pub(crate) mod provision;
pub(crate) mod view;
