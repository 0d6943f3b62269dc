//! The same command again, after an answer was lost, a kill, a question or a change in between: it goes on, and says what
//! is so.

use crate::every_change::await_the_next_second;
use crate::journal::wired;
use crate::shell::{Account, Shell, account, provision};
use crate::wire::Moment;
use http::StatusCode;
use secmon_mock::{CloseAt, Fault, Tenant};
use std::process::Stdio;
use std::time::Duration;

/// Customer 42 with three servers.
fn three() -> (Account, Shell) {
    let tenant = account().provoking_notices();
    let shell = Shell::of(&tenant);
    for i in 1..=3 {
        provision(&shell, &format!("203.0.113.{i}"), &format!("web-{i}"));
    }
    (tenant, shell)
}

fn sent(tenant: &Tenant, path: &str) -> usize {
    let calls = tenant.journal();
    let sent = calls.iter().filter(|call| call.method != "GET");
    sent.filter(|call| call.path.contains(path)).count()
}

fn states(shell: &Shell) -> Vec<String> {
    let listed = shell.line("endpoint list -o json").exits(0).json();
    let servers = listed.as_array().expect("a list").iter();
    let mut states: Vec<String> = servers
        .map(|server| format!("{} {}", server["ip_address"], server["status"]).replace('"', ""))
        .collect();
    states.sort();
    states
}

#[test]
fn an_end_that_never_happened_is_sent_again_although_the_platform_has_scanned_since() {
    let (tenant, shell) = three();
    await_the_next_second();
    let fault = Fault::status(StatusCode::BAD_GATEWAY).on("POST", "/api/v1/billing/terminate");
    tenant.fault(fault.times(0));
    let line = "endpoint terminate web-1 web-2 -y";
    shell.line(line).exits(8);
    tenant.clear_faults();
    tenant
        .advance(Duration::from_secs(25 * 3600))
        .expect("a clock");
    shell.line(line).exits(0);
    assert_eq!(states(&shell), ["203.0.113.3 active"]);
}

#[test]
fn a_change_whose_answer_was_lost_is_looked_for() {
    for (line, path, after) in [
        ("endpoint suspend web-1", "suspend", "203.0.113.1 paused"),
        (
            "endpoint terminate web-1 -y",
            "terminate",
            "203.0.113.2 active",
        ),
        (
            "endpoint delete web-1 -y",
            "endpoints",
            "203.0.113.2 active",
        ),
    ] {
        let (tenant, shell) = three();
        let methods = ["POST", "DELETE"];
        for method in methods {
            tenant.fault(Fault::close(CloseAt::After).on(method, "/api/*").times(0));
        }
        let run = shell.line(line).exits(0);
        assert!(run.stdout.contains("no answer arrived"), "{line}: {run:?}");
        assert!(sent(&tenant, path) > 0);
        tenant.clear_faults();
        assert_eq!(states(&shell)[0], after, "{line}");
    }
}

