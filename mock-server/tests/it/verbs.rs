//! `exec` and `ready`.

use std::io::{BufRead, BufReader};
use std::process::Command;

use crate::program::{Program, command, run};

fn exec(flags: &[&str], script: &str) -> Command {
    let mut arguments = vec!["exec"];
    arguments.extend(flags);
    arguments.extend(["--", "sh", "-c", script]);
    command(&arguments)
}

#[test]
fn exec_gives_the_command_an_address_and_a_key_and_takes_its_code() {
    let script = "echo $SECMON_BASE_URL $SECMON_API_KEY $SECMON_MOCK_ADMIN_URL $SECMON_MOCK_ADMIN_KEY; exit 7";
    let (code, out, error) = run(&mut exec(&[], script));
    assert_eq!(code, Some(7), "{error}");
    let words: Vec<&str> = out.split_whitespace().collect();
    let [url, key, admin_url, admin_key] = words[..] else {
        panic!("{out}")
    };
    assert!(url.starts_with("http://127.0.0.1:"));
    assert_eq!(key, "test_key_acme");
    assert_eq!(admin_url, url);
    assert_eq!(admin_key.len(), 32);
    assert_eq!(
        error,
        "warning: no call came: does the command call SECMON_BASE_URL?\n"
    );
}

#[test]
fn the_command_of_exec_can_call_the_server() {
    let secmon_mock = env!("CARGO_BIN_EXE_secmon-mock");
    let script = format!("{secmon_mock} ready --url $SECMON_BASE_URL --timeout 5s");
    let (code, _, error) = run(&mut exec(&["--clock", "manual"], &script));
    assert_eq!(code, Some(0), "{error}");
}

#[test]
fn exec_tells_of_a_death_by_signal() {
    let (code, _, _) = run(&mut exec(&[], "kill -9 $$"));
    assert_eq!(code, Some(128 + 9));
}

#[test]
fn exec_passes_signals_on() {
    for (name, number) in [("-TERM", 15), ("-INT", 2)] {
        let script =
            "trap 'exit 41' TERM; trap 'exit 42' INT; echo ready; while :; do sleep 0.01; done";
        let mut child = exec(&[], script).spawn().expect("the binary runs");
        let mut line = String::new();
        let out = child.stdout.take().expect("an output");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let sent = Command::new("kill")
            .args([name, &child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
        let code = child.wait().expect("it ends").code();
        assert_eq!(code, Some(if number == 15 { 41 } else { 42 }), "{name}");
    }
}

#[test]
fn exec_says_what_is_wrong_before_or_instead_of_the_command() {
    let (code, _, error) = run(&mut command(&["exec", "--", "/nowhere/command"]));
    assert_eq!(code, Some(127));
    assert!(error.contains("/nowhere/command"), "{error}");
    let (code, _, error) = run(&mut command(&["exec", "--", "/"]));
    assert_eq!(code, Some(126), "{error}");
    let (code, _, _) = run(&mut command(&["exec"]));
    assert_eq!(code, Some(125));
    let (code, out, error) = run(&mut exec(&["--config", "/nowhere/mock.toml"], "echo no"));
    assert_eq!((code, out.as_str()), (Some(125), ""), "{error}");
}

#[test]
fn ready_waits_and_gives_up_in_time() {
    let program = Program::start(&[]);
    let ready = |url: &str| run(&mut command(&["ready", "--url", url, "--timeout", "200ms"]));
    assert_eq!(ready(&program.url).0, Some(0));
    assert_eq!(ready(&format!("{}/", program.url)).0, Some(0));
    let gone = program.url.clone();
    program.kill();
    let (code, out, error) = ready(&gone);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(error.contains(&gone), "{error}");
    for wrong in [
        "https://127.0.0.1:1",
        "127.0.0.1:1",
        "http://",
        "http://a/b",
    ] {
        assert_eq!(ready(wrong).0, Some(2), "{wrong}");
    }
    let (code, _, _) = run(&mut command(&[
        "ready",
        "--url",
        &gone,
        "--timeout",
        "soon",
    ]));
    assert_eq!(code, Some(2));
}

#[test]
fn signals_reach_what_the_command_started_too() {
    // The shell in the middle waits, and would not pass a signal on.
    let script = "(trap 'echo inner ended; exit 3' TERM; echo ready; for i in $(seq 100); do sleep 0.05; done); exit 3";
    let mut child = exec(&[], script).spawn().expect("the binary runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().and_then(Result::ok);
    assert_eq!(next().as_deref(), Some("ready"));
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(sent.expect("kill runs").success());
    assert_eq!(next().as_deref(), Some("inner ended"));
    assert!(child.wait().is_ok());
}

#[test]
fn a_server_on_every_address_is_reached_by_loopback() {
    let script = "curl -s -o /dev/null -w '%{http_code}' -H \"Authorization: Bearer $SECMON_API_KEY\" \
                  -d '{}' \"$SECMON_BASE_URL/api/v1/billing/suspend\"; echo \" $SECMON_BASE_URL\"";
    let (code, out, error) = run(&mut exec(&["--listen", "0.0.0.0:0"], script));
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains(" http://127.0.0.1:"), "{out}");
    // 422 and not 403 TENANT_MISMATCH; nothing where there is no curl.
    assert!(!out.starts_with("403"), "{out}");
}

#[test]
fn licenses_prints_its_own_and_those_of_the_crates() {
    let (code, out, _) = run(&mut command(&["licenses"]));
    assert_eq!(code, Some(0));
    for text in [
        "Permission is hereby granted, free of charge",
        "Apache License",
        "The crates that secmon-mock is made of",
        "* rustls ",
    ] {
        assert!(out.contains(text), "{text}");
    }
}

#[test]
fn the_port_files_of_exec_are_there_while_the_command_runs() {
    let folder = crate::durable::Folder::new();
    let file = folder.0.path().join("port");
    let path = file.display().to_string();
    let script = format!("cat {path}; echo $SECMON_BASE_URL");
    let (code, out, _) = run(&mut exec(&["--port-file", &path], &script));
    assert_eq!(code, Some(0), "{out}");
    let (port, url) = out.split_once('\n').expect("two lines");
    assert!(url.trim_end().ends_with(&format!(":{port}")), "{out}");
    assert!(!file.exists(), "it goes with the server");
}

#[test]
fn config_prints_what_holds_where_nothing_is_said() {
    let (code, out, _) = run(&mut command(&["config"]));
    assert_eq!(code, Some(0));
    let mut printed = secmon_mock::Config::parse(&out).expect("a good configuration");
    let default = secmon_mock::Config::default();
    let given = printed.tenants.take().expect("the accounts");
    assert_eq!(format!("{printed:?}"), format!("{default:?}"));
    let names = given.iter().map(|tenant| tenant.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["acme", "globex", "umbrella"]);
}

#[test]
fn a_list_in_the_place_of_a_table_is_refused_by_its_line() {
    for (text, said) in [
        (
            "[[products]]\nname = 1\n",
            "line 1: products: must be one table; write [products]",
        ),
        (
            "\n[[limits]]\ndefault_endpoint_limit = 1\n",
            "line 2: limits: must be one table",
        ),
        (
            "tenants = [[\"acme\"]]\n",
            "line 1: tenants.0: must be a table; write [[tenants]]",
        ),
    ] {
        let error = secmon_mock::Config::parse(text).expect_err(text);
        assert!(error.starts_with(said), "{error}");
    }
}
