//! The forms a result takes.

use crate::shell::{Shell, account, finished, provision};
use crate::terminal::Terminal;
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
        format!("{first}\n{second}\n")
    );
    let lines = shell
        .line("endpoint list -o jsonl --sort nickname")
        .exits(0)
        .stdout;
    assert!(
        lines.lines().next().unwrap_or_default().contains(&second),
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
    assert_eq!(bare, "web-b\nweb-a\n");
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
    assert_eq!(
        status["open_alerts"],
        serde_json::json!({ "medium": 2, "low": 2 })
    );
    let account = shell.line("status").exits(0).stdout;
    assert!(account.contains("status -c"), "{account}");
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
