//! What changes servers, what is asked before, and what sends nothing.

use crate::shell::{Shell, account, provision};
use secmon_mock::Tenant;
use std::time::Duration;

fn writes(tenant: &Tenant) -> usize {
    tenant
        .journal()
        .iter()
        .filter(|call| call.method != "GET")
        .count()
}

#[test]
fn a_server_goes_through_its_states() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    assert_eq!(
        shell.line("endpoint suspend web-1 -o json").exits(0).json()["status"],
        "paused"
    );
    let again = shell.line("endpoint suspend WEB-1 -o json").exits(0).json();
    assert!(again["note"].is_string(), "{again}");
    let refused = shell.line("scan web-1 -o json").exits(5);
    assert_eq!(refused.error()["code"], "ENDPOINT_NOT_ACTIVE");
    assert_eq!(
        shell.line("endpoint resume web-1 -o json").exits(0).json()["status"],
        "active"
    );
    assert_eq!(
        shell
            .line("endpoint terminate web-1 -y -o json")
            .exits(0)
            .json()["status"],
        "terminated"
    );
    shell.line("endpoint show web-1").exits(4);
}

#[test]
fn a_change_that_is_hard_to_take_back_needs_a_yes() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let before = writes(&tenant);
    for line in [
        "endpoint terminate web-1 -o json",
        "endpoint delete web-1 -o json",
    ] {
        let run = shell.line(line).exits(2);
        assert!(
            run.error()["message"]
                .as_str()
                .unwrap_or_default()
                .contains("--yes"),
            "{run:?}"
        );
    }
    assert_eq!(writes(&tenant), before);
    shell.line("endpoint delete web-1 --yes").exits(0);
    assert_eq!(
        shell
            .line("endpoint list -c 42 -o json")
            .exits(0)
            .stdout
            .trim(),
        "[]"
    );
}

#[test]
fn more_than_five_suspensions_need_a_yes_and_more_than_fifty_their_number() {
    let shell = Shell::of(&account());
    let rows: String = (0..57)
        .map(|i| format!("203.0.113.{i},{}\n", 42 + i / 20))
        .collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    shell.run(&["provision", "-f", &file]).exits(0);
    let all: String = (0..57).map(|i| format!("203.0.113.{i}\n")).collect();
    let six: String = all
        .lines()
        .take(6)
        .map(|line| format!("{line}\n"))
        .collect();
    let six = shell.file("six.txt", &six);
    shell.run(&["endpoint", "suspend", "-f", &six]).exits(2);
    let done = shell
        .run(&["endpoint", "suspend", "-f", &six, "-y", "-o", "json"])
        .exits(0)
        .json();
    assert_eq!(done["summary"]["succeeded"], 6);
    let refused = shell
        .feed(
            &all,
            &["endpoint", "suspend", "-f", "-", "-y", "-o", "json"],
        )
        .exits(2);
    assert!(
        refused.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("--confirm=51"),
        "{refused:?}"
    );
    let done = shell
        .feed(
            &all,
            &[
                "endpoint",
                "suspend",
                "-f",
                "-",
                "--confirm=51",
                "-o",
                "json",
            ],
        )
        .exits(0)
        .json();
    assert_eq!(
        done["summary"],
        serde_json::json!({ "total": 57, "succeeded": 51, "failed": 0, "skipped": 6 })
    );
}

#[test]
fn one_bad_reference_stops_all_of_them() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let before = writes(&tenant);
    shell.line("endpoint suspend web-1 web-2").exits(4);
    assert_eq!(writes(&tenant), before);
}

