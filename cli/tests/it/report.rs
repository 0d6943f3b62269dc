//! The page about a customer.

use crate::shell::{Shell, account, provision};

/// A customer with servers, a rule and a domain, some of them with names that try to act.
fn customer() -> Shell {
    let shell = Shell::of(&account()).with("SECMON_CUSTOMER", "42");
    provision(&shell, "203.0.113.10", "web-1");
    provision(
        &shell,
        "203.0.113.11",
        "<script>alert(1)</script>\"'&\u{202e}\u{5d0}",
    );
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

/// The page that a command line with these further words writes.
fn page(shell: &Shell, words: &[&str]) -> String {
    let line = [&["report", "--html", "report.html"], words].concat();
    shell.run(&line).exits(0);
    std::fs::read_to_string(shell.path("report.html")).expect("the page")
}

/// Where texts stand on the page, which must be in this order.
fn in_order(page: &str, texts: &[&str]) {
    let mut rest = page;
    for text in texts {
        let at = rest.find(text);
        let at = at.unwrap_or_else(|| panic!("{text} is missing, or too early: {page}"));
        rest = &rest[at + text.len()..];
    }
}

#[test]
fn what_needs_doing_comes_first_and_the_worst_of_it_before_the_rest() {
    let page = page(&customer(), &[]);
    in_order(
        &page,
        &[
            "What needs doing",
            ">critical</span>",
            "leaked logins of employees of <bdi>example.com</bdi>",
            "turn on two-step sign-in",
            "8080",
            "Close the port if nobody outside needs it",
            ">low</span>",
            "1 port allowed only until a date",
            "<h2>Servers</h2>",
            "<bdi>8080/tcp http-alt</bdi> · medium",
            "22 allowed",
            "<h2>Domains</h2>",
            "<h2>Ports allowed until a date</h2>",
        ],
    );
}

#[test]
fn nothing_in_the_page_acts_and_no_leak_record_is_in_it() {
    let page = page(
        &customer(),
        &["--client-name", "<b>Ada", "--brand", "<i>Acme"],
    );
    assert!(!page.contains("<script") && !page.contains("<img"));
    assert!(page.contains("For <bdi>&lt;b&gt;Ada</bdi> (customer 42)"));
    assert!(page.contains("<bdi>&lt;i&gt;Acme</bdi>"));
    // Isolated, and without the mark that would turn the rest of the line.
    assert!(page.contains(
        "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\u{fffd}\u{5d0}</bdi> (203.0.113.11)"
    ));
    let page = page.replace("@media", "").replace("@page", "");
    assert!(!page.contains('@') && !page.to_lowercase().contains("password:"));
}

#[test]
fn a_logo_is_put_into_the_page_whole() {
    let shell = customer();
    shell.file("logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    let page = page(&shell, &["--logo", "logo.svg", "--brand", "Acme"]);
    assert!(
        page.contains("<img src=\"data:image/svg+xml;base64,PHN2ZyB4bWxucz0n"),
        "{page}"
    );
    assert!(page.contains("img-src data:"));
}

#[test]
fn a_logo_that_is_no_harmless_small_picture_is_refused() {
    let shell = customer();
    shell.file("active.svg", "<svg><SCRIPT>alert(1)</SCRIPT></svg>");
    shell.file("page.png", "<html>");
    shell.file("large.svg", &format!("<svg>{}", " ".repeat(300 * 1024)));
    for (logo, why) in [
        ("active.svg", "is not a picture that the page can show"),
        ("page.png", "is not a picture that the page can show"),
        ("large.svg", "is larger than 256 KiB"),
        ("missing.png", "cannot be read"),
    ] {
        let line = ["report", "--html", "report.html", "--logo", logo];
        let run = shell.run(&line).exits(2);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
    assert!(!shell.path("report.html").exists());
}

#[test]
fn a_trend_has_its_numbers_and_its_dates() {
    let shell = customer();
    for _ in 0..2 {
        let line = "mock trigger leak example.com --count 3";
        shell.line(line).exits(0);
    }
    let page = page(&shell, &[]);
    let trend = page.split("<svg class=\"trend\"").nth(1).expect("a trend");
    assert!(trend.contains("aria-label=\"Leaked logins, scan by scan, "));
    let numbers = regex_lite::Regex::new(r">\d+</text>").expect("a pattern");
    let dates = regex_lite::Regex::new(r">\d+ [A-Z][a-z]{2} \d{4}</text>").expect("a pattern");
    // Two on the axis, and one at each end at least.
    assert!(numbers.find_iter(trend).count() >= 4, "{trend}");
    assert_eq!(dates.find_iter(trend).count(), 2, "{trend}");
}

#[test]
fn ports_of_many_servers_are_one_thing_to_do() {
    let shell = Shell::of(&account()).with("SECMON_CUSTOMER", "42");
    for i in 1..=12 {
        provision(&shell, &format!("203.0.113.{i}"), &format!("web-{i}"));
    }
    let page = page(&shell, &[]);
    assert!(page.contains("open to the internet on 12 servers"));
    assert!(page.contains(" and 2 more, see below"));
    let servers = page.find("<h2>Servers</h2>").expect("the servers");
    in_order(&page[servers..], &["web-2<", "web-9<", "web-10<"]);
    assert!(!page.contains("class=\"bars\"") && !page.contains("<h2>Domains"));
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    shell
        .line("report -c 42 --html no-such-folder/report.html")
        .exits(1);
    shell.line("report --html report.html").exits(2);
    let nobody = shell.line("report -c 43 --html report.html").exits(4);
    assert!(nobody.stderr.contains("nothing to report for customer 43"));
}

#[test]
fn a_port_whose_rule_has_gone_is_open_and_not_allowed() {
    let shell = customer();
    let written = page(&shell, &[]);
    assert!(written.contains("22 allowed"), "{written}");
    shell.line("rules remove 22 --on web-1 -y").exits(0);
    let written = page(&shell, &[]);
    assert!(written.contains("22 open"), "{written}");
    assert!(!written.contains("22 allowed"), "{written}");
}

#[test]
fn a_file_that_is_no_report_is_replaced_only_where_that_is_said() {
    let shell = customer();
    let foreign = "<!doctype html><html>the customer's own page</html>";
    shell.file("report.html", foreign);
    let line = "report --html report.html";
    let refused = shell.line(line).exits(2).stderr;
    assert!(
        refused.contains("--yes") && refused.contains("report.html"),
        "{refused}"
    );
    let kept = std::fs::read_to_string(shell.path("report.html")).expect("the file");
    assert_eq!(kept, foreign);
    shell.line(&format!("{line} --yes")).exits(0);
    // Its own page is made anew without a word.
    let written = page(&shell, &[]);
    assert!(written.contains("Security report"), "{written}");
}

#[test]
fn a_report_of_rows_replaces_no_file_of_somebody_else() {
    let shell = Shell::of(&account());
    shell.file("servers.csv", "target,customer\n203.0.113.1,42\n");
    shell.file("invoices.csv", "number,amount\n1,9.50\n");
    let line = "provision -f servers.csv --report invoices.csv";
    let refused = shell.line(line).exits(2).stderr;
    assert!(refused.contains("invoices.csv"), "{refused}");
    let kept = std::fs::read_to_string(shell.path("invoices.csv")).expect("the file");
    assert!(kept.starts_with("number,amount"), "{kept}");
    let listed = shell.line("endpoint list -o ids").exits(0).stdout;
    assert_eq!(listed, "", "nothing was sent");
    for _ in 0..2 {
        let line = "provision -f servers.csv --report done.csv";
        shell.line(line).exits(0);
    }
}
