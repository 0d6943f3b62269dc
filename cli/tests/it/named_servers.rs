//! Whoever reads of a server reads its name, and when a scan saw what is told of its ports.

use crate::every_change::await_the_next_second;
use crate::shell::{Shell, account, provision};

/// A server with a name that was scanned, and the id of the alert for its port 22.
fn scanned() -> (Shell, String) {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let listed = shell.line("alert list -c 42 --port 22 -o ids").exits(0);
    (shell, listed.stdout.trim().to_owned())
}

#[test]
fn alerts_name_their_server_to_people_and_give_programs_its_address() {
    let (shell, alert) = scanned();
    let shown = shell.line("alert list -c 42").exits(0).stdout;
    assert!(shown.contains(" web-1 "), "{shown}");
    let of_ports = shell.line("alert list -c 42 --kind port").exits(0).stdout;
    assert!(of_ports.contains("web-1"), "{of_ports}");
    let csv = "alert list -c 42 -o csv --columns on,nickname --no-headers";
    let csv = shell.line(csv).exits(0).stdout;
    assert!(csv.contains("203.0.113.10,web-1\n"), "{csv}");
    let one = shell.line(&format!("alert show {alert} -c 42")).exits(0);
    assert!(one.stdout.contains("web-1 (203.0.113.10)"), "{one:?}");
}

#[test]
fn a_resolved_alert_says_what_the_last_scan_shows_of_its_port() {
    let (shell, alert) = scanned();
    let show = format!("alert show {alert} -c 42");
    let open = shell.line(&show).exits(0).stdout;
    assert!(!open.contains("in the scan of"), "{open}");
    shell.line(&format!("alert resolve {alert} -c 42")).exits(0);
    let resolved = shell.line(&show).exits(0).stdout;
    assert!(
        resolved.contains("22/tcp: open in the scan of 20") && resolved.contains("no rule allows"),
        "{resolved}"
    );
    shell.line("rules add web-1 22 -m for-operations").exits(0);
    let allowed = shell.line(&show).exits(0).stdout;
    assert!(allowed.contains("and allowed by a rule"), "{allowed}");
    shell.line("sandbox scenario set clean").exits(0);
    await_the_next_second();
    shell.line("scan web-1").exits(0);
    let closed = shell.line(&show).exits(0).stdout;
    assert!(
        closed.contains("22/tcp: not open in the scan of 20"),
        "{closed}"
    );
}

#[test]
fn the_proof_that_a_port_is_closed_has_the_time_of_the_scan() {
    let (shell, _) = scanned();
    provision(&shell, "203.0.113.11", "web-2");
    let none = shell.line("endpoint list -c 42 --port 3306").exits(0);
    assert!(
        none.stdout
            .contains("3306/tcp: not open on 2 servers in their last scans, the oldest of 20"),
        "{none:?}"
    );
    let some = shell.line("endpoint list -c 42 --port 22").exits(0).stdout;
    assert!(some.contains("22/tcp: open on 2 of 2 servers"), "{some}");
    let ports = shell.line("endpoint show web-1 --ports").exits(0).stdout;
    assert!(
        ports.contains("Ports that are not listed were not open in the scan of 20"),
        "{ports}"
    );
    shell.line("sandbox scenario set clean").exits(0);
    await_the_next_second();
    shell.line("scan web-1").exits(0);
    let ports = shell.line("endpoint show web-1 --ports").exits(0).stdout;
    assert!(
        ports.contains("No port was open in the scan of 20"),
        "{ports}"
    );
}
