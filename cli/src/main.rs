//! The `secmon` command: provisioning, Allowed Ports rules and alert work for support staff and scripts.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bulk;
mod cli;
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

use clap::CommandFactory;

fn main() -> std::process::ExitCode {
    commands::completion::answer(cli::Cli::command);
    program::run().into()
}
