//! What this computer has: files and folders, the environment, programs that are started, signals. Knows nothing of the
//! service.

pub mod browser;
pub mod children;
pub mod encoding;
pub mod env_vars;
pub mod files;
pub mod interrupt;
pub mod paths;
pub mod standard_output;
pub mod terminal;
