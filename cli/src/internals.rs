//! What tests look at without starting the program. They stand in `tests/`, so that this crate is compiled once for all
//! of them.

pub use crate::state::clock::{Clock, ClockReading};
pub use crate::state::database;
pub use crate::state::rate::{Budget, RateDb, SlotRequest, SlotTerms, Throttle};
pub use crate::ui::jq::Filter;
pub use crate::values::days::read as day;
