//! What goes wrong outside, and how it is told.

use crate::shell::{Account, Shell, account, mock, provision};
use http::StatusCode;
use secmon_mock::{CloseAt, Fault, TenantOptions};
use std::time::Duration;

/// The error of a read that meets a fault, with the exit code expected.
fn read_with(fault: Fault, exit: i32) -> serde_json::Value {
    let tenant = account();
    tenant.fault(fault.times(0));
    let run = Shell::of(&tenant)
        .line("endpoint list -o json --timeout 2s --max-wait 0")
        .exits(exit);
    assert!(!run.stderr.contains(tenant.api_key()), "{run:?}");
    run.error()
}

#[test]
fn a_key_that_nobody_has() {
    let shell = Shell::of(&account()).with("SECMON_API_KEY", "nobody-has-this-key");
    let run = shell.line("endpoint list -o json").exits(3);
    assert_eq!(run.error()["status"], 401);
    assert!(
        run.error()["hint"]
            .as_str()
            .unwrap_or_default()
            .contains("auth login"),
        "{run:?}"
    );
    assert!(!run.stderr.contains("nobody-has"), "{run:?}");
}

#[test]
fn a_suspended_account() {
    let mut options = TenantOptions::default();
    options.suspended = Some(true);
    let tenant = Account::of(mock().tenant_with(options).expect("an account"));
    let run = Shell::of(&tenant).line("endpoint list -o json").exits(3);
    assert_eq!(run.error()["code"], "ACCOUNT_SUSPENDED");
}

#[test]
fn a_key_of_another_portal() {
    let tenant = account();
    tenant.fault(Fault::code(StatusCode::FORBIDDEN, "TENANT_MISMATCH"));
    let run = Shell::of(&tenant)
        .line("provision 203.0.113.1 -c 42 -o json")
        .exits(3);
    assert_eq!(run.error()["code"], "TENANT_MISMATCH");
}

#[test]
fn nobody_at_the_address() {
    let shell = Shell::new()
        .with("SECMON_BASE_URL", "http://127.0.0.1:1")
        .with("SECMON_API_KEY", "test_key_of_a_test");
    let run = shell.line("endpoint list -o json --timeout 60s").exits(7);
    assert_eq!(run.error()["code"], "no_connection");
    assert!(!run.stderr.contains("test_key"), "{run:?}");
}

#[test]
fn an_answer_that_does_not_come_in_time() {
    let tenant = account();
    tenant.fault(Fault::latency(Duration::from_secs(5)).times(0));
    let run = Shell::of(&tenant)
        .line("endpoint list -o json --timeout 100ms")
        .exits(7);
    assert_eq!(run.error()["code"], "timeout");
}

#[test]
fn a_page_of_a_proxy_in_the_place_of_an_answer() {
    let error = read_with(
        Fault::body(StatusCode::OK, "<html><body>Sign in</body></html>"),
        7,
    );
    assert_eq!(error["code"], "unreadable_answer");
    assert!(
        error["message"]
            .as_str()
            .unwrap_or_default()
            .contains("Sign in"),
        "{error}"
    );
}

#[test]
fn half_an_answer() {
    let error = read_with(Fault::close(CloseAt::MidBody), 7);
    assert_eq!(error["code"], "connection_lost");
}

#[test]
fn an_unknown_value_is_kept() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let id = provision(&shell, "203.0.113.10", "web-1");
    let body = format!(
        r#"{{"data":{{"id":"{id}","ip_address":"203.0.113.10","status":"hibernating"}},"meta":{{}}}}"#
    );
    tenant.fault(
        Fault::body(StatusCode::OK, body)
            .on("GET", "/api/v1/endpoints/*")
            .times(0),
    );
    let waited = shell.line(&format!(
        "endpoint wait {id} --for active -o json --wait-timeout 10ms"
    ));
    assert_eq!(waited.code, 9, "{waited:?}");
}

#[test]
fn too_many_calls_are_told_with_their_own_code() {
    let error = read_with(Fault::status(StatusCode::TOO_MANY_REQUESTS), 6);
    assert_eq!(
        (&error["code"], &error["retryable"]),
        (&"rate_limited".into(), &true.into())
    );
}

