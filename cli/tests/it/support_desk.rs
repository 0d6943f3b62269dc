//! What two people stumbled over in turn who did the work of a support desk with the program and its help.

use crate::every_change::await_the_next_second;
use crate::journal::{quiet, wired};
use crate::newcomers::{REASON, furnished};
use crate::shell::{Shell, account, finished, provision};
use crate::wire::Moment;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[test]
fn a_number_behind_a_reason_without_quotation_marks_opens_no_port() {
    let shell = furnished();
    let line = "rules add web-1 22 -m Ticket-Nr. 4711";
    let refused = shell.line(line).exits(2).stderr;
    assert!(
        refused.contains("\"4711\" comes after the reason \"Ticket-Nr.\""),
        "{refused}"
    );
    assert!(refused.contains("-m \"Ticket-Nr. 4711\""), "{refused}");
    for reason in [
        "-mTicket-Nr.",
        "--reason=Ticket-Nr.",
        "--justification Ticket-Nr.",
    ] {
        let line = format!("rules add web-1 22 {reason} 4711");
        let refused = shell.line(&line).exits(2).stderr;
        assert!(refused.contains("\"4711\" comes after"), "{refused}");
    }
    // Ports may stand behind a reason where none is in front of it.
    shell
        .line(&format!("rules add web-1 {REASON} 22 443"))
        .exits(0);
    let rules = shell.line("rules list -c 42 -o json").exits(0).json();
    assert_eq!(rules.as_array().map(Vec::len), Some(2), "{rules}");
}

#[test]
fn a_customers_number_in_the_place_of_the_server_becomes_no_port() {
    let shell = furnished();
    let line = format!("rules add 42 8000-8010 --expires 2099-12-31 {REASON}");
    let refused = shell.line(&line).exits(4).stderr;
    let meant =
        "rules add --global 8000-8010 -m for-the-operations-team --expires 2099-12-31 -c ID";
    assert!(refused.contains(meant), "{refused}");
    // What names a customer already is one word from a rule for all servers: nobody is led there by a copy.
    let refused = shell.line(&format!("{line} -c 42")).exits(4).stderr;
    assert!(refused.contains("42 is the customer's number"), "{refused}");
    assert!(!refused.contains("rules add --global"), "{refused}");
    // Of a number that is no customer's nobody knows what it is.
    let line = format!("rules add 77 8000 {REASON}");
    let refused = shell.line(&line).exits(4).stderr;
    assert!(refused.contains("--global 77 8000"), "{refused}");
}

#[test]
fn what_was_pasted_from_a_ticket_is_named() {
    let shell = furnished();
    for (words, meant) in [
        (
            &["rules", "add", "web-1", "22", "—reason", "text"][..],
            "write --reason",
        ),
        (&["rules", "add", "web-1", "22", "–m", "text"], "write -m"),
        (
            &[
                "rules", "add", "web-1", "22", "-m", "“for", "the", "backup", "host”",
            ],
            "write \"for the backup host\"",
        ),
        (
            &[
                "rules",
                "add",
                "web-1",
                "8000–8010",
                "-m",
                "the application",
            ],
            "write 8000-8010",
        ),
        (
            &["endpoint", "list", "−−status", "active"],
            "write --status",
        ),
    ] {
        let refused = shell.run(words).exits(2).stderr;
        assert!(refused.contains(meant), "{words:?}: {refused}");
    }
}

#[test]
fn the_result_of_many_says_what_and_whose() {
    let shell = furnished();
    provision_for(&shell, "203.0.113.9", "43");
    let run = shell
        .line("endpoint suspend web-1 db-1 203.0.113.9")
        .exits(0);
    for part in [
        "3 suspended: web-1 (203.0.113.1), db-1 (203.0.113.2), 203.0.113.9",
        "of 2 customers: 42 (2), 43 (1)",
    ] {
        assert!(run.stdout.contains(part), "{run:?}");
    }
    let line = format!("rules add web-1 22 443 {REASON}");
    let run = shell.line(&line).exits(0);
    let said =
        "2 allowed: 22/tcp on web-1 (203.0.113.1), 443/tcp on web-1 (203.0.113.1), of customer 42";
    assert!(run.stdout.contains(said), "{run:?}");
}

fn provision_for(shell: &Shell, address: &str, customer: &str) {
    let line = ["provision", address, "-c", customer];
    shell.run(&line).exits(0);
}

