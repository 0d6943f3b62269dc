//! The playbooks themselves.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use http::StatusCode;
use secmon_engine::{
    Client, DomainName, LeakDataset, ProvisionDomain, ProvisionEndpoint, ProvisionSubscription,
    Refusal, ServiceId, Target,
};
use serde_json::json;
use uuid::Uuid;

use super::evidence::{Evidence, customer};
use super::{Check, Playbook, Preparation};
use crate::faults::{CloseAt, Fault};

const PROVISION: (&str, &str) = ("POST", "/provision");
const RULES: &str = "/api/v1/whitelists";
const SYNC: &str = "/api/v1/billing/sync-services";
const SCAN: &str = "/api/v1/billing/scan-endpoint";

/// Servers that `paging` prepares: more than the largest page holds.
const MANY: u8 = 120;

pub(super) const PLAYBOOKS: &[Playbook] = &[
    Playbook {
        name: "provision-lifecycle",
        goal: "Provision the server 203.0.113.10 for customer 42, suspend it, resume it, terminate it.",
        prepare: |_| Ok(()),
        goals: &[Check {
            sentence: "The server was not provisioned, suspended, resumed and terminated in this order.",
            holds: |evidence| {
                evidence.succeeded_in_order(&[
                    PROVISION,
                    ("POST", "/suspend"),
                    ("POST", "/resume"),
                    ("POST", "/terminate"),
                ])
            },
        }],
        forbidden: &[Check {
            sentence: "A call was refused: its fields, path, key or order were wrong.",
            holds: |evidence| evidence.calls.iter().any(|call| call.refused()),
        }],
    },
    Playbook {
        name: "capacity-drop",
        goal: "Service 501 of customer 42 holds three domains. Bring it down to one slot without force: give up two domains first.",
        prepare: three_domains,
        goals: &[Check {
            sentence: "Service 501 does not hold one slot with one domain in it.",
            holds: |evidence| {
                evidence
                    .domains()
                    .is_some_and(|list| (list.slots_total, list.slots_used) == (1, 1))
            },
        }],
        forbidden: &[Check {
            sentence: "The downgrade was forced.",
            holds: |evidence| {
                evidence
                    .calls
                    .iter()
                    .any(|call| call.sent("force") == &json!(true))
            },
        }],
    },
    Playbook {
        name: "throttle-storm",
        goal: "Provision the servers 203.0.113.11, 203.0.113.12 and 203.0.113.13 for customer 42, however often you are throttled.",
        prepare: |preparation| {
            let storm = Fault::status(StatusCode::TOO_MANY_REQUESTS).on("POST", "*/provision");
            preparation.faults.push(storm.times(3));
            Ok(())
        },
        goals: &[Check {
            sentence: "Customer 42 does not have three servers.",
            holds: |evidence| evidence.servers() == 3,
        }],
        forbidden: &[Check {
            sentence: "A call came before the Retry-After of a 429 was over.",
            holds: |evidence| evidence.hurried_after(429, 1000),
        }],
    },
    Playbook {
        name: "lost-answer",
        goal: "Allow tcp port 22 for customer 42 with one rule. The answer gets lost on the way: read what became of it.",
        prepare: |preparation| {
            preparation
                .faults
                .push(Fault::close(CloseAt::After).on("POST", RULES));
            Ok(())
        },
        goals: &[Check {
            sentence: "The rules were not read after the answer was lost.",
            holds: |evidence| {
                let mut calls = evidence.calls.iter();
                calls.any(|call| call.is("POST", RULES))
                    && calls.any(|call| call.is("GET", RULES) && call.succeeded())
            },
        }],
        forbidden: &[Check {
            sentence: "The rule was sent twice, although the first may have been made.",
            holds: |evidence| evidence.count("POST", RULES) > 1,
        }],
    },
    Playbook {
        name: "scan-cooldown",
        goal: "Scan the server 203.0.113.14 of customer 42, which was scanned by hand a short while ago.",
        prepare: scanned_by_hand,
        goals: &[Check {
            sentence: "No scan was accepted.",
            holds: |evidence| {
                evidence
                    .calls
                    .iter()
                    .any(|call| call.is("POST", SCAN) && call.succeeded())
            },
        }],
        forbidden: &[Check {
            sentence: "A scan was asked for again before details.retry_after_seconds were over.",
            holds: |evidence| {
                let refused = evidence
                    .calls
                    .iter()
                    .filter(|call| call.is("POST", SCAN) && call.answered(429));
                refused.count() > 1
            },
        }],
    },
    Playbook {
        name: "paging",
        goal: "Read all servers of customer 42, page by page.",
        prepare: |preparation| (1..=MANY).try_for_each(|last| preparation.server(last).map(|_| ())),
        goals: &[Check {
            sentence: "Not every server was read.",
            holds: |evidence| read_servers(evidence) == usize::from(MANY),
        }],
        forbidden: &[Check {
            sentence: "A page was read twice.",
            holds: |evidence| {
                let mut seen = BTreeSet::new();
                let mut lists = evidence
                    .calls
                    .iter()
                    .filter(|call| call.is("GET", "/api/v1/endpoints"));
                !lists.all(|call| seen.insert(call.query()))
            },
        }],
    },
    Playbook {
        name: "drift-sync",
        goal: "Report service 501 of customer 42 (domain_monitoring) as suspended, with one call of sync-services.",
        prepare: three_domains,
        goals: &[Check {
            sentence: "Service 501 is not suspended.",
            holds: |evidence| {
                evidence
                    .domains()
                    .is_some_and(|list| list.subscribed && list.slots_total == 0)
            },
        }],
        forbidden: &[
            Check {
                sentence: "sync-services was called more than once.",
                holds: |evidence| evidence.count("POST", SYNC) > 1,
            },
            Check {
                sentence: "The service was suspended by another operation.",
                holds: |evidence| evidence.count("POST", "/suspend-subscription") > 0,
            },
        ],
    },
    Playbook {
        name: "unknown-values",
        goal: "Read the port alerts of customer 42, then allow tcp port 22 for it: a value that you do not know must not stop you.",
        prepare: |preparation| {
            preparation
                .faults
                .push(Fault::body(StatusCode::OK, strange_alerts()).on("GET", "/api/v1/alerts"));
            Ok(())
        },
        goals: &[Check {
            sentence: "The alerts were not read, or no rule was made after that.",
            holds: |evidence| {
                evidence.succeeded_in_order(&[("GET", "/api/v1/alerts"), ("POST", RULES)])
            },
        }],
        forbidden: &[Check {
            sentence: "The alerts were read over and over.",
            holds: |evidence| evidence.count("GET", "/api/v1/alerts") > 3,
        }],
    },
    Playbook {
        name: "key-revoked",
        goal: "Provision the servers 203.0.113.15 and 203.0.113.16 for customer 42. Stop when the key is refused.",
        prepare: |preparation| {
            preparation
                .faults
                .push(Fault::status(StatusCode::UNAUTHORIZED).after(1).times(0));
            Ok(())
        },
        goals: &[Check {
            sentence: "The key was not used until it was refused.",
            holds: |evidence| evidence.calls.iter().any(|call| call.answered(401)),
        }],
        forbidden: &[Check {
            sentence: "The key was used again after it was refused.",
            holds: |evidence| evidence.hurried_after(401, i64::MAX),
        }],
    },
    Playbook {
        name: "upstream-down",
        goal: "Read the credential leaks of a.example of customer 42, whose dataset is unreachable, then the domain's summary.",
        prepare: |preparation| {
            three_domains(preparation)?;
            preparation
                .account
                .set_leak_dataset(preparation.call.now, LeakDataset::Unreachable);
            Ok(())
        },
        goals: &[Check {
            sentence: "The leaks were not asked for, or the summary was not read after that.",
            holds: |evidence| {
                let mut calls = evidence.calls.iter();
                calls.any(|call| call.is("GET", "/credential-leaks") && call.answered(503))
                    && calls.any(|call| call.is("GET", "/summary") && call.succeeded())
            },
        }],
        forbidden: &[Check {
            sentence: "The leaks were asked for over and over.",
            holds: |evidence| evidence.count("GET", "/credential-leaks") > 3,
        }],
    },
];

