//! `secmon mock ...`

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The mock service.
#[derive(Debug, Subcommand)]
pub enum MockCommand {
    /// Serve the mock until it is told to stop
    Serve(Box<MockServeArgs>),
}

/// The options of `secmon-mock`; its `--config` is `--mock-config` here.
#[derive(Debug, Args)]
pub struct MockServeArgs {
    /// What `secmon-mock` takes.
    #[command(flatten)]
    pub flags: secmon_mock::flags::ServeFlags,
    /// Configuration of the mock: accounts, keys, limits, timings, DNS (TOML)
    #[arg(long, value_name = "FILE")]
    pub mock_config: Option<PathBuf>,
}
