//! Who changed what from this computer.

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
        [
            "provision_endpoint",
            "update_endpoint",
            "suspend_endpoint",
            "scan_endpoint"
        ]
    );
    assert_eq!(
        (&changes[2]["user"], &changes[2]["result"]),
        (&"maria".into(), &"changed".into())
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
        5
    );
}

/// The operations of the history of one server.
fn operations(shell: &Shell, server: &str) -> Vec<String> {
    let changes = shell
        .run(&["history", "--endpoint", server, "-o", "json"])
        .exits(0)
        .json();
    let changes = changes.as_array().expect("a list").clone();
    let name = |change: &serde_json::Value| change["operation"].as_str().map(str::to_owned);
    changes.iter().filter_map(name).collect()
}

#[test]
fn a_change_is_found_by_the_id_and_by_every_name_of_its_server_and_not_by_those_of_others() {
    let shell = Shell::of(&account());
    let first = provision(&shell, "203.0.113.10", "web-1");
    let second = provision(&shell, "203.0.113.11", "web-2");
    shell.line("endpoint suspend web-1 web-2").exits(0);
    shell.line(&format!("endpoint resume {second}")).exits(0);
    shell
        .line("rules add web-1 22 -m because-it-is-needed")
        .exits(0);
    let rule = shell.line("rules list web-1 -o ids").exits(0).stdout;
    shell
        .line(&format!("rules remove {} -y", rule.trim()))
        .exits(0);
    let alert = shell.line("alert list --endpoint web-1 -o ids -L 1");
    shell
        .line(&format!("alert resolve {} -c 42", alert.stdout.trim()))
        .exits(0);
    for name in [first.as_str(), "web-1", "203.0.113.10", "nick:WEB-1"] {
        assert_eq!(
            operations(&shell, name),
            [
                "provision_endpoint",
                "update_endpoint",
                "suspend_endpoint",
                "create_rule",
                "delete_rule",
                "resolve_port_alert"
            ],
            "{name}"
        );
    }
    let others = [
        "provision_endpoint",
        "update_endpoint",
        "suspend_endpoint",
        "resume_endpoint",
    ];
    for name in [second.as_str(), "web-2", "203.0.113.11"] {
        assert_eq!(operations(&shell, name), others, "{name}");
    }
    let kept = shell.everything_kept();
    assert!(kept.contains(rule.trim()) && kept.contains(alert.stdout.trim()));

    // It is gone from every list and from the index, and still known by its name.
    shell.line("endpoint delete web-1 -y").exits(0);
    assert_eq!(operations(&shell, "web-1").len(), 7);
    assert_eq!(operations(&shell, "web-2"), others);
}

#[test]
fn the_servers_that_a_sync_pauses_and_those_that_a_raw_call_names_are_in_its_line() {
    let shell = Shell::of(&account());
    shell
        .line("subscription set 501 --product port_monitoring --plan starter -c 42")
        .exits(0);
    let id = provision(&shell, "203.0.113.10", "web-1");
    let services = "service_id,client_id,product_slug,status\n501,42,port_monitoring,suspended\n";
    let file = shell.file("services.csv", services);
    shell.run(&["sync", "-f", &file, "-y"]).exits(0);
    shell
        .line("api -X POST /api/v1/billing/suspend -f endpoint_id=none")
        .exits(5);
    let by_hand = format!("api -X DELETE /api/v1/endpoints/{id}");
    shell.line(&by_hand).exits(0);
    assert_eq!(
        operations(&shell, &id),
        [
            "provision_endpoint",
            "update_endpoint",
            "sync_services",
            "api"
        ]
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
    assert_eq!(
        (&last[0]["result"], &last[0]["code"]),
        (&"refused".into(), &"ENDPOINT_LIMIT_EXCEEDED".into())
    );
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
    assert!(help.contains("the last 50 changes"), "{help}");
}
