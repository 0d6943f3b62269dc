//! Every error code that the API documents, by fault injection: exit code, hint, and an error object that can be read.

use crate::shell::{Shell, account};
use http::StatusCode;
use secmon_mock::Fault;

/// Code, status, and the exit code that scripts rely on.
const CODES: [(&str, u16, i32); 22] = [
    ("TENANT_NOT_FOUND", 401, 3),
    ("TENANT_MISMATCH", 403, 3),
    ("ACCOUNT_SUSPENDED", 403, 3),
    ("ENDPOINT_LIMIT_EXCEEDED", 403, 5),
    ("DOMAIN_LIMIT_EXCEEDED", 403, 5),
    ("ENDPOINT_NOT_FOUND", 404, 4),
    ("DOMAIN_NOT_FOUND", 404, 4),
    ("ALERT_NOT_FOUND", 404, 4),
    ("PRODUCT_NOT_FOUND", 404, 4),
    ("BILLING_CLIENT_NOT_FOUND", 404, 4),
    ("SUBSCRIPTION_NOT_FOUND", 404, 4),
    ("ENDPOINT_NOT_ACTIVE", 409, 5),
    ("DOMAIN_ALREADY_EXISTS", 409, 5),
    ("DOWNGRADE_USAGE_EXCEEDED", 422, 5),
    ("SUBSCRIPTION_NOT_CHANGEABLE", 422, 5),
    ("ALERT_ALREADY_RESOLVED", 422, 5),
    ("ALERT_NOT_ACKNOWLEDGED", 422, 5),
    ("DNS_RESOLUTION_FAILED", 422, 5),
    ("RATE_LIMITED", 429, 6),
    ("USER_NOT_FOUND", 500, 4),
    ("SCAN_DISPATCH_FAILED", 500, 7),
    ("SCANNING_UNAVAILABLE", 503, 7),
];

const FIELDS: [&str; 7] = [
    "code",
    "exit_code",
    "hint",
    "message",
    "reference",
    "retryable",
    "status",
];

#[test]
fn each_documented_code_has_its_exit_code_a_hint_and_an_object() {
    let tenant = account().provoking_notices();
    let shell = Shell::of(&tenant);
    let line = "subscription resume 501 --product port_monitoring -c 42 --timeout 1s --max-wait 0";
    let hint = |code: &str, status: StatusCode| {
        tenant.clear_faults();
        let fault = Fault::code(status, code).on("POST", "*/resume-subscription");
        tenant.fault(fault.times(0));
        shell.line(&format!("{line} -o json")).error()["hint"].clone()
    };
    for (code, status, exit) in CODES {
        let status = StatusCode::from_u16(status).expect("a status");
        let any = hint("NEW_IN_2027", status);
        assert_ne!(hint(code, status), any, "{code} has no hint of its own");
        let run = shell.line(&format!("{line} -o json")).exits(exit);
        assert_eq!(run.stdout, "", "{code}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        let error = run.error();
        let fields: Vec<&String> = error.as_object().expect("an object").keys().collect();
        assert_eq!(fields, FIELDS, "{code}");
        assert_eq!(error["code"], code);
        assert_eq!(error["status"], status.as_u16());
        assert_eq!(error["exit_code"], exit);
        let passes = matches!(code, "RATE_LIMITED" | "SCANNING_UNAVAILABLE");
        assert_eq!(error["retryable"], passes, "{code}");
        assert!(
            error["hint"].as_str().is_some_and(|hint| hint.len() > 10),
            "{error}"
        );
        assert!(
            error["reference"]
                .as_str()
                .is_some_and(|call| call.contains("resume-subscription"))
        );

        let person = shell.line(line).exits(exit).stderr;
        assert!(
            person.contains(&format!("[{} {code}]", status.as_u16())),
            "{person}"
        );
        assert!(person.contains("  hint:  "), "{person}");
        assert!(person.contains(&format!("exit-codes ({exit})")), "{person}");
    }
}

#[test]
fn an_unknown_code_is_told_as_it_came() {
    let tenant = account();
    let shell = Shell::of(&tenant);
    tenant.fault(Fault::code(StatusCode::CONFLICT, "NEW_IN_2027").times(0));
    let error = shell.line("endpoint list -o json").exits(5).error();
    assert_eq!(error["code"], "NEW_IN_2027");
}
