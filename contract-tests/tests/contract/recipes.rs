//! The recipes for CI users of other languages do what the documentation says.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use secmon::{ApiKey, Client, Error, ErrorKind};
use secmon_contract_tests::ask;
use serde_json::json;

checks! {
    the_python_recipe_passes(Embedded) with "python3",
    the_shell_recipe_passes(Embedded) with "curl",
    each_way_finds_the_mistakes_that_the_guide_says(Embedded) with "python3",
    a_command_that_fails_fails_the_recipe(Embedded),
    the_client_calls_by_https_and_refuses_what_is_wrong(Embedded),
}

/// Set when this program shall be `secmon-mock`: the same code, without building another program.
pub const AS_MOCK: &str = "SECMON_CONTRACT_AS_MOCK";

/// Set when this program shall be a client of the service that its environment names.
pub const AS_CLIENT: &str = "SECMON_CONTRACT_AS_CLIENT";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn this_program() -> PathBuf {
    std::env::current_exe().expect("this program")
}

/// Runs a command beside a mock of its own, and fails where the command was careless.
fn exec(command: &[&str]) -> Output {
    exec_with(&["--deny-notices"], command)
}

fn exec_with(flags: &[&str], command: &[&str]) -> Output {
    let mut mock = Command::new(this_program());
    mock.current_dir(root())
        .env(AS_MOCK, "1")
        .arg("exec")
        .args(flags)
        .arg("--")
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

fn the_client_calls_by_https_and_refuses_what_is_wrong() {
    let this = std::env::current_exe().expect("this program");
    let this = this.to_str().expect("a path");
    let as_client = format!("{AS_CLIENT}=1");
    let flags = ["--tls-listen", "127.0.0.1:0"];
    let ran = exec_with(&flags, &["env", &as_client, this]);
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
}

/// Calls, then meets each fault of TLS once and calls again.
pub fn calls_by_https() -> ExitCode {
    let variable = |name| std::env::var(name).expect("exec sets it");
    let url = variable("SECMON_BASE_URL");
    assert!(url.starts_with("https://"), "{url}");
    let key = variable("SECMON_API_KEY");
    calls_once(&url, &key).expect("a call is answered");
    for trouble in ["expired", "wrong_host", "untrusted"] {
        let faults = format!("{}/_mock/faults", variable("SECMON_MOCK_ADMIN_URL"));
        let admin_key = variable("SECMON_MOCK_ADMIN_KEY");
        let fault = json!({ "effect": { "tls": trouble } });
        let placed = ask("POST", &faults, Some(&admin_key), &fault).expect("an answer");
        assert_eq!(placed.0, 201, "{}", placed.1);
        let refused = calls_once(&url, &key).expect_err(trouble);
        assert_eq!(refused.kind(), ErrorKind::Tls, "{trouble}: {refused}");
        calls_once(&url, &key).expect("a call is answered");
    }
    ExitCode::SUCCESS
}

/// One call over a connection of its own.
#[tokio::main(flavor = "current_thread")]
async fn calls_once(url: &str, key: &str) -> Result<(), Error> {
    let key = ApiKey::new(key).expect("a key");
    let client = Client::builder(url, key).build().expect("a client");
    client.health().await.map(drop)
}
