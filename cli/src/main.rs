//! The `secmon` command: provisioning, Allowed Ports rules and alert work for support staff and scripts.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod bulk;
mod commands;
mod context;
mod error;
mod machine;
mod notebook;
mod program;
mod references;
mod session;
mod suggest;
mod ui;
mod values;

fn main() -> std::process::ExitCode {
    commands::completion::answer();
    program::run().into()
}
