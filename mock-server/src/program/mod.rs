//! The program `secmon-mock`: its command line, and what each verb does.

mod certify;
mod child;
pub mod command_line;
mod exec;
mod ready;
pub(crate) mod run;
pub(crate) mod serve;
