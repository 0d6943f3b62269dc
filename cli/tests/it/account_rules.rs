//! Rules that open a port on every server there is: nobody makes, changes or removes one by oversight.

use crate::shell::{Shell, account, provision};
use secmon_mock::Tenant;

const REASON: &str = "asked-for-by-the-customer";

fn changes(tenant: &Tenant) -> usize {
    let journal = tenant.journal();
    journal.iter().filter(|call| call.method != "GET").count()
}

/// A rule for all servers; its id.
fn rule(shell: &Shell, port: &str, whose: &str) -> String {
    let line = format!("rules add --global {port} -m {REASON} {whose} -o json");
    let made = shell.line(&line).exits(0).json();
    made["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_rule_for_all_servers_says_whose_servers_they_are() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let nobodys = format!("rules add --global 9999 -m {REASON}");
    let refused = shell.line(&nobodys).exits(2).stderr;
    assert!(
        refused.contains("-c ID") && refused.contains("--account"),
        "{refused}"
    );
    let both = shell.line(&format!("{nobodys} --account -c 42")).exits(2);
    assert!(both.stderr.contains("customer 42"), "{both:?}");
    shell
        .line(&format!("rules add web-1 22 --account -m {REASON}"))
        .exits(2);
    assert_eq!(tenant.journal().len(), 0);
}

#[test]
fn a_rule_for_the_whole_account_is_confirmed_by_its_name_whatever_the_profile_says() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let line = format!("rules add --global 9999 --account -m {REASON}");
    let refused = shell.line(&format!("{line} --yes")).exits(2).stderr;
    assert!(
        refused.contains("--confirm=account") && refused.contains("WHOLE ACCOUNT"),
        "{refused}"
    );
    shell.line(&format!("{line} --confirm=42")).exits(2);
    assert_eq!(changes(&tenant), 0);
    shell.line(&format!("{line} -n")).exits(0);
    let done = shell.line(&format!("{line} --confirm=account")).exits(0);
    assert!(done.stdout.contains("WHOLE ACCOUNT"), "{done:?}");
    assert_eq!(changes(&tenant), 1);
}

#[test]
fn a_rule_of_the_whole_account_is_changed_and_removed_by_its_name_only() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let id = rule(&shell, "9999", "--account --confirm=account");
    let before = changes(&tenant);
    let edit = format!("rules edit {id} -m asked-for-once-more");
    let remove = format!("rules remove {id}");
    for line in [&edit, &remove] {
        let refused = shell.line(&format!("{line} --yes")).exits(2).stderr;
        assert!(
            refused.contains(&format!("--confirm={id}")) && refused.contains("WHOLE ACCOUNT"),
            "{refused}"
        );
    }
    assert_eq!(changes(&tenant), before);
    // It is no rule of this customer, though their list shows it.
    for line in [&edit, &remove] {
        let refused = shell.line(&format!("{line} -c 42 --yes")).exits(4).stderr;
        assert!(refused.contains("whole account"), "{refused}");
    }
    let listed = shell.line("rules list -o ids").exits(0).stdout;
    assert_eq!(listed.trim(), id);
    shell.line(&format!("{edit} --confirm={id}")).exits(0);
    shell.line(&format!("{remove} --confirm={id}")).exits(0);
}

#[test]
fn a_rule_for_all_servers_of_one_customer_is_changed_as_any_other_with_the_customer() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let id = rule(&shell, "9999", "-c 42");
    // Without a customer another computer cannot tell it from a rule of the account.
    let refused = Shell::of(&tenant)
        .line(&format!("rules remove {id} --yes"))
        .exits(2);
    assert!(
        refused.stderr.contains(&format!("--confirm={id}")),
        "{refused:?}"
    );
    shell
        .line(&format!("rules edit {id} -c 42 -m asked-for-once-more"))
        .exits(0);
    let gone = shell
        .line(&format!("rules remove {id} -c 42 --yes"))
        .exits(0);
    assert!(gone.stdout.contains("customer 42"), "{gone:?}");
}

/// Whose the listed rules are, by their ports.
fn owners(shell: &Shell, line: &str) -> Vec<String> {
    let line = format!("{line} -o csv --no-headers --columns ports,billing_customer_id");
    let listed = shell.line(&line).exits(0).stdout;
    let mut owners: Vec<String> = listed.lines().map(str::to_owned).collect();
    owners.sort();
    owners
}

#[test]
fn whose_a_global_rule_is_stands_in_the_list_where_it_was_made_from_here() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    rule(&shell, "9101", "-c 42");
    rule(&shell, "9102", "--account --confirm=account");
    let expected = ["9101/tcp,42", "9102/tcp,WHOLE ACCOUNT"];
    assert_eq!(owners(&shell, "rules list"), expected);
    assert_eq!(owners(&shell, "rules list -c 42"), expected);
    let listed = shell.line("rules list -c 42 -o json").exits(0).json();
    let listed = listed.as_array().expect("a list").iter();
    let whose: Vec<_> = listed
        .map(|rule| rule["billing_customer_id"].clone())
        .collect();
    assert!(whose.contains(&42.into()) && whose.contains(&serde_json::Value::Null));
}

#[test]
fn whose_a_global_rule_is_that_others_made_is_learnt_from_the_lists_of_two_customers() {
    let tenant = account();
    let elsewhere = Shell::of(&tenant);
    provision(&elsewhere, "203.0.113.10", "web-1");
    rule(&elsewhere, "9101", "-c 42");
    rule(&elsewhere, "9102", "--account --confirm=account");
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    assert_eq!(
        owners(&shell, "rules list -c 42"),
        ["9101/tcp,?", "9102/tcp,?"],
        "no other customer is known here"
    );
    shell.line("provision 203.0.113.77 -c 77").exits(0);
    let expected = ["9101/tcp,42", "9102/tcp,WHOLE ACCOUNT"];
    assert_eq!(owners(&shell, "rules list -c 42"), expected);
    let before = tenant.journal().len();
    assert_eq!(owners(&shell, "rules list"), expected);
    assert_eq!(tenant.journal().len(), before + 1, "it is remembered");
}
