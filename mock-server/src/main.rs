//! The mock server as a program.

fn main() {}
