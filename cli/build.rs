//! What a release for Linux on x86-64 is linked with, by the compiler's own linker: a start and a read then touch fewer
//! pages of the program, which is most of what they cost (docs/figures-cli.md).

fn main() {
    println!("cargo::rerun-if-changed=link-order.ld");
    if is_known_linker() {
        let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        // What runs often stands side by side.
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{folder}/link-order.ld");
        // At a fixed place no address has to be fitted at every start. Stack, heap and libraries stay at random ones.
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

fn is_known_linker() -> bool {
    let is = |name, wanted: &str| std::env::var(name).unwrap_or_default() == wanted;
    is("TARGET", "x86_64-unknown-linux-gnu")
        && is("PROFILE", "release")
        && is("RUSTC_LINKER", "")
        && is("CARGO_ENCODED_RUSTFLAGS", "")
}
