//! Command lines that are not quite right, and what the program takes them for.

use crate::shell::{Shell, account, provision};
use serde_json::Value;

#[track_caller]
fn leads(line: &str, wanted: &str) {
    let run = Shell::new().line(line).exits(2);
    let whole = run.stderr.lines().any(|said| said.trim() == wanted);
    assert!(whole, "{line}: {}", run.stderr);
    assert!(!run.stderr.contains("tip:"), "{line}: {}", run.stderr);
}

#[test]
fn a_word_that_people_try_leads_to_the_whole_command() {
    for (tried, command) in [
        ("login", "auth login"),
        ("suspend web-1", "endpoint suspend web-1"),
        ("ack example.com/4e6f", "alert ack example.com/4e6f"),
        (
            "add server 203.0.113.50 customer 42",
            "provision 203.0.113.50 -c 42",
        ),
        ("add 203.0.113.50 42", "provision 203.0.113.50 -c 42"),
        (
            "add 203.0.113.50 203.0.113.51 customer 42",
            "provision 203.0.113.50 203.0.113.51 -c 42",
        ),
        ("suspend web-1 web-2", "endpoint suspend web-1 web-2"),
        ("remove web-1 web-2", "endpoint delete web-1 web-2"),
        ("ack 4e6f0c 543e1f", "alert ack 4e6f0c 543e1f"),
        (
            "allow web-1 web-2 22",
            "rules add -e web-1 -e web-2 22 -m TEXT",
        ),
        (
            "allow 22 on web-1 -m because",
            "rules add web-1 22 -m because",
        ),
        ("allow web-1 22 443", "rules add web-1 22 443 -m TEXT"),
        ("customer 42", "customer show 42"),
        ("history undo", "undo"),
        (
            "rules allow 8080 on 203.0.113.21 for 7d",
            "rules add 203.0.113.21 8080 --expires 7d -m TEXT",
        ),
        (
            "rules add web-1 8080 -m because --for 7d",
            "rules add web-1 8080 -m because --expires 7d",
        ),
        (
            "subscription upgrade -c 42 business",
            "subscription change SERVICE --plan business -c 42",
        ),
        (
            "subscription upgrade 501 business -c 42",
            "subscription change 501 --plan business -c 42",
        ),
        ("leaks kunde.de -c 42", "domain leaks kunde.de -c 42"),
        (
            "upgrade 42 business",
            "subscription change SERVICE --product port_monitoring --plan business -c 42",
        ),
        (
            "downgrade 501 starter -c 42",
            "subscription change 501 --product port_monitoring --plan starter -c 42",
        ),
        ("plans", "subscription plans"),
        ("portal 42", "sso link -c 42"),
        ("portal link 42", "sso link -c 42"),
        ("sso 42", "sso link -c 42"),
        ("export -c 42", "endpoint list -o csv -c 42"),
        ("endpoint 203.0.113.10", "endpoint show 203.0.113.10"),
        ("server web-1", "endpoint show web-1"),
        ("domain kunde.de -c 42", "domain show kunde.de -c 42"),
        ("alert 4e6f0c", "alert show 4e6f0c"),
        ("alert why 4e6f0c", "alert show 4e6f0c"),
        ("alert explain 4e6f0c", "alert show 4e6f0c"),
        ("domain alerts kunde.de", "alert list --domain kunde.de"),
        ("endpoint list --json", "endpoint list -o json"),
        ("status --format json", "status -o json"),
        ("find web", "endpoint list --search web"),
        ("search web", "endpoint list --search web"),
        ("endpoint list web", "endpoint list --search web"),
        (
            "move web-1 198.51.100.7",
            "endpoint move web-1 198.51.100.7",
        ),
        (
            "endpoint transfer web-1 198.51.100.7",
            "endpoint move web-1 198.51.100.7",
        ),
        (
            "endpoint move web-1 --to 43",
            "endpoint move web-1 --customer-to 43",
        ),
        (
            "move web-1 198.51.100.7 to customer 43",
            "endpoint move web-1 198.51.100.7 --customer-to 43",
        ),
        ("endpoint show --json web-1", "endpoint show -o json web-1"),
        ("customer block 42", "customer suspend 42"),
        ("profile switch acme", "profile use acme"),
        ("log", "history"),
        ("endpiont list -c 42", "endpoint list -c 42"),
        ("config gte output", "config get output"),
        (
            "alert lst --status open -c 42",
            "alert list --status open -c 42",
        ),
        ("endpiont histroy web-1", "endpoint history web-1"),
        ("proflies lits", "profile list"),
        ("provison 203.0.113.5 -c 42", "provision 203.0.113.5 -c 42"),
        ("why customer 42 --local", "alert list --local -c 42"),
        ("why --local -c 42", "alert list --local -c 42"),
        ("explain 42", "alert list -c 42"),
        ("whoami", "auth status"),
        ("check", "auth status"),
        ("port web-1", "endpoint show web-1 --ports"),
        ("remove web-1", "endpoint delete web-1"),
        ("ls", "endpoint list"),
        ("upload servers.csv", "provision -f servers.csv"),
        ("load -f servers.csv", "provision -f servers.csv"),
        ("list alerts -c 42", "alert list -c 42"),
        ("suspend server web-1", "endpoint suspend web-1"),
        ("auth check", "auth status"),
        ("server allow web-1 22", "rules add web-1 22 -m TEXT"),
        ("endpoint import servers.csv", "provision -f servers.csv"),
        ("endpoint remove web-1", "endpoint delete web-1"),
        (
            "endpoint restore 203.0.113.5 -c 42",
            "provision 203.0.113.5 -c 42",
        ),
        ("suspend customer 42", "customer suspend 42"),
        ("suspend -c 42", "endpoint suspend --all -c 42"),
        ("suspend --help", "endpoint suspend --help"),
        ("ack --all -c 42", "alert ack --all -c 42"),
        ("report customer 42", "report --html FILE -c 42"),
    ] {
        leads(tried, &format!("did you mean: secmon {command}"));
    }
}

