//! Waiting for what the service does in its own time: scans that end, alerts that come and go.
//!
//! The service tells of nothing by itself, so these look again and again, in batch priority. Each can be driven in two
//! ways: by `next`, which sleeps between looks, or by `poll` and `next_delay`, for a program that sleeps in its own way.

mod alerts;
mod scans;

use std::time::Duration;

pub use alerts::{AlertEvent, AlertWatch, CustomerAlert};
pub use scans::{ScanEnd, ScanWait};

use crate::client::Client;
use crate::pacing::Priority;

/// The client of something that has time.
fn in_the_background(client: &Client) -> Client {
    client.with(|calls| calls.priority(Priority::Batch))
}

/// Pauses of 1, 2, 4 ... 30 seconds.
#[derive(Debug)]
struct Pauses(Duration);

impl Pauses {
    const LONGEST: Duration = Duration::from_secs(30);

    fn new() -> Self {
        Self(Duration::from_secs(1))
    }

    fn next(&mut self) -> Duration {
        let longer = (self.0 * 2).min(Self::LONGEST);
        std::mem::replace(&mut self.0, longer)
    }
}
