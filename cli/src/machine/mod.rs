//! What this machine has: files and folders, programs that are started, signals, the environment. Knows nothing of the service.

pub mod browser;
pub mod children;
pub mod encoding;
pub mod env_vars;
pub mod files;
pub mod interrupt;
pub mod paths;
pub mod standard_output;
