//! The alert that an open port raises.

use super::ids::{EndpointId, PortAlertId};
use super::paging::counted_page;
use super::text::Address;
use super::timestamp::Timestamp;
use super::tolerant::record;
use super::values::{PortAlertStatus, Protocol, RiskLevel, Severity};

record! {
    /// An open port that no rule covers.
    PortAlert {
        /// Its identifier.
        id: PortAlertId,
        /// The port.
        port: u16,
        /// The protocol.
        protocol: Protocol,
        /// Name of the service that usually listens there.
        service: Option<String>,
        /// How severe it is.
        severity: Option<Severity>,
        /// How risky it is.
        risk_level: Option<RiskLevel>,
        /// Open or resolved.
        status: PortAlertStatus,
        /// One line for a person.
        title: Option<String>,
        /// The scan that first saw the port open.
        first_detected_at: Option<Timestamp>,
        /// The last scan that saw it open.
        last_detected_at: Option<Timestamp>,
        /// The server; absent in the detail read of a server (assumed field elsewhere).
        #[serde(skip_serializing_if = "Option::is_none")]
        endpoint_id: Option<EndpointId>,
        /// The server's address (assumed field).
        #[serde(skip_serializing_if = "Option::is_none")]
        ip_address: Option<Address>,
        /// When it was resolved; none while open (assumed field).
        resolved_at: Option<Timestamp>,
    }
}

counted_page! {
    /// One page of port alerts (assumed shape).
    PortAlertPage {
        /// The alerts, newest first.
        alerts: PortAlert
    }
}
