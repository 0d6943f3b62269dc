//! What a change of a subscription did is told: plans, records that were paused and resumed, and what was not taken.

use crate::shell::{Shell, account};
use serde_json::json;

fn of_42() -> Shell {
    Shell::of(&account()).with("SECMON_CUSTOMER", "42")
}

#[test]
fn a_change_tells_both_plans_and_the_records_that_it_paused_and_resumed() {
    let shell = of_42();
    shell
        .line("sub set 501 --product port_monitoring --plan professional")
        .exits(0);
    for i in 0..7 {
        shell.line(&format!("provision 203.0.113.{i}")).exits(0);
    }
    let change = "sub change 501 --product port_monitoring -y --force --plan";
    let down = shell.line(&format!("{change} starter")).exits(0).stdout;
    for said in [
        "from professional to starter",
        "paused 203.0.113.6, 203.0.113.5",
    ] {
        assert!(down.contains(said), "{said}: {down}");
    }
    let up = shell
        .line(&format!("{change} professional -o json"))
        .exits(0)
        .json();
    assert_eq!(up["resumed"].as_array().map(Vec::len), Some(2), "{up}");
    assert_eq!(up["paused"], json!([]), "{up}");
    let again = shell
        .line(&format!("{change} professional"))
        .exits(0)
        .stdout;
    assert!(again.contains("already has professional"), "{again}");
    assert!(again.contains("Nothing was paused or resumed"), "{again}");

    let line = "sub suspend 501 --product port_monitoring -y -o json";
    let suspended = shell.line(line).exits(0).json();
    assert_eq!(
        suspended["paused"].as_array().map(Vec::len),
        Some(7),
        "{suspended}"
    );
}

#[test]
fn a_quantity_that_is_not_taken_is_told() {
    let shell = of_42();
    let set = "sub set 501 --product port_monitoring --plan starter --quantity 9";
    let set = shell.line(set).exits(0).stdout;
    assert!(set.contains("The quantity 9 has no effect"), "{set}");
    let change = "sub change 501 --product port_monitoring --plan business --quantity 9 -y";
    let change = shell.line(change).exits(0).stdout;
    assert!(change.contains("The quantity 9 has no effect"), "{change}");
    let server = "sub set 503 --product endpoint --quantity 9";
    let server = shell.line(server).exits(0).stdout;
    assert!(server.contains("this product has no quantity"), "{server}");
    let slots = "sub set 502 --product domain_monitoring --quantity 9";
    let slots = shell.line(slots).exits(0).stdout;
    assert!(!slots.contains("no effect"), "{slots}");
}

#[test]
fn a_plan_that_is_not_taken_is_told() {
    let shell = of_42();
    let slots = "sub set 502 --product domain_monitoring --quantity 9 --plan starter";
    let slots = shell.line(slots).exits(0).stdout;
    assert!(slots.contains("The plan starter has no effect"), "{slots}");
    for line in [
        "sub change 502 --product domain_monitoring --plan business -y",
        "sub change 502 --product domain_monitoring --plan business --quantity 7 -y",
    ] {
        let told = shell.line(line).exits(0).stdout;
        let wanted = "The plan business has no effect: this product has no plans.";
        assert!(told.contains(wanted), "{told}");
    }
    let server = "sub set 503 --product endpoint --plan starter";
    let server = shell.line(server).exits(0).stdout;
    assert!(server.contains("this product has no plans"), "{server}");
    let taken = "sub set 501 --product port_monitoring --plan starter";
    let taken = shell.line(taken).exits(0).stdout;
    assert!(!taken.contains("no effect"), "{taken}");
}

#[test]
fn the_plans_that_are_known_here_are_listed() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    assert_eq!(
        shell.line("subscription plans -o json").exits(0).stdout,
        "[]\n"
    );
    shell
        .line("sub set 501 --product port_monitoring --plan starter -c 42")
        .exits(0);
    std::fs::create_dir_all(shell.path(".config/secmon")).expect("a folder");
    let config = format!(
        "[profiles.mine]\nbase_url = \"{}\"\nkey_file = \"key\"\nrate_limits = \"off\"\nplans = [\"gold\"]\n",
        tenant.url()
    );
    shell.file(".config/secmon/config.toml", &config);
    shell.private_file(".config/secmon/key", tenant.api_key());
    let plans = shell
        .line("--profile mine sub plans -o json")
        .exits(0)
        .json();
    let names: Vec<&str> = plans
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|plan| plan["plan_slug"].as_str())
        .collect();
    assert_eq!(names, ["gold", "starter"]);
}

