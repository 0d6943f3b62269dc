//! Allowed Ports rules and port alerts.

use crate::shell::{Shell, account, provision};
use http::StatusCode;
use secmon_mock::{CloseAt, Fault};
use serde_json::{Value, json};

fn open_ports(shell: &Shell) -> Vec<u64> {
    let alerts = shell
        .line("alert list -c 42 --status open -o json")
        .exits(0)
        .json();
    let mut ports: Vec<u64> = alerts
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|alert| alert["port"].as_u64())
        .collect();
    ports.sort_unstable();
    ports
}

fn alert_of(shell: &Shell, port: u64) -> Value {
    let alerts = shell.line("alert list -c 42 -o json").exits(0).json();
    let found = alerts
        .as_array()
        .and_then(|alerts| alerts.iter().find(|alert| alert["port"] == port).cloned());
    found.expect("an alert for the port")
}

#[test]
fn allowing_ports_resolves_their_alerts() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    assert_eq!(open_ports(&shell), [22, 80, 443, 8080]);
    let rule = shell
        .run(&[
            "rules",
            "add",
            "web-1",
            "ssh",
            "-m",
            "SSH for the operations team",
            "-o",
            "json",
        ])
        .exits(0)
        .json();
    assert_eq!(
        (&rule["port_start"], &rule["protocol"]),
        (&json!(22), &json!("tcp"))
    );
    let two = shell
        .run(&[
            "rules",
            "add",
            "-e",
            "web-1",
            "80/tcp",
            "443",
            "-m",
            "public web site",
            "-o",
            "json",
        ])
        .exits(0)
        .json();
    assert_eq!(two["summary"]["succeeded"], 2);
    assert_eq!(two["items"][0]["created"], true);
    assert_eq!(open_ports(&shell), [8080]);
}

#[test]
fn a_rule_for_all_servers_of_a_customer() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let rule = shell
        .run(&[
            "rule",
            "add",
            "--global",
            "8000-9000/*",
            "-c",
            "42",
            "-m",
            "application servers",
            "-o",
            "json",
        ])
        .exits(0)
        .json();
    assert_eq!(
        (&rule["scope_label"], &rule["protocol"]),
        (&json!("Global"), &json!("*"))
    );
    assert_eq!(open_ports(&shell), [22, 80, 443]);
}

#[test]
fn a_port_in_the_place_of_the_server_is_answered_with_a_hint() {
    let shell = Shell::of(&account());
    let run = shell
        .run(&[
            "rules",
            "add",
            "443",
            "80",
            "-m",
            "public web site",
            "-o",
            "json",
        ])
        .exits(4);
    assert!(
        run.error()["hint"]
            .as_str()
            .unwrap_or_default()
            .contains("--global"),
        "{run:?}"
    );
}

#[test]
fn a_rule_is_checked_before_anything_is_sent() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for arguments in [
        ["rules", "add", "web-1", "22", "-m", "too short"].as_slice(),
        &["rules", "add", "web-1", "0", "-m", "long enough text"],
        &["rules", "add", "web-1", "70000", "-m", "long enough text"],
        &["rules", "add", "web-1", "90-80", "-m", "long enough text"],
        &["rules", "add", "web-1", "22/icmp", "-m", "long enough text"],
        &["rules", "add", "web-1", "-m", "long enough text"],
        &["rules", "add", "web-1", "22"],
        &[
            "rules",
            "add",
            "web-1",
            "22",
            "-m",
            "long enough text",
            "--expires",
            "soon",
        ],
    ] {
        shell.run(arguments).exits(2);
    }
    assert_eq!(tenant.journal().len(), 0);
}

