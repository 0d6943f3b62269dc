//! What a third person stumbled over who did the work of a support desk with the program and its help.

use crate::newcomers::REASON;
use crate::shell::{Shell, account, provision};

/// Two customers, each with a server called web-1.
fn two_customers() -> Shell {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.1", "web-1");
    shell
        .line("provision 203.0.113.2 --nickname web-1 -c 43")
        .exits(0);
    shell
}

fn rules_of(shell: &Shell, server: &str) -> Vec<u64> {
    let line = format!("rules list {server} -o json");
    let rules = shell.line(&line).exits(0).json();
    let rules = rules.as_array().into_iter().flatten();
    rules
        .filter_map(|rule| rule["port_start"].as_u64())
        .collect()
}

#[test]
fn a_list_of_rules_names_its_servers_as_people_do() {
    let shell = two_customers();
    let list = "endpoint,ports,justification\n203.0.113.1,443,for the operations team\nweb-1 (203.0.113.2),8443,for the operations team\n";
    let file = shell.file("rules.csv", list);
    shell.run(&["rules", "add", "-f", &file]).exits(0);
    assert_eq!(rules_of(&shell, "203.0.113.1"), [443]);
    assert_eq!(rules_of(&shell, "203.0.113.2"), [8443]);
}

#[test]
fn a_list_of_several_servers_is_put_on_one_by_a_yes_alone() {
    let shell = two_customers();
    let list = "endpoint,ports,justification\n203.0.113.1,443,for the operations team\n203.0.113.2,8443,for the operations team\n";
    let file = shell.file("rules.csv", list);
    let to_one = ["rules", "add", "-f", &file, "--to", "203.0.113.1"];
    let refused = shell.run(&to_one).exits(2).stderr;
    assert!(refused.contains("rules of 2 servers"), "{refused}");
    assert_eq!(rules_of(&shell, "203.0.113.1"), [0_u64; 0]);
    shell.run(&[&to_one[..], &["-y"]].concat()).exits(0);
    assert_eq!(rules_of(&shell, "203.0.113.1"), [443, 8443]);
}

#[test]
fn what_undo_offers_is_not_called_the_command_before() {
    let shell = two_customers();
    shell.line("endpoint rename 203.0.113.1 drei").exits(0);
    shell.line("provision 203.0.113.10 -c 42").exits(0);
    shell.line("provision 203.0.113.10 -c 42").exits(0);
    let said = shell.line("undo").exits(0).stdout;
    let offered =
        "the last command here that can be undone was secmon endpoint rename 203.0.113.1 drei";
    assert!(said.contains(offered), "{said}");
}

#[test]
fn a_domain_that_another_customer_has_is_told() {
    let shell = Shell::of(&account());
    for (customer, service) in [(42, 501), (43, 601)] {
        let line = format!(
            "subscription set {service} --product domain_monitoring --quantity 2 -c {customer} -y"
        );
        shell.line(&line).exits(0);
    }
    let watch = |line: &str| shell.line(line).exits(0).stderr;
    let first = watch("domain provision shop.example --service 501 -c 42");
    assert!(!first.contains("already watched"), "{first}");
    let again = watch("domain provision shop.example --service 501 -c 42");
    assert!(!again.contains("already watched"), "{again}");
    for line in [
        "domain provision https://Shop.example/ --service 601 -c 43",
        "provision shop.example --domain --service 601 -c 43",
    ] {
        let told = watch(line);
        let whose = "already watched: shop.example for customer 42";
        assert!(told.contains(whose), "{line}: {told}");
    }
}

#[test]
fn a_history_by_a_name_of_two_servers_says_so() {
    let shell = two_customers();
    shell.line("endpoint suspend web-1 -c 43").exits(0);
    let both = shell.line("history --endpoint web-1").exits(0).stderr;
    assert!(
        both.contains("have a server of this name (42, 43)"),
        "{both}"
    );
    let line = "history --endpoint web-1 -c 43";
    let theirs = shell.line(line).exits(0).stderr;
    assert!(!theirs.contains("have a server"), "{theirs}");
    let one = shell.line("history --endpoint 203.0.113.2").exits(0).stderr;
    assert!(!one.contains("have a server"), "{one}");
}

#[test]
fn what_was_undone_on_another_server_is_not_in_this_ones_history() {
    let shell = two_customers();
    let line = format!("rules add 203.0.113.1 7443 {REASON}");
    shell.line(&line).exits(0);
    shell.line("undo -y").exits(0);
    provision(&shell, "203.0.113.5", "web-5");
    let history = |server: &str| {
        let line = format!("endpoint history {server} -c 42 -o json");
        shell.line(&line).exits(0).stdout
    };
    assert!(history("203.0.113.1").contains("undo: 7443/tcp"));
    let other = history("203.0.113.5");
    assert!(!other.contains("7443"), "{other}");
}

#[test]
fn a_rule_that_ends_in_two_days_expires_within_two_days() {
    let shell = two_customers();
    let line = format!("rules add 203.0.113.1 8001 {REASON} --expires 2d");
    shell.line(&line).exits(0);
    let within = |time: &str| {
        let line = format!("rules list --expiring {time} -o ids");
        shell.line(&line).exits(0).stdout.lines().count()
    };
    assert_eq!((within("2d"), within("1d"), within("2h")), (1, 0, 0));
}
