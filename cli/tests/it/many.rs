//! One change for many: what is told of each, and what is left to other people.

use crate::shell::{Account, Shell, account, provision};
use http::StatusCode;
use secmon_mock::{Fault, Tenant};
use serde_json::json;
use std::process::Stdio;

/// A shell that may send six strict calls in an hour, and waits for none.
fn hurried(tenant: &Tenant) -> Shell {
    Shell::of(tenant).with("SECMON_RATE_LIMITS", "6,100/1h")
}

#[test]
fn a_file_of_one_line_is_reported_as_a_file() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    let file = shell.file("one.txt", "# who has not paid\n\nweb-1\n");
    let run = shell
        .run(&["endpoint", "suspend", "-f", &file, "-o", "json"])
        .exits(0)
        .json();
    assert_eq!(run["summary"]["total"], 1, "{run}");
    assert_eq!(run["items"][0]["row"], 3, "{run}");
}

#[test]
fn a_run_that_ends_because_the_key_is_not_known_says_so_and_still_tells_of_every_row() {
    let unknown = StatusCode::UNAUTHORIZED;
    for refusal in [
        Fault::status(unknown),
        Fault::code(unknown, "TENANT_NOT_FOUND"),
    ] {
        let tenant = account();
        let shell = Shell::of(&tenant);
        let rows: String = (1..=20).map(|i| format!("203.0.113.{i},42\n")).collect();
        let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
        let refusal = refusal.on("POST", "*/provision").after(2);
        tenant.fault(refusal.clone());
        let load = ["provision", "-f", &file, "--report", "report.csv"];
        let json: Vec<&str> = load.iter().copied().chain(["-o", "json"]).collect();
        let run = shell.run(&json).exits(3).json();
        assert_eq!(run["items"].as_array().map(Vec::len), Some(20), "{run}");
        assert_eq!(run["summary"]["total"], 20, "{run}");
        assert!(run["summary"]["succeeded"].as_u64() >= Some(2), "{run}");
        assert!(run["summary"]["failed"].as_u64() >= Some(1), "{run}");
        let report = std::fs::read_to_string(shell.path("report.csv")).expect("the report");
        assert_eq!(report.lines().count(), 21, "{report}");
        shell.run(&load).exits(0);

        tenant.fault(refusal.on("POST", "*/suspend").after(0));
        let suspend = "endpoint suspend 203.0.113.1 203.0.113.2 203.0.113.3 -c 42";
        let run = shell.line(suspend).exits(3);
        assert!(run.stdout.contains("3 in all"), "{run:?}");
        shell.line(suspend).exits(0);
    }
}

#[test]
fn every_run_over_many_leaves_calls_to_people() {
    let tenant = account();
    let setting_up = Shell::of(&tenant);
    for i in 1..=4 {
        provision(&setting_up, &format!("203.0.113.{i}"), &format!("web-{i}"));
    }
    let names = "web-1\nweb-2\n";
    let file = setting_up.file("names.txt", names);
    let suspend = ["endpoint", "suspend", "-f", &file, "--max-wait", "0"];
    let run = hurried(&tenant).run(&suspend).exits(8);
    assert!(run.stdout.contains("1 suspended"), "{run:?}");
    assert!(run.stdout.contains("rate_limited"), "{run:?}");
    let whole: Vec<&str> = suspend
        .iter()
        .copied()
        .chain(["--use-whole-window"])
        .collect();
    hurried(&tenant).run(&whole).exits(0);

    let services =
        "service_id,client_id,product_slug,status\n1,42,endpoint,active\n2,43,endpoint,active\n";
    let file = setting_up.file("services.csv", services);
    let sync = ["sync", "-f", &file, "--chunk", "1", "--max-wait", "0"];
    hurried(&tenant).run(&sync).exits(6);
    let whole: Vec<&str> = sync.iter().copied().chain(["--use-whole-window"]).collect();
    hurried(&tenant).run(&whole).exits(0);
}

#[test]
fn a_sync_that_failed_in_the_middle_is_sent_whole_again() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let services: String = (1..=4)
        .map(|i| format!("{i},{i},endpoint,active\n"))
        .collect();
    let header = "service_id,client_id,product_slug,status";
    let file = shell.file("services.csv", &format!("{header}\n{services}"));
    let sync = ["sync", "-f", &file, "--chunk", "1", "-o", "json"];
    let broken = Fault::status(http::StatusCode::INTERNAL_SERVER_ERROR)
        .times(0)
        .after(2);
    tenant.fault(broken.on("POST", "*/sync-services"));
    let mut hasty: Vec<&str> = sync.to_vec();
    hasty.extend(["--timeout", "1s"]);
    shell.run(&hasty).exits(7);
    tenant.clear_faults();
    let before = tenant.calls("POST", "*/sync-services").len();
    let run = shell.run(&sync).exits(0).json();
    assert_eq!(
        run["unknown_services"].as_array().map(Vec::len),
        Some(4),
        "{run}"
    );
    assert_eq!(tenant.calls("POST", "*/sync-services").len() - before, 4);
}

