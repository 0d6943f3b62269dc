//! Values: what is read, kept and written back.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use http::StatusCode;
use secmon::ErrorCode;
use secmon::model::*;
use secmon::operations::ListEndpoints;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::support::*;

/// A text survives being read and written, whether this version has a name for it or not.
fn keeps<T: Serialize + DeserializeOwned>(texts: &[&str]) {
    for text in texts {
        let value: T = serde_json::from_value(json!(text)).expect("a value");
        assert_eq!(serde_json::to_value(&value).expect("JSON"), json!(text));
    }
}

#[test]
fn open_enums_keep_every_value_exactly() {
    keeps::<EndpointStatus>(&[
        "active",
        "paused",
        "terminated",
        "hibernating",
        "ACTIVE",
        "",
    ]);
    keeps::<Severity>(&["low", "medium", "high", "critical", "apocalyptic"]);
    keeps::<RiskLevel>(&["low", "medium", "high", "critical", "odd"]);
    keeps::<PortAlertStatus>(&["open", "resolved", "snoozed"]);
    keeps::<Protocol>(&["tcp", "udp", "*", "sctp"]);
    keeps::<RuleScope>(&["global", "endpoint", "group"]);
    keeps::<RuleStatus>(&["active", "expired", "planned"]);
    keeps::<ScanStatus>(&["pending", "running", "completed", "failed", "stuck"]);
    let unknown = EndpointStatus::from("hibernating");
    assert_eq!(unknown.as_str(), "hibernating");
    assert!(!EndpointStatus::VARIANTS.contains(&unknown));
    assert_eq!(format!("{:>8}", Protocol::Any), "       *");
}

#[test]
fn severities_are_ordered_by_weight() {
    assert!(Severity::Critical > Severity::High && Severity::Medium > Severity::Low);
}

#[test]
fn error_codes_keep_every_text_and_every_number() {
    let named: Vec<ErrorCode> = ErrorCode::VARIANTS.to_vec();
    assert_eq!(named.len(), 25);
    for code in named {
        assert_eq!(ErrorCode::from(code.to_str().as_ref()), code);
    }
    assert_eq!(ErrorCode::from("BRAND_NEW").to_string(), "BRAND_NEW");
    assert_eq!(ErrorCode::Number(404).to_string(), "404");
}

#[test]
fn identifiers_are_read_in_any_case_and_refused_with_a_sentence() {
    let id: EndpointId = ID.to_uppercase().parse().expect("an id");
    assert_eq!(id.to_string(), ID);
    let error = "web-1".parse::<RuleId>().expect_err("no id").to_string();
    assert!(error.contains("`web-1` is no rule id"), "{error}");
}

#[test]
fn customer_numbers_start_at_one_and_end_with_signed_64_bits() {
    assert!(CustomerId::try_from(1).is_ok());
    assert!(CustomerId::try_from(i64::MAX as u64).is_ok());
    for bad in ["0", "-1", "1.0", "", "9223372036854775808", "42x"] {
        assert!(bad.parse::<CustomerId>().is_err(), "{bad}");
    }
    assert!(serde_json::from_value::<CustomerId>(json!(0)).is_err());
}

#[test]
fn port_ranges_are_read_as_they_are_written() {
    for text in ["1", "22", "8000-8100", "65535"] {
        assert_eq!(
            text.parse::<PortRange>().expect("a range").to_string(),
            text
        );
    }
    let single: PortRange = "443-443".parse().expect("a range");
    assert_eq!(
        single,
        PortRange::single(NonZeroU16::new(443).expect("a port"))
    );
    for bad in [
        "0", "65536", "-1", "22-", "-22", "100-99", "22-80-90", "ssh", "", " 22",
    ] {
        assert!(bad.parse::<PortRange>().is_err(), "{bad}");
    }
}

#[test]
fn timestamps_give_back_the_text_they_came_in() {
    for text in [
        "2026-01-31T09:30:00+00:00",
        "2026-01-31T09:30:00.123456Z",
        "2026-01-31T09:30:00-05:30",
        "2026-01-31 09:30:00",
        "2026-01-31T09:30:00",
        "2026-01-31",
    ] {
        let timestamp: Timestamp = serde_json::from_value(json!(text)).expect("a timestamp");
        assert_eq!(timestamp.as_str(), text);
        assert_eq!(serde_json::to_value(&timestamp).expect("JSON"), json!(text));
        assert_eq!(timestamp.date_time().date_naive().to_string(), "2026-01-31");
    }
    assert!(serde_json::from_value::<Timestamp>(json!("yesterday")).is_err());
}

#[test]
fn a_record_is_written_back_as_it_was_read() {
    let original = endpoint();
    let read: Endpoint = serde_json::from_value(original.clone()).expect("an endpoint");
    assert_eq!(serde_json::to_value(read).expect("JSON"), original);
}

#[test]
fn a_record_with_only_what_identifies_it_is_read() {
    let bare = json!({"id": ID, "ip_address": "203.0.113.10", "status": "moving"});
    let endpoint: Endpoint = serde_json::from_value(bare).expect("an endpoint");
    assert_eq!(endpoint.status.as_str(), "moving");
    assert_eq!(endpoint.nickname, None);

    let rule = json!({"id": ID, "port_start": 9, "port_end": 3, "protocol": "quic"});
    let rule: Rule = serde_json::from_value(rule).expect("a rule");
    assert_eq!(rule.ports(), None);
}

#[tokio::test]
async fn lists_in_place_of_empty_maps_are_read_and_absent_lists_are_no_empty_ones() {
    let whole = json!({"data": endpoint(), "latest_scan": [], "alerts": [], "whitelisted_ports": [],
                       "new_ports": [], "closed_ports": []});
    let (client, script) = scripted();
    let read = async |detail: &Value| {
        script.answer(StatusCode::OK, detail.to_string());
        client.servers().detail(customer(), endpoint_id()).await
    };
    let detail = read(&whole).await.expect("a detail").data;
    assert!(detail.latest_scan.is_none() && detail.alerts.is_empty());
    for list in ["alerts", "whitelisted_ports", "new_ports", "closed_ports"] {
        let mut without = whole.clone();
        without[list] = Value::Null;
        assert!(read(&without).await.is_err(), "{list}");
    }

    let counted = async |counts: Value| {
        let meta = json!({"current_page": 1, "per_page": 25, "total": 0, "status_counts": counts});
        script.answer(
            StatusCode::OK,
            json!({"data": [], "meta": meta}).to_string(),
        );
        let page = client.send(ListEndpoints::new(customer())).await;
        page.expect("a page").data.meta.status_counts
    };
    assert_eq!(counted(json!([])).await, Some(BTreeMap::new()));
    assert_eq!(
        counted(json!({"active": 3})).await,
        Some([(EndpointStatus::Active, 3)].into())
    );
    assert_eq!(counted(json!([1])).await, None);
}
