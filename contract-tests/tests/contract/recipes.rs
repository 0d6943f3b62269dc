//! The recipes for CI users of other languages do what the documentation says.

use std::path::Path;
use std::process::{Command, Output};

checks! {
    the_python_recipe_passes(Embedded) with "python3",
    the_shell_recipe_passes(Embedded) with "curl",
    a_command_that_fails_fails_the_recipe(Embedded),
}

/// Set when this program shall be `secmon-mock`: the same code, without building another program.
pub const AS_MOCK: &str = "SECMON_CONTRACT_AS_MOCK";

fn exec(command: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut mock = Command::new(std::env::current_exe().expect("this program"));
    mock.current_dir(root)
        .env(AS_MOCK, "1")
        .args(["exec", "--"])
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

fn a_command_that_fails_fails_the_recipe() {
    assert_eq!(exec(&["sh", "-c", "exit 7"]).status.code(), Some(7));
}
