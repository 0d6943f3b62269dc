//! What happens by itself as time passes: scans, and what follows from them.

pub(crate) mod catch_up;
pub(crate) mod domains;
pub(crate) mod due;
pub(crate) mod port_alerts;
pub(crate) mod servers;
