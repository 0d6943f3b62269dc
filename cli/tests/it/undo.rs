//! A change is taken back by one command where something takes it back; else what comes nearest is told.

use crate::journal::{quiet, wired};
use crate::shell::{Shell, account, provision};
use crate::two_people::elsewhere;
use crate::wire::Moment;
use serde_json::Value;

/// Customer 42 with a server, a domain and a subscription.
fn furnished() -> Shell {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    for line in [
        "subscription set 501 --product domain_monitoring --quantity 3 -c 42",
        "domain provision a.example --service 501 -c 42",
        "rules add web-1 22 -m for-the-operations-team --service ssh --expires 90d",
    ] {
        shell.line(line).exits(0);
    }
    shell
}

/// What a read shows, without what is of this moment: times and the ids that a new record has.
fn seen(shell: &Shell, line: &str) -> Value {
    let mut seen = shell.line(&format!("{line} -o json")).exits(0).json();
    forget(&mut seen);
    seen
}

fn forget(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields
                .retain(|name, _| name != "id" && (!name.ends_with("_at") || name == "expires_at"));
            fields.values_mut().for_each(forget);
        }
        Value::Array(items) => items.iter_mut().for_each(forget),
        _ => {}
    }
}

fn rule_of(shell: &Shell) -> String {
    let listed = shell.line("rules list -o ids").exits(0).stdout;
    listed.trim().to_owned()
}

fn last_change(shell: &Shell) -> String {
    let changes = shell.line("history -o ids").exits(0).stdout;
    changes.lines().last().expect("a change").to_owned()
}

#[test]
fn undo_takes_back_what_each_of_these_commands_has_changed() {
    for (line, read) in [
        ("rules add web-1 80 443 -m public-web-site", "rules list"),
        (
            "rules add --global 9100 -c 42 -m our-monitoring",
            "rules list",
        ),
        ("rules remove RULE -y", "rules list"),
        (
            "rules edit RULE --port 2222 -m another-reason --service sshd --expires never",
            "rules list",
        ),
        ("rules import web-1 dump.txt -y", "rules list"),
        ("endpoint suspend web-1", "endpoint list"),
        ("endpoint rename web-1 web-9", "endpoint list"),
        ("domain suspend a.example -c 42", "domain list -c 42"),
        (
            "domain rename a.example b.example -c 42",
            "domain list -c 42",
        ),
        ("customer suspend 42 -y", "domain list -c 42"),
        (
            "alert allow ALERT -m asked-for-by-the-customer -c 42",
            "rules list",
        ),
    ] {
        let shell = furnished();
        shell.file(
            "dump.txt",
            "*filter\n-A INPUT -p tcp -m tcp --dport 9090 -j ACCEPT\nCOMMIT\n",
        );
        let alerts = shell.line("alert list -c 42 --kind port --status open -o ids");
        let alert = alerts.exits(0).stdout;
        let alert = alert.lines().next().expect("an alert").to_owned();
        let line = line
            .replace("RULE", &rule_of(&shell))
            .replace("ALERT", &alert);
        let before = seen(&shell, read);
        shell.line(&line).exits(0);
        assert_ne!(
            seen(&shell, read),
            before,
            "{line} changes what {read} shows"
        );
        let asked = shell.line("undo").exits(2).stderr;
        assert!(asked.contains("--yes"), "{line}: {asked}");
        shell.line("undo -n").exits(0);
        assert_ne!(
            seen(&shell, read),
            before,
            "{line}: a dry run sends nothing"
        );
        shell.line("undo -y").exits(0);
        assert_eq!(seen(&shell, read), before, "{line}");
    }
}

#[test]
fn what_was_resumed_is_suspended_again() {
    let shell = furnished();
    shell.line("endpoint suspend web-1").exits(0);
    shell.line("endpoint resume web-1").exits(0);
    shell.line("undo -y").exits(0);
    let server = shell.line("endpoint list -o json").exits(0).json();
    assert_eq!(server[0]["status"], "paused");
}

