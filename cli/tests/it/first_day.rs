//! What a third person stumbled over on the first day at a support desk.

use crate::newcomers::{REASON, furnished};
use crate::shell::{Shell, account, provision};

#[test]
fn the_way_out_of_a_full_plan_gives_nothing_up_for_good() {
    let shell = furnished();
    let refused = shell
        .line("domain provision example.com -c 42 --service 501")
        .exits(5)
        .stderr;
    assert!(
        refused.contains("domain terminate DOMAIN -c 42"),
        "{refused}"
    );
    assert!(!refused.contains("release"), "{refused}");
}

#[test]
fn a_watch_that_counts_no_ended_server_shows_none() {
    let shell = furnished();
    shell.line("mock trigger port-open web-1 3306").exits(0);
    shell.line("endpoint terminate web-1 -y").exits(0);
    shell.line("endpoint delete db-1 -y").exits(0);
    let line = "alert list -c 42 --status open";
    assert!(shell.line(line).exits(0).stdout.contains("server ended"));
    for form in ["", " -o json", " -o jsonl"] {
        let shown = shell.line(&format!("{line}{form}")).exits(0).stdout;
        assert!(shown.contains("203.0.113.1"), "{form}: {shown}");
    }
    for (form, nothing) in [("", ""), (" -o json", "[]\n"), (" -o jsonl", "")] {
        let run = shell.line(&format!("{line}{form} --exit-code -q")).exits(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (nothing, ""));
    }
}

#[test]
fn a_day_in_which_no_leak_is_dated_says_where_new_findings_are() {
    let shell = furnished();
    for line in [
        "sub set 501 --product domain_monitoring --quantity 2 -c 42",
        "domain provision example.com -c 42 --service 501",
        "mock trigger leak example.com --count 2 -c 42",
    ] {
        shell.line(line).exits(0);
    }
    let told = shell
        .line("domain leaks example.com --since 2099-01-01")
        .exits(0);
    assert!(
        told.stderr.contains("uses the date of the leak"),
        "{told:?}"
    );
    assert!(
        told.stderr
            .contains("alert list --domain example.com --since 2099-01-01 -c 42"),
        "{told:?}"
    );
}

#[test]
fn a_network_is_not_made_a_server_by_leaving_its_length_out() {
    let shell = Shell::of(&account());
    for (address, way_out) in [
        ("203.0.113.0/24", "give each server's address"),
        ("2001:db8::/64", "give each server's address"),
        ("203.0.113.7/24", "leave out /24"),
        ("203.0.113.7/32", "leave out /32"),
        ("203.0.113.0/32", "leave out /32"),
    ] {
        let refused = shell.line(&format!("provision {address} -c 42")).exits(2);
        assert!(refused.stderr.contains(way_out), "{refused:?}");
    }
}

#[test]
fn an_end_says_what_it_means() {
    let shell = furnished();
    for (line, meaning) in [
        (
            "endpoint terminate web-1",
            "provisioning the same address restores one",
        ),
        ("endpoint delete web-1", "gone from every list"),
    ] {
        let asked = shell.line(line).exits(2).stderr;
        assert!(asked.contains(meaning), "{asked}");
    }
}

#[test]
fn a_range_that_hides_much_says_how_much() {
    let shell = furnished();
    let told = shell
        .line(&format!("rules add web-1 1-65535 {REASON}"))
        .exits(0);
    assert!(
        told.stderr.contains("1-65535/tcp covers 65535 ports"),
        "{told:?}"
    );
    let told = shell
        .line(&format!("rules add db-1 8000-8100 {REASON}"))
        .exits(0);
    assert!(!told.stderr.contains("ports:"), "{told:?}");
    // However the rule is made or widened.
    let listed = shell.line("rules list web-1 -o csv").exits(0).stdout;
    let file = shell.file("rules.csv", &listed);
    let id = shell.line("rules list db-1 -o ids").exits(0).stdout;
    provision(&shell, "203.0.113.3", "web-3");
    for line in [
        "rules copy web-1 --to 203.0.113.3 -n".to_owned(),
        format!("rules add -f {file} --to 203.0.113.3"),
        format!("rules edit {} --port 2000-65000", id.trim()),
    ] {
        let told = shell.line(&line).exits(0);
        assert!(
            told.stderr
                .contains("ports: none of them will raise an alert"),
            "{told:?}"
        );
    }
}

#[test]
fn more_slots_than_are_in_use_pause_nothing() {
    let shell = furnished();
    for line in [
        "sub set 501 --product domain_monitoring --quantity 1 -c 42",
        "domain provision example.com -c 42 --service 501",
    ] {
        shell.line(line).exits(0);
    }
    let line = "sub set 501 --product domain_monitoring --quantity 3 -c 42";
    let asked = shell.line(line).exits(2).stderr;
    assert!(
        asked.contains("No further domain will be paused"),
        "{asked}"
    );
    assert!(asked.contains("and 1 slot now"), "{asked}");
}

#[test]
fn a_port_behind_the_verb_of_a_rule_becomes_no_customer() {
    let shell = Shell::new();
    let refused = shell
        .line("rules edit db-1 80 --expires 60d")
        .exits(2)
        .stderr;
    assert!(!refused.contains("-c 80"), "{refused}");
    assert!(refused.contains("secmon rules list ENDPOINT"), "{refused}");
}

#[test]
fn a_dry_run_of_an_import_says_what_it_cannot_tell() {
    let shell = furnished();
    let dump = shell.file("dump.txt", "-A INPUT -p tcp --dport 22 -j ACCEPT\n");
    let told = shell
        .run(&["rules", "import", "web-1", &dump, "-n"])
        .exits(0);
    assert!(told.stderr.contains("a dry run cannot tell"), "{told:?}");
}

#[test]
fn what_was_suspended_from_here_shows_the_way_back() {
    let shell = furnished();
    let line = "customer resume 42";
    let told = shell.line("customer show 42").exits(0).stdout;
    assert!(!told.contains(line), "{told}");
    shell.line("customer suspend 42 -y").exits(0);
    for screen in ["customer show 42", "status -c 42"] {
        let told = shell.line(screen).exits(0).stdout;
        assert!(told.contains(line), "{screen}: {told}");
    }
    shell.line(line).exits(0);
    let told = shell.line("customer show 42").exits(0).stdout;
    assert!(!told.contains(line), "{told}");
}

#[test]
fn a_domain_is_confirmed_by_its_name_as_people_type_it() {
    let shell = furnished();
    for line in [
        "sub set 501 --product domain_monitoring --quantity 2 -c 42",
        "domain provision bücher.example -c 42 --service 501",
    ] {
        shell.line(line).exits(0);
    }
    let line = "domain terminate bücher.example -c 42";
    for (given, code) in [("bucher.example", 2), ("Bücher.example", 0)] {
        shell.line(&format!("{line} --confirm={given}")).exits(code);
    }
    let provisioned = "domain provision bücher.example -c 42 --service 501";
    shell.line(provisioned).exits(0);
    let line = "domain release bücher.example -c 42 --service 501";
    shell
        .line(&format!("{line} --confirm=other.example"))
        .exits(2);
    shell
        .line(&format!("{line} --confirm=Bücher.example"))
        .exits(0);
}
