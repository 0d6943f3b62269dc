//! The files of runs, while several processes work with them.

use secmon_cli::internals::{Held, KEPT, prune, take};
use std::fs::File;
use std::path::Path;
use std::time::SystemTime;

fn old(path: &Path) {
    let file = File::create(path).expect("a file");
    file.set_modified(SystemTime::now() - KEPT * 2)
        .expect("its time is set");
}

#[test]
fn a_file_that_was_thrown_away_before_it_was_locked_is_not_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.jsonl");
    old(&path);
    let opened = File::open(&path).expect("the file");
    prune(folder.path()).expect("it is tidied up");
    let held = take(opened, &path).expect("no trouble");
    assert!(matches!(held, Held::Replaced), "{held:?}");
    let other = File::create(&path).expect("a file");
    std::fs::remove_file(&path).expect("the file is ours");
    old(&path);
    let held = take(other, &path).expect("no trouble");
    assert!(matches!(held, Held::Replaced), "{held:?}");
}