#[test]
fn what_cannot_be_taken_back_is_refused_with_what_comes_nearest() {
    for (line, nearest) in [
        ("endpoint terminate web-1 -y", "provision 203.0.113.1 -c 42"),
        ("endpoint delete web-1 -y", "provision 203.0.113.1 -c 42"),
        ("provision 203.0.113.2 -c 42", "endpoint terminate"),
        ("endpoint add 203.0.113.2 -c 42", "endpoint terminate"),
        (
            "domain provision b.example --service 501 -c 42",
            "domain terminate",
        ),
        ("domain terminate a.example -c 42 -y", "domain provision"),
        (
            "domain release a.example --service 501 -c 42 --confirm=a.example",
            "domain provision a.example --service ID -c 42",
        ),
        ("alert ack LEAK -c 42", "stays acknowledged"),
        ("alert resolve PORT -c 42", "comes back with the next scan"),
        (
            "subscription set 502 --product port_monitoring --plan business -c 42 -y",
            "subscription set 502",
        ),
        ("pricing set endpoint 2.5 EUR", "pricing set"),
        ("sync -f services.csv", "sync -f"),
        ("customer leave 42 --confirm=42", "again: "),
    ] {
        let tenant = account();
        let shell = Shell::of(&tenant);
        provision(&shell, "203.0.113.1", "web-1");
        for line in [
            "subscription set 501 --product domain_monitoring --quantity 3 -c 42",
            "domain provision a.example --service 501 -c 42",
        ] {
            shell.line(line).exits(0);
        }
        shell.file(
            "services.csv",
            "service_id,client_id,product_slug,status\n501,42,domain_monitoring,active\n",
        );
        let first = |kind: &str| {
            let line = format!("alert list -c 42 --kind {kind} --status open -o ids");
            let listed = shell.line(&line).exits(0).stdout;
            listed.lines().next().expect("an alert").to_owned()
        };
        let line = line
            .replace("LEAK", &first("domain"))
            .replace("PORT", &first("port"));
        tenant
            .advance(std::time::Duration::from_secs(600))
            .expect("the account is there");
        shell.line(&line).exits(0);
        let writes = || {
            let calls = tenant.journal();
            calls.iter().filter(|call| call.method != "GET").count()
        };
        let before = writes();
        let refused = shell.line("undo --yes").exits(2).stderr;
        assert!(refused.contains("Cannot be undone"), "{line}: {refused}");
        assert!(refused.contains(nearest), "{line}: {refused}");
        let shown = shell.line(&format!("history show {}", last_change(&shell)));
        let shown = shown.exits(0);
        let shown = format!("{}{}", shown.stdout, shown.stderr);
        assert!(shown.contains("Cannot be undone"), "{line}: {shown}");
        assert_eq!(writes(), before, "{line}");
    }
}

#[test]
fn a_change_shows_the_line_that_takes_it_back_and_that_line_does_it() {
    let shell = furnished();
    shell.line("endpoint suspend web-1").exits(0);
    let change = last_change(&shell);
    let shown = shell
        .line(&format!("history show {change}"))
        .exits(0)
        .stdout;
    let lines = shown.lines().map(str::trim);
    let line = lines.clone().find(|line| line.contains("endpoint resume "));
    let line = line.expect("the line that takes it back").to_owned();
    assert!(shown.contains(&format!("undo {change}")), "{shown}");
    let words = line
        .split_once(" endpoint")
        .expect("the program stands first")
        .1;
    shell.line(&format!("endpoint{words}")).exits(0);

    // It is so already: nothing is sent, and so nothing is asked.
    let already = shell.line(&format!("undo {change}")).exits(0).stdout;
    assert!(already.contains("Nothing to undo"), "{already}");
    shell.line("endpoint suspend web-1").exits(0);
    let change = last_change(&shell);
    shell.line(&format!("undo {change}")).exits(2);
    shell.line(&format!("undo {change} -y")).exits(0);
    let shown = shell
        .line(&format!("history show {change}"))
        .exits(0)
        .stdout;
    assert!(shown.contains("It was undone by"), "{shown}");
    let again = shell.line(&format!("undo {change} -y")).exits(2).stderr;
    assert!(again.contains("has already been undone"), "{again}");
}

