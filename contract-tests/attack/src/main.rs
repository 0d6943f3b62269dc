//! `secmon-attack`: attacks a `secmon-mock` over the network, over its admin API and over its state file. It tells what it
//! tried row by row, and ends with 1 at the first thing that is lost, hangs or exceeds a bound.

mod burners;
mod chance;
mod client;
mod clock;
mod imports;
mod journal;
mod mock;
mod seats;
mod shapes;
mod soak;
mod state;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Parser, Subcommand};

use mock::Program;
use table::{Outcome, Table};

/// Attacks a secmon-mock from outside, and says what it lost.
#[derive(Parser)]
struct Arguments {
    /// The program to attack [default: secmon-mock beside this one]
    #[arg(long, value_name = "PATH", global = true)]
    mock: Option<PathBuf>,

    /// Where chance begins [default: the clock]
    #[arg(long, value_name = "N", global = true)]
    seed: Option<u64>,

    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Each of the others
    All,
    /// Requests that no client library would send
    Shapes(shapes::Shapes),
    /// Connections that take a seat and give nothing
    Seats(seats::Seats),
    /// Requests of up to a mebibyte that could cost much more than they look like
    Burners(burners::Burners),
    /// Calls that fill the journal of an account
    Journal(journal::Journal),
    /// Servers killed while they write
    Kills(state::Kills),
    /// A disk that fills up
    FullDisk(state::FullDisk),
    /// Clocks that jump, stand, or were set back
    Clock(clock::Clock),
    /// Documents with something wrong in them
    Imports(imports::Imports),
    /// Partners at random, for as long as wanted
    Soak(soak::Soak),
}

/// What every part attacks with.
struct Field {
    program: Program,
    seed: u64,
}

const PARTS: &[&str] = &[
    "shapes",
    "seats",
    "burners",
    "journal",
    "kills",
    "full-disk",
    "clock",
    "imports",
    "soak",
];

impl Part {
    fn attack(&self, field: &Field) -> Outcome {
        match self {
            Self::All => PARTS.iter().try_for_each(|name| {
                let arguments = Arguments::parse_from(["secmon-attack", name]);
                arguments.part.attack(field)
            }),
            Self::Shapes(part) => part.attack(field),
            Self::Seats(part) => part.attack(field),
            Self::Burners(part) => part.attack(field),
            Self::Journal(part) => part.attack(field),
            Self::Kills(part) => part.attack(field),
            Self::FullDisk(part) => part.attack(field),
            Self::Clock(part) => part.attack(field),
            Self::Imports(part) => part.attack(field),
            Self::Soak(part) => part.attack(field),
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let by_clock = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs()
    };
    let seed = arguments.seed.unwrap_or_else(by_clock);
    let attacked = Program::find(arguments.mock).and_then(|program| {
        println!("seed {seed}");
        Table::heading();
        arguments.part.attack(&Field { program, seed })
    });
    match attacked {
        Ok(()) => ExitCode::SUCCESS,
        Err(lost) => {
            eprintln!("error: {lost}");
            ExitCode::FAILURE
        }
    }
}
