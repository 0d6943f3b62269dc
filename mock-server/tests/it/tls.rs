//! Https: who is shown which certificate, the folder that keeps the authority, and faults of handshakes.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Caller, PATIENCE, Stage, text};
use crate::program::{Program, command, run};

/// What curl exits with where it refuses a certificate.
const REFUSED: Option<i32> = Some(60);

const AS_ACME: [&str; 2] = ["--header", "Authorization: Bearer test_key_acme"];

const ON_A_FREE_PORT: [&str; 2] = ["--tls-listen", "127.0.0.1:0"];

/// A program that speaks https as well, and its authority in a file.
struct Https {
    program: Program,
    port: String,
    folder: TempDir,
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn within(folder: &TempDir, name: &str) -> String {
    let path = folder.path().join(name);
    path.to_str().expect("a path").to_owned()
}

impl Https {
    fn start(arguments: &[&str]) -> Self {
        Self::of(command(arguments))
    }

    fn of(mut command: Command) -> Self {
        let folder = folder();
        let port_file = within(&folder, "tls-port");
        command.args(ON_A_FREE_PORT);
        command.args(["--tls-port-file", &port_file]);
        let program = Program::of(command);
        let port = std::fs::read_to_string(&port_file).expect("a port");
        let authority = program.caller().get("/_mock/ca.pem").expect(200);
        std::fs::write(within(&folder, "ca.pem"), authority.body).expect("a file");
        Self {
            program,
            port: port.trim().to_owned(),
            folder,
        }
    }

    /// Curl's exit code and what it printed, for a path of a host that is resolved to this computer.
    fn curl(&self, host: &str, path: &str, options: &[&str]) -> (Option<i32>, String) {
        let port = &self.port;
        let mut curl = Command::new("curl");
        curl.args([
            "--silent",
            "--show-error",
            "--noproxy",
            "*",
            "--max-time",
            "20",
        ])
        .args(["--cacert", &within(&self.folder, "ca.pem")])
        .args(["--resolve", &format!("{host}:{port}:127.0.0.1")])
        .args(options)
        .arg(format!("https://{host}:{port}{path}"));
        let (code, out, _) = run(&mut curl);
        (code, out)
    }

    /// Curl's exit code for a host.
    fn reaches(&self, host: &str) -> Option<i32> {
        self.curl(host, "/api/v1/health", &[]).0
    }

    fn order(&self, fault: Value) -> Value {
        let placed = self.program.caller().post("/_mock/faults", fault);
        placed.expect(201).json()
    }

    fn hits(&self) -> Value {
        self.program
            .caller()
            .get("/_mock/faults")
            .at("/faults/0/hits")
    }
}

#[test]
fn the_addresses_are_said_one_a_line() {
    let mut arguments = vec!["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    arguments.extend(ON_A_FREE_PORT);
    let mut child = command(&arguments).spawn().expect("the binary runs");
    let out = BufReader::new(child.stdout.take().expect("a standard output"));
    let lines: Vec<String> = out.lines().take(3).map_while(Result::ok).collect();
    child.kill().expect("it was running");
    child.wait().expect("it ends");
    let starts = [
        "listening on http://",
        "admin on http://",
        "listening on https://",
    ];
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(&format!("{start}127.0.0.1:")), "{lines:?}");
    }
    assert_eq!(lines.len(), 3);
}

#[test]
fn a_newcomer_is_told_what_to_trust_and_where_never() {
    let mut https = Https::start(&[]);
    https.program.terminate();
    let said = https.program.errors();
    let wanted = format!("https: https://127.0.0.1:{}, under", https.port);
    assert!(said.contains(&wanted), "{said}");
    assert!(said.contains("never for a whole system"), "{said}");
}

#[test]
fn curl_calls_with_checks_on_by_every_loopback_name_and_old_versions_of_tls() {
    let https = Https::start(&["--host", "secmon-mock"]);
    for host in ["127.0.0.1", "localhost", "secmon-mock"] {
        assert_eq!(https.reaches(host), Some(0), "{host}");
    }
    for version in [["--tls-max", "1.2"], ["--tlsv1.3", "--http2"]] {
        let shown = [
            "--output",
            "/dev/null",
            "--write-out",
            "%{http_code} HTTP/%{http_version}",
        ];
        let (code, out) = https.curl(
            "localhost",
            "/api/v1/endpoints",
            &[&AS_ACME, &version[..], &shown].concat(),
        );
        assert_eq!(
            (code, out.as_str()),
            (Some(0), "200 HTTP/1.1"),
            "{version:?}"
        );
    }
    let without_it = ["--cacert", "/dev/null"];
    assert_ne!(
        https.curl("localhost", "/api/v1/health", &without_it).0,
        Some(0)
    );
}

