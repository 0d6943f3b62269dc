//! What the programs under `src/bin` have in common: the connection, the error policy, the memory of what is done, the
//! reading of CSV files, and the exit code. [`own_module`] is the sixth example; `tests/own_module.rs` tests it.

pub mod connect;
pub mod end;
pub mod journal;
pub mod own_module;
pub mod policy;
pub mod table;
