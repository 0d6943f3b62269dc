//! What is long or slow: lists that come page by page, readers that leave, texts without end, files that others hold.

use crate::shell::{Run, Shell, account, mock, provision};
use http::StatusCode;
use secmon_mock::{Fault, Tenant};
use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};
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
    // What is looked for, the service does not tell: it is picked from each page.
    let search = "endpoint list --search 203.0.113.1 -o jsonl";
    assert_eq!(shell.line(search).exits(0).stdout.lines().count(), 31);
    let some = shell.line(&format!("{search} -L 3")).exits(0).stdout;
    assert_eq!(some.lines().count(), 3);
    let broken = Fault::status(StatusCode::INTERNAL_SERVER_ERROR).times(0);
    tenant.fault(broken.on("GET", "/api/v1/endpoints").after(1));
    let run = shell.line(&format!("{search} --timeout 1s")).exits(7);
    assert!(run.stdout.lines().count() > 1, "{run:?}");
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
fn a_database_that_another_process_holds_keeps_no_result_back() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let file = shell.path(".local/state/secmon/state.db");
    let held = rusqlite::Connection::open(file).expect("the database");
    held.execute_batch("BEGIN IMMEDIATE").expect("it is free");
    let started = Instant::now();
    let line = ["provision", "203.0.113.11", "-c", "42", "-o", "json"];
    let mut child = shell.command(&line);
    let mut child = child.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut said = String::new();
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_to_string(&mut said).expect("what it says");
    assert!(said.contains("endpoint_id"), "{said}");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    // Each look at it waits two seconds at most.
    assert!(started.elapsed() < Duration::from_secs(60));
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
        #[cfg(target_os = "linux")]
        nor_is_what_is_sent_nowhere(&shell, &words);
    }
}

/// As with `>&-`, where nothing is open to write to; `/dev/null` is somewhere.
#[cfg(target_os = "linux")]
fn nor_is_what_is_sent_nowhere(shell: &Shell, words: &[&str]) {
    for (output, code) in [(">&-", 1), (">/dev/null", 0), ("1<>/dev/null", 0)] {
        let like = shell.command(words);
        let variables = like.get_envs();
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &format!("exec \"$0\" \"$@\" {output}")])
            .arg(like.get_program())
            .args(words)
            .env_clear()
            .envs(variables.filter_map(|(name, value)| Some((name, value?))))
            .current_dir(shell.path(""))
            .stdin(Stdio::null());
        let run = Run::of(&command.output().expect("the program ends"));
        assert_eq!(run.code, code, "{words:?} {output}: {run:?}");
    }
}

/// More than a page of each list that the service gives in pages.
fn many_records(tenant: &Tenant) -> Shell {
    let shell = Shell::of(tenant).with("SECMON_CUSTOMER", "42");
    let shell = shell.with("SECMON_MOCK_ADMIN_URL", mock().admin_url());
    let servers: String = (0..30).map(|i| format!("203.0.113.{i}\n")).collect();
    let servers = shell.file("servers.csv", &format!("ip\n{servers}"));
    let rules: String = (0..105)
        .map(|i| format!("{},needed there\n", 20_000 + 2 * i))
        .collect();
    let rules = shell.file("rules.csv", &format!("ports,justification\n{rules}"));
    shell.line("sandbox scenario set critical").exits(0);
    for line in [
        "subscription set 500 --product port_monitoring --plan business",
        &format!("provision -f {servers}"),
        &format!("rules add -f {rules} --to 203.0.113.1 -y"),
        "subscription set 501 --product domain_monitoring --quantity 3",
        "domain provision example.com --service 501",
        "mock trigger mention example.com --count 60",
    ] {
        shell.line(line).exits(0);
    }
    shell
}

/// A list, the operation that reads it, and how its path ends.
const PAGED: [(&str, &str, &str); 6] = [
    ("rules list", "list_rules", "v1/whitelists"),
    ("alert list --kind port", "list_port_alerts", "v1/alerts"),
    (
        "alert list --kind port --severity low+",
        "list_port_alerts",
        "v1/alerts",
    ),
    (
        "domain leaks example.com",
        "list_credential_leaks",
        "/credential-leaks",
    ),
    ("domain mentions example.com", "list_mentions", "-mentions"),
    (
        "api endpoints?per_page=10 --paginate",
        "list_endpoints",
        "v1/endpoints",
    ),
];

/// The items in any order: json is sorted for people.
fn in_any_order(items: impl IntoIterator<Item = serde_json::Value>) -> Vec<String> {
    let items = items.into_iter().map(|item| item.to_string());
    let mut items: Vec<String> = items.collect();
    items.sort_unstable();
    items
}

#[test]
fn every_paged_list_has_the_same_items_as_json_lines() {
    let tenant = account();
    let shell = many_records(&tenant);
    // The first look marks mentions as seen.
    shell.line("domain mentions example.com").exits(0);
    for (list, ..) in PAGED {
        let whole = shell.line(&format!("{list} -o json")).exits(0).json();
        let whole = whole.as_array().expect("a list").clone();
        let lines = shell.line(&format!("{list} -o jsonl")).exits(0).stdout;
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        assert_eq!(in_any_order(lines), in_any_order(whole), "{list}");
        let cut = shell.line(&format!("{list} -o jsonl -L 7")).exits(0).stdout;
        assert_eq!(cut.lines().count(), 7, "{list}");
    }
}

#[test]
fn json_lines_of_every_paged_list_stop_where_the_list_or_its_reader_does() {
    let tenant = account();
    let shell = many_records(&tenant);
    for (list, operation, path) in PAGED {
        let line = format!("{list} -o jsonl");
        let words: Vec<&str> = line.split(' ').collect();
        let calls = || {
            let calls = tenant.journal().into_iter();
            let calls = calls.filter(|call| call.path.ends_with(path));
            calls.count()
        };
        let before = calls();
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = shell.command(&words).stdout(writer).output();
        let run = run.expect("the program ends");
        assert_eq!(run.status.code(), Some(0), "{list}: {run:?}");
        assert_eq!(calls() - before, 1, "{list}");

        let broken = Fault::status(StatusCode::INTERNAL_SERVER_ERROR).times(0);
        tenant.fault(broken.operation(operation).after(1));
        let run = shell.line(&format!("{line} --timeout 1s"));
        tenant.clear_faults();
        assert_ne!(run.code, 0, "{list}: {run:?}");
        assert!(run.stdout.lines().count() > 1, "{list}: {run:?}");
    }
}

#[test]
fn alerts_of_every_customer_decide_the_exit_code_as_json_lines_too() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for (address, customer) in [("203.0.113.10", "42"), ("203.0.113.11", "43")] {
        shell
            .line(&format!("provision {address} -c {customer}"))
            .exits(0);
    }
    let all = "alert list --all-customers -o jsonl";
    let lines = shell.line(all).exits(0).stdout;
    let owners = lines.lines().map(|line| {
        let alert: serde_json::Value = serde_json::from_str(line).expect("JSON");
        alert["billing_customer_id"].as_u64().expect("an owner")
    });
    let owners: Vec<u64> = owners.collect();
    assert!(owners.contains(&42) && owners.contains(&43), "{owners:?}");
    shell.line(&format!("{all} --exit-code")).exits(1);
    shell.line("endpoint terminate --all -c 42 -y").exits(0);
    shell.line("alert list -c 42 -o jsonl --exit-code").exits(0);
    shell.line("alert list -c 99 -o jsonl --exit-code").exits(4);
}
