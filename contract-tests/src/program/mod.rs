//! The suite as a program: `secmon-contract`.

mod access;
mod arguments;
mod choice;
mod clean;
mod page;
mod plain;
mod reach;
mod recording;
mod report;
mod run;
mod shown;
mod spec_refs;
mod specification;
mod stop;
mod told;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Verb};

pub use choice::Level;
pub use spec_refs::{Cited, SpecRef};
pub use specification::QUOTES;

/// Runs the program.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.verb {
        None => run::run(&arguments.run),
        Some(Verb::Clean(at)) => clean::clean(&at),
        Some(Verb::Compare { file }) => recording::compare(&file),
    };
    done.unwrap_or_else(|stop| {
        eprintln!("secmon-contract: {}", stop.sentence);
        ExitCode::from(stop.code)
    })
}
