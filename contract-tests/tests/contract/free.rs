//! What the documents leave free makes no difference, and nothing else is free.

use secmon_contract_tests::free::{difference, disagreement, documented, without_own};
use serde_json::{Value, json};

checks! {
    answers_that_differ_in_what_is_free_say_the_same(Embedded),
    what_the_documents_fix_is_not_free(Embedded),
    records_of_two_accounts_have_texts_of_their_own(Embedded),
    two_reads_of_a_record_agree_in_what_both_show(Embedded),
    what_is_kept_of_an_answer_has_the_entries_of_maps_and_no_further_members(Embedded),
}

/// Where two answers differ.
fn place(was: &Value, is: &Value) -> Option<String> {
    difference(was, is).map(|difference| difference.place)
}

fn answers_that_differ_in_what_is_free_say_the_same() {
    let one = json!({"success": true, "data": {
        "id": "6f9619ff-8b86-4d01-b42d-00c04fc964ff", "note": "Already so.", "open_ports": [80, 22],
        "created_at": "2026-01-01T00:00:00+00:00", "errors": {"ip_address": ["No."]},
        "unknown_services": [{"service_id": 2}, {"service_id": 1}]}});
    let other = json!({"request_id": 7, "success": true, "data": {
        "errors": {"ip_address": ["This is no address.", "Look again."]}, "open_ports": [22, 80],
        "created_at": "2026-01-01T05:30:00+05:30", "id": "6F9619FF-8B86-4D01-B42D-00C04FC964FF",
        "unknown_services": [{"service_id": 1, "etag": "x"}, {"service_id": 2, "etag": {"kind": "y"}}],
        "note": "It was so before."}});
    assert_eq!(place(&one, &other), None);
}

fn what_the_documents_fix_is_not_free() {
    for (was, is, at) in [
        (
            json!({"data": {"status": "active"}}),
            json!({"data": {"status": "paused"}}),
            "/data/status",
        ),
        (
            json!({"data": {"note": "Already so."}}),
            json!({"data": {}}),
            "/data/note",
        ),
        (
            json!({"errors": {"port": ["No."]}}),
            json!({"errors": {"protocol": ["No."]}}),
            "/errors/port",
        ),
        (
            json!({"open_ports": [22, 80]}),
            json!({"open_ports": [22, 81]}),
            "/open_ports/1",
        ),
        (
            json!({"data": [{"port": 1}, {"port": 2}]}),
            json!({"data": [{"port": 2}, {"port": 1}]}),
            "/data/0/port",
        ),
    ] {
        assert_eq!(place(&was, &is).as_deref(), Some(at), "{was} and {is}");
    }
}

fn records_of_two_accounts_have_texts_of_their_own() {
    let mention = |author: &str| json!({"source_name": "forum", "author": author, "is_new": true});
    assert!(place(&mention("x"), &mention("y")).is_some());
    let [one, other] = [mention("x"), mention("y")].map(|mention| without_own(&mention));
    assert_eq!(place(&one, &other), None);
    // A rule's service is what the partner sent.
    let rule = |service: &str| without_own(&json!({"service": service, "protocol": "tcp"}));
    assert!(place(&rule("ssh"), &rule("http")).is_some());
}

fn two_reads_of_a_record_agree_in_what_both_show() {
    let alone = json!({"id": 1, "status": "active", "added_later": 1});
    let listed = json!({"id": 1, "status": "active", "quota_paused": false, "added_later": 2});
    assert_eq!(disagreement(&alone, &listed), None);
    let other = disagreement(&alone, &json!({"id": 1, "status": "paused"}));
    assert_eq!(
        other.map(|difference| difference.place).as_deref(),
        Some("/status")
    );
}

fn what_is_kept_of_an_answer_has_the_entries_of_maps_and_no_further_members() {
    let report = json!({"enforcement": {"42": {"port_monitoring": {"usage": 1, "added_later": 2}}}, "etag": "x"});
    let kept = json!({"enforcement": {"42": {"port_monitoring": {"usage": 1}}}});
    assert_eq!(documented(&report), kept);
}
