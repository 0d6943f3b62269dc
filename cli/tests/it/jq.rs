//! `--jq`: a filter over what `-o json` would print.

use crate::journal::{ended, start, until};
use crate::shell::{Shell, account, provision};
use crate::wire::signal;
use secmon_cli::internals::Filter;
use std::time::{Duration, Instant};

#[test]
fn texts_come_out_bare_and_everything_else_as_json() {
    let shell = Shell::of(&account());
    let id = provision(&shell, "203.0.113.10", "web-1");
    let filtered = |expression: &str| {
        shell
            .run(&["endpoint", "list", "--jq", expression])
            .exits(0)
            .stdout
    };
    assert_eq!(filtered(".[].id"), format!("{id}\n"));
    assert_eq!(
        filtered(".[] | [.nickname, .billing_customer_id] | @tsv"),
        "web-1\t42\n"
    );
    assert_eq!(filtered(".[] | {nickname}"), "{\"nickname\":\"web-1\"}\n");
    assert_eq!(
        filtered("map(select(.nickname | test(\"^db\"))) | length"),
        "0\n"
    );
    assert_eq!(filtered(".[] | [.nickname, 1] | @csv"), "\"web-1\",1\n");
    assert_eq!(filtered("empty"), "");
}

#[test]
fn an_expression_that_cannot_be_read_stops_the_command_before_any_request() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for (expression, said) in [
        (".[", "closing bracket"),
        (".[] | nonsense", "nonsense"),
        ("", "ends too early"),
        ("env", "env"),
        ("$ENV", "$ENV"),
        ("import \"x\" as x; .", "module"),
    ] {
        let line = ["provision", "203.0.113.9", "-c", "42", "--jq", expression];
        let error = shell.run(&line).exits(2).error();
        assert!(
            error["message"].as_str().unwrap_or_default().contains(said),
            "{expression}: {error}"
        );
    }
    let shown = shell.run(&["status", "-o", "csv", "--jq", "."]).exits(2);
    assert!(
        shown.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("-o csv")
    );
    assert!(tenant.journal().is_empty());
}

#[test]
fn an_expression_that_does_not_fit_the_result_is_told_behind_what_came_before() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let run = shell
        .run(&["endpoint", "list", "--jq", ".[0].nickname, .nickname"])
        .exits(1);
    assert_eq!(run.stdout, "web-1\n");
    assert_eq!(run.error()["code"], "jq");
    let halted = shell
        .run(&["endpoint", "list", "--jq", "1, halt, 2"])
        .exits(0);
    assert_eq!(halted.stdout, "1\n");
}

#[test]
fn a_dry_run_is_filtered_too() {
    let shell = Shell::of(&account());
    let line = [
        "provision",
        "203.0.113.9",
        "-c",
        "42",
        "-n",
        "--jq",
        ".dry_run[].path",
    ];
    assert_eq!(
        shell.run(&line).exits(0).stdout,
        "/api/v1/billing/provision\n"
    );
}

#[test]
fn an_expression_without_an_end_is_ended_by_ctrl_c() {
    for expression in ["def f: f; f", "[range(1e12)] | length", "[repeat(1)]"] {
        let tenant = account();
        let shell = Shell::of(&tenant);
        let mut child = start(&shell, &["endpoint", "list", "--jq", expression]);
        until("the list", || !tenant.calls("GET", "*").is_empty());
        let at_work = Instant::now() + Duration::from_millis(500);
        while Instant::now() < at_work {
            let over = child.try_wait().expect("a child");
            assert!(over.is_none(), "{expression} ended by itself");
            std::thread::yield_now();
        }
        signal(child.id(), "-INT").expect("it runs");
        let deadline = Instant::now() + Duration::from_secs(30);
        while child.try_wait().expect("a child").is_none() {
            if Instant::now() > deadline {
                child.kill().expect("it is ours");
                panic!("{expression} goes on");
            }
            std::thread::yield_now();
        }
        let run = ended(child).exits(130);
        assert!(run.stderr.contains("interrupted"), "{run:?}");
    }
}

#[test]
fn an_expression_that_is_too_long_to_be_read_is_refused() {
    let shell = Shell::of(&account());
    for expression in [
        "(".repeat(100_000),
        "[".repeat(9_999),
        "1 -".repeat(40_000),
        "}".repeat(9_000),
    ] {
        let run = shell
            .run(&["endpoint", "list", "--jq", &expression])
            .exits(2);
        let message = run.error()["message"].to_string();
        assert!(
            message.len() < 1000 && message.contains("--jq"),
            "{message}"
        );
    }
}

#[test]
fn a_deep_result_is_filtered_as_any_other() {
    let shell = Shell::of(&account());
    let deep = "reduce range(2000) as $i (0; [.]) | [recurse(.[0]?; . != null)] | length";
    let run = shell.run(&["endpoint", "list", "--jq", deep]).exits(0);
    assert_eq!(run.stdout, "2001\n");
}

#[test]
fn an_expression_that_does_not_end_in_time_is_left_behind() {
    let filter = Filter::parse("1, 2, (def f: f; f)").expect("it can be read");
    let result = Some("null".to_owned());
    let filtered = filter
        .evaluate(result, Duration::from_secs(1))
        .expect("a thread");
    assert_eq!(filtered.text, "1\n2\n");
    let trouble = filtered.deferred_error.expect("it has no end");
    assert!(trouble.message().contains("did not end"), "{trouble:?}");
}
