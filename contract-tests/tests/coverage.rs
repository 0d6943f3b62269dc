//! The coverage table against the operations and against the tests.

use std::path::Path;

use secmon::{ErrorCode, OPERATIONS};
use secmon_contract_tests::coverage::{COVERAGE, EVERYWHERE};

/// Whether a test of this name (`file::function`) stands in its file's suite.
fn exists(test: &str) -> bool {
    let Some((file, function)) = test.split_once("::") else {
        return false;
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(format!("{file}.rs"));
    std::fs::read_to_string(path)
        .is_ok_and(|source| source.contains(&format!("async fn {function}()")))
}

#[test]
fn every_operation_has_a_test_of_its_success() {
    for info in OPERATIONS {
        let covered = |row: &&secmon_contract_tests::coverage::Covered| {
            row.operation == info.name && row.outcome == "success"
        };
        assert!(
            COVERAGE.iter().any(|row| covered(&row)),
            "{} has none",
            info.name
        );
    }
}

#[test]
fn every_row_names_an_operation_of_the_table() {
    for row in COVERAGE {
        assert!(
            OPERATIONS.iter().any(|info| info.name == row.operation),
            "{row:?}"
        );
    }
}

#[test]
fn every_named_test_exists() {
    let everywhere = EVERYWHERE.iter().map(|(_, test)| *test);
    for test in COVERAGE.iter().map(|row| row.test).chain(everywhere) {
        assert!(exists(test), "there is no test {test}");
    }
}

#[test]
fn every_documented_code_is_caused_by_some_test() {
    for code in ErrorCode::named() {
        let text = code.as_str().into_owned();
        let here = COVERAGE.iter().any(|row| row.outcome == text);
        let everywhere = EVERYWHERE.iter().any(|(outcome, _)| *outcome == text);
        let of_paths = matches!(code, ErrorCode::NotFound | ErrorCode::MethodNotAllowed);
        assert!(here || everywhere || of_paths, "no test causes {text}");
    }
}
