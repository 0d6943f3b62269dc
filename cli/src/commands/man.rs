//! `secmon man`: manual pages, made from the same types as the help.

use crate::error::CliError;
use crate::machine::files;
use crate::ui::outcome::Outcome;
use clap::Args;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Manual pages.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder to write the pages of all commands into
    #[arg(long, value_name = "FOLDER")]
    pub dir: Option<PathBuf>,
}

/// Prints the main page, or writes every page into a folder.
pub fn run(folder: Option<&Path>, parser: clap::Command) -> Result<Outcome, CliError> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        let rendered = clap_mangen::Man::new(parser).render(&mut page);
        rendered.map_err(|error| CliError::io("making the manual page", &error))?;
        return Ok(Outcome::text(String::from_utf8_lossy(&page)));
    };
    let failed =
        |error: std::io::Error| CliError::usage(format!("--dir {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    // Made elsewhere first: what is in the folder already may be a link.
    let made = tempfile::tempdir().map_err(failed)?;
    clap_mangen::generate_to(parser, made.path()).map_err(failed)?;
    let mut count = 0;
    for page in std::fs::read_dir(made.path()).map_err(failed)? {
        let page = page.map_err(failed)?;
        let content = std::fs::read(page.path()).map_err(failed)?;
        let path = folder.join(page.file_name());
        let mut file = files::create("--dir", &path, &mut File::options())?;
        file.write_all(&content).map_err(failed)?;
        count += 1;
    }
    Ok(Outcome::text(format!(
        "{count} pages are in {}\n",
        folder.display()
    )))
}