#[test]
fn what_was_found_on_several_servers_and_domains_is_told() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 3 -c 42")
        .exits(0);
    let rows = "203.0.113.1,,\n203.0.113.2,,\nhttps://one.example,501\nhttps://two.example,501\n";
    let file = shell.file(
        "mixed.csv",
        &format!("target,service_id\n{rows}").replace(",,", ","),
    );
    let run = shell
        .run(&["provision", "-f", &file, "-c", "42", "-w"])
        .exits(0);
    assert_eq!(run.stdout.matches("8080/tcp").count(), 2, "{}", run.stdout);
    assert!(
        run.stdout.contains("one.example") && run.stdout.contains("two.example"),
        "{}",
        run.stdout
    );
    let again = ["provision", "-f", &file, "-c", "42", "-w", "-o", "json"];
    let run = shell.run(&again).exits(0).json();
    assert_eq!(
        run["items"][1]["latest_scan"]["open_ports"],
        json!([22, 80, 443, 8080])
    );
    assert_eq!(
        run["items"][3]["summary"]["employees_compromised"], 2,
        "{run}"
    );
}

#[test]
fn several_domains_are_waited_for() {
    let tenant = Account::of(crate::shell::mock().tenant());
    tenant
        .set_progress(secmon_mock::Progress::Manual)
        .expect("the account is there");
    let shell = Shell::of(&tenant);
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 3 -c 42")
        .exits(0);
    let line = "provision https://one.example https://two.example --service 501 -c 42 -w --wait-timeout 10ms";
    let run = shell.line(line).exits(9);
    assert!(run.stderr.contains("domain list -c 42"), "{run:?}");
}

#[test]
fn what_the_service_says_is_no_formula_in_a_report() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let said =
        r#"{"success":false,"error":{"code":"=CODE","message":"=HYPERLINK(0)","details":{}}}"#;
    tenant.fault(Fault::body(http::StatusCode::FORBIDDEN, said).on("POST", "*/provision"));
    let file = shell.file(
        "servers.csv",
        "target,customer,nickname\n203.0.113.1,42,-mine\n",
    );
    let report = shell.path("report.csv").display().to_string();
    shell
        .run(&["provision", "-f", &file, "--report", &report])
        .exits(8);
    let written = std::fs::read_to_string(&report).expect("the report");
    assert!(written.contains("'=HYPERLINK"), "{written}");
    assert!(
        written.contains(",-mine,"),
        "what was fed in stays as it was: {written}"
    );
    shell.run(&["provision", "-f", &report]).exits(0);
}

#[test]
fn spreadsheets_of_every_make_are_read() {
    let shell = Shell::of(&account());
    let path = shell.path("excel.csv");
    let bytes = b"\xef\xbb\xbfServer;Kunde;Name\r\n203.0.113.1;42;\"Rack 1; M\xc3\xbcnchen\"\r\n\r\n203.0.113.2;42;\"say \"\"hi\"\"\"\r\n";
    std::fs::write(&path, bytes).expect("the file is written");
    let file = path.display().to_string();
    let maps = ["--map", "Kunde=customer", "--map", "Name=nickname"];
    let line = [&["provision", "-f", &file][..], &maps].concat();
    let run = shell.run(&line).exits(0);
    assert!(run.stderr.contains("2 servers"), "{run:?}");
    // The rows go out together, so any may be the first to arrive.
    let servers = shell
        .line("endpoint list -c 42 -o json --sort ip_address")
        .exits(0)
        .json();
    assert_eq!(servers[0]["nickname"], "Rack 1; München");
    assert_eq!(servers[1]["nickname"], "say \"hi\"");

    let tabs = shell.file("tabs.csv", "ip\tcustomer\n203.0.113.3\t42\n");
    shell.run(&["provision", "-f", &tabs]).exits(0);
    let bars = shell.file("bars.csv", "ip|customer\n203.0.113.4|42\n");
    shell.run(&["provision", "-f", &bars]).exits(2);
    let run = shell
        .run(&["provision", "-f", &bars, "--delimiter", "|"])
        .exits(0);
    assert!(run.stderr.contains("1 server"), "{run:?}");
    shell
        .run(&["provision", "-f", &bars, "--delimiter", "||"])
        .exits(2);
    let run = shell.run(&["provision", "-f", &tabs]).exits(0);
    assert!(run.stderr.contains("1 already monitored"), "{run:?}");
}

