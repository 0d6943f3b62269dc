//! What scans have found before a client begins: port alerts and mentions, which a goal may have read.

use std::num::NonZeroU16;

use secmon_engine::{
    Account, Call, ClientId, DomainFindings, Instant, ListMentions, ListPortAlerts, OpenPort, Page,
    Protocol, Refusal, ScanOutcome,
};
use serde_json::{Value, json};

use super::book::Scanned;
use super::records::{self, Record};
use crate::values::admin_error::AdminError;

/// More than any playbook prepares.
const ALL: u64 = 100_000;

/// Lets every server and domain of an account be scanned, with these findings.
pub(super) fn scan(
    account: &mut Account,
    now: Instant,
    scanned: &Scanned,
) -> Result<(), AdminError> {
    let refused = |refusal: Refusal| AdminError::Conflict(refusal.to_string());
    let ports = (1..=scanned.ports).filter_map(NonZeroU16::new);
    let ports = ports.map(|port| OpenPort {
        port,
        protocol: Protocol::Tcp,
    });
    let ports: Vec<OpenPort> = ports.collect();
    let findings = DomainFindings::new(0, 0, 0, scanned.mentions).unwrap_or_default();
    for record in records::of(account).into_values() {
        let Ok(id) = record.id.parse() else { continue };
        let mut session = account.at(now);
        match record.members["kind"].as_str() {
            Some("server") => {
                session.set_ports(id, ports.clone()).map_err(refused)?;
                session
                    .scan_endpoint_now(id, ScanOutcome::Completed)
                    .map_err(refused)?;
            }
            Some("domain") => {
                session.set_findings(id, findings).map_err(refused)?;
                session
                    .scan_domain_now(id, ScanOutcome::Completed)
                    .map_err(refused)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The port alerts of a customer, and the mentions of its domains: scans bring more of them, and no goal changes one.
pub(super) fn of(account: &mut Account, call: Call, client: ClientId) -> Vec<Record> {
    let page = Page::new(1, ALL);
    let alerts = account.at(call).list_port_alerts(ListPortAlerts {
        client,
        endpoint: None,
        status: None,
        severity: None,
        page,
    });
    let alerts = alerts.items.into_iter();
    let mut found: Vec<Record> = alerts
        .map(|alert| record("alert", alert.summary.id.to_string(), client))
        .collect();
    for domain in records::of(account).into_values() {
        let Ok(id) = domain.id.parse() else { continue };
        // Only this way a read leaves them unseen.
        let is_new = Some(true);
        let request = ListMentions {
            client,
            is_new,
            page,
        };
        if let Ok(mentions) = account.at(call).list_mentions(id, request) {
            let mentions = mentions.items.into_iter();
            found.extend(mentions.map(|mention| record("mention", mention.id.to_string(), client)));
        }
    }
    found
}

fn record(kind: &str, id: String, client: ClientId) -> Record {
    Record {
        name: format!("the {kind} {id}"),
        id,
        members: json!({ "kind": kind, "customer": client }),
        state: "found".to_owned(),
        rest: Value::Null,
    }
}
