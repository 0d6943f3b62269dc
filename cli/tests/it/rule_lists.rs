//! What `rules list` prints, `rules add -f` reads.

use crate::shell::{Shell, account, provision};
use serde_json::Value;

fn furnished() -> Shell {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    provision(&shell, "203.0.113.2", "web-2");
    for line in [
        "rules add web-1 22 -m",
        "rules add web-1 8000-8100/udp --service stream --expires 90d -m",
        "rules add web-1 53/* -m",
    ] {
        let words: Vec<&str> = line
            .split(' ')
            .chain(["=needed by, \"them\"; +all"])
            .collect();
        shell.run(&words).exits(0);
    }
    shell
}

/// The rules of a server, without what is its own or of the moment.
fn rules(shell: &Shell, server: &str) -> Vec<String> {
    let listed = shell
        .line(&format!("rules list {server} -o json"))
        .exits(0)
        .json();
    let said = |rule: &Value| {
        [
            "port_start",
            "port_end",
            "protocol",
            "service",
            "justification",
            "expires_at",
        ]
        .map(|field| rule[field].to_string())
        .join(" ")
    };
    let mut rules: Vec<String> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(said)
        .collect();
    rules.sort();
    rules
}

#[test]
fn rules_added_to_another_server_from_a_list_are_equal() {
    for form in ["csv", "json", "jsonl"] {
        let shell = furnished();
        let list = shell
            .line(&format!("rules list web-1 -o {form}"))
            .exits(0)
            .stdout;
        let add = ["rules", "add", "-f", "-", "--to", "web-2"];
        let added = shell.feed(&list, &add).exits(0);
        assert!(
            added.stderr.contains("3 rules: 3 new, 0 there already"),
            "{added:?}"
        );
        assert_eq!(rules(&shell, "web-2"), rules(&shell, "web-1"), "{form}");
        let again = shell.feed(&list, &add).exits(0);
        assert!(again.stderr.contains("0 new, 3 there already"), "{again:?}");
        assert!(again.stdout.contains("3 already allowed"), "{again:?}");
        assert_eq!(rules(&shell, "web-2").len(), 3);
    }
}

#[test]
fn a_list_brings_back_the_rules_where_they_were() {
    let shell = furnished();
    shell
        .line("rules add --global 9100 -c 42 -m our-monitoring")
        .exits(0);
    let list = shell.line("rules list -c 42 -o csv").exits(0).stdout;
    let file = shell.file("rules.csv", &list);
    let before = rules(&shell, "web-1");
    let ids = shell.line("rules list -c 42 -o ids").exits(0).stdout;
    for id in ids.lines() {
        shell.line(&format!("rules remove {id} -y -c 42")).exits(0);
    }
    let unsaid = shell.run(&["rules", "add", "-f", &file]).exits(2).stderr;
    assert!(unsaid.contains("-c ID"), "{unsaid}");
    shell
        .run(&["rules", "add", "-f", &file, "-c", "42"])
        .exits(0);
    assert_eq!(rules(&shell, "web-1"), before);
    assert_eq!(
        shell
            .line("rules list -c 42 -o ids")
            .exits(0)
            .stdout
            .lines()
            .count(),
        4
    );
}

#[test]
fn what_overlaps_is_told_before_anything_is_sent() {
    let shell = furnished();
    shell
        .line("rules add web-2 20-25 -m file-transfer")
        .exits(0);
    let list = shell.line("rules list web-1 -o csv").exits(0).stdout;
    let add = [
        "rules",
        "add",
        "-f",
        "-",
        "--to",
        "web-2",
        "--skip-existing",
    ];
    let planned: Vec<&str> = add.iter().copied().chain(["-n"]).collect();
    for line in [&planned[..], &add] {
        let run = shell.feed(&list, line).exits(0);
        assert!(
            run.stderr.contains("2 new, 0 there already, 1 overlapping"),
            "{run:?}"
        );
        assert!(run.stderr.contains("20-25/tcp"), "{run:?}");
    }
    assert_eq!(rules(&shell, "web-2").len(), 3);
}

#[test]
fn a_file_that_is_no_list_of_rules_is_refused_whole() {
    let shell = furnished();
    for (text, said) in [
        ("", "has no column ports"),
        ("[]", "contains no rules"),
        ("[{\"port\": 1}]", "not a list of rules"),
        (
            "ports,justification\n22/tcp,for the operations team\nnone,for the operations team\n",
            "row 3",
        ),
        ("ports,justification\n22/tcp,short\n", "justification"),
    ] {
        let file = shell.file("rules.csv", text);
        let run = shell
            .run(&["rules", "add", "-f", &file, "--to", "web-2"])
            .exits(2);
        assert!(run.stderr.contains(said), "{text}: {run:?}");
    }
    assert!(rules(&shell, "web-2").is_empty());
    let file = shell.file(
        "rules.csv",
        "ports,justification\n22/tcp,for the operations team\n",
    );
    let unsaid = shell
        .run(&["rules", "add", "-f", &file, "-c", "42"])
        .exits(2)
        .stderr;
    assert!(unsaid.contains("--to"), "{unsaid}");
}
