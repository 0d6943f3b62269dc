//! What is known about port numbers: how bad an open one is, and its service.

use std::num::NonZeroU16;

use serde::Serialize;

use crate::named::named;
use crate::values::{OpenPort, Protocol};

/// How bad an open port is, and how risky (E4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Low,
    /// Worth a look.
    Medium,
    /// Rarely meant to be open.
    High,
    /// Never meant to be open.
    Critical,
}

named!(Severity {
    Low = "low",
    Medium = "medium",
    High = "high",
    Critical = "critical",
});

/// The severity of an open port, by its number (E4).
pub(crate) fn severity(port: u16) -> Severity {
    match port {
        23 | 445 | 3389 | 6379 | 27017 | 9200 | 2375 => Severity::Critical,
        21 | 1433 | 3306 | 5432 | 5900 | 161 => Severity::High,
        8080 | 8443 | 22 => Severity::Medium,
        _ => Severity::Low,
    }
}

/// IANA's service names of ports that are often found open.
const SERVICES: [(u16, &str); 46] = [
    (20, "ftp-data"),
    (21, "ftp"),
    (22, "ssh"),
    (23, "telnet"),
    (25, "smtp"),
    (53, "domain"),
    (67, "bootps"),
    (69, "tftp"),
    (80, "http"),
    (88, "kerberos"),
    (110, "pop3"),
    (111, "sunrpc"),
    (119, "nntp"),
    (123, "ntp"),
    (135, "epmap"),
    (137, "netbios-ns"),
    (138, "netbios-dgm"),
    (139, "netbios-ssn"),
    (143, "imap"),
    (161, "snmp"),
    (162, "snmptrap"),
    (179, "bgp"),
    (389, "ldap"),
    (443, "https"),
    (445, "microsoft-ds"),
    (465, "submissions"),
    (514, "syslog"),
    (587, "submission"),
    (636, "ldaps"),
    (873, "rsync"),
    (993, "imaps"),
    (995, "pop3s"),
    (1194, "openvpn"),
    (1433, "ms-sql-s"),
    (1723, "pptp"),
    (2049, "nfs"),
    (2375, "docker"),
    (3306, "mysql"),
    (3389, "ms-wbt-server"),
    (5060, "sip"),
    (5432, "postgresql"),
    (5900, "rfb"),
    (6379, "redis"),
    (8080, "http-alt"),
    (8443, "pcsync-https"),
    (9200, "wap-wsp"),
];

/// IANA's name of the service on a port, `unknown` where there is none.
pub(crate) fn service_name(open: OpenPort) -> &'static str {
    let port = open.port.get();
    // IANA gives 514 to a remote shell on TCP and to syslog on UDP.
    if (port, open.protocol) == (514, Protocol::Tcp) {
        return "shell";
    }
    known_service(port).unwrap_or("unknown")
}

/// The name of the service on a port, if it is a known one.
pub(crate) fn known_service(port: u16) -> Option<&'static str> {
    let place = SERVICES.binary_search_by_key(&port, |(number, _)| *number);
    place.ok().map(|place| SERVICES[place].1)
}

/// The port of a known service.
pub(crate) fn service_port(name: &str) -> Option<NonZeroU16> {
    let known = SERVICES.iter().find(|(_, service)| *service == name)?;
    NonZeroU16::new(known.0)
}