#[test]
fn the_plan_says_how_long_it_takes() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("SECMON_RATE_LIMITS", "60,100/60s");
    let rows: String = (0..200)
        .map(|i| format!("203.0.113.{i},{}\n", 100 + i / 20))
        .collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    let run = shell.run(&["provision", "-f", &file, "-n"]).exits(0);
    assert!(
        run.stderr
            .contains("200 rows: 200 servers, 10 customers · about 3 min at 60 calls a minute"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_servers_of_many_customers_are_read_in_one_list() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let rows: String = (0..60)
        .map(|i| format!("203.0.113.{i},{}\n", 100 + i))
        .collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    shell.run(&["provision", "-f", &file]).exits(0);
    let before = tenant.calls("GET", "*").len();
    let run = shell.run(&["provision", "-f", &file]).exits(0);
    assert!(run.stdout.contains("60 already there"), "{run:?}");
    assert_eq!(tenant.calls("GET", "*").len() - before, 2);
}

#[test]
fn a_file_of_fifty_thousand_rows_is_checked_in_a_moment() {
    let shell = Shell::of(&account());
    let rows: String = (0..50_000)
        .map(|i| format!("10.{}.{}.{},42,\n", i / 65_536, i / 256 % 256, i % 256))
        .collect();
    let file = shell.file(
        "huge.csv",
        &format!("target,customer,nickname\n{rows}10.0.0.0,42,web-1\n"),
    );
    let run = shell.run(&["provision", "-f", &file]).exits(2);
    assert!(run.stderr.contains("row 50002: \"10.0.0.0\""), "{run:?}");
}

#[test]
fn a_file_of_too_many_rows_is_refused_whole() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let rows = "203.0.113.1,42\n".repeat(100_001);
    let file = shell.file("huge.csv", &format!("target,customer\n{rows}"));
    let run = shell.run(&["provision", "-f", &file]).exits(2);
    assert!(
        run.stderr.contains("huge.csv has more than 100000 rows"),
        "{run:?}"
    );
    assert!(run.stderr.contains("split it"), "{run:?}");
    assert_eq!(tenant.calls("POST", "*").len(), 0);
}

#[test]
fn cooldowns_of_some_servers_do_not_stop_the_mock_under_the_others() {
    let shell = Shell::new();
    let servers: Vec<String> = (1..=24).map(|i| format!("203.0.113.{i}")).collect();
    let rows: String = servers
        .iter()
        .map(|server| format!("{server},42\n"))
        .collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    shell
        .run(&["--local", "provision", "-f", &file, "-w"])
        .exits(0);
    for server in servers.iter().step_by(3) {
        shell.line(&format!("--local scan {server}")).exits(0);
    }
    shell.line("--local mock clock advance 299s").exits(0);
    let all = servers.join(" ");
    let line = format!("--local scan {all} --respect-cooldown -o json");
    let run = shell.line(&line).exits(0).json();
    assert_eq!(run["summary"]["succeeded"], 24, "{run}");
}

#[test]
fn a_scan_that_ended_during_the_cooldown_is_not_the_one_that_is_waited_for() {
    let config = secmon_mock::Config::parse("[timings]\nscan_cooldown = 2\n");
    let mock = secmon_mock::MockServer::builder()
        .config(config.expect("a good configuration"))
        .start()
        .expect("the mock starts");
    let tenant = Account::of(mock.tenant());
    tenant
        .set_progress(secmon_mock::Progress::Manual)
        .expect("the account is there");
    let shell = Shell::of(&tenant);
    let id = provision(&shell, "203.0.113.1", "web-1");
    shell.line("scan web-1").exits(0);
    let line = [
        "scan",
        "web-1",
        "--respect-cooldown",
        "-w",
        "--wait-timeout",
        "10ms",
    ];
    let mut command = shell.command(&line);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let refused = || tenant.calls("POST", "*/scan-endpoint").len() == 2;
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !refused() {
        assert!(std::time::Instant::now() < deadline, "no second call came");
        std::thread::yield_now();
    }
    let id = id.parse().expect("an id");
    tenant
        .scan_now(id, secmon_mock::ScanOutcome::Completed)
        .expect("the server is there");
    assert_eq!(child.wait().expect("it ends").code(), Some(9));
}

#[test]
fn status_counts_the_alerts_of_domains() {
    let shell = Shell::of(&account());
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 3 -c 42")
        .exits(0);
    shell
        .line("domain provision one.example --service 501 -c 42")
        .exits(0);
    provision(&shell, "203.0.113.1", "web-1");
    let status = shell.line("status -c 42 -o json").exits(0).json();
    assert_eq!(
        status["open_domain_alerts"],
        json!({ "critical": 1, "high": 2, "medium": 1 })
    );
    assert_eq!(
        status["open_alerts"],
        json!({ "critical": 1, "high": 2, "medium": 3, "low": 2 })
    );
    let text = shell.line("status -c 42").exits(0).stdout;
    assert!(text.contains("1 critical, 2 high, 1 medium"), "{text}");
}

#[test]
fn the_history_of_one_server_is_not_that_of_another() {
    let shell = Shell::of(&account());
    shell.line("provision 203.0.113.1 -c 42").exits(0);
    shell.line("provision 203.0.113.10 -c 42").exits(0);
    let one = shell
        .line("history --endpoint 203.0.113.1 -o json")
        .exits(0)
        .json();
    assert_eq!(one.as_array().map(Vec::len), Some(1), "{one}");
}
