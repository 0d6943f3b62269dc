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

    /// State of a port alert.
    PortAlertStatus {
        /// The port is open and no rule covers it.
        Open = "open",
        /// The port was closed, a rule covers it, or a person resolved it.
        Resolved = "resolved",
    }

    /// Transport protocol of a port or a rule.
    Protocol {
        /// TCP.
        Tcp = "tcp",
        /// UDP.
        Udp = "udp",
        /// Both, written `*`.
        Any = "*",
    }

    /// What an Allowed Ports rule applies to.
    RuleScope {
        /// Every server of the customer or of the account.
        Global = "global",
        /// One server.
        Endpoint = "endpoint",
    }

    /// Whether a rule still allows its ports.
    RuleStatus {
        /// In force.
        Active = "active",
        /// Past its expiry.
        Expired = "expired",
    }

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

    /// State of a monitored domain.
    DomainStatus {
        /// Watched.
        Active = "active",
        /// Not watched, by hand or by the platform; its findings are kept.
        Paused = "paused",
        /// Monitoring has ended.
        Terminated = "terminated",
    }

    /// State of a domain alert.
    DomainAlertStatus {
        /// Nobody has looked at it.
        Open = "open",
        /// Somebody has seen it.
        Acknowledged = "acknowledged",
        /// It is dealt with.
        Resolved = "resolved",
    }

    /// What a domain alert is about.
    DomainAlertType {
        /// Leaked credentials.
        CredentialLeak = "credential_leak",
        /// A mention on the dark web.
        DarkWebMention = "dark_web_mention",
    }

    /// Whose credentials were leaked.
    LeakCategory {
        /// Employees of the domain's owner.
        Employees = "employees",
        /// Customers who sign in at the domain.
        Customers = "customers",
        /// Third parties.
        ThirdParties = "third_parties",
    }

    /// State of a subscription.
    SubscriptionStatus {
        /// It gives its capacity.
        Active = "active",
        /// It gives no capacity for now.
        Suspended = "suspended",
        /// It has ended.
        Cancelled = "cancelled",
    }

    /// A product, at most 50 characters.
    ProductSlug {
        /// One monitored server.
        Endpoint = "endpoint",
        /// Servers, so many per plan.
        PortMonitoring = "port_monitoring",
        /// Domain slots, per unit.
        DomainMonitoring = "domain_monitoring",
    }

    /// Which way a subscription was changed.
    ChangeDirection {
        /// To more capacity.
        Upgrade = "upgrade",
        /// To less capacity.
        Downgrade = "downgrade",
    }

    /// What the scans of the sandbox find.
    Scenario {
        /// Nothing.
        Clean = "clean",
        /// A few common findings.
        Warnings = "warnings",
        /// Grave findings.
        Critical = "critical",
    }

    /// Format of a firewall dump.
    FirewallFormat {
        /// What `iptables-save` prints.
        Iptables = "iptables",
        /// What `nft list ruleset` prints.
        Nftables = "nftables",
        /// What `ufw status` prints.
        Ufw = "ufw",
        /// What `firewall-cmd --list-all` prints.
        Firewalld = "firewalld",
    }
}
