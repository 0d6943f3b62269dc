//! Waiting for what the service does in its own time: scans that end, alerts that come and go.
//!
//! The service tells of nothing by itself, so these look again and again, in batch priority. Each can be driven in two
//! ways: by `next`, which sleeps between looks, or by `poll` and `next_delay`, for a program that sleeps in its own way.

mod alerts;
mod background;
mod scans;

pub use alerts::{AlertEvent, AlertWatch, CustomerAlert};
pub use scans::{ScanEnd, ScanWait};
