//! What stands between a machine and the service.

use crate::shell::{Shell, account};

#[test]
fn a_good_connection_has_nothing_to_mend() {
    let run = Shell::of(&account()).line("doctor -o json").exits(0).json();
    let checks = run.as_array().expect("a list");
    assert!(
        checks.len() >= 6 && checks.iter().all(|check| check["result"] == "good"),
        "{run}"
    );
}

#[test]
fn the_worst_check_decides_and_names_its_fix() {
    let wrong_key = Shell::of(&account())
        .with("SECMON_API_KEY", "nobody-has-this-key")
        .line("doctor")
        .exits(3);
    assert!(
        wrong_key.stdout.contains("✘ account") && wrong_key.stdout.contains("auth login"),
        "{wrong_key:?}"
    );
    assert!(!wrong_key.stdout.contains("nobody-has"), "{wrong_key:?}");
    let nowhere = Shell::new()
        .with("SECMON_BASE_URL", "http://127.0.0.1:1")
        .with("SECMON_API_KEY", "a-key-for-nobody");
    assert!(
        nowhere
            .line("doctor --timeout 1s")
            .exits(7)
            .stdout
            .contains("✘ reachable")
    );
    Shell::new().line("doctor").exits(2);
    Shell::new().line("--local doctor").exits(0);
}
