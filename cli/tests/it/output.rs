//! The forms a result takes.

use crate::shell::{Shell, account, finished, provision};
use crate::terminal::Terminal;
use secmon_mock::Tenant;
use serde_json::json;
use std::process::{Command, Stdio};

#[test]
fn a_list_is_an_array_and_empty_it_is_still_one() {
    let shell = Shell::of(&account());
    assert_eq!(shell.line("endpoint list -o json").exits(0).stdout, "[]\n");
    assert_eq!(shell.line("endpoint list -o jsonl").exits(0).stdout, "");
    assert_eq!(shell.line("endpoint list -o ids").exits(0).stdout, "");
    let table = shell.line("endpoint list").exits(0);
    assert_eq!(
        (table.stdout.as_str(), table.stderr.as_str()),
        ("", "nothing found\n")
    );
}

#[test]
fn all_pages_of_a_list_are_read() {
    let shell = Shell::of(&account());
    let rows: String = (0..120)
        .map(|i| format!("203.0.113.{i},{}\n", 42 + i / 20))
        .collect();
    let file = shell.file("servers.csv", &format!("target,customer\n{rows}"));
    shell.run(&["provision", "-f", &file]).exits(0);
    let all = shell.line("endpoint list -o ids").exits(0).stdout;
    assert_eq!(all.lines().count(), 120);
    // The second page is cut where the limit falls into it.
    let cut = shell.line("endpoint list -o jsonl -L 110").exits(0).stdout;
    assert_eq!(cut.lines().count(), 110);
    assert_eq!(
        shell
            .line("endpoint list -o ids -L 7")
            .exits(0)
            .stdout
            .lines()
            .count(),
        7
    );
}

#[test]
fn every_form_shows_the_same_servers() {
    let shell = Shell::of(&account());
    let first = provision(&shell, "203.0.113.10", "web-b");
    let second = provision(&shell, "203.0.113.11", "web-a");
    assert_eq!(
        shell.line("endpoint list -o ids").exits(0).stdout,
        format!("{second}\n{first}\n")
    );
    let lines = shell
        .line("endpoint list -o jsonl --sort -nickname")
        .exits(0)
        .stdout;
    assert!(
        lines.lines().next().unwrap_or_default().contains(&first),
        "{lines}"
    );
    let csv = shell
        .line("endpoint list -o csv --columns nickname,ip_address --sort -nickname")
        .exits(0)
        .stdout;
    assert_eq!(
        csv,
        "nickname,ip_address\nweb-b,203.0.113.10\nweb-a,203.0.113.11\n"
    );
    let bare = shell
        .line("endpoint list -o csv --columns nickname --no-headers")
        .exits(0)
        .stdout;
    assert_eq!(bare, "web-a\nweb-b\n");
    let table = shell.line("endpoint list").exits(0).stdout;
    assert!(
        table.contains("web-a") && !table.contains("PLATFORM"),
        "{table}"
    );
    assert!(
        shell
            .line("endpoint list -o wide")
            .exits(0)
            .stdout
            .contains("PLATFORM")
    );
    shell.line("endpoint list --columns colour").exits(2);
}

#[test]
fn hostile_names_are_inert_for_people_and_exact_for_programs() {
    let shell = Shell::of(&account());
    for (i, name) in [
        "\u{1b}[2Jgone",
        "\u{1b}]52;c;aGk=\u{7}",
        "\u{202e}txt.exe",
        "=cmd|' /C calc'!A0",
        "\t=cmd",
    ]
    .iter()
    .enumerate()
    {
        let address = format!("203.0.113.{i}");
        shell
            .run(&["provision", &address, "-c", "42", "--nickname", name])
            .exits(0);
        let json = shell
            .run(&["endpoint", "show", &address, "-o", "json"])
            .exits(0)
            .json();
        assert_eq!(json["data"]["nickname"], *name);
        for line in [
            "endpoint list",
            "endpoint list -o wide",
            &format!("endpoint show {address}"),
        ] {
            let shown = shell.line(line).exits(0).stdout;
            assert!(
                !shown.contains(['\u{1b}', '\u{7}', '\u{202e}']),
                "{line}: {shown:?}"
            );
        }
    }
    let csv = shell
        .line("endpoint list -o csv --columns nickname")
        .exits(0)
        .stdout;
    assert!(csv.contains("'=cmd|"), "{csv}");
    assert!(csv.contains("'\u{fffd}=cmd"), "{csv}");
    assert!(
        !csv.contains(['\u{1b}', '\u{7}', '\u{202e}']) && csv.contains("[2Jgone"),
        "{csv:?}"
    );
}