#[test]
fn undo_again_takes_back_the_change_before() {
    let shell = furnished();
    shell.line("endpoint rename web-1 web-2").exits(0);
    shell.line("endpoint rename web-2 web-3").exits(0);
    let name = || {
        let servers = shell.line("endpoint list -o json").exits(0).json();
        servers[0]["nickname"].as_str().expect("a name").to_owned()
    };
    shell.line("undo -y").exits(0);
    assert_eq!(name(), "web-2");
    shell.line("undo -y").exits(0);
    assert_eq!(name(), "web-1");
}

#[test]
fn what_was_suspended_before_is_not_resumed_by_undo() {
    let shell = furnished();
    provision(&shell, "203.0.113.2", "web-2");
    shell.line("endpoint suspend web-1").exits(0);
    shell.line("endpoint suspend web-1 web-2").exits(0);
    shell.line("undo -y").exits(0);
    let servers = shell
        .line("endpoint list --status paused -o json")
        .exits(0)
        .json();
    assert_eq!(servers.as_array().map(Vec::len), Some(1), "{servers}");
    assert_eq!(servers[0]["nickname"], "web-1");
    shell.line("undo -y").exits(0);
    shell.line("endpoint resume web-1").exits(0);
    let nothing = shell.line("undo -y").exits(0).stdout;
    assert!(
        nothing.contains("the last command changed nothing"),
        "{nothing}"
    );
}

#[test]
fn a_rule_of_the_whole_account_is_not_taken_back_by_a_yes_alone() {
    let shell = furnished();
    shell
        .line("rules add --global 9100 --account -m our-monitoring --confirm=account")
        .exits(0);
    let asked = shell.line("undo -y").exits(2).stderr;
    assert!(asked.contains("--confirm=1"), "{asked}");
    shell.line("undo --confirm=1").exits(0);
}

#[test]
fn an_undo_that_was_killed_goes_on_with_the_rest() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    for i in 1..=12 {
        provision(&shell, &format!("203.0.113.{i}"), &format!("web-{i}"));
    }
    shell.line("endpoint suspend --all -c 42 -y").exits(0);
    wire.run_and_kill(quiet(&shell, &["undo", "-y"]), Moment::Unanswered, 10);
    shell.line("undo -y").exits(0);
    let paused = shell.line("endpoint list --status paused -o json").exits(0);
    assert_eq!(paused.json(), serde_json::json!([]));
}

#[test]
fn rules_that_somebody_has_removed_meanwhile_are_no_hindrance() {
    let shell = furnished();
    let dump = "Status: active\n\n80/tcp   ALLOW   Anywhere\n443/tcp   ALLOW   Anywhere\n";
    shell.file("dump.txt", dump);
    shell.line("rules import web-1 dump.txt -y").exits(0);
    shell.line("rules remove 80 --on web-1 -y").exits(0);
    let import = shell.line("history -o json").exits(0).json();
    let import = import.as_array().expect("a list").iter();
    let import = import
        .filter(|entry| entry["operation"] == "ingest_firewall")
        .find_map(|entry| entry["id"].as_str().map(str::to_owned));
    let undo = format!("undo {} -y", import.expect("the import"));
    shell.line(&undo).exits(0);
    let left = shell.line("rules list web-1 -o json").exits(0).json();
    assert_eq!(left.as_array().map(Vec::len), Some(1), "{left}");
}

#[test]
fn a_scan_changes_nothing_that_could_be_undone() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    shell.line("endpoint rename web-1 web-9").exits(0);
    tenant
        .advance(std::time::Duration::from_secs(600))
        .expect("the account is there");
    shell.line("scan web-9").exits(0);
    let undone = shell.line("undo -y").exits(0);
    assert!(undone.stdout.contains("nickname of web-1"), "{undone:?}");
    let servers = shell.line("endpoint list --search web-1 -o ids").exits(0);
    assert!(!servers.stdout.is_empty());
}