#[test]
fn an_overlap_names_the_rule_in_the_way_and_can_be_passed_over() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let first = shell
        .run(&[
            "rules",
            "add",
            "web-1",
            "20-25/tcp",
            "-m",
            "file transfer hosts",
            "-o",
            "json",
        ])
        .exits(0)
        .json();
    let id = first["id"].as_str().expect("an id");
    let refused = shell
        .run(&[
            "rules",
            "add",
            "web-1",
            "22",
            "-m",
            "SSH for the team",
            "-o",
            "json",
        ])
        .exits(5);
    assert!(
        refused.error()["hint"]
            .as_str()
            .unwrap_or_default()
            .contains(id),
        "{refused:?}"
    );
    let passed = shell
        .run(&[
            "rules",
            "add",
            "web-1",
            "22",
            "8443",
            "-m",
            "SSH for the team",
            "--skip-existing",
            "-o",
            "json",
        ])
        .exits(0)
        .json();
    assert_eq!(
        passed["summary"],
        json!({ "total": 2, "succeeded": 1, "failed": 0, "skipped": 1 })
    );
}

#[test]
fn a_rule_whose_answer_was_lost_is_found_and_not_made_twice() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    tenant.fault(Fault::close(CloseAt::After).on("POST", "/api/v1/whitelists"));
    let rule = shell
        .run(&[
            "rules",
            "add",
            "web-1",
            "22",
            "-m",
            "SSH for the team",
            "-o",
            "json",
        ])
        .exits(0)
        .json();
    assert_eq!(rule["port_start"], 22);
    let rules = shell.line("rules list web-1 -o json").exits(0).json();
    assert_eq!(rules.as_array().map(Vec::len), Some(1));
}

#[test]
fn a_rule_is_shown_changed_copied_and_removed() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    provision(&shell, "203.0.113.11", "web-2");
    let made = shell.run(&[
        "rules",
        "add",
        "web-1",
        "22",
        "-m",
        "SSH for the team",
        "--service",
        "ssh",
        "--expires",
        "90d",
        "-o",
        "json",
    ]);
    let id = made.exits(0).json()["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let changed = shell
        .run(&[
            "rules",
            "edit",
            &id[..8],
            "--port",
            "2222/udp",
            "--expires",
            "never",
            "-o",
            "json",
        ])
        .exits(0)
        .json();
    assert_eq!(
        (&changed["port_start"], &changed["protocol"]),
        (&json!(2222), &json!("udp"))
    );
    assert_eq!(
        (&changed["expires_at"], &changed["service"]),
        (&Value::Null, &json!("ssh"))
    );
    assert_eq!(changed["justification"], "SSH for the team");
    let kept = shell
        .line(&format!("rules edit {id} --port 2223 -o json"))
        .exits(0)
        .json();
    assert_eq!(
        (&kept["port_start"], &kept["protocol"]),
        (&json!(2223), &json!("udp"))
    );
    shell.line("rules copy web-1 --to web-2").exits(0);
    let counts = shell.line("rules summary -c 42 -o json").exits(0).json();
    assert_eq!(counts["endpoints"][1]["rule_count"], 1);
    shell.line(&format!("rules remove {id}")).exits(2);
    shell.line(&format!("rules remove {id} -y")).exits(0);
    shell.line(&format!("rules show {id}")).exits(4);
}

#[test]
fn a_variable_that_is_not_set_is_no_port_and_no_server() {
    const REASON: &str = "SSH for operations";
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    for line in [
        ["web-1", "", "-m", REASON].as_slice(),
        &["web-1", "22", " ", "-m", REASON],
        &["--global", ",", "-c", "42", "-m", REASON],
        &["-e", "web-1", "", "-m", REASON],
    ] {
        let run = shell.run(&[&["rules", "add"], line].concat()).exits(2);
        assert!(run.stderr.contains("is not a port"), "{line:?}: {run:?}");
    }
    assert!(tenant.calls("POST", "/api/v1/whitelists").is_empty());
    let before = tenant.journal().len();
    let copying = shell.run(&["rules", "copy", "web-1", "--to", " "]).exits(2);
    assert!(copying.stderr.contains("is empty"), "{copying:?}");
    assert_eq!(tenant.journal().len(), before, "nothing was asked");
}