#[test]
fn a_customer_that_nobody_knows_is_offered_no_subscription() {
    let shell = furnished();
    let told = shell.line("domain list -c 4222").exits(0);
    assert!(told.stdout.contains("Is the number right?"), "{told:?}");
    assert!(!told.stdout.contains("subscription set"), "{told:?}");
    let told = shell.line("domain list -c 42").exits(0);
    assert!(told.stdout.contains("subscription set"), "{told:?}");
}

#[test]
fn undo_after_a_command_that_changed_nothing_names_the_last_one_that_can_be_undone() {
    let shell = furnished();
    shell.line("endpoint suspend web-1 db-1").exits(0);
    shell.line("endpoint suspend web-1").exits(0);
    let told = shell.line("undo").exits(0).stdout;
    assert!(told.contains("changed nothing"), "{told}");
    let offered =
        "the last command here that can be undone was secmon endpoint suspend web-1 db-1 (";
    assert!(told.contains(offered), "{told}");
    assert!(told.contains(", 2 changes): "), "{told}");
}

#[test]
fn a_plan_shows_what_a_record_becomes() {
    let shell = furnished();
    for line in [
        "subscription set 502 --product domain_monitoring --quantity 1 -c 42",
        "domain provision first.example --service 502 -c 42",
    ] {
        shell.line(line).exits(0);
    }
    let rule = format!("rules add web-1 22 {REASON} -o json");
    let rule = shell.line(&rule).exits(0).json();
    let edit = format!(
        "rules edit {} -m another-good-reason -n",
        rule["id"].as_str().expect("an id")
    );
    let planned = shell.line(&edit).exits(0).stdout;
    assert!(
        planned.contains("justification \"another-good-reason\""),
        "{planned}"
    );
    for (line, value) in [
        ("endpoint rename web-1 front -n", "(nickname \"front\")"),
        (
            "domain rename first.example second.example -c 42 -n",
            "(domain \"second.example\")",
        ),
        (
            "subscription set 501 --product port_monitoring --plan starter -c 42 -n",
            "(plan_slug \"starter\")",
        ),
    ] {
        let planned = shell.line(line).exits(0).stdout;
        assert!(planned.contains(value), "{planned}");
    }
}

#[test]
fn an_option_that_is_like_another_in_few_letters_is_not_offered_for_it() {
    let shell = furnished();
    for (line, wrong) in [
        ("status --ports", "--sort"),
        ("rules remove --global 9443 -c 42", "--local"),
        ("endpoint list --terminated", "--time"),
        ("customer suspend 43 44", "customer show"),
    ] {
        let refused = shell.line(line).exits(2).stderr;
        assert!(!refused.contains(wrong), "{refused}");
    }
    let refused = shell.line("endpoint list --column id").exits(2).stderr;
    assert!(refused.contains("--columns"), "{refused}");
}

#[test]
fn a_server_behind_its_ports_is_no_id_of_a_rule() {
    let shell = furnished();
    for words in ["web-1 9443", "9443 web-1", "9443 443/tcp web-1"] {
        let line = format!("rules remove {words} -c 42");
        let refused = shell.line(&line).exits(2).stderr;
        assert!(refused.contains("--on web-1"), "{words}: {refused}");
    }
}

#[test]
fn a_number_of_two_digits_is_no_slip_for_a_name_of_two_letters() {
    let shell = furnished();
    provision(&shell, "203.0.113.3", "zz");
    for line in ["endpoint suspend 57", "endpoint show 57", "rules list 57"] {
        let refused = shell.line(line).exits(4).stderr;
        assert!(!refused.contains("did you mean"), "{refused}");
    }
    let refused = shell.line("endpoint show wbe-1").exits(4).stderr;
    assert!(refused.contains("web-1"), "{refused}");
}

#[test]
fn a_word_in_pasted_quotation_marks_becomes_no_name() {
    let shell = furnished();
    for line in [
        &["endpoint", "rename", "web-1", "“front”"][..],
        &["endpoint", "rename", "web-1", "«front»"],
        &[
            "provision",
            "203.0.113.9",
            "-c",
            "42",
            "--nickname",
            "„front“",
        ],
        &[
            "rules",
            "add",
            "‘web-1’",
            "22",
            "-m",
            "for the operations team",
        ],
    ] {
        let refused = shell.run(line).exits(2).stderr;
        assert!(refused.contains("pasted: write \""), "{line:?}: {refused}");
    }
    // An apostrophe is a letter of a name, and so are quotation marks in the middle of one.
    for name in ["d’Artagnan", "the “front” server", "l’été’s"] {
        let line = ["endpoint", "rename", "web-1", name];
        shell.run(&line).exits(0);
        let line = ["endpoint", "rename", name, "web-1"];
        shell.run(&line).exits(0);
    }
}

