//! The `secmon` command: provisioning, Allowed Ports rules and alert work for support staff and scripts.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod admin;
mod alerts;
mod args;
mod browser;
mod bulk;
mod call_log;
mod children;
mod commands;
mod completion;
mod connection;
mod context;
mod credentials;
mod days;
mod durations;
mod env_vars;
mod error;
mod files;
mod guard;
mod history;
mod index;
mod interrupt;
mod invocation;
mod jq;
mod local;
mod meant;
mod outcome;
mod pace;
mod paths;
mod portal;
mod ports;
mod profile;
mod program;
mod references;
mod service;
mod settings;
mod targets;
mod touched;
mod ui;

fn main() -> std::process::ExitCode {
    completion::answer();
    program::run().into()
}
