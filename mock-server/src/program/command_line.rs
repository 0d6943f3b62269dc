//! The command line of `secmon-mock`: serving, and the verbs beside it.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use serde::de::IgnoredAny;

use crate::account::document;
use crate::configuration::config;
use crate::configuration::flags::{Given, ServeFlags};
use crate::configuration::settings::Settings;
use crate::mock::Mock;
use crate::operations::catalogue;
use crate::operations::documents;
use crate::program::certify::Playbooks;
use crate::program::exec::Demands;
use crate::program::ready::{Origin, Span};
use crate::program::{certify, child, exec, ready};
use crate::store::commit;

/// What `licenses` prints: either of the first two is the licence of this program.
const LICENCES: [&str; 3] = [
    include_str!("../../LICENSE-MIT"),
    include_str!("../../LICENSE-APACHE"),
    include_str!("../../NOTICES.txt"),
];

/// The exit code of a verb that was refused.
const REFUSED: u8 = 2;

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

/// How a description is written.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    Yaml,
    Json,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serves until SIGTERM or SIGINT (the default)
    Serve(Box<ServeCommand>),
    /// Starts a server on a free port, runs a command with its address and key in the
    /// environment, and exits with the command's code
    Exec(Box<ExecCommand>),
    /// Plays playbooks with a command, each with an account of its own, and prints the verdicts; exit 1 unless all passed
    Certify(Box<CertifyCommand>),
    /// Waits until a server is ready
    Ready {
        /// The server's origin
        #[arg(long, value_name = "URL")]
        url: Origin,
        /// How long to wait
        #[arg(long, value_name = "SPAN", default_value = "30s")]
        timeout: Span,
    },
    /// Prints the partner API's description, OpenAPI 3.1, as YAML; as JSON with --format json
    Openapi {
        /// As it is written, or as it is served
        #[arg(long, value_enum, default_value_t = Format::Yaml)]
        format: Format,
    },
    /// Prints the default configuration, commented
    Config,
    /// Prints the operations that are served: method, path, name
    Routes,
    /// Prints the licences of this program and of the crates that it is made of
    Licenses,
    /// Prints a state file as JSON
    Export {
        /// The state file
        #[arg(long, value_name = "FILE")]
        state: PathBuf,
    },
    /// Puts JSON from standard input, as `export` prints it, into a new state file
    Import {
        /// The state file to be made
        #[arg(long, value_name = "FILE")]
        state: PathBuf,
    },
}

#[derive(Debug, clap::Args)]
struct ExecCommand {
    #[command(flatten)]
    serve: ServeCommand,

    #[command(flatten)]
    demands: Demands,

    /// The command and its arguments, behind --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
struct CertifyCommand {
    #[command(flatten)]
    serve: ServeCommand,

    #[command(flatten)]
    playbooks: Playbooks,

