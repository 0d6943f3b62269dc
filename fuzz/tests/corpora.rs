//! Replays every input in `corpus/`: what the fuzzer found, and what it started from.

use std::path::Path;

fn replay(name: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name);
    let inputs =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut count = 0;
    for input in inputs {
        let path = input.expect("a file").path();
        println!("{}", path.display());
        target(&std::fs::read(&path).expect("a readable file"));
        count += 1;
    }
    assert!(count > 0, "{} has no inputs", folder.display());
}

#[test]
fn every_input_is_read_or_refused() {
    for (name, target) in secmon_fuzz::TARGETS {
        replay(name, *target);
    }
}
