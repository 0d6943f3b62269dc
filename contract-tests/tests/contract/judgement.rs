//! The judges themselves: what fills a cell, what the description refuses, what a case may not do undeclared.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use secmon_contract_tests::junit::{self, Ending, Line};
use secmon_contract_tests::{
    Account, Body, Case, Exchange, Forced, Matrix, Namespace, Need, Repeatability, Service, client,
    description, embedded, run_case, time_findings,
};
use serde_json::{Value, json};

checks! {
    a_real_cell_is_filled_by_nothing_but_cases_that_steer_nothing(Embedded),
    an_answer_that_a_fault_forced_fills_cells_of_faults_alone(Embedded),
    an_outcome_without_a_cell_is_told_with_its_case(Embedded),
    without_steering_the_real_cells_alone_are_asked_for(Embedded),
    the_description_sees_what_is_wrong_with_an_answer(Embedded),
    the_description_leaves_no_member_of_an_answer_open(Embedded),
    the_client_sees_what_it_would_tell_otherwise(Embedded),
    times_that_cannot_be_are_told(Embedded),
    a_fault_marks_the_calls_that_it_hits_and_no_more(Embedded),
    a_case_may_not_do_what_it_did_not_declare(Embedded),
    the_report_counts_and_escapes(Embedded),
    every_transcript_belongs_to_a_case(Embedded),
}

const META: &str = "2026-01-01T00:00:00+00:00";

fn answered(method: Method, path: &str, status: u16, json: Value) -> Exchange {
    Exchange {
        method,
        path: path.to_owned(),
        query: String::new(),
        sent: Value::Null,
        status: StatusCode::from_u16(status).expect("a status"),
        headers: HeaderMap::from_iter([(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        )]),
        body: Bytes::from(json.to_string()),
        json,
        forced: Forced::No,
    }
}

fn refusal(code: &str) -> Value {
    let error = json!({"code": code, "message": "No.", "details": {}});
    let meta = json!({"version": "v1", "timestamp": META});
    json!({"success": false, "error": error, "meta": meta})
}

/// A scan that the service refuses with a code.
fn refused_scan(status: u16, code: &str) -> Exchange {
    let path = "/api/v1/billing/scan-endpoint";
    answered(Method::POST, path, status, refusal(code))
}

/// Whether a matrix that saw this once has the cell filled.
fn fills(exchange: &Exchange, needs: &[Need], cell: &str) -> bool {
    let mut matrix = Matrix::default();
    matrix.observe("some::case", needs, exchange);
    !matrix
        .judged(&Need::ALL)
        .empty
        .iter()
        .any(|empty| empty == cell)
}

fn a_real_cell_is_filled_by_nothing_but_cases_that_steer_nothing() {
    let cell = "scan_endpoint: 409 ENDPOINT_NOT_ACTIVE";
    let refused = refused_scan(409, "ENDPOINT_NOT_ACTIVE");
    assert!(fills(&refused, &[], cell));
    assert!(!fills(&refused, &[Need::Clock], cell));
}

fn an_answer_that_a_fault_forced_fills_cells_of_faults_alone() {
    let forced = |status, code| Exchange {
        forced: Forced::Status,
        ..refused_scan(status, code)
    };
    for (status, code, need, forced_fills) in [
        (403, "ACCOUNT_SUSPENDED", Need::Accounts, false),
        (503, "SCANNING_UNAVAILABLE", Need::Faults, true),
    ] {
        let cell = format!("scan_endpoint: {status} {code}");
        let by_fault = fills(&forced(status, code), &[Need::Faults], &cell);
        assert_eq!(by_fault, forced_fills, "{cell}");
        let by_itself = fills(&refused_scan(status, code), &[need], &cell);
        assert_eq!(by_itself, !forced_fills, "{cell}");
    }
}

