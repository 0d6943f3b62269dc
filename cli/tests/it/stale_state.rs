//! What happened since a run ended early, or since its answer was lost, and what is named twice: no command acts against
//! it, or twice.

use crate::every_change::await_the_next_second;
use crate::shell::{Shell, account, provision};
use http::StatusCode;
use secmon_mock::{CloseAt, Fault, Tenant};

/// Everything behind the first call to this path fails.
fn breaks_after_one(tenant: &Tenant, path: &str) {
    let broken = Fault::status(StatusCode::INTERNAL_SERVER_ERROR);
    tenant.fault(broken.on("POST", path).after(1).times(0));
}

#[test]
fn a_server_that_took_over_a_name_is_not_terminated_by_an_older_run() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    provision(&shell, "203.0.113.2", "web-2");
    let file = shell.file("names.txt", "web-1\nweb-2\n");
    let line = ["endpoint", "terminate", "-f", &file, "-y"];
    breaks_after_one(&tenant, "*/terminate");
    await_the_next_second();
    shell.run(&line).exits(8);
    tenant.clear_faults();
    let listed = || {
        shell
            .line("endpoint list --columns ip_address,nickname -o csv")
            .exits(0)
            .stdout
    };
    // They go out together, and either may be the first.
    let (gone, there, address) = match listed().contains("web-1") {
        true => ("web-2", "web-1", "203.0.113.1"),
        false => ("web-1", "web-2", "203.0.113.2"),
    };
    provision(&shell, "203.0.113.9", gone);

    // The name stands for another server now: it is what the same words mean today, and is asked about.
    let asked = shell.run(&["endpoint", "terminate", "-f", &file]).exits(2);
    assert!(asked.stderr.contains(gone), "{asked:?}");
    let left = listed();
    assert!(
        left.contains("203.0.113.9") && left.contains(address),
        "{left}"
    );

    let file = shell.file("names.txt", &format!("{there}\n"));
    shell
        .run(&["endpoint", "terminate", "-f", &file, "-y"])
        .exits(0);
    let left = listed();
    assert!(
        left.contains("203.0.113.9") && !left.contains(address),
        "{left}"
    );
}

#[test]
fn a_question_that_was_declined_begins_no_run() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    provision(&shell, "203.0.113.2", "web-2");
    shell.line("endpoint terminate web-1 web-2").exits(2);
    let run = shell.line("endpoint terminate web-1 web-2 -y").exits(0);
    assert!(!run.stderr.contains("going on"), "{run:?}");
}

#[test]
fn a_report_never_replaces_the_file_that_is_read() {
    let shell = Shell::of(&account());
    let rows = "target,customer\n203.0.113.1,42\n";
    shell.file("servers.csv", rows);
    for report in ["servers.csv", "./servers.csv"] {
        let line = format!("provision -f servers.csv --report {report}");
        shell.line(&line).exits(2);
        let kept = std::fs::read_to_string(shell.path("servers.csv")).expect("the file");
        assert_eq!(kept, rows, "{report}");
    }
}

fn add<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let line = [
        "rules",
        "add",
        "web-1",
        "2201",
        "2202",
        "-m",
        "For the migration",
    ];
    [&line, more].concat()
}

/// The rules are made, and nobody saw it.
fn rules_unseen(tenant: &Tenant, shell: &Shell) {
    let lost = Fault::close(CloseAt::After).on("POST", "/api/v1/whitelists");
    tenant.fault(lost.times(2));
    // The look at each rule fails, after those at the rules of the server and for all servers.
    let broken = Fault::status(StatusCode::NOT_FOUND).on("GET", "/api/v1/whitelists");
    tenant.fault(broken.after(2).times(0));
    shell.run(&add(&[])).exits(8);
}

#[test]
fn a_rule_for_good_is_not_taken_for_one_that_ends() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    rules_unseen(&tenant, &shell);
    tenant.clear_faults();
    let run = shell.run(&add(&["--expires", "7d"])).exits(8);
    let way_out = run.stdout.find("secmon rules edit ");
    let way_out = way_out
        .map(|place| &run.stdout[place..])
        .unwrap_or_default();
    assert!(way_out.contains(" --expires 20"), "{run:?}");
}

#[test]
fn what_nobody_saw_stays_open_until_it_was_looked_at() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    rules_unseen(&tenant, &shell);
    tenant.clear_faults();
    let again = shell.run(&add(&["-o", "json"])).exits(0).json();
    assert_eq!(
        again["items"][0]["note"], "perhaps by the interrupted run",
        "{again}"
    );
    let rules = shell.line("rules list web-1 -o json").exits(0).json();
    assert_eq!(rules.as_array().map(Vec::len), Some(2), "{rules}");
}

