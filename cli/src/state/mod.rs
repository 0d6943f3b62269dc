//! What this computer remembers: two small databases in the state folder. No other code writes local state, but for the
//! configuration and the credentials.

pub mod clock;
pub mod database;
pub mod rate;