fn an_outcome_without_a_cell_is_told_with_its_case() {
    let mut matrix = Matrix::default();
    matrix.observe("some::case", &[], &refused_scan(418, "TEAPOT"));
    let verdict = matrix.judged(&Need::ALL);
    let told = ["scan_endpoint answered 418 TEAPOT in some::case"];
    assert!(verdict.undocumented == told && !verdict.is_good());
    // Of many cases that meet the same, one is named.
    for case in ["some::case", "third::case", "other::case"] {
        matrix.observe(case, &[], &refused_scan(418, "TEAPOT"));
    }
    let told = ["scan_endpoint answered 418 TEAPOT in other::case and 2 more cases"];
    assert_eq!(matrix.judged(&Need::ALL).undocumented, told);
    let shapeless = answered(Method::GET, "/api/v1/health", 500, json!("Oops"));
    assert_eq!(shapeless.outcome(), "500 in no documented shape");
}

fn without_steering_the_real_cells_alone_are_asked_for() {
    let matrix = Matrix::default();
    let (all, some) = (matrix.judged(&Need::ALL), matrix.judged(&[]));
    assert_eq!(all.cells, some.cells + some.out_of_reach);
    assert!(some.out_of_reach > 100 && some.cells > 200);
    assert!(!some.empty.contains(&"get_port_alert: 200".to_owned()));
    let sandbox = matrix.judged(&[Need::Sandbox]);
    let scenarios = "list_scenarios: 200".to_owned();
    assert!(sandbox.empty.contains(&scenarios) && !some.empty.contains(&scenarios));
    assert!(sandbox.cells > some.cells && sandbox.cells < all.cells);
}

fn the_description_sees_what_is_wrong_with_an_answer() {
    let good = json!({"success": true, "data": {"endpoint_id": "6f9619ff-8b86-4011-b42d-00c04fc964ff", "status": "paused"},
        "meta": {"version": "v1", "timestamp": META}});
    let suspended = |json| answered(Method::POST, "/api/v1/provisioning/suspend", 200, json);
    assert_eq!(
        description::problems(&suspended(good.clone())),
        Vec::<String>::new()
    );
    for (place, wrong) in [
        ("/meta/version", json!("v2")),
        ("/meta/timestamp", json!("2026-01-01T00:00:00Z")),
        ("/data/status", json!("asleep")),
        ("/data/endpoint_id", json!("web-1")),
        ("/data", json!({"status": "paused"})),
        ("/success", json!(false)),
    ] {
        let mut bent = good.clone();
        *bent.pointer_mut(place).expect("a member") = wrong;
        assert_eq!(description::problems(&suspended(bent)).len(), 1, "{place}");
    }
    let mut more = good.clone();
    more["data"]["comment"] = json!("no");
    let found = description::findings(&suspended(more.clone()));
    assert_eq!((found.violations.len(), found.differences.len()), (0, 1));
    more["data"]["status"] = json!("asleep");
    let found = description::findings(&suspended(more));
    assert_eq!((found.violations.len(), found.differences.len()), (1, 1));
    let full = json!({"status": "error", "message": "Too Many Attempts.", "errors": {}});
    let throttled = answered(Method::POST, "/api/v1/billing/suspend", 429, full);
    let missing = ["suspend_endpoint 429: the header Retry-After is missing"];
    assert_eq!(description::problems(&throttled), missing);
    let mut page = suspended(good);
    page.headers
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    let called = ["suspend_endpoint /provisioning/ 200: JSON that is called \"text/plain\""];
    assert_eq!(description::problems(&page), called);
    let nowhere = answered(Method::GET, "/api/v1/nothing", 404, json!({"error": "No."}));
    assert!(!description::problems(&nowhere).is_empty());
    let refused = refusal("METHOD_NOT_ALLOWED");
    let no_method = answered(Method::PATCH, "/api/v1/endpoints", 405, refused);
    let problems = description::problems(&no_method);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].ends_with("the header Allow is missing"));
    let problems = description::problems(&answered(Method::GET, "/api/v1/health", 404, json!({})));
    assert_eq!(problems, ["get_health does not document 404"]);
}

