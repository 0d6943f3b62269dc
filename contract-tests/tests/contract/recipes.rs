//! The recipes for CI users of other languages do what the documentation says.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

checks! {
    the_python_recipe_passes(Embedded) with "python3",
    the_shell_recipe_passes(Embedded) with "curl",
    each_way_finds_the_mistakes_that_the_guide_says(Embedded) with "python3",
    a_command_that_fails_fails_the_recipe(Embedded),
}

/// Set when this program shall be `secmon-mock`: the same code, without building another program.
pub const AS_MOCK: &str = "SECMON_CONTRACT_AS_MOCK";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn this_program() -> PathBuf {
    std::env::current_exe().expect("this program")
}

/// Runs a command beside a mock of its own, and fails where the command was careless.
fn exec(command: &[&str]) -> Output {
    let mut mock = Command::new(this_program());
    mock.current_dir(root())
        .env(AS_MOCK, "1")
        .args(["exec", "--deny-notices", "--"])
        .args(command);
    mock.output().expect("it runs")
}

fn the_python_recipe_passes() {
    let ran = exec(&["python3", "contract-tests/recipes/test_billing.py"]);
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    assert!(said.contains("Ran 4 tests"), "{said}");
}

fn the_shell_recipe_passes() {
    let ran = exec(&["sh", "contract-tests/recipes/smoke.sh"]);
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        "the mock answers, and has noted the call\n"
    );
}

fn each_way_finds_the_mistakes_that_the_guide_says() {
    let mut table = Command::new("python3");
    table
        .current_dir(root())
        .env(AS_MOCK, "1")
        .env("SECMON_MOCK", this_program())
        .arg("contract-tests/recipes/careless/table.py");
    let ran = table.output().expect("it runs");
    let table = String::from_utf8_lossy(&ran.stdout);
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let guide = std::fs::read_to_string(root().join("docs/in-your-ci.md")).expect("the guide");
    assert!(
        guide.contains(table.trim()),
        "the guide has not this table:\n{table}"
    );
}

fn a_command_that_fails_fails_the_recipe() {
    assert_eq!(exec(&["sh", "-c", "exit 7"]).status.code(), Some(7));
}
