//! `secmon auth ...`, `secmon profile ...` and `secmon config ...`

use clap::{Args, Subcommand, ValueEnum};

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
    /// Refuse every change with this profile on this machine; the key itself could make them elsewhere
    #[arg(long)]
    pub read_only: bool,
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
    /// Give a profile another name; its key goes along
    Rename {
        /// Name of the profile
        name: String,
        /// The new name
        new: String,
    },
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

const CONFIG_HELP: &str = "\
KEY is default_profile, or a setting of the profile in use (--profile names another): base_url, key_file, key_command,
customer, namespace, rate_limits, allow_http, output, read_only, protected. profiles.NAME.SETTING names both.

Examples:
  secmon config set customer 42
  secmon config set profiles.acme.read_only true
  secmon config unset customer --profile acme
  cat \"$(secmon config path config)\"";

/// The configuration file. Keys are no settings: they are in files of their own.
#[derive(Debug, Subcommand)]
#[command(after_help = CONFIG_HELP)]
pub enum ConfigCommand {
    /// Print a setting
    #[command(after_help = CONFIG_HELP)]
    Get {
        /// The setting
        key: String,
    },
    /// Change a setting; comments of the file stay
    #[command(after_help = CONFIG_HELP)]
    Set {
        /// The setting
        key: String,
        /// Its value; several hosts of allow_http with commas
        value: String,
    },
    /// Take a setting out of the file
    #[command(after_help = CONFIG_HELP)]
    Unset {
        /// The setting
        key: String,
    },
    /// List what the file says
    List,
    /// Print where things are kept
    Path {
        /// Print only this one
        of: Option<PathOf>,
    },
    /// Change the file in an editor ($VISUAL, $EDITOR); one with a mistake in it is not taken
    Edit,
}

/// What is kept where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PathOf {
    /// The configuration file.
    Config,
    /// The folder of the keys.
    Keys,
    /// The file that says what was changed from this machine.
    History,
    /// The folder of what programs of this user share and remember.
    State,
    /// The folder of what can be read again.
    Cache,
    /// The folder of the embedded mock's state.
    Local,
}