#[test]
fn a_path_that_is_no_text_does_not_end_the_program() {
    let shell = furnished();
    let mut command = shell.command(&[
        "rules",
        "add",
        "web-1",
        "22",
        "-m",
        "for-the-operations-team",
        "--config",
    ]);
    command.arg(OsStr::from_bytes(b"/tmp/\xff.toml"));
    let run = finished(command);
    assert!(!run.stderr.contains("panicked"), "{run:?}");
}

#[test]
fn what_an_import_leaves_out_is_removed_for_its_customer() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    let dump = "*filter\n:INPUT DROP [0:0]\n-A INPUT -p tcp --dport 22 -j ACCEPT\n-A INPUT -p tcp --dport 3306 -j ACCEPT\nCOMMIT\n";
    let dump = shell.file("dump.txt", dump);
    let line = ["rules", "import", "web-1", &dump, "--except", "3306", "-y"];
    shell.run(&line).exits(0);
    let removed = tenant.calls("DELETE", "/api/v1/whitelists/*");
    let queries: Vec<_> = removed.iter().map(|call| call.query.as_deref()).collect();
    assert_eq!(queries, [Some("billing_customer_id=42")]);
}

#[test]
fn an_ended_server_among_many_keeps_no_cron_job_failing() {
    let shell = Shell::of(&account());
    // A page has a hundred servers, and no customer more than 25.
    let rows: String = (1..=102)
        .map(|i| format!("203.0.113.{i},{}\n", 42 + i % 5))
        .collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    shell.run(&["provision", "-f", &file]).exits(0);
    let ended = "203.0.113.7";
    shell
        .line(&format!("endpoint terminate {ended} -y"))
        .exits(0);
    let alerts = shell
        .line("alert list --all-customers --kind port -o json")
        .exits(0)
        .json();
    let alerts = alerts.as_array().expect("a list");
    let of_ended = alerts.iter().filter(|alert| alert["ip_address"] == ended);
    let of_ended: Vec<_> = of_ended.map(|alert| &alert["server_ended"]).collect();
    assert!(!of_ended.is_empty(), "{alerts:?}");
    assert!(
        of_ended.iter().all(|is_ended| **is_ended == true),
        "{of_ended:?}"
    );
}

/// A suspension of twelve servers that was killed at the ninth call.
fn interrupted(shell: &Shell, line: &str, wire: &crate::wire::Wire) {
    let rows: String = (1..=12).map(|i| format!("203.0.113.{i}\n")).collect();
    let file = shell.file("servers.csv", &format!("target\n{rows}"));
    shell.run(&["provision", "-f", &file, "-c", "42"]).exits(0);
    await_the_next_second();
    let words: Vec<&str> = line.split(' ').collect();
    wire.run_and_kill(quiet(shell, &words), Moment::Unwritten, 9);
}

#[test]
fn an_interrupted_run_has_ended_once_it_was_gone_on_with_at_another_pace() {
    let tenant = account().provoking_notices();
    let (wire, shell) = wired(&tenant);
    let line = "endpoint suspend --all -c 42 --confirm 12 --rate-limits 30,100/60s";
    interrupted(&shell, line, &wire);
    let told = shell.line("status").exits(0).stdout;
    assert!(told.contains("Interrupted on"), "{told}");
    shell.line("endpoint suspend --all -c 42 -y").exits(0);
    let told = shell.line("status").exits(0).stdout;
    assert!(!told.contains("Interrupted on"), "{told}");
}

#[test]
fn undo_names_what_an_interrupted_run_of_the_same_line_has_left() {
    let tenant = account().provoking_notices();
    let (wire, shell) = wired(&tenant);
    let line = "endpoint suspend --all -c 42 -y";
    interrupted(&shell, line, &wire);
    shell.line(line).exits(0);
    let undone = shell.line("undo -y").exits(0);
    assert!(undone.stderr.contains("Not undone with it: "), "{undone:?}");
    assert!(
        undone
            .stderr
            .contains("of an earlier run of the same command"),
        "{undone:?}"
    );
    // To suspend, resume and suspend again is not to go on with a run.
    shell.line("endpoint resume --all -c 42 -y").exits(0);
    for line in [
        "endpoint suspend 203.0.113.1",
        "endpoint resume 203.0.113.1",
        "endpoint suspend 203.0.113.1",
    ] {
        shell.line(line).exits(0);
    }
    let undone = shell.line("undo -y").exits(0);
    assert!(!undone.stderr.contains("Not undone with it"), "{undone:?}");
}

