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
    assert_eq!(error, "");
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
    assert_eq!(code, Some(2));
    let (code, out, error) = run(&mut exec(&["--config", "/nowhere/mock.toml"], "echo no"));
    assert_eq!((code, out.as_str()), (Some(2), ""), "{error}");
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
