//! Doing the same to many: a spreadsheet of servers, or several targets on one command line.

pub mod args;
mod cells;
mod columns;
mod driver;
pub mod input;
mod item;
pub mod journal;
mod named;
mod plan;
mod report;
mod run;
pub mod spreadsheet;

pub use driver::{
    ChangeOfMany, came_back, change_all, change_in_journal, change_in_stages, change_telling,
    refuse_ended, refuse_restored, trace,
};
pub use input::{FileOptions, Row};
pub use item::{Created, Done, End, Item, Label, Prior, preview};
pub use journal::{Journal, Key, Origin, SOON_STALE};
pub use named::{NamedServer, read as named_in};
pub use plan::{MonitoredServers, announce};
pub use report::{REPORT, ReportFile, Words, conclude, conclude_one, report};
pub use run::run;
