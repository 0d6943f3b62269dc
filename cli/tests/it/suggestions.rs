//! What the program suggests, it takes: a build for tests reads every command that it prints with its own parser, and
//! ends where one cannot be read, whichever test printed it. Here: what else a suggestion owes its reader.

use crate::shell::{Shell, account, provision};

#[test]
fn the_customer_that_was_given_stands_in_what_is_suggested() {
    let shell = Shell::of(&account());
    let id = provision(&shell, "203.0.113.10", "web-1");
    for (line, command) in [
        (
            "endpoint show another -c 42",
            "endpoint list -c 42".to_owned(),
        ),
        (
            "rules remove web-1 22 -c 42",
            "rules remove 22 --on web-1 -c 42".to_owned(),
        ),
        ("open nowhere.example -c 42", "domain list -c 42".to_owned()),
        ("scan web-1 -c 42", format!("endpoint resume {id} -c 42")),
        (
            "endpoint add 203.0.113.11 -c 42 --status paused -o json",
            String::new(),
        ),
        (
            "provision 203.0.113.12 --client-id 42",
            "alert list -c 42".to_owned(),
        ),
    ] {
        if line.starts_with("scan") {
            shell.line("endpoint suspend web-1").exits(0);
        }
        let run = shell.line(line);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains(&command), "{line}: {run:?}");
        let waits = said.lines().filter(|line| line.contains("endpoint wait"));
        waits.for_each(|line| assert!(line.ends_with("-c 42"), "{line}"));
    }
    let unknown = Shell::of(&account()).with("SECMON_API_KEY", "no_such_key_at_all");
    let refused = unknown.line("endpoint list -c 42").exits(3).stderr;
    assert!(
        refused.contains("comes from SECMON_API_KEY") && !refused.contains("-c 42"),
        "{refused}"
    );
}

#[test]
fn ports_without_a_server_lead_to_the_rule_for_all_servers_of_the_customer() {
    let shell = Shell::of(&account());
    for (given, customer) in [("", "-c ID"), ("-c 42", "-c 42")] {
        let line = format!("rules add 443 80 -m public-web-site {given}");
        let run = shell.line(&line).exits(4);
        let meant = format!("rules add --global 443 80 -m public-web-site {customer}");
        assert!(run.stderr.contains(&meant), "{run:?}");
    }
}

#[test]
fn nothing_is_suggested_that_would_be_refused_again() {
    let shell = Shell::new();
    for line in [
        "suspend web-1 --nonsense",
        "scan-endpoint web-1 --port 22",
        "domains create example.com --flavour red",
        "alert close --colour red",
    ] {
        let run = shell.line(line).exits(2);
        assert!(!run.stderr.contains("did you mean"), "{line}: {run:?}");
    }
    let run = shell.line("suspend web-1 -c 42").exits(2);
    assert!(run.stderr.contains("did you mean"), "{run:?}");
}
