//! `secmon open` and `secmon sso link --open`: what reaches the browser, and what is printed without one.

use crate::shell::{Shell, account, provision};
use secmon_mock::Tenant;

/// A browser that writes down what it is given.
fn browser(shell: Shell) -> Shell {
    let seen = shell.path("seen");
    let script = shell.file(
        "browser",
        &format!("printf '%s\\n' \"$1\" >> {}\n", seen.display()),
    );
    shell.with("BROWSER", &format!("sh {script}"))
}

fn seen(shell: &Shell) -> String {
    std::fs::read_to_string(shell.path("seen")).unwrap_or_default()
}

fn with_domain(tenant: &Tenant) -> Shell {
    let shell = Shell::of(tenant);
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 5 -c 42")
        .exits(0);
    shell
        .line("domain provision example.com --service 501 -c 42")
        .exits(0);
    shell
}

#[test]
fn without_a_browser_the_address_is_printed() {
    let tenant = account();
    let shell = with_domain(&tenant);
    let id = provision(&shell, "203.0.113.10", "web-1");
    let printed = shell.line("open web-1").exits(0).stdout;
    assert_eq!(printed, format!("{}/endpoints/{id}\n", tenant.url()));
    for line in ["open example.com -c 42", "open example.com --domain -c 42"] {
        let printed = shell.line(line).exits(0).stdout;
        assert!(
            printed.starts_with(&format!("{}/domains/", tenant.url())),
            "{printed}"
        );
    }
    let failing = Shell::of(&tenant).with("BROWSER", "/bin/false");
    assert_eq!(
        failing.line("open web-1 -o json").exits(0).json()["opened"],
        false
    );
}

#[test]
fn a_browser_gets_the_address_and_no_token() {
    let tenant = account();
    let shell = browser(with_domain(&tenant));
    let id = provision(&shell, "203.0.113.10", "web-1");
    let run = shell.line("open 203.0.113.10").exits(0);
    assert!(run.stdout.contains("Opened"), "{run:?}");
    assert_eq!(seen(&shell), format!("{}/endpoints/{id}\n", tenant.url()));
    assert!(tenant.calls("POST", "/api/v1/sso/token").is_empty());
}

#[test]
fn a_name_that_fits_nothing_says_how_a_domain_is_named() {
    let shell = with_domain(&account());
    let run = shell.line("open example.org -o json").exits(4);
    assert!(
        run.error()["hint"]
            .as_str()
            .unwrap_or_default()
            .contains("--domain -c"),
        "{run:?}"
    );
    shell.line("open example.org -c 42").exits(4);
    shell.line("open example.com --server -c 42").exits(4);
}

#[test]
fn an_opened_sign_in_link_is_printed_nowhere() {
    let tenant = account();
    let shell = browser(Shell::of(&tenant));
    provision(&shell, "203.0.113.10", "web-1");
    let run = shell.line("sso link -c 42 --open -o json").exits(0);
    let page = std::fs::read_to_string(seen(&shell).trim()).expect("a page for the browser");
    let link = page.split("url=").nth(1).expect("where it leads");
    let link = link.split('"').next().unwrap_or_default();
    let token = link.rsplit('=').next().expect("a token");
    assert!(link.contains("/sso?token="), "{page}");
    assert!(!seen(&shell).contains(token), "it is no argument");
    assert_eq!(run.json()["opened"], true);
    assert!(
        !format!("{}{}", run.stdout, run.stderr).contains(token),
        "{run:?}"
    );
    let printed = Shell::of(&tenant).line("sso link -c 42 --open").exits(0);
    assert!(printed.stdout.contains("/sso?token="), "{printed:?}");
}
