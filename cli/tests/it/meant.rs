//! Command lines that are not quite right, and what the program takes them for.

use crate::shell::Shell;

#[track_caller]
fn leads(line: &str, wanted: &str) {
    let run = Shell::new().line(line).exits(2);
    let whole = run.stderr.lines().any(|said| said.trim() == wanted);
    assert!(whole, "{line}: {}", run.stderr);
    assert!(!run.stderr.contains("tip:"), "{line}: {}", run.stderr);
}

#[test]
fn a_word_that_people_try_leads_to_the_whole_command() {
    for (tried, command) in [
        ("login", "auth login"),
        ("suspend web-1", "endpoint suspend web-1"),
        ("ack example.com/4e6f", "alert ack example.com/4e6f"),
        (
            "add server 203.0.113.50 customer 42",
            "provision 203.0.113.50 -c 42",
        ),
        ("add 203.0.113.50 42", "provision 203.0.113.50 -c 42"),
        (
            "allow 22 on web-1 -m because",
            "rules add web-1 22 -m because",
        ),
        ("allow web-1 22 443", "rules add web-1 22 443 -m TEXT"),
        ("customer 42", "status -c 42"),
        ("customers", "status -c ID"),
        ("why customer 42 --local", "alert list --local -c 42"),
        ("why --local -c 42", "alert list --local -c 42"),
        ("explain 42", "alert list -c 42"),
        ("whoami", "auth status"),
        ("check", "auth status"),
        ("port web-1", "endpoint show web-1 --ports"),
        ("remove web-1", "endpoint delete web-1"),
        ("ls", "endpoint list"),
        ("upload servers.csv", "provision -f servers.csv"),
        ("load -f servers.csv", "provision -f servers.csv"),
        ("list alerts -c 42", "alert list -c 42"),
        ("suspend server web-1", "endpoint suspend web-1"),
        ("auth check", "auth status"),
        ("server allow web-1 22", "rules add web-1 22 -m TEXT"),
        ("endpoint import servers.csv", "provision -f servers.csv"),
        ("endpoint remove web-1", "endpoint delete web-1"),
        (
            "endpoint restore 203.0.113.5 -c 42",
            "provision 203.0.113.5 -c 42",
        ),
        ("report customer 42", "report --html FILE -c 42"),
    ] {
        leads(tried, &format!("did you mean: secmon {command}"));
    }
}

#[test]
fn what_there_is_no_command_for_is_said() {
    for (tried, sentence) in [
        (
            "undo",
            "no command takes back what another did; secmon history shows what was changed",
        ),
        (
            "alert unack 4e6f0c",
            "an alert cannot be opened again by hand; a port that is still open raises a new one at the next scan",
        ),
        (
            "alerts reopen 4e6f0c",
            "an alert cannot be opened again by hand; a port that is still open raises a new one at the next scan",
        ),
    ] {
        leads(tried, &format!("hint: {sentence}"));
    }
}

#[test]
fn a_noun_with_options_alone_leads_to_its_list() {
    for (tried, command) in [
        ("alerts --customer 42", "alert list -c 42"),
        ("servers -c 42", "endpoint list -c 42"),
        ("--local domains -c 42", "domain list --local -c 42"),
        (
            "alerts --status open -c 42",
            "alert list --status open -c 42",
        ),
        ("alerts --open", "alert list --status open"),
        ("alert list --open -c 42", "alert list --status open -c 42"),
    ] {
        leads(tried, &format!("did you mean: secmon {command}"));
    }
}

#[test]
fn a_customer_that_stands_alone_is_given_with_its_option() {
    for (tried, command) in [
        ("alerts list 42", "alert list -c 42"),
        (
            "server list 42 --status paused",
            "endpoint list --status paused -c 42",
        ),
        ("server list customer 42", "endpoint list -c 42"),
        ("status 42", "status -c 42"),
        ("report 42", "report --html FILE -c 42"),
    ] {
        leads(tried, &format!("did you mean: secmon {command}"));
    }
}

#[test]
fn an_option_is_never_said_to_be_a_value() {
    for line in [
        "alert ack --tipe domain",
        "endpoint suspend --everything",
        "suspnd --all",
    ] {
        let run = Shell::new().line(line).exits(2);
        assert!(!run.stderr.contains("as a value"), "{}", run.stderr);
    }
}
