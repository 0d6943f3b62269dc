//! What is told before somebody agrees to a change: what will be paused, and whose it is.

use crate::shell::{Run, Shell, account, provision};
use crate::terminal::Terminal;
use secmon_mock::{Fault, Tenant};

/// Customer 42 with a plan for five servers and three slots, three servers and two domains.
fn customer(tenant: &Tenant) -> Shell {
    let shell = Shell::of(tenant);
    for set in [
        "501 --product port_monitoring --plan starter",
        "601 --product domain_monitoring --quantity 3",
    ] {
        let line = format!("subscription set {set} -c 42");
        shell.line(&line).exits(0);
    }
    for i in 1..=3 {
        provision(&shell, &format!("203.0.113.{i}"), &format!("web-{i}"));
    }
    for name in ["one.example", "two.example"] {
        let line = format!("domain provision {name} --service 601 -c 42");
        shell.line(&line).exits(0);
    }
    shell
}

fn said(run: Run, wanted: &[&str]) {
    for text in wanted {
        assert!(run.stderr.contains(text), "{text}: {run:?}");
    }
}

#[test]
fn the_end_of_a_subscription_names_what_it_may_pause_newest_first() {
    let tenant = account();
    let shell = customer(&tenant);
    shell.line("endpoint suspend web-2").exits(0);
    for verb in ["suspend", "terminate"] {
        let line = format!("subscription {verb} 501 --product port_monitoring -c 42");
        said(
            shell.line(&line).exits(2),
            &[
                "--yes",
                "2 active servers and a plan limit of 5",
                "At most 2 can be affected: web-3 (203.0.113.3), web-1 (203.0.113.1).",
            ],
        );
        let line = format!("subscription {verb} 601 --product domain_monitoring -c 42");
        said(
            shell.line(&line).exits(2),
            &[
                "2 active domains and 3 slots",
                "At most 2 can be affected: two.example, one.example.",
            ],
        );
    }
    shell.line("endpoint suspend --all -c 42").exits(0);
    let line = "subscription suspend 501 --product port_monitoring -c 42";
    said(
        shell.line(line).exits(2),
        &["No further server will be paused."],
    );
}

#[test]
fn what_was_told_is_what_is_paused() {
    let tenant = account();
    let shell = customer(&tenant);
    let words = "subscription suspend 501 --product port_monitoring -c 42";
    let words: Vec<&str> = words.split(' ').collect();
    let mut terminal = Terminal::start(&shell, 200, &words);
    terminal.shows("web-3 (203.0.113.3), web-2 (203.0.113.2), web-1 (203.0.113.1)");
    terminal.shows("Go on?");
    terminal.type_keys("y\r");
    assert_eq!(terminal.ends().0, 0);
    let paused = shell.line("endpoint list --status paused -o ids").exits(0);
    assert_eq!(paused.stdout.lines().count(), 3, "{paused:?}");
}

#[test]
fn a_smaller_quantity_pauses_no_more_than_stands_above_it() {
    let tenant = account();
    let shell = customer(&tenant);
    let line = "subscription change 601 --product domain_monitoring --quantity 1 -c 42";
    said(
        shell.line(line).exits(2),
        &["3 slots now", "below what is in use is refused"],
    );
    let forced = format!("{line} --force");
    said(
        shell.line(&forced).exits(2),
        &["At most 1 can be affected: two.example."],
    );
    shell.line(&format!("{forced} -y")).exits(0);
    let domains = shell.line("domain list -c 42 -o json").exits(0).json();
    let paused: Vec<_> = domains
        .as_array()
        .expect("a list")
        .iter()
        .filter(|domain| domain["status"] == "paused")
        .map(|domain| domain["domain"].clone())
        .collect();
    assert_eq!(paused, ["two.example"]);
}

#[test]
fn a_report_of_services_names_what_it_may_pause_of_each_customer() {
    let tenant = account();
    let shell = customer(&tenant);
    let line = "subscription set 701 --product port_monitoring --plan starter -c 43";
    shell.line(line).exits(0);
    shell
        .line("provision 198.51.100.1 -c 43 --nickname db-1")
        .exits(0);
    let rows = "501,42,port_monitoring,cancelled\n601,42,domain_monitoring,suspended\n\
                701,43,port_monitoring,suspended\n801,43,endpoint,cancelled\n";
    let file = shell.file(
        "services.csv",
        &format!("service_id,client_id,product_slug,status\n{rows}"),
    );
    said(
        shell.run(&["sync", "-f", &file]).exits(2),
        &[
            "4 services (2 cancelled, 2 suspended)",
            "web-3 (203.0.113.3), web-2 (203.0.113.2), web-1 (203.0.113.1).",
            "two.example, one.example.",
            "Customer 43 has 1 active server",
            "db-1 (198.51.100.1).",
            "1 service of product endpoint",
        ],
    );
    let dry = shell.run(&["sync", "-f", &file, "-n"]).exits(0);
    assert_eq!(dry.stdout.lines().count(), 1, "{dry:?}");
    said(dry, &["About to report", "db-1 (198.51.100.1)"]);
    let dry = shell
        .run(&["sync", "-f", &file, "-n", "-o", "json"])
        .exits(0);
    let planned = dry.json();
    assert_eq!(planned["dry_run"].as_array().map(Vec::len), Some(1));
    assert_eq!(dry.stderr, "");
}

