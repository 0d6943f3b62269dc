//! The command line of `secmon-mock`: serving, and the verbs beside it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::flags::{Given, ServeFlags};
use crate::http::routes;

/// Stateful mock of the partner security-monitoring API
#[derive(Debug, Parser)]
#[command(name = "secmon-mock", version, args_conflicts_with_subcommands = true)]
struct CommandLine {
    #[command(flatten)]
    serve: ServeCommand,

    #[command(subcommand)]
    verb: Option<Verb>,
}

/// How to serve.
#[derive(Debug, clap::Args)]
struct ServeCommand {
    /// TOML file: accounts, keys, products, limits, timings, names
    #[arg(long, value_name = "FILE", env = "SECMON_MOCK_CONFIG")]
    config: Option<Given<PathBuf>>,

    #[command(flatten)]
    flags: ServeFlags,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serves until SIGTERM or SIGINT (the default)
    Serve(Box<ServeCommand>),
    /// Prints the operations that are served: method, path
    Routes,
}

/// Runs the program with the arguments of this process.
pub fn main() -> ExitCode {
    let CommandLine { serve, verb } = CommandLine::parse();
    match verb {
        None => run(serve),
        Some(Verb::Serve(serve)) => run(*serve),
        Some(Verb::Routes) => {
            for route in routes::all() {
                println!("{} {}", route.method, route.path);
            }
            ExitCode::SUCCESS
        }
    }
}

fn run(command: ServeCommand) -> ExitCode {
    crate::run(command.flags, command.config.and_then(Given::value))
}
