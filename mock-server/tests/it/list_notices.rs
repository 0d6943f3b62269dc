//! Notices about reads: over and over, a list in part, and on past its end (M10).

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Stage;
use crate::notices::{last, no_codes, noticed};

/// Servers of customer 42.
fn servers(stage: &Stage, many: u8) {
    for number in 1..=many {
        stage.endpoint(42, &format!("192.0.2.{number}"));
    }
}

/// Reads the servers of customer 42, and tells the codes of the notices.
fn read(stage: &Stage, page: &str) -> Vec<String> {
    let list = format!("/api/v1/endpoints?billing_customer_id=42&{page}");
    stage.acme.get(&list).expect(200);
    last(stage)
}

#[test]
fn the_same_read_over_and_over_is_noticed_while_time_passes_m10() {
    let read = |stage: &Stage, times: usize| {
        let alerts = "/api/v1/alerts?billing_customer_id=42";
        let codes = (0..times).map(|_| {
            stage.acme.get(alerts);
            last(stage)
        });
        codes.collect::<Vec<_>>()
    };
    let stage = Stage::of_real_time();
    // On a busy machine ten reads may take longer than ten seconds.
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        let began = Instant::now();
        let codes = read(&stage, 11);
        let took = began.elapsed();
        assert_eq!(
            codes[..10],
            vec![Vec::<String>::new(); 10],
            "ten are allowed"
        );
        if took < Duration::from_secs(9) {
            assert_eq!(codes[10], ["tight_polling"]);
            break;
        }
        assert!(Instant::now() < deadline, "the machine is too slow");
        stage.advance(10);
    }
    stage.advance(10);
    assert_eq!(read(&stage, 1), [no_codes()], "time has passed");

    let stage = Stage::new();
    let codes = read(&stage, 30);
    assert!(codes.iter().all(Vec::is_empty), "time stands");
}

#[test]
fn a_read_after_a_change_is_another_question_m10() {
    let read = |stage: &Stage, times: usize| {
        let alerts = "/api/v1/alerts?billing_customer_id=42";
        for _ in 0..times {
            stage.acme.get(alerts);
        }
        last(stage)
    };
    let stage = Stage::of_real_time();
    for number in 1..=3 {
        assert_eq!(read(&stage, 5), no_codes(), "before server {number}");
        stage.endpoint(42, &format!("192.0.2.{number}"));
    }
    // On a busy machine these may take longer than ten seconds.
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        stage.advance(10);
        let began = Instant::now();
        read(&stage, 6);
        let refused = json!({ "client_id": 42, "ip_address": "no address" });
        (stage.acme.post("/api/v1/billing/provision", refused)).expect(422);
        let codes = read(&stage, 5);
        if began.elapsed() < Duration::from_secs(9) {
            assert_eq!(codes, ["tight_polling"], "nothing was changed");
            return;
        }
        assert!(Instant::now() < deadline, "the machine is too slow");
    }
}

#[test]
fn a_first_page_that_is_read_again_without_the_second_is_noticed_m10() {
    let stage = Stage::new();
    servers(&stage, 13);
    let read = |page: &str| read(&stage, page);
    assert_eq!(read("per_page=6"), no_codes());
    assert_eq!(read("per_page=6&page=1"), ["first_page_only"]);
    assert_eq!(read("per_page=6&page=2"), no_codes());
    assert_eq!(read("per_page=6"), no_codes(), "the second was read");
    assert_eq!(read("per_page=20"), no_codes(), "this page is all of it");
    assert_eq!(read("per_page=20"), no_codes());
    assert_eq!(read("per_page=6&status=active"), no_codes(), "another list");
    assert_eq!(read("per_page=7"), no_codes());
    assert_eq!(read("per_page=8"), no_codes(), "another reading");
}

#[test]
fn a_first_page_whose_answer_was_lost_is_read_again_without_a_notice_m10() {
    let stage = Stage::new();
    servers(&stage, 7);
    let list = "/api/v1/endpoints?billing_customer_id=42&per_page=6";
    for close in ["after", "mid_body"] {
        let fault = json!({ "operation": "list_endpoints", "effect": { "close": close } });
        stage.anyone.post("/_mock/faults", fault).expect(201);
        stage
            .acme
            .try_send("GET", list, b"")
            .expect_err("half an answer at most");
        stage.acme.get(list).expect(200);
        assert_eq!(last(&stage), no_codes(), "{close}");
        stage.acme.get(&format!("{list}&page=2")).expect(200);
    }
}

