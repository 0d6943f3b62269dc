//! The page about a customer.

use crate::shell::{Shell, account, provision};

/// A customer with servers, a rule and a domain, some of them with names that try to act.
fn customer() -> Shell {
    let shell = Shell::of(&account()).with("SECMON_CUSTOMER", "42");
    provision(&shell, "203.0.113.10", "web-1");
    shell
        .run(&[
            "provision",
            "203.0.113.11",
            "--nickname",
            "<script>alert(1)</script>\"'&",
        ])
        .exits(0);
    shell
        .run(&[
            "rules",
            "add",
            "web-1",
            "22",
            "-m",
            "<img src=x onerror=alert(1)>",
            "--expires",
            "7d",
        ])
        .exits(0);
    shell
        .line("sub set 501 --product domain_monitoring --quantity 1")
        .exits(0);
    shell
        .line("provision https://example.com --service 501")
        .exits(0);
    shell
}

#[test]
fn the_page_shows_what_was_found_and_nothing_in_it_acts() {
    let shell = customer();
    let file = shell.path("report.html").display().to_string();
    let told = shell
        .run(&["report", "--html", &file, "-o", "json"])
        .exits(0)
        .json();
    assert_eq!((&told["servers"], &told["domains"]), (&2.into(), &1.into()));

    let page = std::fs::read_to_string(&file).expect("the page");
    for shown in [
        "web-1 (203.0.113.10)",
        "8080/tcp",
        "22 allowed",
        "example.com",
        "about to expire",
        "leaked credentials of employees",
        "dark-web mentions",
        "<svg",
    ] {
        assert!(page.contains(shown), "{shown} is missing");
    }
    assert!(page.contains("@page") && page.contains("break-after: avoid"));
    assert!(!page.contains("<script") && !page.contains("<img") && page.contains("&lt;script&gt;"));
    for leak in ["@", "password"] {
        assert!(
            !page
                .replace("@media", "")
                .replace("@page", "")
                .contains(leak),
            "a leak record is in the page: {leak}"
        );
    }
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    shell
        .line("report -c 42 --html /nonexistent/report.html")
        .exits(1);
    shell.line("report --html report.html").exits(2);
}
