//! The table, the client's own table and the description of the API tell the same story.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use secmon::{ErrorCode, OPERATIONS};
use secmon_contract_tests::cases;
use secmon_contract_tests::description;
use secmon_contract_tests::program::{Cited, QUOTES};
use secmon_contract_tests::table::TABLE;

checks! {
    the_table_has_every_operation_of_the_client(),
    the_table_and_the_description_know_the_same_statuses(),
    the_table_and_the_description_know_the_same_codes(),
    every_code_of_the_client_has_a_cell(),
    every_operation_with_pages_says_what_it_lists(),
    every_law_that_a_case_names_is_known(Embedded),
    the_specification_is_quoted_for_every_operation_and_code(),
    what_goes_with_an_assumption_is_named(),
    what_is_specified_is_told_from_what_is_assumed(),
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
        let outcomes = row.cells.iter().map(|cell| &cell.outcome[..3]);
        let ours: BTreeSet<u16> = outcomes.filter_map(|status| status.parse().ok()).collect();
        let theirs: BTreeSet<u16> = description::statuses(row).into_iter().collect();
        assert_eq!(ours, theirs, "{}", row.name);
    }
    let paths = description::value_at("/paths").as_object();
    let methods = paths
        .into_iter()
        .flatten()
        .flat_map(|(_, path)| path.as_object());
    let described = methods.flatten().filter(|(name, _)| *name != "parameters");
    assert_eq!(described.count(), TABLE.operations().count(), "operations");
}

fn the_table_and_the_description_know_the_same_codes() {
    let mut known = BTreeSet::new();
    for row in TABLE.operations() {
        let outcomes = row.cells.iter().map(|cell| &cell.outcome);
        let coded = outcomes.filter(|outcome| {
            let word = outcome.split_once(' ').map_or("", |(_, word)| word);
            !word.is_empty() && word == word.to_uppercase()
        });
        let ours: BTreeSet<String> = coded.cloned().collect();
        let theirs = description::codes(row);
        assert_eq!(ours, theirs, "{}", row.name);
        known.extend(theirs.iter().map(|code| code[4..].to_owned()));
    }
    assert_eq!(known.len(), 23, "{known:?}");
}

fn every_code_of_the_client_has_a_cell() {
    for code in secmon::ErrorCode::VARIANTS {
        let code = code.to_str().into_owned();
        let cells = TABLE.rows.iter().flat_map(|row| &row.cells);
        let found = cells.filter(|cell| cell.outcome.ends_with(&format!(" {code}")));
        assert!(found.count() > 0, "{code}");
    }
}

fn every_operation_with_pages_says_what_it_lists() {
    let recipes = TABLE
        .operations()
        .filter_map(|row| Some((row, row.recipe.as_ref()?)));
    let paged = recipes.filter(|(_, recipe)| recipe.optional.contains_key("page"));
    let silent = paged.filter(|(_, recipe)| recipe.list.is_none());
    let silent: Vec<&str> = silent.map(|(row, _)| row.name.as_str()).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

fn every_law_that_a_case_names_is_known() {
    let rows = TABLE.operations();
    let assumed = rows.filter_map(|row| row.assumed.clone());
    let spec_refs: Vec<String> = cases()
        .iter()
        .map(|case| case.spec_ref().to_owned())
        .collect();
    for spec_ref in spec_refs.into_iter().chain(assumed) {
        for section in Cited::read(&spec_ref).sections {
            assert!(
                QUOTES.iter().any(|quote| quote.section == section),
                "{spec_ref}"
            );
        }
    }
}

fn the_specification_is_quoted_for_every_operation_and_code() {
    let names = QUOTES.iter().flat_map(|quote| &quote.of);
    let quoted: BTreeSet<String> = names.cloned().collect();
    let operations = TABLE.operations().map(|row| row.operation.clone());
    let codes = ErrorCode::VARIANTS.iter().map(|code| code.to_string());
    // Assumed (A6, E12): the specification has no word of these.
    let unsaid = ["METHOD_NOT_ALLOWED", "NOT_FOUND", "SANDBOX_DISABLED"];
    let codes = codes.filter(|code| !unsaid.contains(&code.as_str()));
    let all: BTreeSet<String> = operations.chain(codes).collect();
    assert_eq!(quoted, all);
}

fn what_is_specified_is_told_from_what_is_assumed() {
    assert!(Cited::read("A5").is_assumed());
    assert!(!Cited::read("A1").is_assumed());
    assert!(!Cited::read("Endpoints, A5").is_assumed());
    let spec_refs = Cited::read("A1 to A3").spec_refs;
    let ids: Vec<&str> = spec_refs.iter().map(|spec_ref| spec_ref.id).collect();
    assert_eq!(ids, ["A1", "A2", "A3"]);
    assert!(spec_refs[0].specified.starts_with("the status is 401"));
    assert!(
        spec_refs[0]
            .assumed
            .starts_with("a request without a bearer key")
    );
}

fn what_goes_with_an_assumption_is_named() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let crates = crates.expect("a folder above");
    let mut files = Vec::new();
    for folder in [
        "sdk/src",
        "cli/src",
        "mock-server/src",
        "mock-server/engine/src",
    ] {
        rust_files(&crates.join(folder), &mut files);
    }
    for spec_ref in Cited::read("A1 to E14").spec_refs {
        let by_word = |text: &str| {
            let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
            words.any(|word| word == spec_ref.id)
        };
        let citing = files.iter().filter(|(_, text)| by_word(text));
        let names =
            citing.map(|(path, _)| path.strip_prefix(crates).expect("a file of this project"));
        let names: BTreeSet<String> = names.map(|name| name.display().to_string()).collect();
        let told = spec_ref
            .code
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned);
        if spec_ref.specified.is_empty()
            || TABLE
                .operations()
                .any(|row| row.assumed.as_deref() == Some(spec_ref.id))
        {
            assert_eq!(told.collect::<BTreeSet<_>>(), names, "{}", spec_ref.id);
        }
    }
}

fn rust_files(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).expect("a file of text");
            files.push((path, text));
        }
    }
}
