//! Allowed Ports rules.

use secmon_engine::{
    ListRules, Page, Refusal, RuleProtocol, RuleScope, RuleStatus, ScopeFilter, parse_expiry,
};
use uuid::Uuid;

use crate::bench::{Bench, allow, client};

const SERVER: &str = "203.0.113.10";
const GLOBAL: RuleScope = RuleScope::Global;

fn list(bench: &mut Bench, change: impl FnOnce(&mut ListRules)) -> Vec<Uuid> {
    let mut request = ListRules {
        client: None,
        endpoint: None,
        scope: None,
        status: None,
        page: Page::new(1, 25),
    };
    change(&mut request);
    let call = bench.call();
    let page = bench.account.at(call).list_rules(request);
    page.items.iter().map(|rule| rule.id).collect()
}

fn overlap_field(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Invalid(fields) => fields.into_keys().next().unwrap_or_default(),
        other => panic!("refused for another reason: {other}"),
    }
}

#[test]
fn a_rule_of_one_server_is_shown_with_it() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let mut request = allow((8000, 8100), RuleScope::Endpoint(id), None);
    request.service = Some("web".to_owned());
    let rule = bench.rule(request);
    let endpoint = bench.endpoint(id);
    let shown = serde_json::to_value(&rule).expect("json");
    let expected = serde_json::json!({
        "id": rule.id,
        "tenant_id": bench.account.id(),
        "endpoint_id": id,
        "port": 8000,
        "port_start": 8000,
        "port_end": 8100,
        "range_label": "8000-8100",
        "protocol": "tcp",
        "service": "web",
        "justification": "Needed by the operations team",
        "auto_suggested": false,
        "expires_at": null,
        "created_by": bench.key,
        "created_at": "2026-01-01T00:00:00+00:00",
        "updated_at": "2026-01-01T00:00:00+00:00",
        "is_active": true,
        "scope_label": "Endpoint-Specific",
        "endpoint": serde_json::to_value(endpoint).expect("json"),
    });
    assert_eq!(shown, expected);
}

#[test]
fn a_global_rule_has_no_server_and_its_own_label_e8() {
    let mut bench = Bench::new();
    let mut request = allow((22, 22), RuleScope::Unstated, Some(42));
    request.protocol = RuleProtocol::Both;
    let shown = serde_json::to_value(bench.rule(request)).expect("json");
    assert_eq!(shown["scope_label"], "Global");
    assert_eq!(shown["endpoint_id"], serde_json::Value::Null);
    assert_eq!(shown["range_label"], "22");
    assert_eq!(shown["protocol"], "*");
    assert!(shown.get("endpoint").is_none());
}

#[test]
fn overlapping_rules_of_one_scope_are_refused_e7() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let other = bench.provision(42, "203.0.113.11");
    let here = RuleScope::Endpoint(id);
    bench.rule(allow((20, 30), here, None));
    for ports in [(20, 20), (30, 40), (1, 20), (1, 100)] {
        let refusal = bench.try_rule(allow(ports, here, None)).unwrap_err();
        assert_eq!(overlap_field(refusal), "port_start", "{ports:?}");
    }
    let mut both = allow((25, 25), here, None);
    both.protocol = RuleProtocol::Both;
    assert!(bench.try_rule(both.clone()).is_err(), "`*` meets tcp");
    let mut udp = both.clone();
    udp.protocol = RuleProtocol::Udp;
    bench.rule(udp);
    assert!(bench.try_rule(both).is_err(), "`*` meets udp");
    for elsewhere in [
        allow((31, 31), here, None),
        allow((20, 30), RuleScope::Endpoint(other), None),
        allow((20, 30), GLOBAL, Some(42)),
        allow((20, 30), GLOBAL, Some(43)),
        allow((20, 30), GLOBAL, None),
    ] {
        bench.rule(elsewhere);
    }
    assert!(bench.try_rule(allow((25, 25), GLOBAL, Some(42))).is_err());
    assert!(bench.try_rule(allow((25, 25), GLOBAL, None)).is_err());
}

