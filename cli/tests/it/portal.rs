//! Sign-in links, scenarios, firewall dumps.

use crate::shell::{Shell, account, provision};
use serde_json::json;

const IPTABLES: &str = "\
*filter
:INPUT DROP [0:0]
-A INPUT -i lo -j ACCEPT
-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT
-A INPUT -p tcp -m multiport --dports 80,443 -j ACCEPT
COMMIT
";

#[test]
fn a_sign_in_link_is_alone_on_standard_output() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let run = shell.line("sso link -c 42 --path /domains").exits(0);
    assert_eq!(run.stdout.lines().count(), 1);
    assert!(
        run.stdout
            .starts_with(&format!("{}/sso?token=", tenant.url())),
        "{run:?}"
    );
    assert!(run.stderr.contains("The link works once"), "{run:?}");
    let token = run
        .stdout
        .trim()
        .rsplit('=')
        .next()
        .unwrap_or_default()
        .to_owned();
    assert!(!shell.everything_kept().contains(&token));
    assert_eq!(
        shell.line("sso link -c 9 -o json").exits(4).error()["code"],
        "USER_NOT_FOUND"
    );
    shell.line("sso link -c 42 --path //elsewhere").exits(2);
}

#[test]
fn a_scenario_shows_at_the_next_scan() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    shell
        .line("sandbox scenario set clean --endpoint web-1")
        .exits(0);
    let list = shell.line("sandbox scenario list -o json").exits(0).json();
    assert_eq!(list["current"], "warnings");
    tenant
        .advance(std::time::Duration::from_secs(60))
        .expect("the account is there");
    let found = shell.line("scan web-1 --wait -o json").exits(0).json();
    assert_eq!(found["latest_scan"]["open_ports"], json!([]));
}

#[test]
fn a_firewall_dump_becomes_rules() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let made = shell
        .feed(
            IPTABLES,
            &["rules", "import", "web-1", "-", "-y", "-o", "json"],
        )
        .exits(0)
        .json();
    assert_eq!(
        (&made["format"], &made["parsed_rules"]),
        (&json!("iptables"), &json!(3))
    );
    assert_eq!(
        shell
            .line("rules list web-1 -o ids")
            .exits(0)
            .stdout
            .lines()
            .count(),
        3
    );
    let open = shell
        .line("alert list -c 42 --status open -o json")
        .exits(0)
        .json();
    assert_eq!(open.as_array().map(Vec::len), Some(1));
    let again = shell
        .feed(
            IPTABLES,
            &["rules", "import", "web-1", "-", "-y", "-o", "json"],
        )
        .exits(0)
        .json();
    assert_eq!(again["suggested"], json!([]));
    shell
        .feed(
            "nothing of the kind",
            &["rules", "import", "web-1", "-", "-y"],
        )
        .exits(5);
}
