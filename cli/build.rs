//! The program keeps its pages of help as the tests write them.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    keep_help_pages()
}

/// Makes a table of the pages that tests/it/help_pages.rs writes: the line that asks for a page, and the page.
fn keep_help_pages() -> io::Result<()> {
    const PAGES: &str = "src/commands/help/pages.snap";
    println!("cargo::rerun-if-changed={PAGES}");
    let text = fs::read_to_string(PAGES)?.replace("\r\n", "\n");
    let mut pages: Vec<(&str, &str)> = text
        .split("\n$ ")
        .skip(1)
        .filter_map(|page| page.trim_end().split_once('\n'))
        .collect();
    pages.sort_unstable();
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(
        Path::new(&folder).join("help_pages.rs"),
        format!("{pages:?}"),
    )
}