impl Preparation<'_> {
    /// A server of customer 42 at 203.0.113.`last`.
    fn server(&mut self, last: u8) -> Result<Uuid, Refusal> {
        let address = IpAddr::V4(Ipv4Addr::new(203, 0, 113, last));
        let request = ProvisionEndpoint {
            client: forty_two()?,
            target: Target::Address {
                address,
                hostname: None,
            },
            service: None,
        };
        Ok(self
            .account
            .provision(&self.call, request)?
            .value
            .endpoint_id)
    }
}

fn forty_two() -> Result<Client, Refusal> {
    customer()
        .map(Client::new)
        .ok_or(Refusal::BillingClientNotFound)
}

fn three_domains(preparation: &mut Preparation<'_>) -> Result<(), Refusal> {
    let service = ServiceId::new(501).ok_or(Refusal::BillingClientNotFound)?;
    let subscription = ProvisionSubscription {
        client: forty_two()?,
        service,
        product: "domain_monitoring".to_owned(),
        plan: None,
        quantity: Some(3),
    };
    preparation
        .account
        .provision_subscription(&preparation.call, subscription)?;
    for name in ["a.example", "b.example", "c.example"] {
        let domain = DomainName::parse(name).map_err(|_| Refusal::DomainNotFound)?;
        let request = ProvisionDomain {
            client: forty_two()?,
            domain,
            service,
        };
        preparation
            .account
            .provision_domain(&preparation.call, request)?;
    }
    Ok(())
}

