//! How a watch goes about: behind everybody else, and with pauses.

use std::time::Duration;

use crate::client::Client;
use crate::request_options::Priority;

/// The client of something that has time.
pub(super) fn in_the_background(client: &Client) -> Client {
    client.with(|calls| calls.priority(Priority::Batch))
}

/// Pauses of 1, 2, 4 ... 30 seconds.
#[derive(Debug)]
pub(super) struct Pauses(Duration);

impl Pauses {
    const LONGEST: Duration = Duration::from_secs(30);

    pub(super) fn new() -> Self {
        Self(Duration::from_secs(1))
    }

    pub(super) fn next(&mut self) -> Duration {
        let longer = (self.0 * 2).min(Self::LONGEST);
        std::mem::replace(&mut self.0, longer)
    }
}
