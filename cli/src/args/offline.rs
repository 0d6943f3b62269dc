use clap::Args;
use std::path::PathBuf;

/// A completion script.
#[derive(Debug, Args)]
pub struct CompletionArgs {
    /// The shell to complete for
    pub shell: clap_complete::Shell,
}

/// Manual pages.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder to write the pages of all commands into
    #[arg(long, value_name = "FOLDER")]
    pub dir: Option<PathBuf>,
}

/// A page of help.
#[derive(Debug, Args)]
pub struct HelpArgs {
    /// A command (several words), or a topic
    #[arg(value_name = "COMMAND|TOPIC")]
    pub words: Vec<String>,
}