#[test]
fn a_report_of_services_is_sent_whole_again() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for service in ["601", "602"] {
        let line = format!("sub set {service} -c 42 --product domain_monitoring --quantity 2");
        shell.line(&line).exits(0);
    }
    let head = "service_id,client_id,product_slug,status\n";
    let suspended = |service: &str| format!("{service},42,domain_monitoring,suspended\n");
    let today = format!("{head}{}{}", suspended("601"), suspended("602"));
    let today = shell.file("today.csv", &today);
    let line = ["sync", "-f", &today, "--chunk", "1", "-y"];
    breaks_after_one(&tenant, "*/sync-services");
    assert_ne!(shell.run(&line).code, 0);
    tenant.clear_faults();
    let active = shell.file(
        "fix.csv",
        &format!("{head}601,42,domain_monitoring,active\n"),
    );
    shell.run(&["sync", "-f", &active, "-y"]).exits(0);

    shell.run(&line).exits(0);
    let again = shell.line("sub resume 601 -c 42 --product domain_monitoring -o json");
    let record = again.exits(0).json();
    assert_ne!(record["note"], "already active", "{record}");
    assert_eq!(tenant.calls("POST", "*/resume-subscription").len(), 1);
    let answer = &tenant.calls("POST", "*/resume-subscription")[0].response;
    assert!(answer["data"]["note"].is_null(), "{answer}");
}

#[test]
fn a_key_in_a_command_line_is_not_kept() {
    let tenant = account().provoking_notices();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    let reason = format!("the key is {}", tenant.api_key());
    shell
        .run(&["rules", "add", "web-1", "22", "-m", &reason])
        .exits(0);
    let field = format!("k={}", tenant.api_key());
    shell
        .run(&["api", "billing/suspend", "-f", &field])
        .exits(5);
    let kept = shell.everything_kept();
    assert!(kept.contains("the key is ****"), "{kept}");
    assert!(!kept.contains(tenant.api_key()), "{kept}");
}

#[test]
fn a_call_whose_answer_was_lost_is_in_the_history() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let id = provision(&shell, "203.0.113.1", "web-1");
    tenant.fault(Fault::close(CloseAt::After).on("POST", "*/scan-endpoint"));
    shell.line("scan web-1").exits(0);
    tenant.fault(Fault::close(CloseAt::After).on("DELETE", "/api/v1/endpoints/*"));
    let line = format!("api /api/v1/endpoints/{id} -X DELETE");
    assert_ne!(shell.line(&line).code, 0);
    let changes = shell.line("history -o json").exits(0).json();
    let told: Vec<_> = changes.as_array().expect("a list").iter().collect();
    for operation in ["scan_endpoint", "api"] {
        assert!(
            told.iter()
                .any(|change| change["operation"] == operation && change["result"] != "done"),
            "{operation}: {changes}"
        );
    }
}

#[test]
fn a_name_that_was_not_given_is_told_of_every_row() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let rows = "target,customer,nickname\n203.0.113.1,42,web-1\n203.0.113.2,42,web-2\n";
    let file = shell.file("servers.csv", rows);
    let refused = Fault::status(StatusCode::NOT_FOUND).on("PUT", "/api/v1/endpoints/*");
    tenant.fault(refused.times(0));
    let report = shell.path("report.csv").display().to_string();
    let run = shell
        .run(&["provision", "-f", &file, "--report", &report])
        .exits(0);
    let written = std::fs::read_to_string(&report).expect("a report");
    for text in [run.stdout, written] {
        assert_eq!(
            text.matches("the nickname was not set").count(),
            2,
            "{text}"
        );
    }
}

#[test]
fn what_is_named_twice_is_done_once() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    let line = [
        "rules",
        "add",
        "web-1",
        "2300",
        "2300/tcp",
        "-m",
        "For the migration",
    ];
    shell.run(&line).exits(0);
    assert_eq!(tenant.calls("POST", "/api/v1/whitelists").len(), 1);
    shell
        .line("sub set 501 -c 42 --product domain_monitoring --quantity 1")
        .exits(0);
    shell
        .line("domain provision example.com --service 501 -c 42")
        .exits(0);
    shell
        .line("domain suspend example.com EXAMPLE.COM -c 42")
        .exits(0);
    assert_eq!(tenant.calls("POST", "*/suspend-domain").len(), 1);
}

#[test]
fn a_key_file_without_an_end_is_refused() {
    let shell = Shell::of(&account()).with("SECMON_API_KEY", "");
    let run = shell
        .with("SECMON_API_KEY_FILE", "/dev/zero")
        .line("endpoint list")
        .exits(2);
    assert!(run.stderr.contains("/dev/zero"), "{run:?}");
}

#[test]
fn a_server_that_is_suspended_is_not_called_monitored() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    shell.line("endpoint suspend web-1").exits(0);
    let file = shell.file("servers.csv", "target,customer\n203.0.113.1,42\n");
    let run = shell
        .run(&["provision", "-f", &file, "-o", "json"])
        .exits(0)
        .json();
    let note = run["items"][0]["note"].as_str().unwrap_or_default();
    assert!(note.contains("suspended"), "{run}");
}