#[test]
fn another_word_for_a_verb_leads_to_the_verb() {
    for (tried, command) in [
        (
            "domain create example.org --service 501 -c 42",
            "domain provision example.org --service 501 -c 42",
        ),
        (
            "domain add example.org -c 42",
            "domain provision example.org -c 42",
        ),
        (
            "domain restore example.org",
            "domain provision example.org -c ID",
        ),
        ("domain open example.org", "open example.org"),
        (
            "servers new 203.0.113.5 -c 42",
            "endpoint provision 203.0.113.5 -c 42",
        ),
        ("endpoint rm web-1", "endpoint delete web-1"),
        ("endpoint pause web-1 web-2", "endpoint suspend web-1 web-2"),
        ("endpoint activate web-1", "endpoint resume web-1"),
        ("endpoint info web-1", "endpoint show web-1"),
        ("endpoint get -c 42", "endpoint list -c 42"),
        (
            "rule create web-1 22 -m because",
            "rules add web-1 22 -m because",
        ),
        (
            "rules update 4e6f0c --expires never",
            "rules edit 4e6f0c --expires never",
        ),
        ("alerts acknowledge 4e6f0c", "alert ack 4e6f0c"),
        ("alert close 4e6f0c", "alert resolve 4e6f0c"),
        (
            "sub cancel 501 --product port_monitoring",
            "subscription terminate 501 --product port_monitoring",
        ),
        ("subscription create 501", "subscription set 501"),
        ("pricing update", "pricing set PRODUCT PRICE CURRENCY"),
        ("profile activate acme", "profile use acme"),
        ("profile edit acme", "config edit"),
        ("config rm output", "config unset output"),
        ("mock start", "mock serve"),
        ("sso create -c 42", "sso link -c 42"),
        ("pause web-1", "endpoint suspend web-1"),
        ("rm web-1", "endpoint delete web-1"),
        ("create 203.0.113.5 -c 42", "provision 203.0.113.5 -c 42"),
        ("acknowledge 4e6f0c", "alert ack 4e6f0c"),
        ("get alerts -c 42", "alert list -c 42"),
        ("get server web-1", "endpoint show web-1"),
        (
            "add domain example.org -c 42",
            "domain provision example.org -c 42",
        ),
        ("watch", "alert watch"),
    ] {
        leads(tried, &format!("did you mean: secmon {command}"));
    }
}

#[test]
fn what_there_is_no_command_for_is_said() {
    for (tried, sentence) in [
        (
            "domain delete example.org",
            "secmon domain terminate ends the monitoring of a domain, and provisioning it again restores it; secmon domain release gives up the domain, its slot, alerts and history for good",
        ),
        (
            "rm domain example.org",
            "secmon domain terminate ends the monitoring of a domain, and provisioning it again restores it; secmon domain release gives up the domain, its slot, alerts and history for good",
        ),
        (
            "alert delete 4e6f0c",
            "alerts cannot be deleted: secmon alert resolve marks them as resolved, secmon alert allow allows the port for good",
        ),
        (
            "alert unack 4e6f0c",
            "an alert cannot be opened again by hand; a port that is still open raises a new one at the next scan",
        ),
        (
            "alerts reopen 4e6f0c",
            "an alert cannot be opened again by hand; a port that is still open raises a new one at the next scan",
        ),
        (
            "subscription list -c 42",
            "the service cannot list subscriptions: it shows one only when you set or change it; secmon status -c ID shows what the customer uses",
        ),
    ] {
        leads(tried, &format!("hint: {sentence}"));
    }
}

