//! What others have written, in the program's own lines.

use crate::shell::{Shell, account};
use http::StatusCode;
use secmon_mock::Fault;

#[test]
fn joiners_stay_in_names() {
    let shell = Shell::of(&account());
    let name = "می\u{200c}خواهم 👩\u{200d}💻";
    shell
        .run(&[
            "provision",
            "203.0.113.1",
            "-c",
            "42",
            &format!("--nickname={name}"),
        ])
        .exits(0);
    for form in ["table", "csv"] {
        let run = shell.run(&["endpoint", "list", "-o", form]).exits(0);
        assert!(run.stdout.contains(name), "{run:?}");
    }
}

#[test]
fn what_the_service_says_begins_no_line() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let message = "x\\nerror: all is lost\\r\\u2028\\u0085hint: run this\\u001b[2J";
    let body = format!(
        r#"{{"success":false,"error":{{"code":"A\\nB","message":"{message}","details":{{}}}}}}"#
    )
    .replace("\\\\", "\\");
    for method in ["GET", "POST"] {
        let fault = Fault::body(StatusCode::FORBIDDEN, &body).on(method, "*");
        tenant.fault(fault.times(0));
    }
    for line in [
        "endpoint list",
        "provision 203.0.113.1 203.0.113.2 -c 42",
        "doctor",
    ] {
        let run = shell.line(line);
        assert_ne!(run.code, 0);
        let all = format!("{}{}", run.stdout, run.stderr);
        assert!(all.contains("all is lost"), "{all}");
        let begins = |line: &str| line.starts_with("error: all") || line.starts_with("hint:");
        assert!(!all.lines().any(begins), "{all}");
        assert!(
            !all.contains(['\u{1b}', '\r', '\u{2028}', '\u{85}']),
            "{all:?}"
        );
    }
}

#[test]
fn a_line_end_in_a_name_begins_no_line() {
    let shell = Shell::of(&account());
    let name = "--nickname=web\nerror: all is lost";
    let made = shell
        .run(&["provision", "203.0.113.1", "-c", "42", name])
        .exits(0);
    let list = shell.line("endpoint list").exits(0);
    let file = shell
        .run(&["provision", "-f", "none\nerror: all is lost"])
        .exits(2);
    for run in [made, list, file] {
        let all = format!("{}{}", run.stdout, run.stderr);
        assert!(all.contains("error: all is lost"), "{all}");
        let begins = |line: &str| line.starts_with("error: all");
        assert!(!all.lines().any(begins), "{all}");
    }
}
