//! What people stumbled over who had only the program and its help.

use crate::shell::{Shell, account, provision};
use http::StatusCode;
use secmon_mock::Fault;

pub fn furnished() -> Shell {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    provision(&shell, "203.0.113.2", "db-1");
    shell
}

pub const REASON: &str = "-m for-the-operations-team";

#[test]
fn a_rule_for_all_servers_tells_how_many_it_covers() {
    let shell = furnished();
    let line = format!("rules add --global 9443 {REASON} -c 42");
    let told = shell.line(&line).exits(0).stderr;
    assert!(
        told.contains("9443/tcp on all servers of customer 42 (2 now)"),
        "{told}"
    );
    let line = format!("rules add --global 9100 {REASON} --account");
    let asked = shell.line(&line).exits(2).stderr;
    assert!(asked.contains("(2 now)"), "{asked}");
}

#[test]
fn a_plan_shows_the_last_day_and_refuses_one_that_is_over() {
    let shell = furnished();
    let line = |day: &str| format!("rules add web-1 2222 {REASON} --expires {day} -n");
    let planned = shell.line(&line("2099-12-31")).exits(0).stdout;
    assert!(planned.contains("until 2099-12-31"), "{planned}");
    for day in ["2020-01-01", "0d"] {
        let refused = shell.line(&line(day)).exits(2).stderr;
        assert!(refused.contains("give a later day"), "{refused}");
    }
}

#[test]
fn a_reason_that_is_too_short_is_told_by_its_name() {
    let shell = furnished();
    let refused = shell.line("rules add web-1 22 -m short").exits(2).stderr;
    assert!(
        refused.contains("The reason must have 10 to 500 characters."),
        "{refused}"
    );
}

#[test]
fn a_port_in_the_place_of_an_id_is_taken_for_a_port() {
    let shell = furnished();
    let refused = shell.line("rules remove 9443 -c 42").exits(2).stderr;
    assert!(refused.contains("--on"), "{refused}");
    let line = format!("alert allow 5432 {REASON} -c 42");
    let refused = shell.line(&line).exits(2).stderr;
    assert!(
        refused.contains("alert list --port 5432 -c 42"),
        "{refused}"
    );
}

#[test]
fn letters_that_changed_places_are_one_slip() {
    let shell = furnished();
    let refused = shell.line("endpoint show wbe-1").exits(4).stderr;
    assert!(refused.contains("did you mean web-1?"), "{refused}");
}

#[test]
fn an_alert_is_told_by_its_state_and_by_its_customer() {
    let shell = furnished();
    shell.line("provision 203.0.113.9 -c 43").exits(0);
    let listed = shell.line("alert list -c 42 --kind port -o ids").exits(0);
    let alert = listed.stdout.lines().next().expect("an alert").to_owned();
    let open = shell.line(&format!("alert show {alert}")).exits(0).stdout;
    assert!(open.contains("is open"), "{open}");
    shell.line(&format!("alert resolve {alert} -y")).exits(0);
    let resolved = shell.line(&format!("alert show {alert}")).exits(0).stdout;
    assert!(
        resolved.starts_with("Was open, and the alert is resolved"),
        "{resolved}"
    );
    let theirs = shell
        .line(&format!("alert show {alert} -c 43"))
        .exits(4)
        .stderr;
    assert!(
        theirs.contains("belongs to customer 42, not to customer 43"),
        "{theirs}"
    );
    let nobody = shell
        .line(&format!("alert show {} -c 77", uuid::Uuid::max()))
        .exits(4);
    assert!(nobody.stderr.contains("customer 77"), "{nobody:?}");
}

#[test]
fn the_alert_of_a_scan_needs_no_customer() {
    let shell = furnished();
    let shown = shell.line("endpoint show web-1 -o json").exits(0).json();
    let alert = shown["alerts"][0]["id"].as_str().expect("an alert");
    shell.line(&format!("alert show {alert}")).exits(0);
}

#[test]
fn who_leaves_is_told_of_the_rules_for_all_servers() {
    let shell = furnished();
    let rule = format!("rules add --global 9443 {REASON} -c 42");
    shell.line(&rule).exits(0);
    let left = shell.line("customer leave 42 --confirm=42");
    assert!(
        left.stdout.contains("rules list --scope global -c 42"),
        "{left:?}"
    );
}

#[test]
fn what_was_suspended_by_name_from_here_is_named() {
    let shell = furnished();
    shell.line("endpoint suspend web-1").exits(0);
    let asked = shell.line("customer resume 42").exits(2).stderr;
    assert!(
        asked.contains("(except web-1 (203.0.113.1), suspended by name from this computer)"),
        "{asked}"
    );
}

#[test]
fn a_move_is_not_undone_in_part_and_the_move_back_is_told() {
    let shell = furnished();
    shell.line(&format!("rules add web-1 22 {REASON}")).exits(0);
    shell.line("endpoint move web-1 198.51.100.7 -y").exits(0);
    let refused = shell.line("undo -y").exits(2).stderr;
    assert!(
        refused.contains("endpoint move 198.51.100.7 203.0.113.1 -c 42"),
        "{refused}"
    );
    let rules = shell.line("rules list web-1 -o json").exits(0).json();
    assert_eq!(rules.as_array().map(Vec::len), Some(1), "{rules}");
    shell
        .line("endpoint move 198.51.100.7 203.0.113.1 -c 42 -y")
        .exits(0);
}