fn the_client_sees_what_it_would_tell_otherwise() {
    let data = json!({"endpoint_id": "6f9619ff-8b86-4011-b42d-00c04fc964ff", "status": "paused"});
    let good = json!({"success": true, "data": data, "meta": {}});
    let suspended = |json| answered(Method::POST, "/api/v1/billing/suspend", 200, json);
    let problem = |exchange: &Exchange| client::problem_of_answer(exchange, true);
    assert_eq!(problem(&suspended(good.clone())), None);
    for (place, wrong) in [
        ("/success", json!(false)),
        ("/data", json!({"status": "paused"})),
        ("/data/endpoint_id", json!(42)),
        ("/data/status", json!({})),
    ] {
        let mut bent = good.clone();
        *bent.pointer_mut(place).expect("a member") = wrong;
        assert!(problem(&suspended(bent)).is_some(), "{place}");
    }
    let mut more = suspended(good.clone());
    more.json["data"]["until"] = json!("spring");
    let lost = Some("the client: suspend_endpoint 200: it has no [\"/until\"]");
    assert_eq!(problem(&more).as_deref(), lost);
    assert_eq!(client::problem_of_answer(&more, false), None);
    let mut taken = answered(Method::POST, "/api/v1/billing/provision", 201, good);
    taken.sent = json!({"client_id": 1, "ip_address": "192.0.2.300"});
    assert!(client::problem_of_request(&taken).is_some());
}

/// What the service is free to fill: by source, by decision of its own, or not at all as yet.
const OPEN: [&str; 5] = [
    "/DomainSummary/properties/password_strength",
    "/DomainAlert/properties/details",
    "/ExplainedDomainAlert/properties/details",
    "/LeakPage/properties/items/items",
    "/UnreachableLeakPage/properties/items/items",
];

fn the_description_leaves_no_member_of_an_answer_open() {
    let mut open = BTreeSet::new();
    for (name, schema) in description::strict_schemas()
        .as_object()
        .into_iter()
        .flatten()
    {
        // What a caller may send besides is ignored.
        if !name.ends_with("Request") {
            open_objects(&format!("/{name}"), schema, &mut open);
        }
    }
    let expected = OPEN.map(str::to_owned);
    assert_eq!(open, BTreeSet::from(expected));
}

/// The places of objects whose members are not all named.
fn open_objects(place: &str, schema: &Value, open: &mut BTreeSet<String>) {
    let is_object = |kind: &Value| {
        let mut kinds = kind.as_array().into_iter().flatten().chain([kind]);
        kinds.any(|kind| kind == "object")
    };
    if is_object(&schema["type"]) && schema.get("additionalProperties").is_none() {
        open.insert(place.to_owned());
    }
    let members = schema.as_object().into_iter().flatten();
    for (name, member) in members {
        open_objects(&format!("{place}/{name}"), member, open);
    }
    for (index, item) in schema.as_array().into_iter().flatten().enumerate() {
        open_objects(&format!("{place}/{index}"), item, open);
    }
}

fn times_that_cannot_be_are_told() {
    let server = json!({
        "status": "active", "created_at": "2025-12-30T00:00:00+00:00", "updated_at": "2025-12-31T00:00:00+00:00",
        "last_scan_at": "2025-12-31T23:00:00+00:00", "next_scan_at": "2026-01-01T23:00:00+00:00",
    });
    let read = |server: &Value| {
        let body = json!({"data": server, "meta": {"version": "v1", "timestamp": META}});
        answered(Method::GET, "/api/v1/endpoints/1", 200, body)
    };
    let found = |server: &Value| {
        let found = time_findings(&read(server), &[], Repeatability::Exact);
        [found.violations, found.differences].concat()
    };
    assert_eq!(found(&server), Vec::<String>::new());
    for (member, wrong) in [
        ("created_at", json!("2025-12-31T00:00:01+00:00")),
        ("updated_at", json!("2026-01-01T00:00:01+00:00")),
        ("last_scan_at", json!("2025-12-31T17:00:00+00:00")),
        ("next_scan_at", json!("2025-12-31T17:00:00+00:00")),
        ("next_scan_at", json!("2026-01-01T23:00:01+00:00")),
        ("next_scan_at", Value::Null),
        ("status", json!("paused")),
    ] {
        let mut bent = server.clone();
        bent[member] = wrong.clone();
        assert_eq!(found(&bent).len(), 1, "{member} {wrong}");
    }
    // Somebody may have had it scanned before: that moves the last scan, and not the next.
    let mut scanned = server.clone();
    scanned["next_scan_at"] = json!("2026-01-01T23:00:01+00:00");
    scanned["last_scan_at"] = json!("2026-01-01T00:00:00+00:00");
    let told = |repeatability| {
        let found = time_findings(&read(&scanned), &[], repeatability);
        [found.violations, found.differences].concat().len()
    };
    assert_eq!(told(Repeatability::Exact), 1);
    assert_eq!(told(Repeatability::Loose), 0);
}

