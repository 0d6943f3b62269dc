//! `secmon mock serve`.

use crate::error::{CliError, LocalErrorKind};
use crate::ui::outcome::Outcome;
use clap::Args;
use secmon_mock::flags::Given;
use std::path::PathBuf;

/// The options of `secmon-mock`; its `--config` is `--mock-config` here.
#[derive(Debug, Args)]
pub struct MockServeArgs {
    /// What `secmon-mock` takes.
    #[command(flatten)]
    pub flags: secmon_mock::flags::ServeFlags,
    /// Configuration of the mock: accounts, keys, limits, timings, DNS (TOML)
    #[arg(long, value_name = "FILE", env = "SECMON_MOCK_CONFIG")]
    pub mock_config: Option<Given<PathBuf>>,
}

/// Serves the mock, which speaks for itself until it is told to stop. It has a runtime of its own, and so a thread.
pub fn run(args: MockServeArgs) -> Result<Outcome, CliError> {
    let config = args.mock_config.and_then(Given::value);
    let served = std::thread::spawn(move || secmon_mock::run(args.flags, config)).join();
    match served {
        Ok(Ok(())) => Ok(Outcome::text("")),
        Ok(Err(error)) => Err(CliError::usage(error.to_string())),
        Err(_) => Err(CliError::new(
            LocalErrorKind::MockFailed,
            "the mock ended unexpectedly: start it again",
        )),
    }
}
