//! The `secmon` command: provisioning, Allowed Ports rules and alert work for support staff and scripts.
//!
//! A program, not a library: what is public here is for its `main` and for the fuzz targets.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bulk;
mod cli;
mod commands;
mod context;
mod error;
#[doc(hidden)]
pub mod internals;
mod machine;
mod notebook;
mod program;
#[doc(hidden)]
pub mod readers;
mod references;
mod session;
mod state;
mod suggest;
mod ui;
mod values;

use clap::CommandFactory;

/// Answers the shell's completion, or runs the command line of this process.
pub fn main() -> std::process::ExitCode {
    commands::completion::answer(cli::Cli::command);
    program::run().into()
}