#[test]
fn a_dry_run_shows_every_change_and_sends_none() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let before = writes(&tenant);
    let planned = shell
        .line("-n provision 203.0.113.11 -c 42 --nickname web-2 --wait -o json")
        .exits(0)
        .json();
    let paths: Vec<&str> = planned["dry_run"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|call| call["path"].as_str())
        .collect();
    assert_eq!(
        paths,
        ["/api/v1/billing/provision", "/api/v1/endpoints/{new-id}"]
    );
    assert_eq!(
        planned["dry_run"][0]["headers"]["authorization"],
        "Bearer ****"
    );
    assert_eq!(planned["dry_run"][0]["body"]["ip_address"], "203.0.113.11");
    for line in [
        "endpoint terminate web-1 -n",
        "endpoint add 203.0.113.12 -c 42 -n",
        "endpoint rename web-1 web-9 -n",
        "rules add web-1 22 -m 0123456789 -n",
        "scan web-1 -w -n",
        "api billing/suspend -f endpoint_id=x -n",
    ] {
        let run = shell.line(line).exits(0);
        assert!(run.stdout.starts_with("would P"), "{line}: {run:?}");
    }
    assert_eq!(writes(&tenant), before);
}

#[test]
fn a_read_only_profile_refuses_every_change() {
    let tenant = account();
    let shell = Shell::new().with("SECMON_RATE_LIMITS", "off");
    let url = tenant.url();
    shell
        .line(&format!(
            "profile create watcher --read-only --base-url {url}"
        ))
        .exits(0);
    shell
        .feed(
            tenant.api_key(),
            &["auth", "login", "--profile", "watcher", "--key-stdin"],
        )
        .exits(0);
    shell.line("endpoint list").exits(0);
    let refused = shell.line("provision 203.0.113.1 -c 42 -o json").exits(3);
    assert_eq!(refused.error()["code"], "read_only");
    shell
        .line("provision 203.0.113.1 203.0.113.2 -c 42")
        .exits(3);
    shell.line("profile delete watcher").exits(2);
    assert_eq!(writes(&tenant), 0);
}

/// A shell whose profile wants names typed.
fn protected(tenant: &Tenant) -> Shell {
    let shell = Shell::new().with("SECMON_RATE_LIMITS", "off");
    shell
        .line(&format!(
            "profile create live --protected --base-url {}",
            tenant.url()
        ))
        .exits(0);
    shell
        .feed(
            tenant.api_key(),
            &["auth", "login", "--profile", "live", "--key-stdin"],
        )
        .exits(0);
    shell
}

#[test]
fn a_name_with_blanks_around_it_is_confirmed_without_them() {
    let shell = protected(&account());
    let id = provision(&shell, "203.0.113.10", "web-1");
    for (given, confirmed) in [(" web-1\u{a0} ", "web-1"), ("\u{a0} ", "203.0.113.10")] {
        let body = format!("nickname={given}");
        let path = format!("/api/v1/endpoints/{id}");
        let customer = "billing_customer_id=42";
        let line = ["api", &path, "-X", "PUT", "-f", &body, "-F", customer];
        shell.run(&line).exits(0);
        for refused in ["", " ", "web-2"] {
            let option = format!("--confirm={refused}");
            shell.run(&["endpoint", "terminate", &id, &option]).exits(2);
        }
        let option = format!("--confirm={confirmed}");
        shell.run(&["endpoint", "terminate", &id, &option]).exits(0);
        shell.line("provision 203.0.113.10 -c 42").exits(0);
    }
}

#[test]
fn a_protected_profile_wants_the_name_typed() {
    let shell = protected(&account());
    provision(&shell, "203.0.113.10", "web-1");
    shell.line("endpoint terminate web-1 --yes").exits(2);
    shell
        .line("endpoint terminate web-1 --confirm=web-2")
        .exits(2);
    shell
        .line("endpoint terminate web-1 --confirm=web-1")
        .exits(0);
}

#[test]
fn adding_a_server_can_start_it_paused() {
    let shell = Shell::of(&account());
    let added = shell
        .line("endpoint add 203.0.113.10 -c 42 --nickname web-1 --status paused -o json")
        .exits(0)
        .json();
    assert_eq!(
        (&added["status"], &added["created"]),
        (&"paused".into(), &true.into())
    );
    shell.line("endpoint wait web-1 --for paused").exits(0);
}

