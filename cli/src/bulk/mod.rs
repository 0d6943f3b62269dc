//! Doing the same to many: a spreadsheet of servers, or several targets on one command line.

pub mod input;
mod item;
mod plan;
mod report;
mod run;

pub use input::{FileOptions, Row};
pub use item::{Done, End, Item, preview};
pub use plan::{Known, announce};
pub use report::{ReportFile, Words, conclude, refused, report};
pub use run::{run, run_telling};
