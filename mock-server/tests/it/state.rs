//! The whole state out and in.

use serde_json::{Value, json};

use crate::client::{Caller, Stage, text};
use crate::program::{command, run};

/// A stage with a record of every kind, and an account of its own.
pub fn busy() -> (Stage, String) {
    let stage = Stage::new();
    stage.slots(42, 2);
    stage.domain(42, "a.example");
    stage.scanned_endpoint(42, "192.0.2.1");
    let rule =
        json!({ "port_start": 22, "protocol": "tcp", "justification": "SSH for operations" });
    stage.acme.post("/api/v1/whitelists", rule).expect(201);
    let price = json!({ "product_slug": "domain_monitoring", "price": 1, "currency": "EUR" });
    stage
        .acme
        .post("/api/v1/billing/pricing", price)
        .expect(200);
    let made = stage
        .anyone
        .post("/_mock/tenants", json!({ "name": "mine" }))
        .expect(201);
    stage
        .anyone
        .post("/_mock/tenants/mine/clock", json!({ "advance_seconds": 5 }))
        .expect(200);
    (stage, text(&made.at("/api_key")))
}

fn seen(caller: &Caller) -> Vec<Value> {
    [
        "/api/v1/endpoints",
        "/api/v1/whitelists",
        "/api/v1/alerts?billing_customer_id=42",
        "/api/v1/domains?billing_customer_id=42",
    ]
    .map(|path| caller.get(path).expect(200).at("/data"))
    .into()
}

#[test]
fn an_exported_state_put_into_another_server_is_the_same_state() {
    let (stage, key) = busy();
    let document = stage.anyone.get("/_mock/state").expect(200);
    let other = Stage::of(|builder| builder.seed(99));
    other.endpoint(7, "192.0.2.7");
    other.anyone.delete("/_mock/tenants/globex").expect(204);
    other
        .anyone
        .put("/_mock/state", document.json())
        .expect(204);
    assert!(other.anyone.get("/_mock/state").body == document.body);
    assert_eq!(seen(&other.acme), seen(&stage.acme));
    assert_eq!(
        other.anyone.get("/_mock/tenants/mine/clock").at("/now"),
        "2026-01-01T00:00:07+00:00"
    );
    other
        .anyone
        .with_key(&key)
        .get("/api/v1/endpoints")
        .expect(200);
    assert_eq!(
        other.endpoint(42, "192.0.2.2"),
        stage.endpoint(42, "192.0.2.2"),
        "ids go on alike"
    );
}

#[test]
fn a_document_that_is_none_changes_nothing() {
    let (stage, _) = busy();
    let good = stage.anyone.get("/_mock/state").expect(200).json();
    let mut without_records = good.clone();
    without_records["accounts"]["acme"]["state"]["records"] = json!([]);
    let mut newer = good.clone();
    newer["format"] = json!(99);
    let mut renamed = good.clone();
    renamed["accounts"]["other"] = renamed["accounts"]["acme"].take();
    renamed["accounts"]
        .as_object_mut()
        .map(|accounts| accounts.remove("acme"));
    for wrong in [
        json!({}),
        json!({ "format": 1 }),
        without_records,
        newer,
        renamed,
    ] {
        let reply = stage.anyone.put("/_mock/state", wrong).expect(400);
        assert!(reply.at("/error").is_string());
        assert!(stage.anyone.get("/_mock/state").json() == good);
    }
}

#[test]
fn same_seed_and_same_calls_export_the_same_bytes_m9() {
    let export = || busy().0.anyone.get("/_mock/state").text();
    assert!(export() == export());
}

#[test]
fn the_verbs_carry_state_between_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (first, second) = (path("first"), path("second"));
    let before = {
        let stage = Stage::of(|builder| builder.state(&first));
        stage.endpoint(42, "192.0.2.1");
        seen(&stage.acme)
    };
    let (code, document, error) = run(&mut command(&["export", "--state", &first]));
    assert_eq!(code, Some(0), "{error}");
    let file = path("document");
    std::fs::write(&file, &document).expect("a file");
    let import = || {
        let mut import = command(&["import", "--state", &second]);
        import.stdin(std::fs::File::open(&file).expect("a file"));
        run(&mut import)
    };
    assert_eq!(import().0, Some(0));
    let stage = Stage::of(|builder| builder.state(&second));
    assert_eq!(seen(&stage.acme), before);
    drop(stage);
    let (code, _, error) = import();
    assert_eq!(code, Some(2));
    assert!(error.contains("second"), "{error}");
}

#[test]
fn the_verbs_refuse_what_is_missing_or_broken() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state").to_string_lossy().into_owned();
    let (code, out, error) = run(&mut command(&["export", "--state", &path]));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(error.contains(&path), "{error}");
    let (code, _, error) = run(&mut command(&["import", "--state", &path]));
    assert_eq!(code, Some(2));
    assert!(error.contains("not JSON"), "{error}");
    assert!(!std::path::Path::new(&path).exists());
}

#[test]
fn a_state_brings_its_time_whatever_the_other_servers_clock_shows_m2() {
    let (stage, _) = busy();
    let times = |stage: &Stage| {
        let now = |path: &str| text(&stage.anyone.get(path).expect(200).at("/now"));
        [now("/_mock/clock"), now("/_mock/tenants/mine/clock")]
    };
    let document = stage.anyone.get("/_mock/state").expect(200).json();
    for start in ["2020-01-01T00:00:00+00:00", "2031-05-01T12:00:00+00:00"] {
        let start = secmon_mock::Instant::parse(start).expect("a timestamp");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("state");
        let open = || Stage::of(|builder| builder.manual_clock(start).state(&file));
        let other = open();
        other
            .anyone
            .put("/_mock/state", document.clone())
            .expect(204);
        assert_eq!(times(&other), times(&stage));
        drop(other);
        assert_eq!(times(&open()), times(&stage), "after a restart");
    }
    let real = Stage::of_real_time();
    real.anyone.put("/_mock/state", document).expect(204);
    // Both began in the same minute, and one of them stands.
    assert_eq!(times(&real)[0][..17], times(&stage)[0][..17]);
}