#[test]
fn a_long_report_is_read_of_the_first_customers_only() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let rows: String = (1..=12)
        .map(|customer| format!("501,{customer},port_monitoring,suspended\n"))
        .collect();
    let file = shell.file(
        "services.csv",
        &format!("service_id,client_id,product_slug,status\n{rows}"),
    );
    said(
        shell.run(&["sync", "-f", &file]).exits(2),
        &[
            "Customer 10 has 0 active servers",
            " 2 more customers",
            "--yes",
        ],
    );
    assert_eq!(tenant.calls("GET", "*").len(), 10);
}

#[test]
fn nobody_pays_for_a_preview_that_nobody_sees() {
    let tenant = account();
    let shell = customer(&tenant);
    let before = tenant.calls("GET", "*").len();
    let line = "subscription suspend 501 --product port_monitoring -c 42 -y";
    shell.line(line).exits(0);
    // What was active before and what is now, for the records that the change has paused.
    assert_eq!(tenant.calls("GET", "*").len(), before + 2);
}

#[test]
fn a_preview_that_cannot_be_read_keeps_nobody_from_being_asked() {
    let tenant = account();
    let shell = customer(&tenant);
    let broken = Fault::status(http::StatusCode::FORBIDDEN);
    tenant.fault(broken.on("GET", "/api/v1/endpoints").times(0));
    let line = "subscription suspend 501 --product port_monitoring -c 42";
    said(shell.line(line).exits(2), &["cannot be read now", "--yes"]);
}

#[test]
fn a_question_about_domains_names_them_and_their_customer() {
    let tenant = account();
    let shell = customer(&tenant);
    said(
        shell.line("domain terminate one.example").exits(2),
        &["terminate one.example of customer 42."],
    );
    let list = shell.line("domain list -c 42 -o json").exits(0).json();
    let id = list[0]["id"].as_str().expect("an id").to_owned();
    said(
        shell.line(&format!("domain terminate {id}")).exits(2),
        &["terminate one.example of customer 42."],
    );
    said(
        shell
            .line("domain terminate one.example two.example")
            .exits(2),
        &["2 domains of customer 42 (one.example, two.example)."],
    );
    said(
        shell
            .line("domain release one.example --service 601")
            .exits(2),
        &["release one.example of customer 42 and its slot"],
    );
    // A computer that has never seen it needs the number.
    said(
        Shell::of(&tenant)
            .line(&format!("domain terminate {id}"))
            .exits(2),
        &["give it with -c ID"],
    );
    let done = shell
        .line("domain suspend one.example two.example -o json")
        .exits(0)
        .json();
    assert_eq!(done["items"][0]["customer"], 42, "{done}");
}

#[test]
fn an_address_that_another_customer_has_is_warned_of_when_it_is_added() {
    let tenant = account();
    let shell = customer(&tenant);
    let added = shell.line("endpoint add 203.0.113.1 -c 43 -y").exits(0);
    said(
        added,
        &["already monitored: 203.0.113.1 for customer 42; is the customer right?"],
    );
    let own = shell.line("endpoint add 203.0.113.1 -c 42").exits(0);
    assert!(own.stderr.contains("for customer 43"), "{own:?}");
    let new = shell.line("endpoint add 203.0.113.9 -c 42").exits(0);
    assert!(!new.stderr.contains("warning"), "{new:?}");
}

#[test]
fn keys_that_were_typed_too_early_are_no_answer() {
    let tenant = account();
    let shell = customer(&tenant);
    let words = "endpoint terminate web-1 -c 42";
    let words: Vec<&str> = words.split(' ').collect();
    for typed in ["history\r", "yes please\r", "\r"] {
        let mut terminal = Terminal::start(&shell, 100, &words);
        terminal.shows("Go on?");
        terminal.type_keys(typed);
        assert_eq!(terminal.ends().0, 1, "{typed:?}");
    }
    assert!(tenant.calls("POST", "*/terminate").is_empty());
}