fn a_fault_marks_the_calls_that_it_hits_and_no_more() {
    let mock = embedded();
    let hit = Case {
        path: "contract::hit::reads_three_times",
        spec_ref: "none",
        needs: &[Need::Faults],
        namespace: Namespace::Billing,
        body: Body::Alone(|stage| {
            Box::pin(async move {
                let account = Account::new(&stage).await;
                let read = || async { account.raw(Method::GET, "/api/v1/endpoints").send().await };
                let page = json!({"body": "<html>", "status": 200});
                let (get, path) = (&Method::GET, "/api/v1/endpoints");
                account.fault(get, path, json!({"close": "before"})).await;
                account.fault(get, path, page.clone()).await;
                account.fault(get, path, json!({"status": 500})).await;
                assert!(read().await.is_err());
                for _ in 0..3 {
                    read().await.expect("an answer");
                }
                account.lasting_fault(get, path, page).await;
                for _ in 0..2 {
                    read().await.expect("an answer");
                }
                account.clear_faults().await;
                read().await.expect("an answer");
            })
        }),
    };
    let run = run_case(&hit, &Service::of(&mock));
    assert!(run.failure.is_none(), "{:?}", run.failure);
    let marks = run.exchanges().into_iter().map(|exchange| exchange.forced);
    let (no, status, body) = (Forced::No, Forced::Status, Forced::Body);
    let marks: Vec<Forced> = marks.collect();
    assert_eq!(marks, [body, status, no, body, body, no]);
}

fn a_case_may_not_do_what_it_did_not_declare() {
    let mock = embedded();
    let sly = Case {
        path: "contract::sly::moves_the_clock",
        spec_ref: "none",
        needs: &[Need::World],
        namespace: Namespace::Billing,
        body: Body::Alone(|stage| {
            Box::pin(async move {
                let account = Account::new(&stage).await;
                account.advance(60).await;
            })
        }),
    };
    let run = run_case(&sly, &Service::of(&mock));
    let stopped = run.failure.expect("it is stopped").message;
    assert_eq!(
        stopped,
        "sly::moves_the_clock does not say that it needs clock"
    );
}

fn the_report_counts_and_escapes() {
    let line = |name: &str, ending| Line {
        name: name.to_owned(),
        time: Duration::from_millis(1500),
        ending,
    };
    let why = "left < \"right\" & so on\nat some.rs:7";
    let report = junit::document(&[
        line("a::passes", Ending::Passed),
        line("a::fails", Ending::Failed(why.to_owned())),
        line("b::waits", Ending::Skipped("needs clock".to_owned())),
    ]);
    let counts = "tests=\"3\" failures=\"1\" skipped=\"1\" time=\"4.500\"";
    assert_eq!(report.matches(counts).count(), 2, "{report}");
    let failure = "<failure message=\"left &lt; &quot;right&quot; &amp; so on\">";
    for part in [failure, "<testcase classname=\"b\" name=\"waits\""] {
        assert!(report.contains(part), "{report}");
    }
}

fn every_transcript_belongs_to_a_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract/transcripts");
    let names: BTreeSet<String> = secmon_contract_tests::cases()
        .iter()
        .map(|case| format!("{}.snap", case.transcript()))
        .collect();
    for file in fs::read_dir(folder).expect("the transcripts") {
        let file = file.expect("a transcript").file_name();
        let name = file.to_string_lossy();
        let is_known = names.contains(&*name) || name.ends_with(".new");
        assert!(is_known, "{name} belongs to no case");
    }
}