#[test]
fn an_expired_rule_does_not_count_as_an_overlap_e7() {
    let mut bench = Bench::new();
    let mut request = allow((22, 22), GLOBAL, Some(42));
    request.expires_at = parse_expiry("2026-01-02", bench.now).ok();
    bench.rule(request.clone());
    bench.wait(2 * 86_400 - 1);
    request.expires_at = None;
    assert!(bench.try_rule(request.clone()).is_err());
    bench.rule(allow((24, 24), GLOBAL, Some(42)));
    bench.wait(1);
    let wider = bench
        .try_rule(allow((22, 24), GLOBAL, Some(42)))
        .unwrap_err();
    let Refusal::Invalid(fields) = wider else {
        panic!("{wider:?}");
    };
    let sentence = &fields["port_start"][0];
    assert!(
        sentence.ends_with("for 24."),
        "the rule that is in the way: {sentence}"
    );
    bench.rule(request);
}

#[test]
fn the_other_rules_of_a_server_stay_when_one_is_deleted_e7() {
    let mut bench = Bench::new();
    let here = RuleScope::Endpoint(bench.provision(42, SERVER));
    let gone = bench.rule(allow((22, 22), here, None));
    bench.rule(allow((80, 80), here, None));
    let call = bench.call();
    bench
        .account
        .at(call)
        .delete_rule(gone.id, None)
        .expect("deleted");
    assert!(bench.try_rule(allow((80, 80), here, None)).is_err());
    bench.rule(allow((22, 22), here, None));
}

#[test]
fn a_rule_needs_a_live_server_of_its_customer_a12() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let gone = bench.provision(42, "203.0.113.11");
    let call = bench.call();
    bench.account.at(call).terminate(gone).expect("terminated");
    for nobodys in [gone, Uuid::nil()] {
        let request = allow((22, 22), RuleScope::Endpoint(nobodys), Some(42));
        let refusal = bench.try_rule(request).unwrap_err();
        assert_eq!(overlap_field(refusal), "endpoint_id");
    }
    let foreign = allow((22, 22), RuleScope::Endpoint(id), Some(43));
    assert_eq!(bench.try_rule(foreign).unwrap_err(), Refusal::AccessDenied);
}

#[test]
fn another_customers_rule_is_not_found_a12() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let own = bench
        .rule(allow((22, 22), RuleScope::Endpoint(id), None))
        .id;
    let global = bench.rule(allow((22, 22), GLOBAL, Some(42))).id;
    let call = bench.call();
    let stranger = Some(client(43));
    let not_found = Some(Refusal::RuleNotFound);
    for rule in [own, global, Uuid::nil()] {
        let account = &mut bench.account;
        assert_eq!(account.at(call).rule(rule, stranger).err(), not_found);
        assert_eq!(
            account.at(call).delete_rule(rule, stranger).err(),
            not_found
        );
        let update = allow((23, 23), RuleScope::Unstated, Some(43));
        assert_eq!(account.at(call).update_rule(rule, update).err(), not_found);
    }
    for rule in [own, global] {
        let account = &mut bench.account;
        assert!(account.at(call).rule(rule, None).is_ok());
        assert!(account.at(call).rule(rule, Some(client(42))).is_ok());
        assert_eq!(account.at(call).delete_rule(rule, Some(client(42))), Ok(()));
        assert_eq!(account.at(call).delete_rule(rule, None).err(), not_found);
    }
}

#[test]
fn an_account_wide_rule_is_seen_by_all_and_changed_without_a_customer_e8() {
    let mut bench = Bench::new();
    bench.provision(42, SERVER);
    let wide = bench.rule(allow((22, 22), GLOBAL, None)).id;
    let own = bench.rule(allow((80, 80), GLOBAL, Some(42))).id;
    bench.rule(allow((80, 80), GLOBAL, Some(43)));
    let listed = list(&mut bench, |request| request.client = Some(client(42)));
    assert_eq!(listed, [wide, own]);
    let call = bench.call();
    let counts = bench.account.at(call).rule_counts(client(42));
    assert_eq!(counts.global_count, 2);
    assert!(bench.account.at(call).rule(wide, Some(client(42))).is_ok());
    let update = |client_id| allow((23, 23), RuleScope::Unstated, client_id);
    assert_eq!(
        bench
            .account
            .at(call)
            .update_rule(wide, update(Some(42)))
            .err(),
        Some(Refusal::RuleNotFound)
    );
    assert_eq!(
        bench
            .account
            .at(call)
            .delete_rule(wide, Some(client(42)))
            .err(),
        Some(Refusal::RuleNotFound)
    );
    assert!(
        bench
            .account
            .at(call)
            .update_rule(wide, update(None))
            .is_ok()
    );
    assert!(bench.account.at(call).delete_rule(wide, None).is_ok());
}

