//! The `secmon` command.

fn main() {}
