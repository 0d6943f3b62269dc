//! What this machine remembers: the records that answers have shown, and the changes that were made from here.

pub mod history;
pub mod index;
pub mod leaks;
pub mod owner;
pub mod touched;
pub mod way_back;

pub use index::Notebook;