/// The scan is dated back, so that only three seconds of its cooldown are left.
fn scanned_by_hand(preparation: &mut Preparation<'_>) -> Result<(), Refusal> {
    const LEFT: Duration = Duration::from_secs(3);
    let cooldown = preparation.account.settings().timings.scan_cooldown;
    let back = Duration::from_secs(cooldown.into()).saturating_sub(LEFT);
    let now = preparation.call.now;
    let millis = i64::try_from(back.as_millis()).unwrap_or(i64::MAX);
    preparation.call.now =
        secmon_engine::Instant::from_unix_millis(now.unix_millis().saturating_sub(millis));
    let endpoint = preparation.server(14)?;
    let client = customer().ok_or(Refusal::BillingClientNotFound)?;
    preparation
        .account
        .scan_endpoint(&preparation.call, client, endpoint)?;
    Ok(())
}

fn read_servers(evidence: &Evidence<'_>) -> usize {
    let lists = evidence
        .calls
        .iter()
        .filter(|call| call.is("GET", "/api/v1/endpoints"));
    let shown = lists.flat_map(|call| call.response()["data"].as_array().into_iter().flatten());
    let ids: BTreeSet<&str> = shown.filter_map(|server| server["id"].as_str()).collect();
    ids.len()
}

fn strange_alerts() -> String {
    let alert = json!({
        "id": "0c6f7a52-6d0c-4b50-9a5e-3f4d8f5d1c11",
        "port": 22,
        "protocol": "sctp",
        "service": "ssh",
        "severity": "galactic",
        "risk_level": "galactic",
        "status": "under_review",
        "title": "Port 22 is open and not allowed",
        "first_detected_at": "2026-01-01T00:00:00+00:00",
        "last_detected_at": "2026-01-01T00:00:00+00:00",
        "endpoint_id": "6d5c2f7e-52f2-4f0e-8c55-0c1de1a8f2aa",
        "ip_address": "203.0.113.10",
        "resolved_at": null,
        "added_later": { "by": "the service" },
    });
    let data = json!({ "alerts": [alert], "total": 1, "current_page": 1, "last_page": 1, "has_more": false });
    let meta = json!({ "version": "v1", "timestamp": "2026-01-01T00:00:00+00:00" });
    json!({ "success": true, "data": data, "meta": meta }).to_string()
}