#[test]
fn a_list_of_alerts_says_how_many_are_open() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    shell
        .line("rules add web-1 22 -m because-it-is-so")
        .exits(0);
    let listed = shell.line("alert list -c 42").exits(0).stdout;
    assert!(
        listed.ends_with("4 alerts of customer 42: 3 open, 1 resolved\n"),
        "{listed}"
    );
    let ids = shell.line("alert list -c 42 -o ids").exits(0).stdout;
    assert_eq!(ids.lines().count(), 4, "{ids}");
}

#[test]
fn alerts_are_narrowed_down() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    provision(&shell, "203.0.113.11", "web-2");
    let count = |line: &str| shell.line(line).exits(0).json().as_array().map(Vec::len);
    assert_eq!(count("alerts list -c 42 -o json"), Some(8));
    assert_eq!(count("alert list --endpoint web-1 -o json"), Some(4));
    assert_eq!(count("alert list -c 42 --severity medium -o json"), Some(4));
    assert_eq!(count("alert list -c 42 --severity low+ -o json"), Some(8));
    assert_eq!(count("alert list -c 42 --severity high+ -o json"), Some(0));
    assert_eq!(count("alert list -c 42 --since 1h -o json"), Some(8));
    assert_eq!(count("alert list -c 7 -o json"), Some(0));
    let whose = shell.line("alert list -o json").exits(2);
    assert!(
        whose.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("-c"),
        "{whose:?}"
    );
}

#[test]
fn an_alert_is_allowed_for_good_or_resolved_for_now() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let ssh = alert_of(&shell, 22)["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let web = alert_of(&shell, 80)["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let rule = shell
        .run(&[
            "alert",
            "allow",
            &ssh[..8],
            "-c",
            "42",
            "-m",
            "SSH for the team",
            "-o",
            "json",
        ])
        .exits(0)
        .json();
    assert_eq!(rule["port_start"], 22);
    assert_eq!(
        shell
            .line(&format!("alert show {ssh} -c 42 -o json"))
            .exits(0)
            .json()["status"],
        "resolved"
    );
    let resolved = shell
        .feed(&format!("{web}\n"), &["alert", "resolve", "-", "-c", "42"])
        .exits(0);
    assert!(resolved.stdout.contains("alert allow"), "{resolved:?}");
    assert_eq!(open_ports(&shell), [443, 8080]);
    shell.line(&format!("alert show {web} -c 7")).exits(4);
}

#[test]
fn who_paused_a_server_is_told() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    shell.line("endpoint suspend web-1").exits(0);
    let shown = shell.line("endpoint show web-1").exits(0).stdout;
    assert!(shown.contains("paused (by hand)"), "{shown}");
}

#[test]
fn a_script_learns_by_the_exit_code_whether_alerts_are_open() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let line = "alert list -c 42 --status open --severity medium+ --exit-code";
    let run = shell.line(line).exits(1);
    assert!(run.stdout.contains("8080/tcp"), "{run:?}");
    shell
        .line("alert list -c 42 --status open --severity critical --exit-code")
        .exits(0);
    tenant.fault(Fault::status(StatusCode::INTERNAL_SERVER_ERROR).times(0));
    shell.line(line).exits(7);
}

#[test]
fn a_range_is_shown_as_one_and_an_end_has_its_date() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    for ports in ["8000-8010/tcp", "53"] {
        let line =
            format!("rules add web-1 {ports} -c 42 --expires 2099-12-31 -m for-the-customer -q");
        shell.line(&line).exits(0);
    }
    let shown = shell.line("endpoint show web-1").exits(0).stdout;
    assert!(
        shown.contains("allowed ports    53/tcp 8000-8010/tcp\n"),
        "{shown}"
    );
    let rules = shell.line("rules list web-1 -o ids").exits(0).stdout;
    let rule = rules.lines().next().expect("a rule");
    let shown = shell.line(&format!("rules show {rule}")).exits(0).stdout;
    let end = shown.lines().find(|line| line.contains("expires"));
    assert!(
        end.is_some_and(|end| end.contains(" (2099-12-31)") || end.contains(" (2100-01-01)")),
        "{shown}"
    );
}

