//! The table against the code around it: type, documentation, sugar and test of every operation.

use std::fs;
use std::path::Path;

use http::Method;
use secmon::{OPERATIONS, OperationInfo};

/// The Rust files below a folder of this crate, as one text.
fn sources(folder: &str) -> String {
    texts_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
}

fn texts_below(path: &Path) -> String {
    if path.is_file() {
        return fs::read_to_string(path).expect("a readable file");
    }
    let entries = fs::read_dir(path).expect("a folder of sources");
    let texts = entries.map(|entry| texts_below(&entry.expect("a file").path()));
    texts.collect()
}

/// `suspend_endpoint` is the type `SuspendEndpoint`.
fn type_name(info: &OperationInfo) -> String {
    let words = info.name.split('_').map(|word| {
        let (first, rest) = word.split_at(1);
        format!("{}{rest}", first.to_uppercase())
    });
    words.collect()
}

#[test]
fn every_operation_has_a_type_whose_documentation_names_method_and_path() {
    let operations = sources("src/operations");
    for info in OPERATIONS {
        let path = info.path.replace("/api/v1/{namespace}", "...");
        let documented = format!("`{} {path}`", info.method);
        assert!(
            operations.contains(&documented),
            "nothing documents {documented}"
        );
        let name = type_name(info);
        assert!(
            operations.contains(&format!("{name} ")) || operations.contains(&format!("{name}:")),
            "{name}"
        );
    }
}

#[test]
fn every_operation_has_a_method_that_is_short_for_it() {
    let operations = sources("src/operations");
    for info in OPERATIONS {
        let name = type_name(info);
        let declared = operations.split_once(&format!(": {name} -> "));
        let (_, declared) = declared.expect("a declaration");
        let declared = declared.split("\n    }\n").next().unwrap_or_default();
        assert!(
            // Else on the client itself.
            declared.contains("accessors {") || operations.contains(&format!(": [`{name}`].")),
            "no method is short for {}",
            info.name
        );
    }
}

#[test]
fn every_method_is_in_the_guide_of_which_call_for_which_job() {
    let guide = sources("guides/calls.md");
    for declared in sources("src/operations").split("accessors { ").skip(1) {
        let (resource, methods) = declared.split_once(':').expect("a resource");
        let methods = methods.split("\n        }\n").next().unwrap_or_default();
        for line in methods.lines().map(str::trim) {
            let Some(method) = line.strip_prefix("call ").or(line.strip_prefix("pages ")) else {
                continue;
            };
            let name = method.split('(').next().unwrap_or_default();
            let name = name.trim_end_matches("_account_wide");
            let links = [
                format!("resources::{resource}::{name})"),
                format!("`{name}`"),
            ];
            assert!(
                links.iter().any(|link| guide.contains(link)),
                "{resource}::{name} is for no job"
            );
        }
    }
}

#[test]
fn every_operation_is_sent_in_a_test_of_what_goes_over_the_wire() {
    let tests = sources("tests/it");
    for info in OPERATIONS {
        let is_built = |by: &str| tests.contains(&format!("{}::{by}(", type_name(info)));
        assert!(
            is_built("new") || is_built("account_wide") || info.name == "get_health",
            "no test sends {}",
            info.name
        );
    }
}

#[test]
fn reads_are_repeatable_and_what_must_not_act_twice_is_not() {
    let once: Vec<&str> = OPERATIONS
        .iter()
        .filter(|info| info.safety == secmon::RetrySafety::Once)
        .map(|info| info.name)
        .collect();
    assert_eq!(
        once,
        [
            "scan_endpoint",
            "release_domain",
            "change_subscription",
            "acknowledge_domain_alert",
            "resolve_domain_alert",
            "create_rule",
            "resolve_port_alert",
            "create_sso_token",
            "ingest_firewall",
        ]
    );
    assert!(
        OPERATIONS
            .iter()
            .all(|info| info.is_read() == (info.method == Method::GET))
    );
}
