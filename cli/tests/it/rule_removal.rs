//! Rules are removed by their ids, or by the ports of a server.

use crate::shell::{Shell, account, provision};

/// The ports of the rules of a server.
fn ports(shell: &Shell, server: &str) -> Vec<String> {
    let line = format!("rules list {server} --scope endpoint -o csv --no-headers --columns ports");
    let listed = shell.line(&line).exits(0).stdout;
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn a_rule_is_removed_by_its_port_on_a_server() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    provision(&shell, "203.0.113.11", "web-2");
    for line in [
        "rules add -e web-1 -e web-2 22 443 53/udp -m asked-for-by-them",
        "rules add web-1 8000-8100/tcp -m asked-for-by-them",
        "rules add --global 9100 -c 42 -m asked-for-by-them",
    ] {
        shell.line(line).exits(0);
    }
    let asked = shell.line("rules remove ssh 53/udp --on web-1").exits(2);
    for said in ["--yes", "22/tcp on web-1", "53/udp on web-1"] {
        assert!(asked.stderr.contains(said), "{said}: {asked:?}");
    }
    shell
        .line("rules remove ssh 22 53/udp --on web-1 --yes")
        .exits(0);
    assert_eq!(ports(&shell, "web-1"), ["443/tcp", "8000-8100/tcp"]);
    assert_eq!(ports(&shell, "web-2").len(), 3);
    shell
        .line("rules remove 8000-8100 --on 203.0.113.10 -y -c 42")
        .exits(0);
    assert_eq!(ports(&shell, "web-1"), ["443/tcp"]);
}

#[test]
fn a_port_that_has_no_rule_of_its_own_removes_none() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    for line in [
        "rules add web-1 443 -m asked-for-by-them",
        "rules add web-1 8000-8100/tcp -m asked-for-by-them",
        "rules add --global 9100 -c 42 -m asked-for-by-them",
    ] {
        shell.line(line).exits(0);
    }
    let id = shell.line("rules list web-1 --scope endpoint -o ids");
    let id = id.stdout.lines().last().unwrap_or_default().to_owned();
    let some = shell.line("rules remove 443 8080 --on web-1 -y").exits(4);
    assert!(some.stderr.contains("--ignore-not-found"), "{some:?}");
    let part = shell.line("rules remove 8080 --on web-1 -y").exits(4);
    assert!(
        part.stderr.contains("8000-8100/tcp")
            && part.stderr.contains(&format!("rules remove {id}")),
        "{part:?}"
    );
    for (port, way_out) in [
        ("9100", "by a rule for all servers: "),
        ("443/udp", "rules list web-1"),
        ("25", "rules list web-1"),
    ] {
        let line = format!("rules remove {port} --on web-1 -y");
        let none = shell.line(&line).exits(4).stderr;
        assert!(none.contains(way_out), "{none}");
    }
    shell.line("rules remove web-1 --on web-1 -y").exits(2);
    shell.line("rules remove 443 --on web-1 -y -c 77").exits(4);
    assert_eq!(ports(&shell, "web-1"), ["443/tcp", "8000-8100/tcp"]);
}

#[test]
fn the_last_day_of_a_rule_is_read_as_people_write_it_and_told() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let add = ["rules", "add", "web-1", "-m", "asked-for-by-them"];
    let with =
        |port: &str, day: &str| shell.run(&[add.as_slice(), &[port, "--expires", day]].concat());
    let told = with("22", "31.12.2099").exits(0).stdout;
    assert!(told.contains("until 2099-12-31"), "{told}");
    with("80", "end of next month").exits(0);
    let refused = with("443", "12/31/2099").exits(2).stderr;
    assert!(refused.contains("31.12.2026"), "{refused}");
    let rules = shell.line("rules list web-1 -o json").exits(0).json();
    assert!(rules[1]["expires_at"].is_string(), "{rules}");
}
