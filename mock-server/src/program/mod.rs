//! The program `secmon-mock`: its command line, and what each verb does.

pub(crate) mod certify;
pub(crate) mod child;
pub mod command_line;
pub(crate) mod exec;
pub(crate) mod ready;
pub(crate) mod run;
pub(crate) mod serve;
