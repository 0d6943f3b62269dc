//! Who changed what from this machine.

use crate::shell::{Shell, account, provision};

/// Scheduled jobs have no USER.
#[test]
fn without_a_name_in_the_environment_the_system_tells_who_it_was() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    shell.line("provision 203.0.113.10 -c 42").exits(0);
    let asked = std::process::Command::new("id").arg("-un").output();
    let name = asked.expect("id answers").stdout;
    let changes = shell.line("history -o json").exits(0).json();
    assert_eq!(
        changes[0]["user"].as_str(),
        Some(String::from_utf8_lossy(&name).trim())
    );
}

#[test]
fn every_change_is_remembered_and_no_read() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("USER", "maria");
    assert_eq!(shell.line("history -o json").exits(0).stdout, "[]\n");
    let id = provision(&shell, "203.0.113.10", "web-1");
    shell.line("endpoint list").exits(0);
    shell.line("endpoint suspend web-1").exits(0);
    shell.line("endpoint suspend web-1 -n").exits(0);
    shell.line("scan web-1").exits(5);

    let changes = shell
        .line("history --endpoint web-1 -o json")
        .exits(0)
        .json();
    let operations: Vec<&str> = changes
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|change| change["operation"].as_str())
        .collect();
    assert_eq!(
        operations,
        ["provision_endpoint", "update_endpoint", "suspend_endpoint"]
    );
    assert_eq!(
        (&changes[2]["user"], &changes[2]["result"]),
        (&"maria".into(), &"done".into())
    );
    assert_eq!(changes[2]["command"], "secmon endpoint suspend web-1");
    assert_eq!(
        shell.line("history --user nobody -o json").exits(0).stdout,
        "[]\n"
    );

    let first = changes[0]["id"].as_str().expect("an id");
    assert!(
        shell
            .run(&["history", "show", &first[..8]])
            .exits(0)
            .stdout
            .contains("maria")
    );
    shell.line(&format!("endpoint terminate {id} -y")).exits(0);
    assert_eq!(
        shell
            .line("history --since 1h -o ids")
            .exits(0)
            .stdout
            .lines()
            .count(),
        4
    );
}

#[test]
fn a_refused_change_is_remembered_with_its_code_and_no_secret_is() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for i in 0..26 {
        shell.line(&format!("provision 203.0.113.{i} -c 42"));
    }
    let last = shell.line("history -L 1 -o json").exits(0).json();
    assert_eq!(last[0]["result"], "ENDPOINT_LIMIT_EXCEEDED");
    assert!(last[1].is_null(), "{last}");
    let token = shell.line("sso link -c 42").exits(0).stdout;
    let token = token
        .trim()
        .rsplit('=')
        .next()
        .unwrap_or_default()
        .to_owned();
    let kept = shell.everything_kept();
    assert!(
        kept.contains("create_sso_token")
            && !kept.contains(&token)
            && !kept.contains(tenant.api_key())
    );
}

#[test]
fn the_last_fifty_changes_are_shown_unless_another_number_is_named() {
    let shell = Shell::of(&account());
    let targets: Vec<String> = (0..52).map(|i| format!("203.0.113.{i}")).collect();
    let line = format!("provision -c 42 {} -y", targets.join(" "));
    shell.line(&line);
    let count = |line: &str| shell.line(line).exits(0).stdout.lines().count();
    assert_eq!(count("history -o ids"), 50);
    assert_eq!(count("history -o ids -L 51"), 51);
    assert_eq!(count("history -o ids -L 100"), 52);
    let run = shell.line("history").exits(0);
    assert!(
        run.stderr.contains("2 earlier changes not shown"),
        "{run:?}"
    );
}

#[test]
fn the_help_of_the_history_says_how_many_are_shown() {
    let help = Shell::new().line("history --help").exits(0).stdout;
    assert!(
        help.contains("the last 50 changes, or as many as -L says"),
        "{help}"
    );
}
