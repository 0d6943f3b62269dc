//! The rules of a server that was terminated or deleted stay in the service's lists. They count for nothing any more.

use crate::shell::{Shell, account, provision};

/// A server that has ended and one that has not, each with a rule that expires soon.
fn with_ended(verb: &str) -> (Shell, String) {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    provision(&shell, "203.0.113.2", "web-2");
    let line = "rules add web-1 22 -m for-the-operations-team --expires 5d -o json";
    let rule = shell.line(line).exits(0).json();
    shell
        .line("rules add web-2 22 -m for-the-operations-team --expires 5d")
        .exits(0);
    shell.line(&format!("endpoint {verb} web-1 -y")).exits(0);
    (shell, rule["id"].as_str().expect("an id").to_owned())
}

#[test]
fn a_list_marks_the_rules_of_ended_servers_and_no_count_has_them() {
    for verb in ["terminate", "delete"] {
        let (shell, rule) = with_ended(verb);
        for whose in ["", " -c 42"] {
            let listed = shell.line(&format!("rules list{whose}")).exits(0).stdout;
            let marked = listed.lines().filter(|line| line.contains("server ended"));
            let marked: Vec<&str> = marked.collect();
            assert_eq!(marked.len(), 1, "{verb}: {listed}");
            assert!(marked[0].contains("203.0.113.1)"), "{verb}: {listed}");
            let line = format!("rules list --expiring 14d -o ids{whose}");
            let expiring = shell.line(&line).exits(0).stdout;
            assert_eq!(expiring.lines().count(), 1, "{verb}: {expiring}");
            assert!(!expiring.contains(&rule), "{verb}: {expiring}");
        }
        let status = shell.line("status -c 42 -o json").exits(0).json();
        assert_eq!(status["rules"]["total"], 1, "{verb}: {status}");
        assert_eq!(status["rules"]["expiring_within_14_days"], 1, "{status}");
    }
}

#[test]
fn a_rule_of_an_ended_server_is_removed_by_the_id_that_the_hint_has() {
    for verb in ["terminate", "delete"] {
        let (shell, rule) = with_ended(verb);
        for server in ["web-1", "203.0.113.1"] {
            let line = format!("rules remove 22 --on {server} -y");
            let refused = shell.line(&line).exits(4).stderr;
            let hint = format!("rules remove {rule}");
            assert!(refused.contains(&hint), "{verb} {server}: {refused}");
        }
        shell.line(&format!("rules remove {rule} -y")).exits(0);
    }
}

#[test]
fn the_alerts_of_an_ended_server_are_marked_and_no_count_or_exit_code_has_them() {
    // Those of a deleted server leave the service's list with it.
    for (verb, stay) in [("terminate", 1), ("delete", 0)] {
        let shell = Shell::of(&account());
        provision(&shell, "203.0.113.1", "web-1");
        provision(&shell, "203.0.113.2", "web-2");
        let list = "alert list -c 42 --status open";
        let of_both = shell.line(&format!("{list} -o json")).exits(0).json();
        let before = of_both.as_array().map_or(0, Vec::len);
        shell.line(&format!("endpoint {verb} web-1 -y")).exits(0);
        let listed = shell.line(list).exits(0).stdout;
        let marked = listed
            .lines()
            .filter(|line| line.contains("server ended"))
            .count();
        assert_eq!(marked, before / 2 * stay, "{verb}: {listed}");
        let told = format!("{marked} open on ended servers");
        assert_eq!(listed.contains(&told), marked > 0, "{verb}: {listed}");
        let status = shell.line("status -c 42 -o json").exits(0).json();
        let counts = status["open_port_alerts"].as_object().into_iter().flatten();
        let open: u64 = counts.filter_map(|(_, count)| count.as_u64()).sum();
        assert_eq!(open, (before / 2) as u64, "{verb}: {status}");
        shell.line(&format!("{list} --exit-code")).exits(1);
        shell.line("endpoint terminate web-2 -y").exits(0);
        shell.line(&format!("{list} --exit-code")).exits(0);
    }
}

#[test]
fn nothing_is_advised_or_allowed_for_the_alert_of_an_ended_server() {
    let (shell, _) = with_ended("terminate");
    let listed = shell.line("alert list -c 42 -o json").exits(0).json();
    let of_ended = listed
        .as_array()
        .into_iter()
        .flatten()
        .find(|alert| alert["status"] == "open" && alert["ip_address"] == "203.0.113.1");
    let id = of_ended.and_then(|alert| alert["id"].as_str());
    let id = id.unwrap_or_else(|| panic!("{listed}"));
    let shown = shell
        .line(&format!("alert show {id} -c 42"))
        .exits(0)
        .stdout;
    assert!(shown.contains("is no longer monitored"), "{shown}");
    assert!(!shown.contains("alert allow"), "{shown}");
    let state = shown
        .lines()
        .find(|line| line.trim_start().starts_with("status"));
    assert!(
        state.is_some_and(|line| line.ends_with("server ended")),
        "{shown}"
    );
    let shown = shell.line(&format!("alert show {id} -c 42 -o json"));
    let shown = shown.exits(0).json();
    assert_eq!(shown["server_ended"], true, "{shown}");
    assert_eq!(shown["status"], "open", "{shown}");
    let allow = format!("alert allow {id} -m for-the-operations-team -y");
    let refused = shell.line(&allow).exits(4).stderr;
    assert!(refused.contains("a server that has ended"), "{refused}");
    let acked = shell.line(&format!("alert ack {id} -c 42")).exits(2).stderr;
    assert!(acked.contains("its server has ended"), "{acked}");
    assert!(!acked.contains("alert allow"), "{acked}");
    let resolved = shell.line(&format!("alert resolve {id} -y")).exits(0);
    assert!(!resolved.stdout.contains("to allow it"), "{resolved:?}");
    assert!(!resolved.stderr.contains("to allow it"), "{resolved:?}");
}