#[test]
fn the_domain_of_a_move_is_moved_back_by_the_line_that_is_told() {
    let shell = furnished();
    for line in [
        "subscription set 601 --product domain_monitoring -c 42",
        "subscription set 602 --product domain_monitoring -c 43",
        "domain provision example.org --service 601 -c 42",
        "domain move example.org --customer-to 43 --service 602 -c 42 -y",
    ] {
        shell.line(line).exits(0);
    }
    let refused = shell.line("undo -y").exits(2).stderr;
    assert!(
        refused.contains("domain move example.org --customer-to 42 -c 43"),
        "{refused}"
    );
}

#[test]
fn what_does_not_move_along_is_told_before_and_after() {
    let shell = furnished();
    shell.line("provision 203.0.113.9 -c 43").exits(0);
    let global = format!("rules add --global 443 {REASON} -c 42");
    shell.line(&global).exits(0);
    let lost = "Rules for all servers of customer 42 will not apply there: 443/tcp.";
    let asked = shell
        .line("endpoint move web-1 --customer-to 43")
        .exits(2)
        .stderr;
    assert!(asked.contains(lost), "{asked}");
    let done = shell
        .line("endpoint move web-1 --customer-to 43 -y")
        .exits(0)
        .stdout;
    assert!(done.contains(lost), "{done}");
}

#[test]
fn a_full_customer_is_told_with_their_own_number() {
    let shell = furnished();
    for line in [
        "subscription set 601 --product domain_monitoring -c 42",
        "subscription set 602 --product domain_monitoring -c 43",
        "domain provision example.org --service 601 -c 42",
        "domain provision other.example --service 602 -c 43",
    ] {
        shell.line(line).exits(0);
    }
    let full = "domain move example.org --customer-to 43 --service 602 -c 42 -y";
    let full = shell.line(full).exits(8);
    let told = format!("{}{}", full.stdout, full.stderr);
    assert!(told.contains("domain list -c 43"), "{told}");
    assert!(!told.contains("domain list -c 42"), "{told}");
}

#[test]
fn an_undone_rule_tells_of_the_alerts_that_it_resolved() {
    let shell = furnished();
    shell.line(&format!("rules add web-1 22 {REASON}")).exits(0);
    let undone = shell.line("undo -y").exits(0).stdout;
    assert!(undone.contains("the next scan raises new ones"), "{undone}");
}

#[test]
fn an_undone_import_does_not_allow_what_it_left_out() {
    let shell = furnished();
    let dump = "*filter\n:INPUT DROP [0:0]\n-A INPUT -p tcp --dport 22 -j ACCEPT\n-A INPUT -p tcp --dport 3306 -j ACCEPT\nCOMMIT\n";
    let dump = shell.file("dump.txt", dump);
    shell
        .run(&["rules", "import", "web-1", &dump, "--except", "3306", "-y"])
        .exits(0);
    shell.line("undo -y").exits(0);
    let rules = shell.line("rules list web-1 -o json").exits(0).json();
    assert_eq!(rules.as_array().map(Vec::len), Some(0), "{rules}");
}

#[test]
fn a_look_at_one_server_forgets_no_alert_of_another() {
    let shell = furnished();
    let listed = shell
        .line("alert list --endpoint db-1 -o ids")
        .exits(0)
        .stdout;
    let alert = listed.lines().next().expect("an alert").to_owned();
    shell.line("alert list -c 42").exits(0);
    shell.line("endpoint show web-1").exits(0);
    shell.line(&format!("alert show {alert}")).exits(0);
}

#[test]
fn a_reason_of_an_edit_that_is_too_short_is_told_by_its_name() {
    let shell = furnished();
    let rule = format!("rules add web-1 22 {REASON} -o json");
    let rule = shell.line(&rule).exits(0).json();
    let rule = rule["id"].as_str().expect("an id");
    let refused = shell
        .line(&format!("rules edit {rule} -m short"))
        .exits(2)
        .stderr;
    assert!(
        refused.contains("The reason must have 10 to 500 characters."),
        "{refused}"
    );
}

#[test]
fn a_move_that_was_refused_halfway_ends_nothing_and_is_undone_as_far_as_it_came() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    for port in ["22", "443"] {
        shell
            .line(&format!("rules add web-1 {port} {REASON}"))
            .exits(0);
    }
    let fault = Fault::status(StatusCode::FORBIDDEN).on("POST", "*/whitelists");
    tenant.fault(fault.times(1));
    shell.line("endpoint move web-1 198.51.100.7 -y").exits(8);
    let undone = shell.line("undo -y").exits(0).stdout;
    assert!(undone.contains("Undone: "), "{undone}");
    let rules = shell
        .line("rules list 198.51.100.7 -o json")
        .exits(0)
        .json();
    assert_eq!(rules.as_array().map(Vec::len), Some(0), "{rules}");
}

#[test]
fn the_limit_of_a_row_is_told_with_the_customer_of_the_row() {
    let shell = furnished();
    for line in [
        "subscription set 602 --product domain_monitoring -c 43",
        "domain provision other.example --service 602 -c 43",
    ] {
        shell.line(line).exits(0);
    }
    let file = shell.file(
        "rows.csv",
        "target,customer,service_id\nhttps://example.org,43,602\n",
    );
    let full = shell
        .run(&["provision", "-f", &file, "-o", "json"])
        .exits(8)
        .json();
    let hint = full["items"][0]["error"]["hint"].to_string();
    assert!(hint.contains("domain list -c 43"), "{full}");
}
