//! `secmon mock ...`: the mock service.

use crate::args::MockCommand;
use crate::error::{CliError, Exit};
use crate::outcome::Outcome;

/// Runs the command. `serve` speaks for itself until it is told to stop.
pub fn run(command: MockCommand) -> Result<Outcome, CliError> {
    match command {
        MockCommand::Serve(args) => {
            let ended = secmon_mock::run(args.flags, args.mock_config);
            let exit = if ended == std::process::ExitCode::SUCCESS {
                Exit::Done
            } else {
                Exit::Usage
            };
            Ok(Outcome {
                exit,
                ..Outcome::text("")
            })
        }
    }
}
