//! `certify`: playbooks played by a command.

use serde_json::{Value, json};

use crate::client::{Caller, text};
use crate::durable::Folder;
use crate::evidence::beside;
use crate::program::{command, run};

const NAME: &str = "provision-lifecycle";

/// Lets a client play the first playbook; the exit code, and what stands on standard output.
fn play(client: impl FnOnce(&Caller)) -> (Option<i32>, String) {
    let arguments = [
        "certify",
        NAME,
        "--",
        "sh",
        "-c",
        "echo $SECMON_BASE_URL $SECMON_API_KEY; read end; exit 0",
    ];
    let ended = beside(&arguments, client);
    (ended.code, ended.out)
}

fn call(caller: &Caller, operation: &str, body: Value) -> Value {
    caller
        .post(&format!("/api/v1/billing/{operation}"), body)
        .json()
}

fn provision(caller: &Caller) -> String {
    let body = json!({ "client_id": 42, "ip_address": "203.0.113.10" });
    text(&call(caller, "provision", body)["data"]["endpoint_id"])
}

#[test]
fn a_client_that_reaches_the_goal_passes() {
    let (code, out) = play(|caller| {
        let id = provision(caller);
        for operation in ["suspend", "resume", "terminate"] {
            call(caller, operation, json!({ "endpoint_id": id }));
        }
    });
    assert_eq!(out, format!("{NAME}  passed\n"));
    assert_eq!(code, Some(0));
}

#[test]
fn a_client_that_does_half_of_it_fails_with_what_is_missing() {
    let (code, out) = play(|caller| drop(provision(caller)));
    assert_eq!(code, Some(1));
    assert!(out.starts_with(&format!("{NAME}  failed\n  ")), "{out}");
    assert!(
        out.contains("the server 203.0.113.10 of customer 42"),
        "{out}"
    );
}

#[test]
fn a_command_that_calls_nothing_fails_every_playbook() {
    let folder = Folder::new();
    let junit = folder.0.path().join("junit.xml");
    let path = junit.display().to_string();
    let (code, out, error) = run(&mut command(&[
        "certify", "--all", "--junit", &path, "--", "true",
    ]));
    assert_eq!((code, error.as_str()), (Some(1), ""));
    let failed = out
        .lines()
        .filter(|line| line.ends_with("  failed"))
        .count();
    assert_eq!(failed, 16, "{out}");
    let junit = std::fs::read_to_string(junit).expect("a file");
    assert!(junit.contains("tests=\"16\" failures=\"16\""), "{junit}");
}

#[test]
fn a_command_that_fails_fails_its_playbook_and_one_that_is_not_there_is_127() {
    let (code, out, _) = run(&mut command(&["certify", NAME, "--", "sh", "-c", "exit 3"]));
    assert_eq!(code, Some(1));
    assert!(out.contains("The command ended with exit code 3."), "{out}");
    let (code, _, _) = run(&mut command(&["certify", NAME, "--", "/nowhere/command"]));
    assert_eq!(code, Some(127));
    let (code, _, error) = run(&mut command(&["certify", "provision", "--", "true"]));
    assert_eq!(code, Some(125));
    assert!(error.contains(NAME), "{error}");
}

#[test]
fn the_goal_is_in_the_environment_as_json() {
    let script = "echo \"$SECMON_PLAYBOOK\"";
    let (_, out, _) = run(&mut command(&["certify", NAME, "--", "sh", "-c", script]));
    let goal: Value = serde_json::from_str(out.lines().next().unwrap_or_default()).expect("JSON");
    assert_eq!(goal["name"], NAME);
    assert!(goal["goal"].is_string());
}

#[test]
fn help_and_refusals_name_the_playbooks_and_the_way_to_play_all() {
    let (_, help, _) = run(&mut command(&["certify", "--help"]));
    let help: Vec<&str> = help.split_whitespace().collect();
    let help = help.join(" ");
    let listed = help
        .split("The playbooks to play, or --all for all of them: ")
        .nth(1);
    let names = listed.unwrap_or_default().split(" <COMMAND>").next();
    assert_eq!(names.unwrap_or_default().split(", ").count(), 16, "{help}");
    let (code, _, error) = run(&mut command(&["certify", "--", "true"]));
    assert_eq!(code, Some(125));
    assert!(error.contains("<NAME|--all>"), "{error}");
    let (code, _, _) = run(&mut command(&["certify", "--all", NAME, "--", "true"]));
    assert_eq!(code, Some(125));
}