#[test]
fn what_the_server_says_of_itself_is_https_where_it_was_called_so() {
    let https = Https::start(&["--admin-key", "opensesame"]);
    let origin = format!("https://localhost:{}", https.port);
    let (_, listed) = https.curl("localhost", "/api/v1/endpoints", &AS_ACME);
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    let first = text(&listed["links"]["first"]);
    assert!(first.starts_with(&format!("{origin}/")), "{first}");
    let start = [
        "--header",
        "Authorization: Bearer opensesame",
        "--data",
        r#"{"name":"lost-answer"}"#,
    ];
    let (_, started) = https.curl("localhost", "/_mock/playbooks", &start);
    let started: Value = serde_json::from_str(&started).expect("JSON");
    assert_eq!(started["base_url"], origin, "{started}");
}

#[test]
fn a_portal_domain_is_reached_by_its_name_and_no_other_name_is() {
    let https = Https::start(&[]);
    assert_eq!(https.reaches("portal.acme.test"), Some(0));
    assert_eq!(https.reaches("portal.nobody.test"), REFUSED);
    // An account that is made while the server runs, and removed.
    let admin = https.program.caller();
    let shop = json!({ "name": "shop", "portal_domain": "Security.Shop.test" });
    admin.post("/_mock/tenants", shop).expect(201);
    assert_eq!(https.reaches("security.shop.test"), Some(0));
    admin.delete("/_mock/tenants/shop").expect(204);
    assert_eq!(https.reaches("security.shop.test"), REFUSED);
}

#[test]
fn more_portal_domains_than_are_kept_at_hand_are_all_reached() {
    let https = Https::start(&[]);
    let admin = https.program.caller();
    let accounts = 0..260;
    for number in accounts.clone() {
        let account = json!({ "name": format!("n{number}") });
        admin.post("/_mock/tenants", account).expect(201);
    }
    for number in accounts {
        assert_eq!(https.reaches(&format!("portal.n{number}.test")), Some(0));
    }
}

#[test]
fn the_authority_needs_no_key_and_without_https_there_is_none_m7() {
    let https = Https::start(&["--admin-key", "opensesame"]);
    let authority = https.program.caller().get("/_mock/ca.pem").expect(200);
    assert!(authority.text().starts_with("-----BEGIN CERTIFICATE-----"));
    assert!(!authority.text().contains("PRIVATE"));
    let kind = authority.header("content-type");
    assert_eq!(kind, Some("text/plain; charset=utf-8"));
    let none = Stage::new().anyone.get("/_mock/ca.pem").expect(404);
    assert!(none.text().contains("--tls-listen"), "{}", none.text());
}

#[test]
fn https_for_everybody_needs_an_admin_key_unless_the_admin_api_is_elsewhere() {
    let outside = ["--listen", "127.0.0.1:0", "--tls-listen", "0.0.0.0:0"];
    let (code, _, error) = run(&mut command(&outside));
    assert_eq!(code, Some(2));
    assert!(error.contains("--admin-key"), "{error}");
    let mut elsewhere = command(&["--tls-listen", "0.0.0.0:0", "--admin-listen", "127.0.0.1:0"]);
    elsewhere.env("SECMON_MOCK_TLS_DIR", "");
    Program::of(elsewhere)
        .caller()
        .get("/api/v1/health")
        .expect(200);
}

fn mode(path: &Path) -> u32 {
    let metadata = std::fs::metadata(path).expect("it is there");
    metadata.permissions().mode() & 0o777
}

#[test]
fn a_folder_keeps_the_authority_and_only_its_owner_reads_the_key() {
    let folder = folder();
    let kept = folder.path().join("tls");
    let start = || Https::start(&["--tls-dir", kept.to_str().expect("a path")]);
    let authority = |https: &Https| https.program.caller().get("/_mock/ca.pem").text();
    let first = start();
    let known = authority(&first);
    assert_eq!(mode(&kept), 0o700);
    assert_eq!(mode(&kept.join("ca.key")), 0o600);
    assert_eq!(
        std::fs::read_to_string(kept.join("ca.pem")).expect("a file"),
        known
    );
    drop(first);
    let second = start();
    assert_eq!(authority(&second), known);
    assert_eq!(second.reaches("portal.acme.test"), Some(0));
    assert_ne!(authority(&Https::start(&[])), known);
}

