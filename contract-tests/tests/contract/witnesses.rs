//! The table, the client's own table and the description of the API tell the same story.

use std::collections::BTreeSet;

use secmon::OPERATIONS;
use secmon_contract_tests::checks;
use secmon_contract_tests::table::TABLE;

use crate::description;

checks! {
    the_table_has_every_operation_of_the_client(),
    the_table_and_the_description_know_the_same_statuses(),
    every_code_of_the_client_has_a_cell(),
}

fn the_table_has_every_operation_of_the_client() {
    let ours: BTreeSet<_> = TABLE
        .operations()
        .map(|row| (row.operation.clone(), row.method.clone(), row.path.clone()))
        .collect();
    let client = OPERATIONS.iter();
    let theirs: BTreeSet<_> = client
        .map(|info| {
            (
                info.name.to_owned(),
                info.method.to_string(),
                info.path.to_owned(),
            )
        })
        .collect();
    let names = |set: &BTreeSet<(String, String, String)>| {
        let parts = |path: &str| {
            path.split('/')
                .map(placeholder)
                .collect::<Vec<_>>()
                .join("/")
        };
        let names = set
            .iter()
            .map(|(name, method, path)| format!("{name} {method} {}", parts(path)));
        names.collect::<BTreeSet<_>>()
    };
    assert_eq!(names(&ours), names(&theirs));
}

/// Placeholders are named as each likes; where they stand must agree.
fn placeholder(part: &str) -> &str {
    match part {
        "{namespace}" => part,
        other if other.starts_with('{') => "{}",
        literal => literal,
    }
}

fn the_table_and_the_description_know_the_same_statuses() {
    for row in TABLE.operations() {
        let outcomes = row
            .cells
            .iter()
            .map(|cell| cell.outcome[..3].parse::<u16>());
        let ours: BTreeSet<u16> = outcomes.map(|status| status.expect("a status")).collect();
        let theirs: BTreeSet<u16> = description::statuses(row).into_iter().collect();
        assert_eq!(ours, theirs, "{}", row.name);
    }
}

fn every_code_of_the_client_has_a_cell() {
    for code in secmon::ErrorCode::named() {
        let code = code.to_str().into_owned();
        let cells = TABLE.rows.iter().flat_map(|row| &row.cells);
        let found = cells.filter(|cell| cell.outcome.ends_with(&format!(" {code}")));
        assert!(found.count() > 0, "{code}");
    }
}
