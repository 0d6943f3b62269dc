//! What spans customers is one command.

use crate::shell::{Shell, account, provision};

/// The alerts of a listing, as customer and port.
fn listed(shell: &Shell, line: &str) -> Vec<(u64, u64)> {
    let listed = shell.line(&format!("{line} -o json")).exits(0).json();
    let alerts = listed.as_array().expect("a list").iter();
    let mut alerts: Vec<(u64, u64)> = alerts
        .map(|alert| {
            let number = |field: &str| alert[field].as_u64().unwrap_or_default();
            (number("billing_customer_id"), number("port"))
        })
        .collect();
    alerts.sort_unstable();
    alerts
}

#[test]
fn who_has_a_port_open_is_seen_in_one_list() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.1", "web-1");
    shell.line("provision 203.0.113.77 -c 77").exits(0);
    let all = listed(&shell, "alert list --all-customers --kind port");
    let port = all.first().expect("an alert").1;
    let of_port = format!("alert list --all-customers --port {port}");
    assert_eq!(listed(&shell, &of_port), [(42, port), (77, port)]);
    let one = format!("alert list -c 77 --port {port}");
    assert_eq!(listed(&shell, &one), [(77, port)]);
    let table = shell.line(&of_port).exits(0).stdout;
    for said in ["CUSTOMER", "42", "77", "2 alerts"] {
        assert!(table.contains(said), "{said}: {table}");
    }
    let both = shell.line("alert list --all-customers -c 42").exits(2);
    assert!(both.stderr.contains("leave one of them out"), "{both:?}");
}

#[test]
fn rows_say_what_they_are_and_whose() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    for line in [
        "subscription set 501 --product domain_monitoring --quantity 3 -c 42",
        "domain provision a.example --service 501 -c 42",
    ] {
        shell.line(line).exits(0);
    }
    shell
        .line("rules add web-1 22 -m for-the-operations-team")
        .exits(0);
    for (list, kind) in [
        ("endpoint list", "endpoint"),
        ("rules list", "rule"),
        ("domain list -c 42", "domain"),
        ("domain leaks a.example -c 42", "leak"),
        ("domain mentions a.example -c 42", "mention"),
    ] {
        let rows = shell.line(&format!("{list} -o json")).exits(0).json();
        let first = &rows[0];
        assert_eq!(first["kind"], kind, "{list}: {first}");
        assert_eq!(first["billing_customer_id"], 42, "{list}: {first}");
    }
    let alerts = shell.line("alert list -c 42 -o json").exits(0).json();
    let rows = alerts.as_array().expect("a list");
    assert!(
        rows.iter().all(|row| row["billing_customer_id"] == 42),
        "{alerts}"
    );
    for kind in ["port", "domain"] {
        assert!(
            rows.iter().any(|row| row["kind"] == kind),
            "{kind}: {alerts}"
        );
    }
}

#[test]
fn a_server_that_is_added_is_waited_for() {
    let shell = Shell::of(&account());
    let added = shell
        .line("endpoint add 203.0.113.1 -c 42 -w -o json")
        .exits(0);
    assert_eq!(
        added.json()["latest_scan"]["status"],
        "completed",
        "{added:?}"
    );
    let paused = "endpoint add 203.0.113.2 -c 42 --status paused -w";
    let paused = shell.line(paused).exits(5);
    assert!(paused.stderr.contains("no scan will come"), "{paused:?}");
}
