//! What others have written, in the program's own lines.

use crate::shell::{Shell, account};

#[test]
fn joiners_stay_in_names() {
    let shell = Shell::of(&account());
    let name = "می\u{200c}خواهم 👩\u{200d}💻";
    shell
        .run(&[
            "provision",
            "203.0.113.1",
            "-c",
            "42",
            &format!("--nickname={name}"),
        ])
        .exits(0);
    for form in ["table", "csv"] {
        let run = shell.run(&["endpoint", "list", "-o", form]).exits(0);
        assert!(run.stdout.contains(name), "{run:?}");
    }
}
