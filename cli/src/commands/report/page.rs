//! The page.

use super::charts::{bars, day, escaped, name, trend};
use super::contents::Report;
use super::todo::{self, ToDo, Urgency};
use crate::commands::common::findings;
use crate::commands::common::views::{is_paused, place_of, port_of, ports_of};
use crate::references;
use crate::ui::outcome::count_or_unknown;
use crate::values::durations::counted;
use chrono::NaiveDate;
use secmon::model::{DomainScan, Endpoint, EndpointDetail, MonitoredDomain, PortAlert, Timestamp};
use std::cmp::Reverse;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

/// Places that one thing to do names; the tables below name all.
const MOST_PLACES: usize = 10;

/// The whole page.
pub fn render(report: &Report) -> String {
    let title = match &report.client_name {
        Some(client) => format!("Security report for {client}"),
        None => format!("Security report for customer {}", report.customer),
    };
    let sections = [
        header(report),
        to_do_list(report),
        servers(&report.servers),
        domains(report),
        exceptions(report),
    ]
    .concat();
    format!(
        "{BEGINNING}<title>{}</title><style>{STYLE}</style></head><body>{sections}</body></html>\n",
        escaped(&title)
    )
}

/// How every page begins, and nobody else's: it names neither sender nor program.
const BEGINNING: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">";

/// Whether a file begins as such a page.
pub fn is_one(beginning: &[u8]) -> bool {
    beginning.starts_with(BEGINNING.as_bytes())
}

fn date_of(time: &Timestamp) -> NaiveDate {
    time.date_time().to_utc().date_naive()
}

fn header(report: &Report) -> String {
    let logo = report.logo.as_ref().map(|url| {
        let alt = report.brand.as_deref().unwrap_or("Logo of the sender");
        format!("<img src=\"{url}\" alt=\"{}\">", escaped(alt))
    });
    let brand = report.brand.as_deref().map(name);
    let sender = [logo, brand].into_iter().flatten().collect::<String>();
    let sender = match sender.is_empty() {
        true => sender,
        false => format!("<p class=\"sender\">{sender}</p>"),
    };
    let number = format!("customer {}", report.customer);
    let client = match &report.client_name {
        Some(client) => format!("{} ({number})", name(client)),
        None => number,
    };
    let watched = [
        (report.servers.len(), "server"),
        (report.domains.len(), "domain"),
    ];
    let watched = watched.map(|(count, what)| (count > 0).then(|| counted(count, what)));
    let watched: Vec<String> = watched.into_iter().flatten().collect();
    format!(
        "<header>{sender}<h1>Security report</h1><p>For {client}, {}: {}.</p></header>",
        day(report.made_at),
        watched.join(" and ")
    )
}

fn to_do_list(report: &Report) -> String {
    let all = todo::all(report);
    if all.is_empty() {
        return "<h2>What needs doing</h2><p>Nothing at the moment.</p>".to_owned();
    }
    let items: String = all.iter().map(to_do).collect();
    format!("<h2>What needs doing, most urgent first</h2><ol class=\"todo\">{items}</ol>")
}

fn to_do(to_do: &ToDo) -> String {
    let (shown, rest) = to_do.places.split_at(to_do.places.len().min(MOST_PLACES));
    let mut places = shown.join(", ");
    if !rest.is_empty() {
        let _ = write!(places, " and {} more, see below", rest.len());
    }
    if !places.is_empty() {
        places = format!("<p class=\"soft\">{places}</p>");
    }
    let urgency = to_do.urgency.word();
    format!(
        "<li><h3><span class=\"mark {urgency}\">{urgency}</span> {}</h3>{places}<p>{}</p></li>",
        to_do.title, to_do.advice
    )
}

/// A table whose cells know their heading, for a screen where they stand one below the other. The cells are text of
/// the page already.
fn table(class: &str, headings: [&str; 4], rows: impl Iterator<Item = [String; 4]>) -> String {
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
    format!("<table class=\"{class}\"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")
}

/// The servers, those with the worst findings first.
fn servers(servers: &[EndpointDetail]) -> String {
    if servers.is_empty() {
        return String::new();
    }
    let mut servers: Vec<&EndpointDetail> = servers.iter().collect();
    servers.sort_by_cached_key(|server| {
        let worst = server.alerts.iter().map(Urgency::of).min();
        (
            worst.is_none(),
            worst,
            Reverse(server.alerts.len()),
            references::in_order(&references::name_of(&server.data)),
        )
    });
    format!(
        "<h2>Servers</h2>{}",
        table(
            "servers",
            ["Server", "Monitoring", "Last scan", "Open ports"],
            servers.into_iter().map(server)
        )
    )
}