#[test]
fn a_list_that_is_read_to_its_end_in_any_page_size_was_read_m10() {
    let stage = Stage::new();
    let tenant = stage.server.tenant();
    let caller = stage.anyone.with_key(tenant.api_key());
    for number in 1..=13 {
        let body = json!({ "client_id": 42, "ip_address": format!("192.0.2.{number}") });
        caller.post("/api/v1/billing/provision", body).expect(201);
    }
    let read = |page: &str| {
        let list = format!("/api/v1/endpoints?billing_customer_id=42&{page}");
        caller.get(&list).expect(200);
    };
    read("per_page=6");
    let told = tenant.verify_no_notices().expect_err("one page of three");
    assert!(told.contains("only the first page"), "{told}");
    read("per_page=6&page=2");
    let told = tenant.verify_no_notices().expect_err("two pages of three");
    assert!(told.contains("page 2 of 3 was the last page"), "{told}");
    read("per_page=7");
    read("per_page=7&page=2");
    tenant.verify_no_notices().expect("all was read");
}

#[test]
fn a_later_page_that_was_asked_for_in_vain_is_read_on_m10() {
    let stage = Stage::new().unjudged();
    let tenant = stage.server.tenant();
    let caller = stage.anyone.with_key(tenant.api_key());
    for number in 1..=13 {
        let body = json!({ "client_id": 42, "ip_address": format!("192.0.2.{number}") });
        caller.post("/api/v1/billing/provision", body).expect(201);
    }
    let list = "/api/v1/endpoints?billing_customer_id=42&per_page=6";
    for effect in [
        json!({ "status": 500 }),
        json!({ "status": 403, "code": "ACCOUNT_SUSPENDED" }),
        json!({ "close": "before" }),
    ] {
        let fault =
            json!({ "operation": "list_endpoints", "match": { "page": "2" }, "effect": effect });
        stage.anyone.post("/_mock/faults", fault).expect(201);
        caller.get(list).expect(200);
        assert_eq!(last(&stage), no_codes(), "{effect}");
        assert!(
            tenant.verify_no_notices().is_err(),
            "page 2 is not asked for yet"
        );
        let asked = caller.try_send("GET", &format!("{list}&page=2"), b"");
        assert!(asked.is_err() || asked.is_ok_and(|reply| reply.status != 200));
        tenant.verify_no_notices().expect("page 2 was asked for");
    }
    caller.get(list).expect(200);
    let other = list.replace("=42", "=43");
    caller.get(&format!("{other}&page=0")).expect(422);
    assert!(
        tenant.verify_no_notices().is_err(),
        "nobody reads on by asking for no page"
    );
    caller.get(&format!("{other}&page=2")).expect(200);
    assert!(tenant.verify_no_notices().is_err(), "another list");
}

#[test]
fn a_page_of_five_records_at_most_is_no_reading_of_the_list_m10() {
    let stage = Stage::new();
    servers(&stage, 13);
    for page in ["per_page=1", "per_page=5"] {
        assert_eq!(read(&stage, page), no_codes());
        assert_eq!(read(&stage, page), no_codes(), "{page}");
    }
    assert_eq!(read(&stage, "per_page=6"), no_codes());
    assert_eq!(read(&stage, "per_page=6"), ["first_page_only"]);
}

#[test]
fn a_second_empty_page_past_the_last_one_is_noticed_m10() {
    let stage = Stage::new();
    servers(&stage, 13);
    let read = |page: &str| read(&stage, page);
    for page in 1..=4 {
        assert_eq!(read(&format!("per_page=6&page={page}")), no_codes());
    }
    assert_eq!(read("per_page=6&page=4"), no_codes(), "the same page again");
    assert_eq!(read("per_page=7&page=3"), no_codes(), "another page size");
    assert_eq!(read("per_page=6&page=5"), ["past_the_end"]);
    let sentence = "account acme: list_endpoints is read on past its last page, which is page 3, although the page before was empty; stop when there is no more";
    assert_eq!(noticed(&stage)[0].1, sentence);
    assert_eq!(read("per_page=6&page=3"), no_codes());
    assert_eq!(read("per_page=6&page=4"), no_codes(), "not in a row");
}

#[test]
fn a_list_without_records_has_one_page_m10() {
    let stage = Stage::new();
    stage.slots(42, 1);
    let body = json!({ "client_id": 42, "service_id": 501, "domain": "a.example" });
    let made = stage.acme.post("/api/v1/billing/provision-domain", body);
    let domain = crate::client::text(&made.expect(201).at("/data/monitored_domain_id"));
    for list in ["alerts", "dark-web-mentions", "credential-leaks"] {
        let read = |page: u64| {
            let path =
                format!("/api/v1/domains/{domain}/{list}?billing_customer_id=42&page={page}");
            stage.acme.get(&path).expect(200);
            last(&stage)
        };
        assert_eq!(read(1), no_codes(), "{list}");
        assert_eq!(read(2), no_codes(), "{list}");
        assert_eq!(read(3), ["past_the_end"], "{list}");
    }
}