#[test]
fn the_question_of_undo_counts_whose_records_it_is_about() {
    let shell = Shell::of(&account());
    let rows: String = (1..=8)
        .map(|i| format!("203.0.113.{i},{}\n", 42 + i % 2))
        .collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    shell.run(&["provision", "-f", &file]).exits(0);
    let servers: String = (1..=8).map(|i| format!(" 203.0.113.{i}")).collect();
    shell
        .line(&format!("endpoint suspend{servers} -y"))
        .exits(0);
    let asked = shell.line("undo").exits(2).stderr;
    assert!(
        asked.contains(": 8 changes of 2 customers: 42 (4), 43 (4). Server 203.0.113.8 "),
        "{asked}"
    );
}

#[test]
fn a_change_of_a_customer_is_confirmed_by_their_number() {
    let shell = furnished();
    for (line, code) in [
        ("customer suspend 42 --confirm=43", 2),
        ("customer suspend 42 --confirm=42", 0),
        ("customer resume 42 --confirm=43", 2),
        ("customer resume 42 --confirm=42", 0),
        // How many there are is as good a proof that the line was read.
        ("customer suspend 42 --confirm=2", 0),
    ] {
        shell.line(line).exits(code);
    }
}

#[test]
fn an_empty_list_says_where_nobody_knows_the_customer() {
    let shell = furnished();
    for line in [
        "rules list",
        "rules list --scope global",
        "rules summary",
        "endpoint list",
        "endpoint list --port 22",
        "endpoint list --search web",
    ] {
        let told = shell.line(&format!("{line} -c 4711")).exits(0).stderr;
        assert!(told.contains("Is the number right?"), "{line}: {told}");
        let told = shell.line(&format!("{line} -c 42")).exits(0).stderr;
        assert!(!told.contains("Is the number right?"), "{line}: {told}");
    }
    let refused = shell.line("alert ack --all -c 4711").exits(4).stderr;
    assert!(refused.contains("Is the number right?"), "{refused}");
    shell.line("alert ack --all -c 42").exits(0);
}

#[test]
fn a_limit_shows_the_first_of_the_list_as_it_would_be_shown() {
    let shell = Shell::of(&account());
    for (address, customer) in [
        ("203.0.113.9", "43"),
        ("203.0.113.2", "42"),
        ("203.0.113.1", "42"),
    ] {
        provision_for(&shell, address, customer);
    }
    let addresses = |line: &str| -> Vec<String> {
        let servers = shell.line(line).exits(0).json();
        let servers = servers.as_array().expect("a list").iter();
        let addresses = servers.map(|server| server["ip_address"].as_str().map(str::to_owned));
        addresses.map(Option::unwrap_or_default).collect()
    };
    let all = addresses("endpoint list -o json");
    assert_eq!(addresses("endpoint list -L 2 -o json"), all[..2]);
    assert_eq!(all, ["203.0.113.1", "203.0.113.2", "203.0.113.9"]);
}

#[test]
fn a_port_that_a_rule_for_all_servers_allows_leads_to_that_rule() {
    let shell = furnished();
    let line = format!("rules add --global 9443 {REASON} -c 42");
    shell.line(&line).exits(0);
    let rules = shell.line("rules list -c 42 -o ids").exits(0).stdout;
    let refused = shell.line("rules remove 9443 --on web-1").exits(4).stderr;
    let meant = format!("rules show {}", rules.trim());
    assert!(refused.contains(&meant), "{refused}");
    let refused = shell.line("rules remove 9444 --on web-1").exits(4).stderr;
    assert!(refused.contains("rules list web-1"), "{refused}");
}

#[test]
fn all_in_the_place_of_a_server_leads_to_a_rule_for_all_servers() {
    let shell = furnished();
    let refused = shell
        .line(&format!("rules add all 9443 {REASON} -c 42"))
        .exits(4)
        .stderr;
    let meant = "rules add --global 9443 -m for-the-operations-team -c 42";
    assert!(refused.contains(meant), "{refused}");
}

#[test]
fn a_profile_that_is_not_there_is_named_once() {
    let refused = Shell::new().line("--profile nope endpoint list").exits(2);
    let line = "secmon auth login --profile NAME";
    assert!(refused.stderr.contains(line), "{refused:?}");
}
