//! The records of an account, as they are stored.

pub(crate) mod controls;
pub(crate) mod customer;
pub(crate) mod domain;
pub(crate) mod domain_alert;
pub(crate) mod endpoint;
pub(crate) mod port_alert;
pub(crate) mod price;
pub(crate) mod rule;
pub(crate) mod scan;
pub(crate) mod subscription;
