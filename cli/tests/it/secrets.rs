//! The key is nowhere: not in what is printed, not in what is kept.

use crate::shell::{Shell, account};
use http::StatusCode;
use secmon_mock::{CloseAt, Fault};

#[test]
fn the_key_is_in_no_output_and_no_file() {
    let tenant = account().provoking_notices();
    let key = tenant.api_key().to_owned();
    let faults = [
        None,
        Some(Fault::body(
            StatusCode::BAD_GATEWAY,
            format!("<p>Authorization: Bearer {key}</p>"),
        )),
        Some(Fault::body(
            StatusCode::OK,
            format!("{{\"key\":\"{key}\"}}"),
        )),
        Some(Fault::body(
            StatusCode::UNAUTHORIZED,
            format!("{{\"status\":\"error\",\"message\":\"{key}\",\"errors\":{{}}}}"),
        )),
        Some(Fault::close(CloseAt::Reset)),
    ];
    let lines = [
        "auth status",
        "endpoint list",
        "provision 203.0.113.1 -c 42",
        "scan 203.0.113.1",
        "api health -i",
        "status -c 42",
    ];
    for fault in faults {
        for line in lines {
            for form in ["table", "json", "table -vv --debug-file debug.log"] {
                let shell = Shell::of(&tenant);
                tenant.clear_faults();
                if let Some(fault) = &fault {
                    tenant.fault(fault.clone().times(0));
                }
                let run = shell.line(&format!("{line} -o {form} --timeout 1s --max-wait 0"));
                let visible = format!("{}{}{}", run.stdout, run.stderr, shell.everything_kept());
                assert!(!visible.contains(&key), "{line}: {visible}");
            }
        }
    }
}
