//! Rules for all servers count on each of them: whoever adds, removes or lists the rules of one server is told.

use crate::shell::{Shell, account, provision};

const REASON: &str = "asked-for-by-the-customer";

/// A server of a customer, whose rule for all servers allows port 443.
fn furnished() -> (Shell, String) {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let id = global(&shell, "443", "-c 42");
    (shell, id)
}

/// A rule for all servers; its id.
fn global(shell: &Shell, port: &str, whose: &str) -> String {
    let line = format!("rules add --global {port} -m {REASON} {whose} -o json");
    let made = shell.line(&line).exits(0).json();
    made["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_rule_that_a_wider_one_covers_is_added_and_the_wider_one_named() {
    let (shell, id) = furnished();
    let named = format!("allowed already by rule {id} for 443/tcp on all servers of customer 42");
    let planned = shell.line(&format!("rules add web-1 443 -m {REASON} -n"));
    assert!(planned.exits(0).stderr.contains(&named));
    let added = shell
        .line(&format!("rules add web-1 443 -m {REASON}"))
        .exits(0);
    assert!(added.stdout.contains(&named), "{added:?}");
    let several = shell
        .line(&format!("rules add web-1 22 8443 -m {REASON}"))
        .exits(0);
    assert!(!several.stdout.contains("allowed already"), "{several:?}");
    global(&shell, "9000-9100", "--account --confirm=account");
    let inside = shell
        .line(&format!("rules add web-1 22/udp 9050 -m {REASON}"))
        .exits(0);
    assert!(
        inside
            .stdout
            .contains("9050/tcp on web-1 (203.0.113.10): allowed already by rule")
            && inside
                .stdout
                .contains("9000-9100/tcp on all servers of the WHOLE ACCOUNT"),
        "{inside:?}"
    );
}

#[test]
fn what_a_wider_rule_allows_is_skipped_where_that_is_wanted() {
    let (shell, id) = furnished();
    let line = format!("rules add web-1 443 -m {REASON} --skip-existing");
    let skipped = shell.line(&line).exits(0);
    assert!(
        skipped.stdout.contains("No rule was added") && skipped.stdout.contains(&id),
        "{skipped:?}"
    );
    let own = shell.line("rules list web-1 -o ids").exits(0);
    assert_eq!(own.stdout, "");
    // One that ends sooner allows less than what is wanted.
    global(&shell, "8443", "-c 42 --expires 10d");
    let longer = format!("rules add web-1 8443 -m {REASON} --expires 90d --skip-existing");
    let added = shell.line(&longer).exits(0).stdout;
    assert!(
        added.contains("8443/tcp is now allowed on web-1"),
        "{added}"
    );
}

#[test]
fn a_rule_of_one_customer_is_none_of_the_whole_account() {
    let (shell, id) = furnished();
    let account = global(&shell, "443", "--account --confirm=account");
    assert_ne!(account, id);
    let listed = shell.line("rules list -c 77 -o ids").exits(0);
    assert_eq!(listed.stdout.trim(), account);
}

#[test]
fn whoever_removes_a_rule_is_told_what_allows_its_port_all_the_same() {
    let (shell, id) = furnished();
    for port in ["443", "22"] {
        shell
            .line(&format!("rules add web-1 {port} -m {REASON}"))
            .exits(0);
    }
    let stays = shell.line("rules remove 443 --on web-1 -y").exits(0);
    assert!(
        stays
            .stdout
            .contains(&format!("It stays allowed there by rule {id} for 443/tcp")),
        "{stays:?}"
    );
    let goes = shell.line("rules remove 22 --on web-1 -y").exits(0);
    assert!(goes.stdout.contains("the next scan raises an alert"));
}

#[test]
fn the_rules_of_a_server_show_those_for_all_servers_to_people_and_not_to_pipes() {
    let (shell, id) = furnished();
    shell
        .line(&format!("rules add web-1 22 -m {REASON}"))
        .exits(0);
    let shown = shell.line("rules list web-1").exits(0).stdout;
    let (own, all) = shown
        .split_once("For all servers, and so for this one:")
        .expect("both");
    assert!(own.contains("22/tcp") && !own.contains("443/tcp"), "{own}");
    assert!(all.contains("443/tcp") && !all.contains("22/tcp"), "{all}");
    // `rules list web-1 -o ids | secmon rules remove -` must not take a rule from other servers.
    for form in ["ids", "csv", "json"] {
        let piped = shell.line(&format!("rules list web-1 -o {form}")).exits(0);
        assert!(!piped.stdout.contains(&id), "{form}: {piped:?}");
    }
    let global = shell.line("rules list web-1 --scope global -o ids");
    assert_eq!(global.exits(0).stdout.trim(), id);
    let own = shell.line("rules list web-1 --scope endpoint").exits(0);
    assert!(!own.stdout.contains("443/tcp"), "{own:?}");
}

#[test]
fn an_owner_that_nobody_knows_is_explained_below_the_list() {
    let tenant = account();
    let elsewhere = Shell::of(&tenant);
    provision(&elsewhere, "203.0.113.10", "web-1");
    global(&elsewhere, "443", "-c 42");
    let shell = Shell::of(&tenant);
    for line in ["rules list", "rules list -c 42", "rules list web-1"] {
        let listed = shell.line(line).exits(0).stdout;
        assert!(listed.contains("?: the service does not say"), "{listed}");
    }
    let known = elsewhere.line("rules list").exits(0).stdout;
    assert!(!known.contains("?:"), "{known}");
}