#[test]
fn an_update_replaces_the_rule_but_keeps_scope_and_maker_e10() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let mut request = allow((22, 30), RuleScope::Endpoint(id), None);
    request.service = Some("ssh".to_owned());
    request.expires_at = parse_expiry("2026-02-01", bench.now).ok();
    let rule = bench.rule(request);
    bench.wait(10);
    let call = bench.call();
    let mut update = allow((25, 25), RuleScope::Unstated, Some(42));
    update.protocol = RuleProtocol::Udp;
    update.justification = "Needed by the new team".to_owned();
    let done = bench.account.at(call).update_rule(rule.id, update);
    let new = done.expect("it does not overlap itself").value;
    assert_eq!(new.protocol, RuleProtocol::Udp);
    assert_eq!(new.justification, "Needed by the new team");
    assert_eq!(new.id, rule.id);
    assert_eq!(new.endpoint_id, Some(id));
    assert_eq!((new.port_start, new.port_end), (25, 25));
    assert_eq!((new.service, new.expires_at), (None, None));
    assert_eq!(new.created_at, rule.created_at);
    assert_eq!(new.created_by, rule.created_by);
    assert_ne!(new.updated_at, rule.updated_at);
}

#[test]
fn an_update_moves_a_rule_within_its_customer_or_anywhere_without_one_e10() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let other = bench.provision(43, SERVER);
    let rule = bench
        .rule(allow((22, 22), RuleScope::Endpoint(id), None))
        .id;
    let call = bench.call();
    let mut update = |scope, client_id| {
        let request = allow((22, 22), scope, client_id);
        let done = bench.account.at(call).update_rule(rule, request)?;
        Ok(done.value)
    };
    assert_eq!(
        update(RuleScope::Endpoint(other), Some(42)),
        Err(Refusal::AccessDenied)
    );
    let global = update(GLOBAL, Some(42)).expect("made global");
    assert_eq!(global.scope_label, "Global");
    let narrowed = update(RuleScope::Endpoint(id), Some(42)).expect("made for one server");
    assert_eq!(narrowed.endpoint_id, Some(id));
    let moved = update(RuleScope::Endpoint(other), None).expect("moved");
    assert_eq!(moved.endpoint_id, Some(other));
    assert_eq!(
        update(RuleScope::Unstated, Some(42)),
        Err(Refusal::RuleNotFound),
        "it is the other customer's now"
    );
    let global = update(GLOBAL, Some(43));
    assert!(global.is_ok());
    let listed = list(&mut bench, |request| request.client = Some(client(43)));
    assert_eq!(listed, [rule]);
}

#[test]
fn an_update_into_another_rules_range_is_refused_e7() {
    let mut bench = Bench::new();
    bench.rule(allow((22, 22), GLOBAL, Some(42)));
    let rule = bench.rule(allow((80, 80), GLOBAL, Some(42))).id;
    let call = bench.call();
    let update = allow((20, 90), RuleScope::Unstated, None);
    let refusal = bench
        .account
        .at(call)
        .update_rule(rule, update)
        .unwrap_err();
    assert_eq!(overlap_field(refusal), "port_start");
}

#[test]
fn rules_are_listed_oldest_first_and_filtered_a18_a12() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let other = bench.provision(42, "203.0.113.11");
    let foreign = bench.provision(43, SERVER);
    let mut brief = allow((22, 22), RuleScope::Endpoint(id), None);
    brief.expires_at = parse_expiry("2026-01-02", bench.now).ok();
    let expired = bench.rule(brief).id;
    let global = bench.rule(allow((22, 22), GLOBAL, Some(42))).id;
    let second = bench
        .rule(allow((22, 22), RuleScope::Endpoint(other), None))
        .id;
    let foreigns = bench
        .rule(allow((1, 1), RuleScope::Endpoint(foreign), None))
        .id;
    bench.wait(2 * 86_400);
    assert_eq!(
        list(&mut bench, |_| {}),
        [expired, global, second, foreigns]
    );
    let of_customer = list(&mut bench, |request| request.client = Some(client(42)));
    assert_eq!(of_customer, [expired, global, second]);
    let of_server = list(&mut bench, |request| request.endpoint = Some(id));
    assert_eq!(of_server, [expired]);
    let globals = list(&mut bench, |r| r.scope = Some(ScopeFilter::Global));
    assert_eq!(globals, [global]);
    let own = list(&mut bench, |r| r.scope = Some(ScopeFilter::Endpoint));
    assert_eq!(own, [expired, second, foreigns]);
    let dead = list(&mut bench, |r| r.status = Some(RuleStatus::Expired));
    assert_eq!(dead, [expired]);
    let alive = list(&mut bench, |r| r.status = Some(RuleStatus::Active));
    assert_eq!(alive, [global, second, foreigns]);
    let mixed = list(&mut bench, |request| {
        request.client = Some(client(42));
        request.endpoint = Some(foreign);
    });
    assert!(mixed.is_empty());
    assert!(list(&mut bench, |r| r.endpoint = Some(Uuid::nil())).is_empty());
    assert_eq!(list(&mut bench, |r| r.page = Page::new(2, 3)), [foreigns]);
}

