//! The rate budget on Redis, on a real server and shared by real processes.
//!
//! Time is real here, with windows of two seconds: what is counted is counted by the service's side.

mod closures;
mod connections;
mod processes;
mod redis_server;
mod service;
mod slots;

use std::time::Duration;

/// What stands for the service's minute.
const WINDOW: Duration = Duration::from_secs(2);
/// What stands for the service's limit of the strict group.
const LIMIT: u32 = 60;
