//! The calls of the admin API, by what they are about.

pub(crate) mod clock;
pub(crate) mod events;
pub(crate) mod faults;
pub(crate) mod journal;
pub(crate) mod page;
pub(crate) mod playbooks;
pub(crate) mod records;
pub(crate) mod tenants;
