//! The page.

use super::Report;
use super::charts::{bars, escaped, line};
use crate::commands::common::findings;
use crate::commands::common::views::{is_paused, place_of, port_of, ports_of};
use crate::commands::rules::rule::SOON_DAYS;
use crate::references;
use crate::ui::outcome::count_or_unknown;
use secmon::model::{DomainScan, Endpoint, EndpointDetail, MonitoredDomain, Timestamp};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

const SEVERITIES: [&str; 4] = ["critical", "high", "medium", "low"];

/// The whole page.
pub fn render(report: &Report) -> String {
    let customer = report.customer;
    let sections = [
        tiles(report),
        servers(report),
        domains(report),
        expiring(report),
    ]
    .concat();
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>Security report, customer {customer}</title><style>{STYLE}</style></head><body>\
         <h1>Security report</h1><p class=\"soft\">Customer {customer}, made {}</p>{sections}</body></html>\n",
        report.made_at
    )
}

fn day_and_minute(time: &Timestamp) -> String {
    time.date_time()
        .to_utc()
        .format("%Y-%m-%d %H:%M UTC")
        .to_string()
}

fn tiles(report: &Report) -> String {
    let alerts: usize = report
        .servers
        .iter()
        .map(|server| server.alerts.len())
        .sum();
    let paused = report
        .servers
        .iter()
        .filter(|server| is_paused(&server.data))
        .count();
    let leaked = report.domains.iter().map(|(domain, _)| {
        Some(
            domain.employees_compromised?
                + domain.customers_compromised?
                + domain.third_parties_compromised?,
        )
    });
    let leaked: Option<u64> = leaked.sum();
    let told_tile = |count: Option<u64>, (one, many): (&str, &str)| {
        let what = if count == Some(1) { one } else { many };
        let count = count_or_unknown(count);
        format!("<div class=\"tile\"><b>{count}</b>{what}</div>")
    };
    let tile = |count: usize, words| told_tile(u64::try_from(count).ok(), words);
    let all = [
        tile(
            report.servers.len(),
            ("monitored server", "monitored servers"),
        ),
        tile(paused, ("paused server", "paused servers")),
        tile(alerts, ("open port not allowed", "open ports not allowed")),
        tile(report.domains.len(), ("watched domain", "watched domains")),
        told_tile(
            leaked,
            ("leaked credential found", "leaked credentials found"),
        ),
        tile(
            report.expiring.len(),
            ("rule about to expire", "rules about to expire"),
        ),
    ];
    format!("<div class=\"tiles\">{}</div>", all.concat())
}

fn servers(report: &Report) -> String {
    if report.servers.is_empty() {
        return "<h2>Servers</h2><p class=\"soft\">No server is monitored.</p>".to_owned();
    }
    format!(
        "<h2>Open ports that are not allowed, by severity</h2>{}<h2>Servers</h2>{}",
        by_severity(&report.servers),
        table(
            ["Server", "State", "Last scan", "Open ports"],
            report.servers.iter().map(server)
        )
    )
}

/// A table whose cells know their heading, for a screen where they stand one below the other. The cells are text of
/// the page already.
fn table(headings: [&str; 4], rows: impl Iterator<Item = [String; 4]>) -> String {
    let heads: String = headings
        .map(|heading| format!("<th>{heading}</th>"))
        .concat();
    let row = |cells: [String; 4]| {
        let cells: String = headings
            .iter()
            .zip(cells)
            .map(|(heading, cell)| format!("<td data-label=\"{heading}\">{cell}</td>"))
            .collect();
        format!("<tr>{cells}</tr>")
    };
    let rows: String = rows.map(row).collect();
    format!("<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")
}

fn by_severity(servers: &[EndpointDetail]) -> String {
    let count = |severity: &str| {
        let alerts = servers.iter().flat_map(|server| &server.alerts);
        alerts
            .filter(|alert| {
                alert
                    .severity
                    .as_ref()
                    .is_some_and(|known| known.as_str() == severity)
            })
            .count() as u64
    };
    bars(&SEVERITIES.map(|severity| (severity, Some(count(severity)), severity)))
}

