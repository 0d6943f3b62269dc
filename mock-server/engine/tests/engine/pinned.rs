//! The table of what is pinned, held against the tests there are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the crate");
    entries
        .map(|entry| entry.expect("an entry").path())
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .collect()
}

/// The names of all tests of the crate.
fn tests() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = BTreeSet::new();
    for path in [root.join("src"), root.join("tests/engine")]
        .iter()
        .flat_map(|folder| sources(folder))
    {
        let text = fs::read_to_string(&path).expect("a source file");
        let after_marks = text.split("#[test]").skip(1);
        names.extend(after_marks.filter_map(|after| {
            let name = after.trim_start().strip_prefix("fn ")?;
            Some(name.split('(').next()?.to_owned())
        }));
    }
    names
}

#[test]
fn every_row_of_the_table_names_tests_that_exist() {
    let tests = tests();
    let table = include_str!("../pinned.md");
    let rows = table
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
    let mut checked = 0;
    for row in rows.filter(|row| !row.ends_with("| tests |")) {
        let named: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test pins: {row}");
        for name in named {
            assert!(tests.contains(name), "{name} does not exist, in: {row}");
            checked += 1;
        }
    }
    assert!(checked > 100, "the table was read");
}
