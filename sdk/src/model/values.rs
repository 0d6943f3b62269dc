//! The closed lists of the specification, open here: a new value is kept, not refused.

use super::open_enum::open_enum;

open_enum! {
    /// State of a monitored server.
    EndpointStatus {
        /// Scanned on its normal schedule.
        Active = "active",
        /// Not scanned, by hand or by the platform; its history is kept.
        Paused = "paused",
        /// Monitoring has ended.
        Terminated = "terminated",
    }
}

open_enum! {
    /// Severity of a port alert, lowest first.
    Severity {
        /// Worth knowing.
        Low = "low",
        /// Worth a look.
        Medium = "medium",
        /// Needs action.
        High = "high",
        /// Needs action now.
        Critical = "critical",
    }
}

open_enum! {
    /// Risk level of a port alert, lowest first.
    RiskLevel {
        /// Little risk.
        Low = "low",
        /// Some risk.
        Medium = "medium",
        /// High risk.
        High = "high",
        /// An open door.
        Critical = "critical",
    }
}

open_enum! {
    /// State of a port alert.
    PortAlertStatus {
        /// The port is open and no rule covers it.
        Open = "open",
        /// The port was closed, a rule covers it, or a person resolved it.
        Resolved = "resolved",
    }
}

open_enum! {
    /// Transport protocol of a port or a rule.
    Protocol {
        /// TCP.
        Tcp = "tcp",
        /// UDP.
        Udp = "udp",
        /// Both, written `*`.
        Any = "*",
    }
}

open_enum! {
    /// What an Allowed Ports rule applies to.
    RuleScope {
        /// Every server of the customer or of the account.
        Global = "global",
        /// One server.
        Endpoint = "endpoint",
    }
}

open_enum! {
    /// Whether a rule still allows its ports.
    RuleStatus {
        /// In force.
        Active = "active",
        /// Past its expiry.
        Expired = "expired",
    }
}

open_enum! {
    /// State of a scan.
    ScanStatus {
        /// Accepted and queued.
        Pending = "pending",
        /// At work.
        Running = "running",
        /// Ended with a result.
        Completed = "completed",
        /// Ended without a result.
        Failed = "failed",
    }
}