fn server(detail: &EndpointDetail) -> [String; 4] {
    let data = &detail.data;
    let scanned = data
        .last_scan_at
        .as_ref()
        .map_or("not yet".to_owned(), day_and_minute);
    [
        escaped(&references::name_of(data)),
        escaped(&status_and_why(data)),
        escaped(&scanned),
        ports(detail),
    ]
}

/// The state, and why a server is not scanned.
fn status_and_why(endpoint: &Endpoint) -> String {
    match (is_paused(endpoint), endpoint.quota_paused) {
        (true, Some(true)) => "paused by the platform: the plan is full".to_owned(),
        (true, _) => "paused by hand".to_owned(),
        (false, _) => endpoint.status.to_string(),
    }
}

fn ports(detail: &EndpointDetail) -> String {
    let mut cells = String::new();
    let mut alerts: Vec<_> = detail.alerts.iter().collect();
    alerts.sort_by_key(|alert| alert.port);
    for alert in alerts {
        let severity = alert
            .severity
            .as_ref()
            .map_or("low", |severity| severity.as_str());
        let class = SEVERITIES
            .iter()
            .find(|known| **known == severity)
            .unwrap_or(&"high");
        let service = alert
            .service
            .as_deref()
            .map(|service| format!(" {service}"))
            .unwrap_or_default();
        let _ = write!(
            cells,
            "<span class=\"port {class}\">{}{}</span>",
            escaped(&port_of(alert)),
            escaped(&service)
        );
    }
    let open = findings::open_ports(detail);
    for port in open
        .unwrap_or_default()
        .iter()
        .filter(|port| !detail.alerts.iter().any(|alert| alert.port == **port))
    {
        let _ = write!(cells, "<span class=\"port allowed\">{port} allowed</span>");
    }
    match (cells.is_empty(), &detail.latest_scan) {
        (true, Some(_)) if open.is_none() => count_or_unknown(None),
        (true, _) => "none".to_owned(),
        (false, _) => cells,
    }
}

fn domains(report: &Report) -> String {
    if report.domains.is_empty() {
        return String::new();
    }
    let each: String = report
        .domains
        .iter()
        .map(|(known, history)| domain(known, history))
        .collect();
    format!("<h2>Domains</h2>{each}")
}

fn domain(domain: &MonitoredDomain, history: &[DomainScan]) -> String {
    let found = [
        (
            "leaked credentials of employees",
            domain.employees_compromised,
            "critical",
        ),
        (
            "leaked credentials of customers",
            domain.customers_compromised,
            "high",
        ),
        (
            "leaked credentials of third parties",
            domain.third_parties_compromised,
            "medium",
        ),
        ("dark-web mentions", domain.dark_web_mentions_count, "low"),
    ];
    let total = |scan: &DomainScan| {
        Some(
            scan.employees_compromised?
                + scan.customers_compromised?
                + scan.third_parties_compromised?,
        )
    };
    let counts: Vec<u64> = history.iter().rev().filter_map(total).collect();
    let over_time = match counts.len() {
        0 | 1 => "<p class=\"soft\">Too few scans for a picture over time.</p>".to_owned(),
        scans => format!(
            "<p class=\"soft\">Compromised credentials over the last {scans} scans</p>{}",
            line(&counts, "over-time")
        ),
    };
    format!(
        "<div class=\"domain\"><div><b class=\"wide\">{}</b> <span class=\"soft\">{}</span>{}</div><div>{over_time}</div></div>",
        escaped(&domain.domain),
        escaped(domain.status.as_str()),
        bars(&found)
    )
}

fn expiring(report: &Report) -> String {
    if report.expiring.is_empty() {
        return String::new();
    }
    let rows = report.expiring.iter().map(|rule| {
        [
            escaped(&ports_of(rule)),
            escaped(&place_of(rule)),
            escaped(rule.justification.as_deref().unwrap_or_default()),
            rule.expires_at
                .as_ref()
                .map(day_and_minute)
                .unwrap_or_default(),
        ]
    });
    format!(
        "<h2>Rules that end within {SOON_DAYS} days</h2>{}",
        table(["Port", "Server", "Reason", "Ends"], rows)
    )
}