#[test]
fn a_cooldown_is_an_error_that_says_how_to_wait_for_it() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    tenant
        .advance(Duration::from_secs(60))
        .expect("the account is there");
    assert_eq!(
        shell.line("scan web-1 --wait -o json").exits(0).json()["status"],
        "pending"
    );
    let refused = shell.line("scan web-1 --wait -o json").exits(6);
    assert_eq!(refused.error()["code"], "RATE_LIMITED");
    assert!(
        refused.error()["hint"]
            .as_str()
            .unwrap_or_default()
            .contains(" --wait --respect-cooldown"),
        "{refused:?}"
    );
}

#[test]
fn several_scans_are_reported_together() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for name in ["web-1", "web-2"] {
        provision(
            &shell,
            if name == "web-1" {
                "203.0.113.1"
            } else {
                "203.0.113.2"
            },
            name,
        );
    }
    tenant
        .advance(Duration::from_secs(60))
        .expect("the account is there");
    shell.line("scan web-1").exits(0);
    let both = shell.line("scan web-1 web-2 -o json").exits(8).json();
    assert_eq!(
        both["summary"],
        serde_json::json!({ "total": 2, "succeeded": 1, "failed": 1, "skipped": 0 })
    );
    assert_eq!(both["items"][0]["error"]["code"], "RATE_LIMITED");
    assert!(both["items"][1]["id"].is_string(), "{both}");
}

#[test]
fn the_same_file_can_be_run_again_after_a_termination() {
    let shell = Shell::of(&account());
    let ids = format!(
        "{}\n{}\n",
        provision(&shell, "203.0.113.1", "web-1"),
        provision(&shell, "203.0.113.2", "web-2")
    );
    for skipped in [0, 2] {
        let run = shell
            .feed(&ids, &["endpoint", "terminate", "-", "-y", "-o", "json"])
            .exits(0)
            .json();
        assert_eq!(run["summary"]["skipped"], skipped);
    }
    shell
        .feed(&ids, &["endpoint", "delete", "-f", "-", "-y"])
        .exits(0);
}

#[test]
fn a_dry_run_leaves_the_files_of_this_machine_alone() {
    let shell = Shell::new();
    shell
        .line("profile create a --base-url https://a.example.com -n")
        .exits(0);
    assert!(!shell.path(".config").exists());
    shell
        .line("profile create a --base-url https://a.example.com")
        .exits(0);
    let run = shell.line("profile delete a -y -n").exits(0);
    assert!(run.stdout.contains("would delete profile a"), "{run:?}");
    shell.line("profile show a").exits(0);
}

#[test]
fn all_servers_of_a_customer_are_suspended_and_resumed_in_one_line() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for (address, name) in [
        ("203.0.113.1", "a"),
        ("203.0.113.2", "b"),
        ("203.0.113.3", "c"),
    ] {
        provision(&shell, address, name);
    }
    shell.line("provision 203.0.113.4 -c 43").exits(0);
    shell.line("endpoint suspend a").exits(0);

    let before = writes(&tenant);
    let plan = shell
        .line("endpoint suspend --all -c 42 --dry-run")
        .exits(0);
    let said = format!("{}{}", plan.stdout, plan.stderr);
    assert!(
        said.contains("203.0.113.2") && said.contains("203.0.113.3"),
        "{said}"
    );
    assert!(
        !said.contains("203.0.113.1") && !said.contains("203.0.113.4"),
        "{said}"
    );
    assert_eq!(writes(&tenant), before);

    let run = shell.line("endpoint suspend --all -c 42").exits(0);
    assert!(
        run.stdout
            .contains("Customer 42 has 3 servers; 2 were not already suspended."),
        "{run:?}"
    );
    assert_eq!(writes(&tenant), before + 2);
    let others = shell.line("endpoint list -c 43 -o json").exits(0).json();
    assert_eq!(others[0]["status"], "active");

    let run = shell
        .line("endpoint resume --all -c 42 -o json")
        .exits(0)
        .json();
    // The one that was suspended by name stays so, however often the line is repeated.
    assert_eq!(run["summary"]["succeeded"], 2, "{run}");
    let again = shell
        .line("endpoint resume --all -c 42 -y -o json")
        .exits(0)
        .json();
    assert_eq!(again["summary"]["succeeded"], 0, "{again}");
}