#[test]
fn help_about_a_word_that_people_try_leads_to_the_page() {
    let run = Shell::new().line("help suspend").exits(2);
    assert!(run.stderr.contains("help endpoint suspend?"), "{run:?}");
}

#[test]
fn a_noun_with_options_alone_leads_to_its_list() {
    for (tried, command) in [
        ("alerts --customer 42", "alert list -c 42"),
        ("servers -c 42", "endpoint list -c 42"),
        ("--local domains -c 42", "domain list --local -c 42"),
        (
            "alerts --status open -c 42",
            "alert list --status open -c 42",
        ),
        ("alerts --open", "alert list --status open"),
        ("alert list --open -c 42", "alert list --status open -c 42"),
        ("rules list --expires", "rules list --expiring 30d"),
        (
            "rules list --expires 7d -c 42",
            "rules list --expiring 7d -c 42",
        ),
        ("rules --expired", "rules list --status expired"),
        ("endpoint list --open", "endpoint list --port PORT"),
        (
            "servers --open 3306 -c 42",
            "endpoint list --port 3306 -c 42",
        ),
        ("rules copy web-1 db-1", "rules copy web-1 --to db-1"),
        (
            "rules copy web-1 db-1 db-2",
            "rules copy web-1 --to db-1 db-2",
        ),
    ] {
        leads(tried, &format!("did you mean: secmon {command}"));
    }
}

#[test]
fn a_customer_that_stands_alone_is_given_with_its_option() {
    for (tried, command) in [
        ("alerts list 42", "alert list -c 42"),
        (
            "server list 42 --status paused",
            "endpoint list --status paused -c 42",
        ),
        ("server list customer 42", "endpoint list -c 42"),
        ("servers 42", "endpoint list -c 42"),
        ("alerts customer 42", "alert list -c 42"),
        ("status 42", "status -c 42"),
        ("report 42", "report --html FILE -c 42"),
    ] {
        leads(tried, &format!("did you mean: secmon {command}"));
    }
}

#[test]
fn an_option_is_never_said_to_be_a_value() {
    for line in [
        "alert ack --tipe domain",
        "endpoint suspend --everything",
        "suspnd --all",
    ] {
        let run = Shell::new().line(line).exits(2);
        assert!(!run.stderr.contains("as a value"), "{}", run.stderr);
    }
}

/// The ports of all rules, in order.
fn allowed(shell: &Shell) -> Vec<String> {
    let rules = shell.line("rules list -o json").exits(0).json();
    let port = |rule: &Value| {
        let protocol = rule["protocol"].as_str().unwrap_or_default();
        format!("{}/{protocol}", rule["port_start"])
    };
    let rules = rules.as_array().expect("a list");
    let mut ports: Vec<String> = rules.iter().map(port).collect();
    ports.sort_unstable();
    ports
}

#[test]
fn ports_are_read_as_people_write_them() {
    for (words, ports) in [
        ("80,443", ["443/tcp", "80/tcp"].as_slice()),
        ("53/udp,123/udp", &["123/udp", "53/udp"]),
        ("53 udp", &["53/udp"]),
        ("udp/53", &["53/udp"]),
        ("80, 443", &["443/tcp", "80/tcp"]),
    ] {
        let shell = Shell::of(&account());
        provision(&shell, "203.0.113.10", "web-1");
        let mut line = vec!["rules", "add", "web-1", "-m", "for the operations team"];
        line.extend(words.split(' '));
        shell.run(&line).exits(0);
        assert_eq!(allowed(&shell), ports, "{words}");
    }
    for words in ["80,443/udp", "80 443 udp"] {
        let shell = Shell::of(&account());
        let run = shell.line(&format!("rules add web-1 {words} -m operations"));
        let run = run.exits(2);
        assert!(run.stderr.contains("which ports"), "{run:?}");
    }
}

#[test]
fn rules_by_server_and_port_lead_to_the_right_command() {
    let shell = Shell::of(&account());
    for (line, hint) in [
        (
            "rules add 22 203.0.113.50 -m operations",
            "rules add 203.0.113.50 22 -m operations",
        ),
        ("rules add 22 web-1", "rules add web-1 22 -m TEXT"),
        ("rules remove web-1 22", "rules remove 22 --on web-1"),
        (
            "rules delete web-1 80/tcp 443",
            "rules remove 80/tcp 443 --on web-1",
        ),
    ] {
        let run = shell.line(line).exits(2);
        assert!(
            run.stderr.contains(&format!("secmon {hint}\n")),
            "{line}: {run:?}"
        );
    }
}