/// Starts with a folder that cannot be used: what is said, and that the folder stays as it is.
fn refused(folder: &Path) -> String {
    let content = || -> Vec<(PathBuf, Vec<u8>)> {
        let files = std::fs::read_dir(folder).expect("a folder");
        let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        files.sort();
        let read = |path: PathBuf| (path.clone(), std::fs::read(path).expect("a file"));
        files.into_iter().map(read).collect()
    };
    let before = content();
    let mut mock = command(&ON_A_FREE_PORT);
    mock.args(["--listen", "127.0.0.1:0", "--tls-dir"])
        .arg(folder);
    let (code, out, error) = run(&mut mock);
    assert_eq!((code, out.as_str()), (Some(2), ""), "{error}");
    assert!(error.contains(folder.to_str().expect("a path")), "{error}");
    assert!(!error.contains("PRIVATE"), "{error}");
    assert_eq!(content(), before);
    error
}

#[test]
fn a_folder_with_anything_else_in_it_is_refused_and_left_as_it_is() {
    let folder = folder();
    let (one, other) = (within(&folder, "one"), within(&folder, "other"));
    for kept in [&one, &other] {
        drop(Https::start(&["--tls-dir", kept]));
    }
    let (one, other) = (PathBuf::from(one), PathBuf::from(other));
    let file = |of: &Path, name: &str| std::fs::read_to_string(of.join(name)).expect("a file");
    let (certificate, key) = (file(&one, "ca.pem"), file(&one, "ca.key"));
    let cut = certificate.replacen("MII", "MIA", 1);
    for (name, text, said) in [
        ("ca.pem", "no certificate", "ca.pem is not a certificate"),
        ("ca.pem", &cut, "ca.pem is not a certificate"),
        ("ca.key", "no key", "ca.key is not a private key"),
        ("ca.key", &certificate, "ca.key is not a private key"),
        ("ca.pem", &file(&other, "ca.pem"), "not of one authority"),
        ("ca.key", &file(&other, "ca.key"), "not of one authority"),
    ] {
        let whole = file(&one, name);
        std::fs::write(one.join(name), text).expect("a file");
        assert!(refused(&one).contains(said), "{name}: {said}");
        std::fs::write(one.join(name), whole).expect("a file");
    }
    std::fs::remove_file(one.join("ca.pem")).expect("a file");
    assert!(refused(&one).contains("it has ca.key and no ca.pem"));
    std::fs::write(one.join("ca.pem"), certificate).expect("a file");
    std::fs::remove_file(one.join("ca.key")).expect("a file");
    assert!(refused(&one).contains("it has ca.pem and no ca.key"));
    std::fs::write(one.join("ca.key"), key).expect("a file");
    drop(Https::start(&["--tls-dir", one.to_str().expect("a path")]));
}