fn server(detail: &EndpointDetail) -> [String; 4] {
    let data = &detail.data;
    let scanned = data.last_scan_at.as_ref().map(date_of);
    [
        todo::server_name(data),
        escaped(&status_and_why(data)),
        scanned.map_or("not yet".to_owned(), day),
        ports(detail),
    ]
}

/// The state, and why a server is not scanned.
fn status_and_why(endpoint: &Endpoint) -> String {
    if todo::is_paused_for_want_of_room(endpoint) {
        return "paused, the plan is full".to_owned();
    }
    match is_paused(endpoint) {
        true => "paused on request".to_owned(),
        false => endpoint.status.to_string(),
    }
}

fn ports(detail: &EndpointDetail) -> String {
    let mut alerts: Vec<&PortAlert> = detail.alerts.iter().collect();
    alerts.sort_by_key(|alert| (Urgency::of(alert), alert.port));
    let mut cells: String = alerts.into_iter().map(alerted_port).collect();
    let open = findings::open_ports(detail);
    for port in open.unwrap_or_default() {
        if detail.alerts.iter().any(|alert| alert.port == *port) {
            continue;
        }
        // Without an alert it need not be allowed: a rule may have gone since the last scan.
        let state = match findings::is_allowed(detail, *port) {
            true => "allowed",
            false => "open",
        };
        let _ = write!(cells, "<span class=\"port allowed\">{port} {state}</span>");
    }
    match (cells.is_empty(), &detail.latest_scan) {
        (true, None) => "not known yet".to_owned(),
        (true, Some(_)) if open.is_none() => count_or_unknown(None),
        (true, Some(_)) => "none".to_owned(),
        (false, _) => cells,
    }
}

fn alerted_port(alert: &PortAlert) -> String {
    let service = todo::service_of(alert).unwrap_or_default();
    let words = format!("{} {service}", port_of(alert));
    let urgency = Urgency::of(alert).word();
    format!(
        "<span class=\"port {urgency}\">{} · {urgency}</span>",
        name(words.trim_end())
    )
}

fn domains(report: &Report) -> String {
    if report.domains.is_empty() {
        return String::new();
    }
    let each = report.domains.iter();
    let each: String = each
        .map(|(known, history)| domain(known, history))
        .collect();
    format!("<h2>Domains</h2>{each}")
}

fn domain(domain: &MonitoredDomain, history: &[DomainScan]) -> String {
    let found = [
        (
            "Logins of employees",
            domain.employees_compromised,
            "critical",
        ),
        ("Logins of customers", domain.customers_compromised, "high"),
        (
            "Logins of suppliers",
            domain.third_parties_compromised,
            "medium",
        ),
        ("Dark-web mentions", domain.dark_web_mentions_count, "low"),
    ];
    let found: Vec<_> = found
        .into_iter()
        .filter(|(_, count, _)| *count != Some(0))
        .collect();
    let found = match found.as_slice() {
        [] => "<p>No leaked login and no mention on the dark web was found.</p>".to_owned(),
        found => format!(
            "<p class=\"soft\">Leaked or mentioned so far</p>{}",
            bars(found)
        ),
    };
    format!(
        "<section class=\"domain\"><h3>{} <span class=\"soft\">{}</span></h3><div>{found}</div><div>{}</div></section>",
        name(&domain.domain),
        escaped(domain.status.as_str()),
        over_time(history)
    )
}

/// The leaked logins that each scan counted, where there are scans to compare.
fn over_time(history: &[DomainScan]) -> String {
    let point = |scan: &DomainScan| {
        let leaked = scan.employees_compromised?
            + scan.customers_compromised?
            + scan.third_parties_compromised?;
        Some((date_of(scan.created_at.as_ref()?), leaked))
    };
    let points: Vec<(NaiveDate, u64)> = history.iter().rev().filter_map(point).collect();
    if points.len() < 2 {
        return "<p class=\"soft\">A trend is drawn from the second scan on.</p>".to_owned();
    }
    const WHAT: &str = "Leaked logins, scan by scan";
    format!("<p class=\"soft\">{WHAT}</p>{}", trend(WHAT, &points))
}

fn exceptions(report: &Report) -> String {
    if report.expiring.is_empty() {
        return String::new();
    }
    let rows = report.expiring.iter().map(|rule| {
        let end = rule.expires_at.as_ref().map(date_of);
        [
            escaped(&ports_of(rule)),
            rule.endpoint
                .as_ref()
                .map_or_else(|| escaped(&place_of(rule)), todo::server_name),
            name(rule.justification.as_deref().unwrap_or_default()),
            end.map(day).unwrap_or_default(),
        ]
    });
    format!(
        "<h2>Ports allowed until a date</h2>{}",
        table("exceptions", ["Port", "Server", "Reason", "Until"], rows)
    )
}