#[test]
fn options_are_taken_in_the_words_that_people_use() {
    let shell = Shell::of(&account());
    shell
        .line("provision 203.0.113.1 -c 42 --name web-1")
        .exits(0);
    shell
        .line("endpoint add 203.0.113.2 -c 42 --name web-2 --status suspended")
        .exits(0);
    shell.line("endpoint suspend web-1, web-2,").exits(0);
    shell
        .line("provision 203.0.113.1, 203.0.113.3, -c 43 -y")
        .exits(0);
    let paused = shell.line("endpoint list -c 42 --status suspended -o json");
    let paused = paused.exits(0).json();
    assert_eq!(paused.as_array().map(Vec::len), Some(2), "{paused}");
}

#[test]
fn a_number_alone_is_a_customer_and_an_open_port_is_allowed() {
    for (tried, command) in [
        ("suspend 77", "customer suspend 77"),
        ("pause 77", "customer suspend 77"),
        ("resume 77", "customer resume 77"),
        ("suspend web-1", "endpoint suspend web-1"),
        ("port open 443 web-1", "rules add web-1 443 -m TEXT"),
    ] {
        leads(tried, &format!("did you mean: secmon {command}"));
    }
}

#[test]
fn a_name_behind_history_is_one_of_its_options() {
    for (tried, command) in [
        ("history web-1", "history --endpoint web-1"),
        (
            "history web-1 --since 2d",
            "history --endpoint web-1 --since 2d",
        ),
        ("history undo", "undo"),
    ] {
        leads(tried, &format!("did you mean: secmon {command}"));
    }
}

#[test]
fn a_line_that_cannot_be_read_leads_to_the_page_of_its_own_command() {
    let shell = Shell::new();
    for (line, page) in [
        ("endpoint move web-1", "secmon endpoint move --help"),
        ("server mv web-1 --frobnicate", "secmon endpoint --help"),
        ("scan --port 443", "secmon scan --help"),
        (
            "endpoint list --statsu active",
            "secmon endpoint list --help",
        ),
        ("frobnicate", "secmon --help"),
    ] {
        let refused = shell.line(line).exits(2).stderr;
        let told = format!("For more information, try '{page}'.");
        assert!(refused.contains(&told), "{line}: {refused}");
        let refused = shell.line(&format!("{line} -o json")).exits(2).error();
        let has_better = line == "endpoint move web-1";
        let hint = format!("see how: {page}");
        assert_eq!(refused["hint"] == hint, !has_better, "{line}: {refused}");
    }
    // Another option is meant by a slip of the finger, and not by a word that rhymes.
    let rhymes = shell.line("scan --port 443").exits(2).stderr;
    assert!(!rhymes.contains("--sort"), "{rhymes}");
    let slip = shell.line("endpoint list --statsu active").exits(2).stderr;
    assert!(slip.contains("'--status'"), "{slip}");
}

#[test]
fn a_move_without_an_address_is_told_that_a_customer_will_do() {
    let shell = Shell::new();
    let refused = shell.line("endpoint move web-1").exits(2).stderr;
    assert!(refused.contains("--customer-to ID"), "{refused}");
    let refused = shell.line("endpoint move web-1 -o json").exits(2).error();
    let hint = refused["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("--customer-to ID"), "{refused}");
    let message = refused["message"].as_str().unwrap_or_default();
    assert!(!message.contains("--customer-to ID"), "{refused}");
}

#[test]
fn an_address_is_not_taken_for_a_customer_nor_a_server_for_a_day() {
    let shell = Shell::new();
    for line in [
        "endpoint move web-1 --to 198.51.100.7",
        "rules add 22 -m for-the-operations-team --for web-1",
    ] {
        let refused = shell.line(line).exits(2).stderr;
        assert!(!refused.contains("did you mean"), "{line}: {refused}");
    }
}

#[test]
fn half_of_a_number_leads_to_nobody_elses_records() {
    let refused = Shell::new().line("endpoint list -c 4 2").exits(2).stderr;
    assert!(!refused.contains("did you mean"), "{refused}");
}

#[test]
fn a_program_reads_what_was_meant_in_the_hint() {
    let refused = Shell::new().line("endpiont list -c 42 -o json").exits(2);
    let refused = refused.error();
    let meant = "did you mean: secmon endpoint list -o json -c 42";
    assert_eq!(refused["hint"], meant, "{refused}");
}

#[test]
fn a_number_in_the_place_of_a_server_leads_to_the_customers_option() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    for line in ["rules list 42", "endpoint show 42", "scan 42"] {
        let refused = shell.line(line).exits(4).stderr;
        let list = "secmon endpoint list -c 42";
        assert!(refused.contains(list), "{line}: {refused}");
    }
    // Whoever has named the customer did not mean it by the number.
    let refused = shell.line("rules list 41 -c 42").exits(4).stderr;
    assert!(!refused.contains("-c 41"), "{refused}");
}
