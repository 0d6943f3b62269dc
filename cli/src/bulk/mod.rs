//! Doing the same to many: a spreadsheet of servers, or several targets on one command line.

pub mod args;
mod cells;
mod columns;
mod driver;
pub mod input;
mod item;
mod named;
mod operation;
mod report;
pub mod send;
pub mod spreadsheet;

pub use driver::run_bulk;
pub use input::{FileOptions, Row};
pub use item::{Applied, Created, Item, Label, RowOutcome, capitalized, preview};
pub use named::{NamedServer, read as named_in};
pub use operation::{BulkOperation, PlannedRow, Question, Step};
pub use report::{
    REPORT, ReportFile, VerbLabels, conclude, conclude_one, owners, report, report_named, stays,
};
