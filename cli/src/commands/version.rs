//! `secmon version`.

use crate::ui::outcome::Outcome;
use clap::Args;

/// What is said of the program.
#[derive(Debug, Args)]
pub struct VersionArgs {
    /// Print the licences of this program and of the crates that it is made of
    #[arg(long)]
    licenses: bool,
}

/// Either of the first two is the licence of this program.
const LICENCES: [&str; 3] = [
    include_str!("../../LICENSE-MIT"),
    include_str!("../../LICENSE-APACHE"),
    include_str!("../../NOTICES.txt"),
];

/// Prints the version, or the licences.
pub fn run(args: &VersionArgs) -> Outcome {
    if args.licenses {
        return Outcome::text(LICENCES.join("\n"));
    }
    let version = env!("CARGO_PKG_VERSION");
    let mut outcome = Outcome::text(format!("secmon {version}\n"));
    outcome.result = serde_json::json!({ "version": version });
    outcome
}