#[test]
fn colour_is_for_terminals_unless_asked_for() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    assert!(
        !shell
            .line("endpoint list")
            .exits(0)
            .stdout
            .contains('\u{1b}')
    );
    assert!(
        shell
            .line("endpoint list --color always")
            .exits(0)
            .stdout
            .contains('\u{1b}')
    );
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let shell = Shell::new();
    let program = env!("CARGO_BIN_EXE_secmon");
    let mut piped = Command::new("bash");
    piped.args([
        "-c",
        &format!("'{program}' completion bash | true; exit ${{PIPESTATUS[0]}}"),
    ]);
    piped.env("HOME", shell.path("")).stdin(Stdio::null());
    let run = finished(piped).exits(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn one_screen_says_how_a_customer_stands() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let status = shell.line("status -c 42 -o json").exits(0).json();
    assert_eq!(status["servers"]["total"], 1);
    assert_eq!(status["servers"]["limit"], 25);
    assert_eq!(status["open_alerts"], json!({ "medium": 2, "low": 2 }));
    let account = shell.line("status").exits(0).stdout;
    assert!(account.contains("status -c"), "{account}");
}

/// A customer with five servers and two domains, all that its services pay for and a slot more; one domain rests.
fn full_customer(tenant: &Tenant) -> Shell {
    let shell = Shell::of(tenant);
    for line in [
        "subscription set 501 --product port_monitoring --plan starter -c 42",
        "subscription set 502 --product domain_monitoring --quantity 3 -c 42",
        "provision 203.0.113.1 203.0.113.2 203.0.113.3 203.0.113.4 203.0.113.5 -c 42",
        "domain provision one.test two.test --service 502 -c 42",
        "domain suspend one.test -c 42",
    ] {
        shell.line(line).exits(0);
    }
    shell
}

/// Takes the servers' capacity away, and all slots but one.
fn cut(shell: &Shell) {
    for line in [
        "subscription suspend 501 --product port_monitoring -c 42 -y",
        "subscription change 502 --product domain_monitoring --quantity 1 --force -c 42 -y",
    ] {
        shell.line(line).exits(0);
    }
}

/// The status of the customer holds these lines, however wide their labels are.
#[track_caller]
fn status_says(shell: &Shell, expected: &[&str]) -> String {
    let screen = shell.line("status -c 42").exits(0).stdout;
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = screen.lines().map(words).collect();
    for line in expected {
        assert!(lines.contains(&(*line).to_owned()), "{line}: {screen}");
    }
    screen
}

#[test]
fn one_screen_says_what_the_platform_has_paused_because_a_customer_is_over_quota() {
    let tenant = account();
    let shell = full_customer(&tenant);
    let lists = || tenant.calls("GET", "/api/v1/endpoints").len();
    let before = lists();
    let full = [
        "servers 5 of 5 [####################]",
        "by state 5 active, 0 paused",
        "domain slots 2 of 3 [##############------]",
        "domains 1 active, 1 paused",
    ];
    let screen = status_says(&shell, &full);
    assert!(!screen.contains("over quota"), "{screen}");
    assert_eq!(lists(), before + 1, "nothing is paused");

    cut(&shell);
    let before = lists();
    let over = [
        "servers 5 of 0 [####################]",
        "by state 0 active, 5 paused, 5 of them by the platform: over quota",
        "domain slots 2 of 1 [####################]",
        "domains 0 active, 2 paused, 1 of them by the platform: over quota",
    ];
    let screen = status_says(&shell, &over);
    assert_eq!(lists(), before + 2, "one more list, of what is paused");
    for next in ["endpoint list -c 42 --status paused", "domain list -c 42"] {
        assert!(screen.contains(next), "{screen}");
    }

    let end = "subscription terminate 502 --product domain_monitoring -c 42 -y";
    shell.line(end).exits(0);
    status_says(&shell, &["domain slots 2 of 0 [####################]"]);
}

#[test]
fn a_script_sees_that_a_customer_is_over_quota() {
    let shell = full_customer(&account());
    cut(&shell);
    let status = shell.line("status -c 42 -o json").exits(0).json();
    assert_eq!(
        status["servers"],
        json!({
            "total": 5, "limit": 0, "by_status": { "active": 0, "paused": 5 },
            "over_quota": true, "quota_paused": 5
        })
    );
    assert_eq!(
        status["domains"],
        json!({
            "subscribed": true, "slots_used": 2, "slots_total": 1,
            "by_status": { "active": 0, "paused": 2 }, "over_quota": true, "quota_paused": 1
        })
    );
}

#[test]
fn a_terminal_that_is_too_narrow_or_tells_no_width_gets_whole_sentences() {
    let shell = Shell::of(&account());
    for columns in [0, 12] {
        let mut screen = String::new();
        for line in ["provision 203.0.113.7 -c 42", "endpoint show web-9"] {
            let words: Vec<&str> = line.split(' ').collect();
            screen += &Terminal::start(&shell, columns, &words).ends().1;
        }
        for sentence in [" monitored for customer 42.", "see the servers there are: "] {
            let whole = screen.lines().any(|line| line.contains(sentence));
            assert!(whole, "{columns}: {screen}");
        }
    }
}