#[test]
fn all_servers_of_a_customer_who_leaves_are_ended_after_one_question() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for (address, customer) in [
        ("203.0.113.1", "42"),
        ("203.0.113.2", "42"),
        ("203.0.113.3", "43"),
    ] {
        shell.run(&["provision", address, "-c", customer]).exits(0);
    }
    let before = writes(&tenant);
    for verb in ["terminate", "delete"] {
        let refused = shell.line(&format!("endpoint {verb} --all -c 42")).exits(2);
        for said in ["203.0.113.1", "203.0.113.2", "--yes"] {
            assert!(refused.stderr.contains(said), "{verb}: {refused:?}");
        }
        assert!(!refused.stderr.contains("203.0.113.3"), "{refused:?}");
    }
    assert_eq!(writes(&tenant), before);

    let ended = shell.line("endpoint terminate --all -c 42 --yes").exits(0);
    assert!(
        ended.stdout.contains("Customer 42 had 2 servers."),
        "{ended:?}"
    );
    assert_eq!(writes(&tenant), before + 2);
    let again = shell.line("endpoint terminate --all -c 42 -o json");
    let again = again.exits(0).json();
    assert_eq!(again["summary"]["total"], 0, "{again}");
    let others = shell.line("endpoint list -c 43 -o json").exits(0).json();
    assert_eq!(others[0]["status"], "active");
}

#[test]
fn many_servers_of_a_customer_are_not_suspended_without_a_yes() {
    let shell = Shell::of(&account());
    let rows: String = (0..6).map(|i| format!("203.0.113.{i},42\n")).collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    shell.run(&["provision", "-f", &file]).exits(0);
    let refused = shell.line("endpoint suspend --all -c 42").exits(2);
    assert!(refused.stderr.contains("--yes"), "{refused:?}");
    shell.line("endpoint suspend --all -c 42 --yes").exits(0);
}

#[test]
fn the_spreadsheet_that_was_provisioned_can_be_suspended() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let rows = "Server IP;Customer No;Name;Rack\n203.0.113.1;42;a;R1\n\n203.0.113.2;43;b;R2\n";
    let file = shell.file("servers.csv", rows);
    shell
        .run(&["provision", "-f", &file, "--map", "Rack=-"])
        .exits(0);
    let wrong = shell.file("wrong.csv", "ip,customer\n203.0.113.1,42\n203.0.113.2,42\n");
    let before = writes(&tenant);
    let refused = shell.run(&["endpoint", "suspend", "-f", &wrong]).exits(2);
    let said = "row 3: b (203.0.113.2) belongs to customer 43, not to 42: nothing was sent";
    assert!(refused.stderr.contains(said), "{refused:?}");
    assert_eq!(writes(&tenant), before);
    let odd = shell.file("odd.csv", "ip,customer\n203.0.113.1,Smith\n");
    let refused = shell.run(&["endpoint", "suspend", "-f", &odd]).exits(2);
    assert!(refused.stderr.contains("row 2"), "{refused:?}");

    let done = shell.run(&["endpoint", "suspend", "-f", &file, "-o", "json"]);
    let done = done.exits(0).json();
    assert_eq!(done["summary"]["succeeded"], 2, "{done}");
    assert_eq!(done["items"][1]["row"], 4, "{done}");
}

#[test]
fn a_suspension_that_names_no_server_says_how_to_name_some() {
    let shell = Shell::of(&account());
    let run = shell.line("endpoint suspend -c 77").exits(2);
    assert!(run.stderr.contains("no server given"), "{run:?}");
    assert!(
        run.stderr.contains("endpoint suspend --all -c 77"),
        "{run:?}"
    );
    let run = shell.feed("", &["endpoint", "suspend"]).exits(2);
    assert!(run.stderr.contains("endpoint suspend -\n"), "{run:?}");
    let run = shell.line("endpoint suspend --all").exits(2);
    assert!(run.stderr.contains("-c"), "{run:?}");
}
