//! The alert that an open port raises.

use serde::{Deserialize, Serialize};

use super::paging::counted_page;
use super::tolerant::optional;
use super::{
    Address, EndpointId, PortAlertId, PortAlertStatus, Protocol, RiskLevel, Severity, Timestamp,
};

/// An open port that no rule covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PortAlert {
    /// Its identifier.
    pub id: PortAlertId,
    /// The port.
    pub port: u16,
    /// The protocol.
    pub protocol: Protocol,
    /// Name of the service that usually listens there.
    #[serde(default, deserialize_with = "optional")]
    pub service: Option<String>,
    /// How severe it is.
    #[serde(default, deserialize_with = "optional")]
    pub severity: Option<Severity>,
    /// How risky it is.
    #[serde(default, deserialize_with = "optional")]
    pub risk_level: Option<RiskLevel>,
    /// Open or resolved.
    pub status: PortAlertStatus,
    /// One line for a person.
    #[serde(default, deserialize_with = "optional")]
    pub title: Option<String>,
    /// The scan that first saw the port open.
    #[serde(default, deserialize_with = "optional")]
    pub first_detected_at: Option<Timestamp>,
    /// The last scan that saw it open.
    #[serde(default, deserialize_with = "optional")]
    pub last_detected_at: Option<Timestamp>,
    /// The server; absent in the detail read of a server (assumed field elsewhere).
    #[serde(default, deserialize_with = "optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_id: Option<EndpointId>,
    /// The server's address (assumed field).
    #[serde(default, deserialize_with = "optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<Address>,
    /// When it was resolved; none while open (assumed field).
    #[serde(default, deserialize_with = "optional")]
    pub resolved_at: Option<Timestamp>,
}

counted_page! {
    /// One page of port alerts (assumed shape).
    PortAlertPage {
        /// The alerts, newest first.
        alerts: PortAlert
    }
}
