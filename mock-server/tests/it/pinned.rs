//! The table of what is pinned, held against the tests there are.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The names of all tests beside this one.
fn tests() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let files = fs::read_dir(folder).expect("the folder of the tests");
    let mut names = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(file.expect("a file").path()).expect("a source file");
        let after_marks = text.split("#[test]\nfn ").skip(1);
        names.extend(after_marks.filter_map(|after| after.split('(').next().map(str::to_owned)));
    }
    names
}

#[test]
fn every_row_of_the_table_names_tests_that_exist() {
    let tests = tests();
    let mut checked = 0;
    for row in include_str!("../pinned.md")
        .lines()
        .filter(|line| line.starts_with("| "))
    {
        if row.starts_with("| ---") || row.ends_with("| tests |") {
            continue;
        }
        let named: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test pins: {row}");
        for name in named {
            assert!(tests.contains(name), "{name} does not exist, in: {row}");
            checked += 1;
        }
    }
    assert!(checked > 100, "the table was read");
}
