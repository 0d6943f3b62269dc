//! What the customer should do, in the customer's words.

use super::charts::{escaped, name};
use super::contents::Report;
use crate::commands::common::views::is_paused;
use crate::commands::rules::rule::SOON_DAYS;
use crate::values::durations::counted;
use secmon::model::{
    DomainStatus, Endpoint, EndpointDetail, MonitoredDomain, PortAlert, Protocol, ScanStatus,
    Severity,
};
use std::collections::BTreeMap;

/// How soon something should be done, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    Critical,
    High,
    Medium,
    Low,
}

impl Urgency {
    /// Of an alert; a severity that this program does not know is taken seriously.
    pub fn of(alert: &PortAlert) -> Self {
        match &alert.severity {
            Some(Severity::Critical) => Self::Critical,
            Some(Severity::Medium) => Self::Medium,
            Some(Severity::Low) | None => Self::Low,
            Some(_) => Self::High,
        }
    }

    /// The word for it, which is also its class in the style sheet.
    pub fn word(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// Something that needs doing. The texts are text of the page already.
pub struct ToDo {
    pub urgency: Urgency,
    pub title: String,
    /// Where, if that is more than the title says.
    pub places: Vec<String>,
    pub advice: &'static str,
}

/// All that needs doing, the most urgent first.
pub fn all(report: &Report) -> Vec<ToDo> {
    let domains = report.domains.iter().map(|(domain, _)| domain);
    let mut all: Vec<ToDo> = open_ports(&report.servers)
        .chain(domains.clone().flat_map(leaks))
        .chain(unwatched_servers(&report.servers))
        .chain(domains.filter_map(unwatched_domain))
        .chain(ending_exceptions(report))
        .collect();
    // Where two are equally urgent, what concerns more servers comes first.
    all.sort_by_key(|to_do| (to_do.urgency, std::cmp::Reverse(to_do.places.len())));
    all
}

/// Ports that are open on the same servers and need the same done are one thing to do.
fn open_ports(servers: &[EndpointDetail]) -> impl Iterator<Item = ToDo> {
    let mut places: BTreeMap<(Urgency, u16, String), Vec<String>> = BTreeMap::new();
    for server in servers {
        for alert in &server.alerts {
            let key = (Urgency::of(alert), alert.port, port_in_words(alert));
            let place = server_name(&server.data);
            places.entry(key).or_default().push(place);
        }
    }
    let mut together: BTreeMap<(Urgency, &str, Vec<String>), Vec<String>> = BTreeMap::new();
    for ((urgency, port, words), places) in places {
        let key = (urgency, advice_on(port), places);
        together.entry(key).or_default().push(words);
    }
    together
        .into_iter()
        .map(|((urgency, advice, places), ports)| {
            let (noun, verb) = match ports.len() {
                1 => ("Port", "is"),
                _ => ("Ports", "are"),
            };
            let (ports, place) = (ports.join(", "), place_of(&places));
            ToDo {
                urgency,
                title: format!("{noun} {ports} {verb} open to the internet on {place}"),
                places: unless_single(places),
                advice,
            }
        })
}

/// `3306 (mysql)`, `53/udp (domain)`.
fn port_in_words(alert: &PortAlert) -> String {
    let port = match alert.protocol {
        Protocol::Udp => format!("{}/udp", alert.port),
        _ => alert.port.to_string(),
    };
    match service_of(alert) {
        Some(service) => format!("{port} ({})", name(service)),
        None => port,
    }
}

/// The service behind a port, where its name says anything.
pub fn service_of(alert: &PortAlert) -> Option<&str> {
    let service = alert.service.as_deref();
    service.filter(|service| !service.is_empty() && *service != "unknown")
}

/// A server as the page names it; only its nickname can have a reading direction of its own.
pub fn server_name(endpoint: &Endpoint) -> String {
    let address = escaped(endpoint.ip_address.as_str());
    match endpoint.nickname.as_deref() {
        Some(nickname) if !nickname.is_empty() && endpoint.ip_address != nickname => {
            format!("{} ({address})", name(nickname))
        }
        _ => address,
    }
}

/// The one place, or how many there are.
fn place_of(places: &[String]) -> String {
    match places {
        [place] => place.clone(),
        places => counted(places.len(), "server"),
    }
}

fn unless_single(places: Vec<String>) -> Vec<String> {
    match places.len() {
        1 => Vec::new(),
        _ => places,
    }
}

fn advice_on(port: u16) -> &'static str {
    match port {
        1433 | 1521 | 3306 | 5432 | 5984 | 6379 | 9042 | 9200 | 11211 | 27017 => {
            "Databases should not be reachable from the internet. Close the port in the server's firewall, or let in \
             only the addresses that need it."
        }
        22 | 3389 | 5900..=5903 | 5985 | 5986 => {
            "Let in only the addresses from which the server is managed, or use a VPN. If everybody must reach it, tell \
             us why, and we will allow it."
        }
        21 | 23 | 69 | 512..=514 => {
            "This service sends passwords unencrypted. Turn it off, and use SFTP or SSH instead."
        }
        80 | 443 => {
            "If your website is meant to be reached here, tell us, and we will allow it. Otherwise close the port."
        }
        111 | 137..=139 | 445 | 2049 => {
            "File sharing should not be reachable from the internet. Close the port in the server's firewall."
        }
        _ => {
            "Close the port if nobody outside needs it. If it is meant to be open, tell us what it is for, and we will \
             allow it."
        }
    }
}

fn leaks(domain: &MonitoredDomain) -> Vec<ToDo> {
    let found = [
        (
            Urgency::Critical,
            domain.employees_compromised,
            "leaked login",
            "of employees of",
            "Have these people change their passwords everywhere they use them, and turn on two-step sign-in. Ask us \
             which accounts they are.",
        ),
        (
            Urgency::High,
            domain.customers_compromised,
            "leaked login",
            "of customers of",
            "Ask these customers to choose new passwords. Ask us which accounts they are.",
        ),
        (
            Urgency::Medium,
            domain.third_parties_compromised,
            "leaked login",
            "of suppliers and partners of",
            "Tell these companies, and change the passwords that you share with them.",
        ),
        (
            Urgency::High,
            domain.dark_web_mentions_count,
            "mention",
            "on the dark web of",
            "Ask us what is said there, and watch for unusual e-mails and attempts to sign in.",
        ),
    ];
    let found = found
        .into_iter()
        .filter_map(|(urgency, count, what, whose, advice)| {
            let count = count.filter(|count| *count > 0)?;
            let what = counted(count, what);
            Some(ToDo {
                urgency,
                title: format!("{what} {whose} {}", name(&domain.domain)),
                places: Vec::new(),
                advice,
            })
        });
    found.collect()
}

/// Servers that are not scanned, by reason.
fn unwatched_servers(servers: &[EndpointDetail]) -> impl Iterator<Item = ToDo> {
    let failed = |server: &EndpointDetail| {
        let status = server.latest_scan.as_ref().map(|scan| &scan.status);
        !is_paused(&server.data) && status == Some(&ScanStatus::Failed)
    };
    let named = |is_meant: &dyn Fn(&EndpointDetail) -> bool| -> Vec<String> {
        let meant = servers.iter().filter(|server| is_meant(server));
        meant.map(|server| server_name(&server.data)).collect()
    };
    let groups = [
        (
            Urgency::Medium,
            named(&|server| is_paused_for_want_of_room(&server.data)),
            "Not scanned, because the plan does not cover it now:",
            "Ask us about your plan, or tell us which servers need not be watched any more.",
        ),
        (
            Urgency::Medium,
            named(&failed),
            "The last scan failed:",
            "Check that the server is up and can be reached from the internet.",
        ),
        (
            Urgency::Low,
            named(&|server| is_paused(&server.data) && !is_paused_for_want_of_room(&server.data)),
            "Scans are paused:",
            "Ask us if they should be watched again.",
        ),
    ];
    groups
        .into_iter()
        .filter(|(_, places, _, _)| !places.is_empty())
        .map(|(urgency, places, what, advice)| ToDo {
            urgency,
            title: format!("{what} {}", place_of(&places)),
            places: unless_single(places),
            advice,
        })
}

/// Whether the platform paused a server because the plan has no room for it.
pub fn is_paused_for_want_of_room(endpoint: &Endpoint) -> bool {
    is_paused(endpoint) && endpoint.quota_paused == Some(true)
}

fn unwatched_domain(domain: &MonitoredDomain) -> Option<ToDo> {
    (domain.status != DomainStatus::Active).then(|| ToDo {
        urgency: Urgency::Low,
        title: format!("{} is not being watched", name(&domain.domain)),
        places: Vec::new(),
        advice: "Ask us if it should be watched again.",
    })
}

fn ending_exceptions(report: &Report) -> Option<ToDo> {
    (!report.expiring.is_empty()).then(|| ToDo {
        urgency: Urgency::Low,
        title: format!(
            "{} allowed only until a date in the next {SOON_DAYS} days",
            counted(report.expiring.len(), "port")
        ),
        places: Vec::new(),
        advice: "Tell us which of them must stay open. The dates are at the end of this page.",
    })
}