#[test]
fn an_older_change_is_never_proposed_in_place_of_the_last_one() {
    for line in [
        "provision 203.0.113.2 -c 42",
        "endpoint terminate web-9 -y",
        "endpoint delete web-9 -y",
        "domain release a.example --service 501 -c 42 --confirm=a.example",
        "alert ack LEAK -c 42",
    ] {
        let shell = furnished();
        shell.line("endpoint rename web-1 web-9").exits(0);
        let earlier = last_change(&shell);
        let leaks = shell.line("alert list -c 42 --kind domain --status open -o ids");
        let leak = leaks.exits(0).stdout;
        let leak = leak.lines().next().expect("an alert").to_owned();
        shell.line(&line.replace("LEAK", &leak)).exits(0);
        let refused = shell.line("undo -y").exits(2).stderr;
        assert!(refused.contains("Cannot be undone"), "{line}: {refused}");
        assert!(!refused.contains(&earlier), "{line}: {refused}");
        assert!(!refused.contains("undo "), "{line}: {refused}");
    }
}

#[test]
fn the_question_names_the_command_and_what_becomes_of_what() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    provision(&shell, "203.0.113.2", "web-2");
    shell.line("endpoint suspend web-1 web-2").exits(0);
    shell.line("endpoint resume web-1 web-2").exits(0);
    let asked = shell.line("undo").exits(2).stderr;
    for said in [
        "undo `secmon endpoint resume web-1 web-2` (",
        "web-1 (203.0.113.1) of customer 42: active now, suspended afterwards",
        "web-2 (203.0.113.2) of customer 42: active now, suspended afterwards",
        "--yes",
    ] {
        assert!(asked.contains(said), "{said}: {asked}");
    }
}

#[test]
fn what_is_added_again_is_told_by_its_place() {
    let shell = furnished();
    let rule = rule_of(&shell);
    shell.line(&format!("rules remove {rule} -y")).exits(0);
    let asked = shell.line("undo").exits(2).stderr;
    let what = "Add the rule for 22/tcp on web-1 (203.0.113.1)";
    assert!(asked.contains(what), "{asked}");
    shell.line("undo -y").exits(0);
    assert_ne!(rule_of(&shell), "");
}

#[test]
fn what_of_a_file_cannot_be_taken_back_is_told_by_one_line_for_all() {
    let shell = Shell::of(&account());
    let rows = |count: u8| {
        let rows = (1..=count).map(|last| format!("203.0.113.{last},42\n"));
        format!("target,customer\n{}", rows.collect::<String>())
    };
    let few = shell.file("few.csv", &rows(3));
    shell.run(&["provision", "-f", &few]).exits(0);
    let refused = shell.line("undo -y").exits(2).stderr;
    assert_eq!(
        refused.matches("endpoint terminate").count(),
        1,
        "{refused}"
    );
    let ids = shell.line("endpoint list -o ids").exits(0).stdout;
    for id in ids.lines() {
        assert!(refused.contains(id), "{id}: {refused}");
    }
    shell
        .line("endpoint terminate 203.0.113.1 203.0.113.2 -y")
        .exits(0);
    let refused = shell.line("undo -y").exits(2).stderr;
    assert!(
        refused.contains("provision 203.0.113.1 203.0.113.2 -c 42"),
        "{refused}"
    );
    let many = shell.file("many.csv", &rows(12));
    shell.run(&["provision", "-f", &many]).exits(0);
    let refused = shell.line("undo -y").exits(2).stderr;
    assert_eq!(
        refused.matches("endpoint terminate").count(),
        1,
        "{refused}"
    );
    assert!(refused.contains("shown for 1 of 11 records"), "{refused}");
}

#[test]
fn another_terminal_is_offered_only_what_can_be_undone() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    shell
        .line("rules add web-1 8443 -m for-the-operations-team")
        .exits(0);
    let dump = shell.file("empty.txt", "hello\n");
    for _ in 0..3 {
        let import = shell.run(&["rules", "import", "web-1", &dump, "-y"]);
        assert_ne!(import.code, 0, "{import:?}");
    }
    shell.line("provision 203.0.113.2 -c 42").exits(0);
    shell.line("endpoint terminate 203.0.113.2 -y").exits(0);
    let offered = elsewhere(&shell, "undo -y").exits(4).stderr;
    assert!(offered.contains("8443/tcp"), "{offered}");
    for gone in ["a firewall dump", "server 203.0.113.2"] {
        assert!(!offered.contains(gone), "{gone}: {offered}");
    }
}