#[test]
fn a_port_that_is_allowed_for_good_is_not_taken_for_one_that_is_allowed_for_a_week() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    let alert = alert_of(&shell, 8080);
    let id = alert["id"].as_str().expect("an id");
    let allow = format!("alert allow {id} -m for-the-operations-team");
    shell.line(&allow).exits(0);
    shell.line(&allow).exits(0);
    let refused = shell.line(&format!("{allow} --expires 7d")).exits(5).stderr;
    let (_, edit) = refused.split_once("secmon rules edit ").expect(&refused);
    let edit: Vec<&str> = edit.split_whitespace().take(3).collect();
    shell
        .line(&format!("rules edit {}", edit.join(" ")))
        .exits(0);
    let rules = shell.line("rules list web-1 -o json").exits(0).json();
    assert!(rules[0]["expires_at"].is_string(), "{rules}");
}

#[test]
fn a_rule_in_the_way_is_made_as_it_was_wanted_by_the_line_that_the_hint_has() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    shell
        .line("rules add web-1 8443 -m for-the-operations-team --expires 5d")
        .exits(0);
    for terms in [
        "-m for-another-team --expires 5d",
        "-m for-another-team --expires 9d",
        "-m for-another-team --service proxy",
    ] {
        let add = format!("rules add web-1 8443 {terms}");
        let refused = shell.line(&add).exits(5).stderr;
        let (_, edit) = refused.split_once("secmon rules edit ").expect(&refused);
        let edit = edit.split(';').next().unwrap_or_default();
        let edit = edit.split_whitespace().collect::<Vec<_>>().join(" ");
        shell.line(&format!("rules edit {edit}")).exits(0);
        shell.line(&add).exits(0);
    }
}

#[test]
fn an_alert_that_is_resolved_already_is_not_said_to_come_back() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    let alert = alert_of(&shell, 8080);
    let id = alert["id"].as_str().expect("an id");
    let allow = format!("alert allow {id} -m for-the-operations-team");
    shell.line(&allow).exits(0);
    let resolved = shell.line(&format!("alert resolve {id}")).exits(0).stdout;
    assert!(resolved.contains("already resolved"), "{resolved}");
    assert!(!resolved.contains("comes back"), "{resolved}");
}

#[test]
fn an_alert_that_nobody_has_listed_here_is_said_to_be_unknown() {
    let shell = Shell::of(&account());
    let refused = shell.line("alert show 78a5bf67").exits(2).stderr;
    assert!(refused.contains("no alert \"78a5bf67\""), "{refused}");
    assert!(refused.contains("-c ID"), "{refused}");
}

#[test]
fn a_question_says_what_is_not_sent_and_what_is() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    shell
        .line("rules add web-1 443 -m for-the-operations-team")
        .exits(0);
    let line = "rules add web-1 443 8443 -m for-another-team";
    let asked = shell.line(line).exits(2).stderr;
    for said in ["Not sent: there is already", "send the rest: 1 change"] {
        assert!(asked.contains(said), "{said}: {asked}");
    }
}

#[test]
fn several_servers_in_a_row_lead_to_the_option_of_each() {
    let shell = Shell::of(&account());
    for address in ["203.0.113.1", "203.0.113.2"] {
        shell.line(&format!("provision {address} -c 42")).exits(0);
    }
    let line = "rules add 203.0.113.1 203.0.113.2 8085 -m for-the-operations-team";
    let refused = shell.line(line).exits(2).stderr;
    let (_, meant) = refused.split_once("secmon rules add ").expect(&refused);
    let meant = meant.lines().next().unwrap_or_default();
    shell.line(&format!("rules add {meant}")).exits(0);
    let rules = shell.line("rules list -c 42 -o ids").exits(0).stdout;
    assert_eq!(rules.lines().count(), 2, "{rules}");
}
