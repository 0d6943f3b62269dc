//! `secmon auth ...`: the key of a profile.

mod login;
pub mod logout;
pub mod status;

use self::login::LoginArgs;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use clap::Subcommand;

/// The API key of a profile. It is never given as an option: it is typed, read from standard input, or fetched by a command.
#[derive(Debug, Subcommand)]
pub enum AuthCommand {
    /// Save the address and the API key of your portal as a profile
    Login(LoginArgs),
    /// Show which address and key are in use, and whether the service accepts the key
    Status,
    /// Delete the key of a profile; its other settings stay
    Logout,
}

/// Runs the command.
pub async fn run(context: &Context, command: AuthCommand) -> Result<Outcome, CliError> {
    match command {
        AuthCommand::Login(args) => login::run(context, args).await,
        AuthCommand::Status => status::run(&context.session).await,
        AuthCommand::Logout => logout::run(&context.session),
    }
}