#[test]
fn the_rules_of_a_deleted_server_stay_listed_with_it_as_it_was_b14() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let rule = bench
        .rule(allow((22, 22), RuleScope::Endpoint(id), None))
        .id;
    let call = bench.call();
    bench.account.at(call).suspend(id).expect("suspended");
    let before = bench.endpoint(id);
    bench
        .account
        .at(call)
        .delete_endpoint(id, None)
        .expect("deleted");
    bench.wait(60);
    let call = bench.call();
    let shown = bench.account.at(call).rule(rule, None).expect("listed");
    assert_eq!(shown.endpoint, Some(before));
    assert_eq!(list(&mut bench, |r| r.endpoint = Some(id)), [rule]);
    let update = allow((23, 23), RuleScope::Unstated, None);
    assert!(bench.account.at(call).update_rule(rule, update).is_ok());
}

#[test]
fn the_summary_counts_the_rules_of_every_live_server_e11() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let gone = bench.provision(42, "203.0.113.11");
    let empty = bench.provision(42, "203.0.113.12");
    bench.provision(43, SERVER);
    let mut brief = allow((22, 22), RuleScope::Endpoint(id), None);
    brief.expires_at = parse_expiry("2026-01-02", bench.now).ok();
    bench.rule(brief);
    bench.rule(allow((80, 80), RuleScope::Endpoint(id), None));
    let call = bench.call();
    bench.account.at(call).terminate(gone).expect("terminated");
    bench.wait(3 * 86_400);
    let call = bench.call();
    let counts = bench.account.at(call).rule_counts(client(42));
    let shown = serde_json::to_value(&counts).expect("json");
    let expected = serde_json::json!({
        "endpoints": [
            {"endpoint_id": id, "ip_address": SERVER, "nickname": SERVER, "rule_count": 2},
            {
                "endpoint_id": empty,
                "ip_address": "203.0.113.12",
                "nickname": "203.0.113.12",
                "rule_count": 0
            },
        ],
        "global_count": 0,
    });
    assert_eq!(shown, expected);
    let nobody = bench.account.at(call).rule_counts(client(99));
    assert!(nobody.endpoints.is_empty());
}

#[test]
fn a_rule_is_active_through_the_second_that_its_expiry_shows_e9() {
    for (expiry, shown, active_ms) in [
        (
            "2026-01-02T12:00:00+00:00",
            "2026-01-02T12:00:00+00:00",
            36 * 3_600_000 + 1000,
        ),
        (
            "2026-01-02T12:00:00.600+00:00",
            "2026-01-02T12:00:00+00:00",
            36 * 3_600_000 + 1000,
        ),
        ("2026-01-02", "2026-01-02T23:59:59+00:00", 48 * 3_600_000),
    ] {
        let mut bench = Bench::new();
        let mut request = allow((22, 22), GLOBAL, None);
        request.expires_at = parse_expiry(expiry, bench.now).ok();
        let rule = bench.rule(request);
        let ends = rule.expires_at.map(|at| at.to_string());
        assert_eq!(ends.as_deref(), Some(shown));
        let mut active_after = |wait| {
            bench.wait_ms(wait);
            let call = bench.call();
            let rule = bench.account.at(call).rule(rule.id, None).expect("rule");
            rule.is_active
        };
        assert!(active_after(active_ms - 1), "{expiry}");
        assert!(!active_after(1), "{expiry}");
    }
}
