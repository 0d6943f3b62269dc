//! Port alerts, as recorded.

use serde::{Deserialize, Serialize};

use crate::state::storage::EndpointNo;
use crate::time::Instant;
use crate::values::OpenPort;

/// A port alert, as recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct PortAlert {
    pub(crate) endpoint: EndpointNo,
    pub(crate) port: OpenPort,
    pub(crate) first_detected_at: Instant,
    /// None while it is open: it was then last seen by the last completed scan.
    pub(crate) resolution: Option<Resolution>,
}

/// How an alert ended.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Resolution {
    pub(crate) at: Instant,
    pub(crate) last_detected_at: Instant,
}
