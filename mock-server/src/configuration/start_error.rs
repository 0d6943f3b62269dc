//! Why a server could not start.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a mock server could not start: each variant displays as one sentence with the way out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address is taken, or is not one of this computer.
    #[error(
        "cannot listen on {address}: {source}; choose another address, or port 0 for a free one"
    )]
    Listen {
        /// The address as it was asked for.
        address: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// An address that is not loopback was asked for without an admin key.
    #[error(
        "the admin API would be open to everybody on {address}: give an admin key \
         (--admin-key or SECMON_MOCK_ADMIN_KEY), or listen on 127.0.0.1"
    )]
    AdminKeyRequired {
        /// The address that is reachable from outside.
        address: SocketAddr,
    },
    /// The configuration cannot be read or has a mistake in it.
    #[error("cannot use the configuration {}: {reason}", path.display())]
    Config {
        /// The configuration file.
        path: PathBuf,
        /// The mistake, with its line where one is known.
        reason: String,
    },
    /// A value given to the builder or in a flag does not hold together with the others.
    #[error("{0}")]
    Settings(String),
    /// Another process has the state file open.
    #[error(
        "the state file {} is held by another process; stop that server, or name another file",
        path.display()
    )]
    StateLocked {
        /// The state file.
        path: PathBuf,
    },
    /// The state file is broken, of a newer format, or no state file at all. It was left untouched.
    #[error("cannot use the state file {}: {reason}; it was left as it is", path.display())]
    State {
        /// The state file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder that keeps the authority of https cannot be used. What is in it was left untouched.
    #[error(
        "cannot use the folder {} of --tls-dir: {reason}; name another folder, or empty this one to have a new authority",
        path.display()
    )]
    Authority {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The port file could not be written.
    #[error("cannot write the port file {}: {source}; name a file in a folder that exists", path.display())]
    PortFile {
        /// The port file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The operating system refused a thread or a runtime.
    #[error("cannot start the server's runtime: {0}; free some of this computer's resources")]
    Runtime(io::Error),
}
