//! `--jq`: a filter over what `-o json` would print.

use crate::shell::{Shell, account, provision};

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
