//! `secmon auth ...` and `secmon profile ...`

use clap::{Args, Subcommand};

/// The API key of a profile. The key is never an option: it is asked for, read, or fetched by a command.
#[derive(Debug, Subcommand)]
pub enum AuthCommand {
    /// Keep the address and the key of your portal as a profile
    Login(LoginArgs),
    /// Say which address and key are in use, and whether the service accepts the key
    Status,
    /// Forget the key of a profile; its other settings stay
    Logout,
}

/// Where the key comes from.
#[derive(Debug, Args)]
pub struct LoginArgs {
    /// Read the key from standard input instead of asking for it
    #[arg(long, conflicts_with = "key_command")]
    pub key_stdin: bool,
    /// Keep no key: run this command for it each time, as "pass show secmon"
    #[arg(long, value_name = "CMD")]
    pub key_command: Option<String>,
}

/// Named pairs of address and key.
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// List the profiles
    List,
    /// Use this profile when none is named
    Use {
        /// Name of the profile
        name: String,
    },
    /// Show the settings of a profile; the key only by its last characters
    Show {
        /// Name of the profile; without it, the one in use
        name: Option<String>,
    },
    /// Make a profile; `secmon auth login --profile NAME` gives it a key
    Create(ProfileCreateArgs),
    /// Delete a profile and its key
    Delete {
        /// Name of the profile
        name: String,
    },
}

/// A new profile; its address is --base-url, its customer -c.
#[derive(Debug, Args)]
pub struct ProfileCreateArgs {
    /// Name of the profile
    pub name: String,
    /// Refuse every change
    #[arg(long)]
    pub read_only: bool,
    /// Ask for the name or count to be typed before every change that is asked about
    #[arg(long)]
    pub protected: bool,
}