    /// The command and its arguments, behind --: it reads its goal, as JSON, from SECMON_PLAYBOOK
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Runs the program with the arguments of this process.
pub fn main() -> ExitCode {
    let CommandLine { serve, verb } = match parsed() {
        Ok(command_line) => command_line,
        Err(code) => return code,
    };
    match verb {
        None => run(serve),
        Some(Verb::Serve(serve)) => run(*serve),
        Some(Verb::Exec(command)) => {
            let ExecCommand {
                serve,
                demands,
                command,
            } = *command;
            beside(serve, |settings| exec::exec(settings, &command, demands))
        }
        Some(Verb::Certify(command)) => {
            let CertifyCommand {
                serve,
                playbooks,
                command,
            } = *command;
            beside(serve, |settings| {
                certify::certify(settings, &command, &playbooks)
            })
        }
        Some(Verb::Ready { url, timeout }) => ready::wait(&url, timeout.0),
        Some(Verb::Openapi { format }) => ended(print(match format {
            Format::Yaml => documents::YAML,
            Format::Json => documents::JSON,
        })),
        Some(Verb::Routes) => {
            let lines = catalogue::all().into_iter();
            let lines = lines.map(|one| format!("{} {} {}\n", one.method, one.path, one.name));
            ended(print(&lines.collect::<String>()))
        }
        Some(Verb::Config) => ended(print(config::DEFAULT)),
        Some(Verb::Licenses) => ended(print(&LICENCES.join("\n"))),
        Some(Verb::Export { state }) => ended(export(&state)),
        Some(Verb::Import { state }) => ended(import(state)),
    }
}

/// The arguments of this process, or how it ends without them.
fn parsed() -> Result<CommandLine, ExitCode> {
    let listen = "Address and port to listen on [default: a free port of 127.0.0.1]";
    let on_a_free_port =
        |verb: clap::Command| verb.mut_arg("listen", |argument| argument.help(listen));
    let command = CommandLine::command()
        .mut_subcommand("exec", on_a_free_port)
        .mut_subcommand("certify", on_a_free_port);
    let read = command.try_get_matches();
    let read = read.and_then(|matches| CommandLine::from_arg_matches(&matches));
    read.map_err(|error| {
        // Where nobody reads it, nothing is left to say.
        let _ = error.print();
        let is_exec = std::env::args_os()
            .nth(1)
            .is_some_and(|verb| verb == "exec" || verb == "certify");
        match error.exit_code() {
            0 => ExitCode::SUCCESS,
            _ if is_exec => ExitCode::from(child::CANNOT_START),
            _ => ExitCode::from(REFUSED),
        }
    })
}

fn run(command: ServeCommand) -> ExitCode {
    let served = crate::program::run::run(command.flags, command.config.and_then(Given::value));
    ended(served.map_err(|error| error.to_string()))
}

/// Runs something beside a server on a free port.
fn beside(serve: ServeCommand, run: impl FnOnce(Settings) -> ExitCode) -> ExitCode {
    let ServeCommand { config, flags } = serve;
    let settings = Settings::on_a_free_port().overridden(flags, config.and_then(Given::value));
    match settings {
        Ok(settings) => run(settings),
        Err(error) => exec::refused(child::CANNOT_START, &error.to_string()),
    }
}

/// A reader that has seen enough is no error.
fn print(text: &str) -> Result<(), String> {
    let mut screen = io::stdout().lock();
    let written = screen
        .write_all(text.as_bytes())
        .and_then(|()| screen.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("standard output cannot be written: {error}"))
        }
        _ => Ok(()),
    }
}

fn ended(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::from(REFUSED)
        }
    }
}

fn export(state: &Path) -> Result<(), String> {
    if !state.exists() {
        return Err(format!(
            "there is no state file {}; name one that exists",
            state.display()
        ));
    }
    print(&format!("{}\n", document::of_file(state)?))
}

fn import(state: PathBuf) -> Result<(), String> {
    if state.exists() {
        return Err(format!(
            "there is a file {} already; name a new one",
            state.display()
        ));
    }
    let mut text = String::new();
    let read = io::stdin().read_to_string(&mut text);
    read.map_err(|error| format!("cannot read standard input: {error}; pipe a document in"))?;
    let _: IgnoredAny = serde_json::from_str(&text)
        .map_err(|error| format!("standard input is not JSON: {error}; pipe a document in"))?;
    // The document is judged in memory first: a wrong one leaves no file behind.
    let mut in_memory = Settings::on_a_free_port();
    // Which accounts a configuration has, and what it sells, is known when a server starts.
    in_memory.config.tenants = Some(Vec::new());
    imported(in_memory.clone(), &text)?;
    imported(
        Settings {
            state: Some(state),
            ..in_memory
        },
        &text,
    )
}

fn imported(settings: Settings, document: &str) -> Result<(), String> {
    let mock = Mock::open(settings).map_err(|error| error.to_string())?;
    let commit = mock
        .accounts
        .import(document)
        .map_err(|error| error.to_string())?;
    commit::wait(commit).map_err(|error| error.to_string())
}
