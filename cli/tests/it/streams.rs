//! What is long or slow: lists that come page by page, readers that leave, texts without end, files that others hold.

use crate::shell::{Run, Shell, account, provision};
use http::StatusCode;
use secmon_mock::{Fault, Tenant};
use std::fs::File;
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Two pages of servers.
fn many_servers(tenant: &Tenant) -> Shell {
    let shell = Shell::of(tenant);
    let rows: String = (0..120)
        .map(|i| format!("203.0.113.{i},{}\n", 100 + i / 20))
        .collect();
    let file = shell.file("servers.csv", &format!("ip,customer\n{rows}"));
    shell.run(&["provision", "-f", &file]).exits(0);
    shell
}

#[test]
fn json_lines_come_page_by_page() {
    let tenant = account();
    let shell = many_servers(&tenant);
    let whole = shell.line("endpoint list -o jsonl").exits(0).stdout;
    assert_eq!(whole.lines().count(), 120);
    let cut = shell.line("endpoint list -o jsonl -L 110").exits(0);
    assert_eq!(cut.stdout.lines().count(), 110);
    let broken = Fault::status(StatusCode::INTERNAL_SERVER_ERROR).times(0);
    tenant.fault(broken.on("GET", "/api/v1/endpoints").after(1));
    let run = shell.line("endpoint list -o jsonl --timeout 1s").exits(7);
    assert_eq!(run.stdout.lines().count(), 100, "{run:?}");
    tenant.clear_faults();
    // A sort has to see all of them first.
    let sorted = shell.line("endpoint list -o jsonl --sort -ip_address -L 1");
    assert!(sorted.exits(0).stdout.contains("203.0.113.99"));
}

#[test]
fn a_list_whose_reader_is_gone_is_read_no_further() {
    let tenant = account();
    let shell = many_servers(&tenant);
    let before = tenant.calls("GET", "/api/v1/endpoints").len();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = shell.command(&["endpoint", "list", "-o", "jsonl"]);
    let run = command.stdout(writer).output().expect("the program ends");
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    assert_eq!(tenant.calls("GET", "/api/v1/endpoints").len() - before, 1);
}

#[test]
fn a_cache_that_another_process_holds_keeps_no_result_back() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let cache = std::fs::read_dir(shell.path(".cache/secmon")).expect("the cache");
    let folders = cache.flatten().map(|entry| entry.path().join("index.lock"));
    let locks: Vec<File> = folders
        .filter_map(|path| File::options().write(true).open(path).ok())
        .collect();
    assert_eq!(locks.len(), 1);
    locks
        .iter()
        .for_each(|lock| lock.lock().expect("it is free"));
    let started = Instant::now();
    let line = ["provision", "203.0.113.11", "-c", "42", "-o", "json"];
    let mut child = shell.command(&line);
    let mut child = child.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut said = String::new();
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_to_string(&mut said).expect("what it says");
    assert!(said.contains("endpoint_id"), "{said}");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(4));
}

#[test]
fn a_text_of_the_service_without_end_is_cut() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let endless = "no ".repeat(100_000);
    let refusals = [
        serde_json::json!({ "success": false, "meta": {},
            "error": { "code": "NO".repeat(50_000), "message": endless, "details": {} } }),
        serde_json::json!({ "status": "error", "message": "no", "errors": { "field": vec![&endless; 3] } }),
    ];
    for refusal in refusals {
        tenant.clear_faults();
        let refused = Fault::body(StatusCode::UNPROCESSABLE_ENTITY, refusal.to_string());
        tenant.fault(refused.times(0));
        for line in ["endpoint list", "endpoint list -o json"] {
            let Run { stderr, .. } = shell.line(line).exits(5);
            assert!(stderr.len() < 4_000, "{} bytes", stderr.len());
            assert!(stderr.contains('…'), "{stderr}");
        }
    }
}

#[test]
fn what_cannot_be_written_is_no_success() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    for line in [
        "version",
        "--version",
        "help",
        "help csv",
        "-h",
        "endpoint list --help",
        "man",
        "completion bash",
        "provision --template",
        "endpoint list",
        "endpoint list -o json",
        "endpoint list -o jsonl",
        "endpoint list -o csv",
        "endpoint list -o ids",
        "endpoint list --jq .",
        "api endpoints",
        "provision 203.0.113.11 -c 42 -n",
        "provision 203.0.113.11 -c 42 -n -o json",
        "provision 203.0.113.12 -c 42",
        "config path",
    ] {
        let full = File::options().write(true).open("/dev/full");
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = shell.command(&words);
        let run = command.stdout(full.expect("a full disk")).output();
        let run = Run::of(&run.expect("the program ends"));
        assert_eq!(run.code, 1, "{line}: {run:?}");
        assert!(run.stderr.contains("standard output"), "{line}: {run:?}");
    }
}