#[test]
fn a_change_of_plan_shows_the_line_that_takes_it_back() {
    let shell = of_42();
    for (set, change, back) in [
        (
            "sub set 501 --product port_monitoring --plan starter",
            "sub change 501 --product port_monitoring --plan business -y",
            "subscription change 501 --product port_monitoring -c 42 --plan starter",
        ),
        (
            "sub set 502 --product domain_monitoring --quantity 3",
            "sub change 502 --product domain_monitoring --quantity 5 -y",
            "subscription change 502 --product domain_monitoring -c 42 --quantity 3",
        ),
    ] {
        shell.line(set).exits(0);
        shell.line(change).exits(0);
        let changes = shell.line("history -o ids").exits(0).stdout;
        let last = changes.lines().last().expect("a change");
        let shown = shell.line(&format!("history show {last}")).exits(0).stdout;
        assert!(shown.contains(back), "{shown}");
        let refused = shell.line("undo -y").exits(2).stderr;
        assert!(refused.contains("cannot list subscriptions"), "{refused}");
        assert!(refused.contains(back), "{refused}");
        shell.line(&back.replace("-c", "-y -c")).exits(0);
        let again = shell.line(&back.replace("-c", "-y -c")).exits(0).stdout;
        assert!(again.contains(" already has "), "{again}");
    }
}

#[test]
fn a_plan_that_does_not_exist_is_refused_with_those_that_are_known_here() {
    let shell = of_42();
    let none = shell.line("sub plans").exits(0).stderr;
    assert!(
        none.contains("price list") && none.contains("config set plans"),
        "{none}"
    );
    let set = "sub set 501 --product port_monitoring --plan";
    let refused = shell.line(&format!("{set} nope")).exits(5).stderr;
    assert!(refused.contains("price list"), "{refused}");
    shell.line(&format!("{set} starter")).exits(0);
    for line in [
        &format!("{set} nope"),
        "sub change 501 --product port_monitoring --plan nope -y",
        "pricing set port_monitoring 2 EUR --plan nope",
    ] {
        let refused = shell.line(line).exits(5).stderr;
        let hint = "plans this computer knows: starter";
        assert!(refused.contains(hint), "{line}: {refused}");
    }
}

#[test]
fn the_product_that_this_computer_has_seen_need_not_be_typed() {
    let shell = of_42();
    for line in [
        "sub set 501 --product domain_monitoring --quantity 2",
        "sub set 502 --product port_monitoring --plan starter",
    ] {
        shell.line(line).exits(0);
    }
    let change = shell.line("sub change 501 --quantity 3 -y").exits(0);
    assert!(
        change.stderr.contains("Using product domain_monitoring")
            && change.stdout.contains("to 3 slots"),
        "{change:?}"
    );
    for verb in ["suspend", "resume", "terminate"] {
        let done = shell.line(&format!("sub {verb} 502 -y")).exits(0);
        assert!(
            done.stdout.contains("port_monitoring of service 502"),
            "{done:?}"
        );
    }
    let unknown = shell.line("sub change 503 --quantity 3 -y").exits(2).stderr;
    for said in [
        "--product",
        "domain_monitoring of service 501",
        "port_monitoring of service 502",
    ] {
        assert!(unknown.contains(said), "{said}: {unknown}");
    }
    // Another customer's are not named.
    let other = shell
        .line("sub change 501 --quantity 3 -y -c 77")
        .exits(2)
        .stderr;
    assert!(
        other.contains("--product") && !other.contains("501"),
        "{other}"
    );
}

#[test]
fn a_wrong_service_number_names_the_known_ones() {
    let shell = of_42();
    shell
        .line("sub set 501 --product domain_monitoring --quantity 2")
        .exits(0);
    let wrong = "sub change 510 --product domain_monitoring --quantity 3 -y";
    let refused = shell.line(wrong).exits(4).stderr;
    assert!(
        refused.contains("domain_monitoring of service 501"),
        "{refused}"
    );
}

#[test]
fn the_service_that_is_known_to_pay_for_domains_need_not_be_typed() {
    let tenant = account();
    let shell = Shell::of(&tenant).with("SECMON_CUSTOMER", "42");
    let line = "domain provision a.example";
    let unknown = shell.line(line).exits(2).stderr;
    assert!(unknown.contains("--service"), "{unknown}");
    let set = "--product domain_monitoring --quantity 3";
    shell.line(&format!("sub set 501 {set}")).exits(0);
    for line in [line, "provision https://b.example"] {
        let done = shell.line(line).exits(0);
        assert!(
            done.stderr.contains("Using billing service 501"),
            "{done:?}"
        );
    }
    // Whose it is, is looked at; a slot that goes for good is named; and of two, one is.
    shell.line(&format!("{line} -c 77")).exits(2);
    shell
        .line("domain release a.example --confirm=a.example")
        .exits(2);
    shell.line(&format!("sub set 502 {set} -y")).exits(0);
    shell.line("domain provision c.example").exits(2);
    shell.line("sub terminate 502 -y").exits(0);
    shell.line("domain provision c.example").exits(0);
}
