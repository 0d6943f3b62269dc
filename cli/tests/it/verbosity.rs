//! `-v`, `-vv` and `--debug-file`: what is told of calls, and what is left out.

use crate::shell::{Shell, account, provision};
use http::StatusCode;
use secmon_mock::Fault;

#[test]
fn each_attempt_is_one_line() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    tenant.fault(Fault::status(StatusCode::SERVICE_UNAVAILABLE));
    let run = shell.line("endpoint list -v").exits(0);
    let lines: Vec<&str> = run
        .stderr
        .lines()
        .filter(|line| line.contains("/endpoints"))
        .collect();
    let [first, second] = lines.as_slice() else {
        panic!("{run:?}")
    };
    assert!(first.contains(" 503, attempt 1, "), "{first}");
    assert!(second.contains(" 200, attempt 2, "), "{second}");
    assert!(first.starts_with("GET /api/v1/endpoints"), "{first}");
    assert!(!run.stderr.contains("user-agent"), "{run:?}");
    let script = shell.line("endpoint list -v -o json").exits(0);
    assert_eq!(script.stderr, "");
}

#[test]
fn headers_and_bodies_are_told_without_the_secrets() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    shell
        .line("subscription set 501 --product domain_monitoring --quantity 5 -c 42")
        .exits(0);
    shell
        .line("domain provision example.com --service 501 -c 42")
        .exits(0);
    let file = shell.path("debug.log");
    let link = shell
        .line("sso link -c 42 -vv --debug-file debug.log")
        .exits(0);
    let token = link.stdout.trim().rsplit('=').next().unwrap_or_default();
    assert!(
        link.stderr.contains("\"billing_customer_id\":42"),
        "{link:?}"
    );
    let kept = std::fs::read_to_string(&file).expect("the file is there");
    assert!(kept.contains("POST /api/v1/sso/token 200"), "{kept}");
    for text in [&link.stderr, &kept] {
        assert!(!text.contains(token), "{text}");
        assert!(!text.contains(tenant.api_key()), "{text}");
    }
    let leaks = shell
        .line("domain leaks example.com -c 42 -vv -o csv")
        .exits(0);
    let address = leaks.stdout.split(',').find(|cell| cell.contains('@'));
    let address = address.expect("a leak");
    assert!(!leaks.stderr.contains(address), "{leaks:?}");
    assert!(leaks.stderr.contains("withheld"), "{leaks:?}");
}

#[cfg(unix)]
#[test]
fn a_debug_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let shell = Shell::of(&account());
    let file = shell.file("debug.log", "from before");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("a file");
    shell.line("endpoint list --debug-file debug.log").exits(0);
    let mode = std::fs::metadata(&file)
        .expect("a file")
        .permissions()
        .mode()
        & 0o777;
    assert_eq!(mode, 0o600);
    let kept = std::fs::read_to_string(&file).expect("a file");
    assert!(
        !kept.contains("from before") && kept.contains("GET /api/v1/endpoints"),
        "{kept}"
    );
    shell
        .line("endpoint list --debug-file missing/debug.log")
        .exits(1);
}

#[test]
fn raw_cells_keep_what_a_spreadsheet_would_run() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "=1+1");
    let cells = |option: &str| {
        shell
            .line(&format!(
                "endpoint list -o csv --columns nickname --no-headers {option}"
            ))
            .exits(0)
            .stdout
    };
    assert_eq!(cells(""), "'=1+1\n");
    assert_eq!(cells("--csv raw"), "=1+1\n");
}

#[test]
fn the_option_for_colour_goes_before_the_environment() {
    let shell = Shell::of(&account()).with("NO_COLOR", "1");
    provision(&shell, "203.0.113.10", "web-1");
    let row = shell.line("endpoint list --color always").exits(0).stdout;
    assert!(row.contains("\u{1b}[38;5;10mactive"), "{row:?}");
    assert!(
        !shell
            .line("endpoint list")
            .exits(0)
            .stdout
            .contains('\u{1b}')
    );
}

#[test]
fn an_error_of_a_setting_names_the_place_it_came_from() {
    for (name, value, said) in [
        ("SECMON_NAMESPACE", "nonsense", "SECMON_NAMESPACE"),
        ("SECMON_RATE_LIMITS", "nonsense", "SECMON_RATE_LIMITS"),
        ("SECMON_OUTPUT", "nonsense", "SECMON_OUTPUT"),
        ("SECMON_CUSTOMER", "0", "SECMON_CUSTOMER"),
    ] {
        let run = Shell::new().with(name, value).line("profile list").exits(2);
        assert!(run.stderr.contains(said), "{run:?}");
        assert!(!run.stderr.contains("--"), "{run:?}");
    }
}