#[test]
fn a_proxy_that_wants_credentials_is_told_as_such() {
    let status = StatusCode::PROXY_AUTHENTICATION_REQUIRED;
    let error = read_with(Fault::body(status, "who are you?"), 7);
    assert_eq!(error["code"], "proxy");
    let hint = error["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("HTTPS_PROXY"), "{error}");
}

#[test]
fn an_address_that_speaks_no_tls_is_told_as_such() {
    let tenant = account();
    let address = tenant.url().replace("http://", "https://");
    let shell = Shell::of(&tenant).with("SECMON_BASE_URL", &address);
    let error = shell.line("endpoint list -o json").exits(7).error();
    assert_eq!(error["code"], "tls", "{error}");
    let hint = error["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("certificate"), "{error}");
}

#[test]
fn a_change_whose_answer_was_lost_says_so() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    let subscription = "501 --product domain_monitoring -c 42";
    shell
        .line(&format!("subscription set {subscription} --quantity 1"))
        .exits(0);
    tenant.fault(Fault::close(CloseAt::After).on("POST", "*/change-subscription"));
    let change = format!("subscription change {subscription} --quantity 2 -y -o json");
    let run = shell.line(&change).exits(7);
    assert!(
        run.error()["message"]
            .as_str()
            .unwrap_or_default()
            .contains("may or may not"),
        "{run:?}"
    );
    assert_eq!(run.error()["retryable"], false, "it must not be done twice");
}

#[test]
fn an_error_is_retryable_where_the_trouble_passes_and_nothing_is_done_twice() {
    let tenant = account().provoking_notices();
    let shell = Shell::of(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let lost = || Fault::close(CloseAt::Before);
    let down = || Fault::status(StatusCode::SERVICE_UNAVAILABLE);
    for (fault, line, retryable) in [
        (lost(), "endpoint list", true),
        (lost(), "endpoint suspend web-1", true),
        (lost(), "sso link -c 42", false),
        (down(), "sso link -c 42", false),
        (down(), "endpoint suspend web-1", true),
        (lost(), "api -X POST nothing/here", false),
        (down(), "api -X POST nothing/here", false),
        (down(), "api endpoints", true),
        (
            Fault::status(StatusCode::TOO_MANY_REQUESTS),
            "api -X POST nothing/here",
            true,
        ),
    ] {
        tenant.clear_faults();
        let method = match line {
            "endpoint list" | "api endpoints" => "GET",
            _ => "POST",
        };
        tenant.fault(fault.on(method, "*").times(0));
        let run = shell.line(&format!("{line} -o json --timeout 1s --max-wait 0"));
        assert_eq!(run.error()["retryable"], retryable, "{line}: {run:?}");
    }
}

#[test]
fn scanning_that_is_down_is_told_with_its_code() {
    for (status, code) in [
        (StatusCode::INTERNAL_SERVER_ERROR, "SCAN_DISPATCH_FAILED"),
        (StatusCode::SERVICE_UNAVAILABLE, "SCANNING_UNAVAILABLE"),
    ] {
        let tenant = account();
        let shell = Shell::of(&tenant);
        provision(&shell, "203.0.113.10", "web-1");
        tenant.fault(
            Fault::code(status, code)
                .on("POST", "*/scan-endpoint")
                .times(0),
        );
        let run = shell
            .line("scan web-1 -o json --timeout 1s --max-wait 0")
            .exits(7);
        assert_eq!(run.error()["code"], code);
    }
}

#[test]
fn plain_http_to_a_stranger_is_refused() {
    let shell = Shell::new()
        .with("SECMON_BASE_URL", "http://portal.example.com")
        .with("SECMON_API_KEY", "test_key_of_a_test");
    shell.line("endpoint list").exits(2);
}

#[test]
fn a_person_reads_one_sentence_and_the_way_out() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    for i in 0..25 {
        shell
            .line(&format!("provision 203.0.113.{i} -c 42"))
            .exits(0);
    }
    let run = shell.line("provision 203.0.113.77 -c 42").exits(5);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(
        lines[0].starts_with("error: ") && lines[0].ends_with("[403 ENDPOINT_LIMIT_EXCEEDED]"),
        "{run:?}"
    );
    assert_eq!(lines[1], "  while: provisioning 203.0.113.77");
    assert!(lines[2].starts_with("  hint:  "), "{run:?}");
    assert!(
        lines[3].starts_with("  ref:   POST /api/v1/billing/provision "),
        "{run:?}"
    );
}

#[test]
fn an_interrupted_wait_says_that_what_was_started_goes_on() {
    let tenant = Account::of(mock().tenant());
    tenant
        .set_progress(secmon_mock::Progress::Manual)
        .expect("the account is there");
    let shell = Shell::of(&tenant);
    let mut command = shell.command(&[
        "provision",
        "203.0.113.10",
        "-c",
        "42",
        "--wait",
        "-o",
        "json",
    ]);
    let child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    while !tenant
        .journal()
        .iter()
        .any(|call| call.path.starts_with("/api/v1/endpoints/"))
    {
        assert!(
            std::time::Instant::now() < deadline,
            "the program never began to wait"
        );
        std::thread::yield_now();
    }
    let pid = child.id().to_string();
    std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .expect("kill runs");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(130));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("what was started goes on") && stderr.contains("endpoint wait"),
        "{stderr}"
    );
}
