//! What the program keeps and how it is linked, so that a start costs little (docs/figures-cli.md).

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    link_side_by_side();
    keep_help_pages()
}

/// A release for Linux on x86-64, by the compiler's own linker: a start and a read then touch fewer pages of the program.
fn link_side_by_side() {
    println!("cargo::rerun-if-changed=link-order.ld");
    if is_known_linker() {
        let folder = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        // What runs often stands side by side.
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{folder}/link-order.ld");
        // At a fixed place no address has to be fitted at every start. Stack, heap and libraries stay at random ones.
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

fn is_known_linker() -> bool {
    let is = |name, wanted: &str| env::var(name).unwrap_or_default() == wanted;
    is("TARGET", "x86_64-unknown-linux-gnu")
        && is("PROFILE", "release")
        && is("RUSTC_LINKER", "")
        && is("CARGO_ENCODED_RUSTFLAGS", "")
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