#[test]
fn a_dry_run_shows_no_call_that_the_run_leaves_out() {
    let (tenant, direct) = three();
    let (wire, shell) = wired(&tenant);
    await_the_next_second();
    let mut command = shell.command(&["endpoint", "terminate", "--all", "-c", "42", "-y"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    wire.run_and_kill(command, Moment::Unanswered, 3);
    direct.line("provision 203.0.113.1 -c 42").exits(0);
    let before = sent(&tenant, "terminate");
    let tried = shell.line("endpoint terminate --all -c 42 -n").exits(8);
    let said = format!("{}{}", tried.stdout, tried.stderr);
    assert!(!said.contains("would POST"), "{said}");
    assert!(said.contains("not sent: "), "{said}");
    shell.line("endpoint terminate --all -c 42 -y").exits(8);
    assert_eq!(sent(&tenant, "terminate"), before);
}

#[test]
fn the_line_that_status_names_goes_on_with_the_count_that_it_was_given() {
    let tenant = account().provoking_notices();
    let (wire, shell) = wired(&tenant);
    let direct = Shell::of(&tenant);
    let rows: String = (1..=20).map(|i| format!("203.0.113.{i}\n")).collect();
    let file = direct.file("servers.csv", &format!("target\n{rows}"));
    direct.run(&["provision", "-f", &file, "-c", "42"]).exits(0);
    await_the_next_second();
    let line = "endpoint terminate --all -c 42 --confirm 20";
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = shell.command(&words);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    wire.run_and_kill(command, Moment::Unwritten, 9);
    let status = shell.line("status").exits(0).stdout;
    assert!(status.contains(line), "{status}");
    let wrong = shell
        .line("endpoint terminate --all -c 42 --confirm 19")
        .exits(2);
    assert!(wrong.stderr.contains("does not match"), "{wrong:?}");
    shell.line(line).exits(0);
    assert!(
        direct
            .line("endpoint list -o ids")
            .exits(0)
            .stdout
            .is_empty()
    );
}

#[test]
fn a_suspension_that_is_repeated_says_nothing_that_is_not_so() {
    let tenant = account().provoking_notices();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    for line in [
        "subscription set 601 --product domain_monitoring --quantity 3 -c 42",
        "domain provision a.example --service 601 -c 42",
        "customer suspend 42 -y",
    ] {
        shell.line(line).exits(0);
    }
    let again = shell.line("customer suspend 42 -y").exits(0);
    assert!(!again.stdout.contains("does not know"), "{again:?}");
}

#[test]
fn what_was_terminated_is_deleted_by_its_address_too() {
    let (tenant, shell) = three();
    shell.line("endpoint terminate web-1 -y").exits(0);
    let deleted = shell.line("endpoint delete 203.0.113.1 -y").exits(0);
    assert!(deleted.stdout.contains("deleted"), "{deleted:?}");
    let deletes = || {
        let calls = tenant.journal();
        calls.iter().filter(|call| call.method == "DELETE").count()
    };
    assert_eq!(deletes(), 1);
    let again = shell.line("endpoint delete 203.0.113.1 -y").exits(0);
    assert!(again.stdout.contains("already"), "{again:?}");
    assert_eq!(deletes(), 1);
}

#[test]
fn who_resumed_an_earlier_suspension_is_told_of_the_next_one() {
    let (tenant, theirs) = three();
    let mine = Shell::of(&tenant);
    mine.line("customer suspend 42 -y").exits(0);
    mine.line("customer resume 42").exits(0);
    theirs.line("customer suspend 42 -y").exits(0);
    let told = mine.line("customer resume 42 -y").exits(8);
    assert!(
        told.stdout.contains("somebody else has paused it since"),
        "{told:?}"
    );
    assert!(states(&mine).iter().all(|one| one.ends_with("paused")));
    mine.line("endpoint resume web-1 web-2 web-3").exits(0);
    assert!(states(&mine).iter().all(|one| one.ends_with("active")));
}

#[test]
fn what_was_renamed_since_it_was_suspended_is_resumed_with_all() {
    let (_tenant, shell) = three();
    shell.line("endpoint suspend --all -c 42 -y").exits(0);
    shell.line("endpoint rename web-1 web-one").exits(0);
    shell.line("endpoint resume --all -c 42").exits(0);
    assert!(states(&shell).iter().all(|one| one.ends_with("active")));
}

#[test]
fn what_was_suspended_by_name_is_asked_about_before_it_is_resumed_with_all() {
    let (_tenant, shell) = three();
    shell.line("endpoint suspend web-1").exits(0);
    let asked = shell.line("endpoint resume --all -c 42").exits(2);
    assert!(
        asked.stderr.contains("does not say who paused it"),
        "{asked:?}"
    );
    assert_eq!(states(&shell)[0], "203.0.113.1 paused");
}

#[test]
fn undo_compares_and_writes_only_what_the_change_has_set() {
    let (tenant, shell) = three();
    shell
        .line("rules add web-1 443 -m for-the-public-site")
        .exits(0);
    let rule = shell.line("rules list -o ids").exits(0).stdout;
    let rule = rule.trim();
    shell
        .line(&format!("rules edit {rule} -m for-the-new-public-site"))
        .exits(0);
    Shell::of(&tenant)
        .line(&format!("rules edit {rule} --expires 2099-01-01"))
        .exits(0);
    shell.line("undo -y").exits(0);
    let now = shell
        .line(&format!("rules show {rule} -o json"))
        .exits(0)
        .json();
    assert_eq!(now["justification"], "for-the-public-site", "{now}");
    let end = now["expires_at"].as_str().expect("an end");
    assert!(end.starts_with("2099-01-01"), "{now}");
}

#[test]
fn a_rule_whose_reason_held_the_key_is_removed_by_undo() {
    let (tenant, shell) = three();
    let reason = format!("because {} here", tenant.api_key());
    shell
        .run(&["rules", "add", "web-1", "81", "-m", &reason])
        .exits(0);
    shell.line("undo -y").exits(0);
    assert!(shell.line("rules list -o ids").exits(0).stdout.is_empty());
}

/// Somebody pastes the key where a name or a reason belongs.
#[test]
fn a_key_in_a_name_or_a_reason_stands_on_no_screen() {
    let (tenant, shell) = three();
    let key = tenant.api_key();
    let reason = format!("because {key} here");
    shell
        .run(&["endpoint", "rename", "web-1", &format!("x {key} y")])
        .exits(0);
    for line in [
        ["rules", "add", "web-2", "81", "-m", &reason].as_slice(),
        &["endpoint", "list"],
        &["rules", "list"],
        &["history"],
        &["endpoint", "show", "203.0.113.1"],
        &["endpoint", "suspend", "--all", "-c", "42", "-n"],
        &["undo", "-n"],
    ] {
        for format in ["table", "wide", "json", "jsonl", "csv", "ids"] {
            let mut line = line.to_vec();
            line.extend(["-o", format, "-vv"]);
            let run = shell.run(&line);
            assert!(!run.stdout.contains(key), "{line:?}: {run:?}");
            assert!(!run.stderr.contains(key), "{line:?}: {run:?}");
        }
    }
}

#[test]
fn a_plan_that_was_changed_while_everything_was_suspended_is_resumed_with_it() {
    let (_tenant, shell) = three();
    let set = "subscription set 900 --product port_monitoring -c 42 -y --plan";
    shell.line(&format!("{set} starter")).exits(0);
    shell.line("customer suspend 42 -y").exits(0);
    shell.line(&format!("{set} business")).exits(0);
    let resumed = shell.line("customer resume 42 -y").exits(0);
    assert!(resumed.stdout.contains("4 resumed"), "{resumed:?}");
    let status = shell.line("status -c 42").exits(0).stdout;
    assert!(!status.contains("of 0"), "{status}");
}

#[test]
fn a_subscription_that_was_suspended_by_name_is_told_after_a_resume() {
    let (_tenant, shell) = three();
    for line in [
        "subscription set 900 --product port_monitoring -c 42 -y --plan starter",
        "subscription suspend 900 --product port_monitoring -c 42 -y",
        "customer suspend 42 -y",
    ] {
        shell.line(line).exits(0);
    }
    let resumed = shell.line("customer resume 42 -y").stdout;
    assert!(
        resumed.contains("subscription resume 900 --product port_monitoring -c 42"),
        "{resumed}"
    );
}

#[test]
fn a_global_rule_that_was_made_for_a_customer_is_theirs_and_nobody_elses() {
    let (tenant, shell) = three();
    shell
        .line("rules add --global 6379 -c 42 -m for-the-cache")
        .exits(0);
    let id = shell.line("rules list -c 42 -o ids").exits(0).stdout;
    let remove = format!("rules remove {}", id.trim());
    // Another computer cannot tell it from a rule of the whole account.
    let refused = Shell::of(&tenant).line(&format!("{remove} -y")).exits(2);
    assert!(refused.stderr.contains("WHOLE ACCOUNT"), "{refused:?}");
    let asked = shell.line(&remove).exits(2);
    assert!(
        asked.stderr.contains("all servers of customer 42"),
        "{asked:?}"
    );
    shell.line(&format!("{remove} -y")).exits(0);
}

#[test]
fn a_number_in_place_of_a_server_leads_to_no_wider_rule() {
    let (_tenant, shell) = three();
    let run = shell
        .line("rules add 42 443 -m for-the-web-shop -c 42")
        .exits(4);
    assert!(!run.stderr.contains("--global 42"), "{run:?}");
}

#[test]
fn since_takes_days_as_people_name_them() {
    let (_tenant, shell) = three();
    for day in [
        "today",
        "yesterday",
        "Monday",
        "fri",
        "2026-01-31",
        "31.01.2026",
        "7d",
    ] {
        for line in [["history"].as_slice(), &["alert", "list", "-c", "42"]] {
            let run = shell.run(&[line, &["--since", day, "-o", "json"]].concat());
            run.exits(0);
        }
    }
    let today = shell.line("history --since today -o ids").exits(0).stdout;
    assert!(!today.is_empty());
    let wrong = shell.line("history --since someday").exits(2);
    assert!(
        wrong.stderr.contains("write a day, such as monday"),
        "{wrong:?}"
    );
}

#[test]
fn a_lost_end_of_a_subscription_is_not_repeated_by_the_same_line_of_a_script() {
    let (tenant, shell) = three();
    let product = "--product domain_monitoring";
    shell
        .line(&format!(
            "subscription set 601 {product} --quantity 3 -c 42"
        ))
        .exits(0);
    let end = format!("subscription terminate 601 {product} -c 42 -y");
    tenant.fault(Fault::close(CloseAt::After).on("POST", "/api/*").times(0));
    shell.line(&end).exits(7);
    tenant.clear_faults();
    let before = sent(&tenant, "terminate-subscription");
    let refused = shell.line(&end).exits(8);
    assert!(refused.stderr.contains("not sent"), "{refused:?}");
    assert_eq!(sent(&tenant, "terminate-subscription"), before);
    // Whoever names it anew has looked.
    shell
        .line(&format!("sub terminate 601 {product} -c 42 --yes"))
        .exits(0);
    assert_eq!(sent(&tenant, "terminate-subscription"), before + 1);
}

#[test]
fn a_record_that_came_back_is_ended_by_a_command_of_its_own() {
    let (tenant, direct) = three();
    let (wire, shell) = wired(&tenant);
    await_the_next_second();
    let mut command = shell.command(&["endpoint", "terminate", "--all", "-c", "42", "-y"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    wire.run_and_kill(command, Moment::Unanswered, 3);
    direct.line("provision 203.0.113.1 -c 42").exits(0);
    let left = shell.line("endpoint terminate --all -c 42 -y").exits(8);
    assert!(left.stdout.contains("name the record alone"), "{left:?}");
    shell.line("endpoint terminate 203.0.113.1 -y").exits(0);
    assert!(states(&shell).is_empty());
}
