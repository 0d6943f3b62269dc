//! `secmon mock ...`: serving the mock, and steering one that is served.

mod admin;
mod clock;
mod fault;
mod requests;
pub mod serve;
pub mod state;
mod trigger;

use self::admin::AdminArgs;
use self::clock::ClockCommand;
use self::fault::FaultCommand;
use self::requests::RequestsArgs;
use self::serve::MockServeArgs;
use self::state::StateCommand;
use self::trigger::TriggerCommand;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use clap::Subcommand;

/// The mock service: serve it, or steer one that is served.
#[derive(Debug, Subcommand)]
pub enum MockCommand {
    /// Serve the mock until it is told to stop
    Serve(Box<MockServeArgs>),
    /// What is done to one that is served.
    #[command(flatten)]
    Steering(MockSteering),
}

/// Steering a mock that is served.
#[derive(Debug, Subcommand)]
pub enum MockSteering {
    /// Show the mock's time, or move it forward
    Clock {
        /// Which mock
        #[command(flatten)]
        admin: AdminArgs,
        /// What to do with it
        #[command(subcommand)]
        command: ClockCommand,
    },
    /// Make future calls fail or slow down
    Fault {
        /// Which mock
        #[command(flatten)]
        admin: AdminArgs,
        /// What to do with it
        #[command(subcommand)]
        command: FaultCommand,
    },
    /// Show the calls that came in
    Requests {
        /// Which mock
        #[command(flatten)]
        admin: AdminArgs,
        /// Which calls
        #[command(flatten)]
        args: RequestsArgs,
    },
    /// Make something happen in the simulated world, and scan for it
    Trigger {
        /// Which mock
        #[command(flatten)]
        admin: AdminArgs,
        /// What happens
        #[command(subcommand)]
        command: TriggerCommand,
    },
    /// Reset everything to the start: records, faults, journal, clock
    Reset {
        /// Which mock
        #[command(flatten)]
        admin: AdminArgs,
    },
    /// Export or import the whole state
    State {
        /// Which mock
        #[command(flatten)]
        admin: AdminArgs,
        /// What to do with it
        #[command(subcommand)]
        command: StateCommand,
    },
}

/// Runs the command.
pub async fn run(context: &Context, command: MockSteering) -> Result<Outcome, CliError> {
    match command {
        MockSteering::Clock { admin, command } => clock::run(context, &admin, command).await,
        MockSteering::Fault { admin, command } => fault::run(context, &admin, command).await,
        MockSteering::Requests { admin, args } => requests::run(context, &admin, &args).await,
        MockSteering::Trigger { admin, command } => trigger::run(context, &admin, command).await,
        MockSteering::Reset { admin } => state::reset(context, &admin).await,
        MockSteering::State { admin, command } => state::run(context, &admin, command).await,
    }
}