#[test]
fn flags_of_https_without_it_and_names_that_no_certificate_has_are_refused() {
    for (arguments, said) in [
        (&["--tls-dir", "/tmp/nowhere"][..], "--tls-listen"),
        (&["--tls-port-file", "/tmp/nowhere"], "--tls-listen"),
        (&["--tls-listen", "127.0.0.1"], "HOST:PORT"),
        (
            &["--tls-listen", "127.0.0.1:0", "--host", "bücher.test"],
            "bücher.test",
        ),
        (
            &["--tls-listen", "127.0.0.1:0", "--tls-dir", "/dev/null/tls"],
            "/dev/null/tls",
        ),
    ] {
        let mut mock = command(arguments);
        let (code, _, error) = run(mock.args(["--listen", "127.0.0.1:0"]));
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_fault_of_tls_spoils_so_many_handshakes_and_then_calls_work_m5() {
    let https = Https::start(&[]);
    for trouble in ["expired", "wrong_host", "untrusted"] {
        https.program.caller().delete("/_mock/faults");
        https.order(json!({ "effect": { "tls": trouble }, "after": 1, "times": 2 }));
        let codes = [(); 4].map(|()| https.reaches("portal.acme.test"));
        assert_eq!(codes, [Some(0), REFUSED, REFUSED, Some(0)], "{trouble}");
        assert_eq!(https.hits(), 2);
    }
    // What hits calls is left for calls.
    https.program.caller().delete("/_mock/faults");
    https.order(json!({ "effect": { "status": 503 } }));
    let (_, out) = https.curl(
        "localhost",
        "/api/v1/health",
        &["--write-out", "%{http_code}"],
    );
    assert!(out.ends_with("503"), "{out}");
}

#[test]
fn a_client_that_takes_a_wrong_certificate_is_noticed_m10() {
    let https = Https::start(&[]);
    let codes = |options: &[&str]| {
        let options = [
            options,
            &["--header", "Authorization: Bearer test_key_acme"],
        ]
        .concat();
        let path = "/api/v1/endpoints?billing_customer_id=42";
        https.curl("portal.acme.test", path, &options);
        let last = https.program.caller().get("/_mock/requests");
        let calls = last.at("/requests");
        let calls = calls.as_array().expect("a list").iter();
        let codes = calls.map(|call| call["notices"][0]["code"].clone());
        codes.collect::<Vec<Value>>()
    };
    https.order(json!({ "effect": { "tls": "untrusted" }, "times": 2 }));
    assert_eq!(
        codes(&[]),
        [Value::Null; 0],
        "curl checks, and sends nothing"
    );
    assert_eq!(codes(&["--insecure"]), [json!("unverified_tls")]);
    let then = codes(&["--insecure"]);
    assert_eq!(
        then,
        [json!("unverified_tls"), Value::Null],
        "it is right again"
    );
}

#[test]
fn a_fault_of_tls_is_not_aimed_at_calls_and_says_where_it_hits_nothing() {
    let stage = Stage::new();
    for (aim, value) in [
        ("tenant", json!("acme")),
        ("method", json!("GET")),
        ("path", json!("*")),
        ("operation", json!("health")),
        ("match", json!({})),
    ] {
        let refused = stage.anyone.post(
            "/_mock/faults",
            json!({ aim: value, "effect": { "tls": "expired" } }),
        );
        let refused = refused.expect(400).text();
        assert!(refused.contains(&format!("takes no {aim}")), "{refused}");
    }
    let unknown = json!({ "effect": { "tls": "old" } });
    let unknown = stage.anyone.post("/_mock/faults", unknown).expect(400);
    assert!(unknown.text().contains("expired, wrong_host, untrusted"));
    let fault =
        json!({ "effect": { "tls": "expired" }, "times": 3, "after": 1, "probability": 0.5 });
    let placed = stage.anyone.post("/_mock/faults", fault).expect(201);
    assert!(text(&placed.at("/warnings/0")).contains("--tls-listen"));
    let listed = stage.anyone.get("/_mock/faults").expect(200);
    assert_eq!(listed.at("/faults/0/effect"), json!({ "tls": "expired" }));
    // No call is hit by it.
    stage.acme.get("/api/v1/health").expect(200);
    let listed = stage.anyone.get("/_mock/faults").expect(200);
    assert_eq!(listed.at("/faults/0/hits"), 0);
}

#[test]
fn broken_connections_are_broken_by_https_as_well() {
    let https = Https::start(&[]);
    for (close, processed) in [
        ("before", false),
        ("after", true),
        ("mid_body", true),
        ("reset", false),
    ] {
        https.order(json!({ "effect": { "close": close } }));
        let (code, _) = https.curl("localhost", "/api/v1/endpoints", &AS_ACME);
        assert_ne!(code, Some(0), "{close}");
        let last = https
            .program
            .caller()
            .get("/_mock/requests?limit=1")
            .at("/requests/0");
        let done = last["processed"]
            .as_bool()
            .unwrap_or(last["status"] != Value::Null);
        assert_eq!(done, processed, "{close}: {last}");
    }
    assert_eq!(https.reaches("localhost"), Some(0));
}

#[test]
fn who_never_shakes_hands_takes_a_seat_and_does_not_hold_up_the_end() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 80; exec \"$@\"", "sh"]);
    shell.arg(command(&[]).get_program());
    let mut https = Https::of(shell);
    let connect =
        |port: &str| TcpStream::connect(format!("127.0.0.1:{port}")).expect("a connection");
    let idle: Vec<_> = (0..16).map(|_| connect(&https.port)).collect();
    let mut said = String::new();
    let public = https.program.url.rsplit(':').next().unwrap_or_default();
    connect(public)
        .read_to_string(&mut said)
        .expect("an answer");
    assert!(said.starts_with("HTTP/1.1 503"), "{said:?}");
    let mut none = Vec::new();
    connect(&https.port).read_to_end(&mut none).expect("an end");
    assert_eq!(none, b"");
    let asked = Instant::now();
    assert_eq!(https.program.terminate().code(), Some(0));
    // Requests in flight would be given five seconds.
    assert!(
        asked.elapsed() < Duration::from_secs(4),
        "{:?}",
        asked.elapsed()
    );
    drop(idle);
}

#[test]
fn what_is_no_handshake_ends_the_connection_and_nothing_else() {
    let https = Https::start(&[]);
    let plain = Caller::new(&format!("http://127.0.0.1:{}", https.port));
    assert!(plain.try_send("GET", "/api/v1/health", b"").is_err());
    let mut stream = TcpStream::connect(format!("127.0.0.1:{}", https.port)).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    std::io::Write::write_all(&mut stream, &[0; 100]).expect("bytes");
    // An alert, or nothing; in any case an end.
    let _ = stream.read_to_end(&mut Vec::new());
    assert_eq!(https.reaches("localhost"), Some(0));
}
