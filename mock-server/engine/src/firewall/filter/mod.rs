//! A packet filter, whatever tool wrote it down: base chains, chains, and
//! rules of a condition and a verdict.
//!
//! Front ends translate a dump into a [`Filter`]; [`evaluate`] tells what its
//! chains let in.

mod condition;
mod evaluation;
mod flow;
mod model;
mod packet_state;
mod partition;
mod report;
mod walk;
mod ways;

pub(super) use condition::{Condition, Families, Family, Holds, Match, Ports, Protocols, Reason};
pub(super) use evaluation::Refused;
pub use model::SkippedLine;
pub(super) use model::{
    Base, ChainNo, Filter, Hook, MOST_NAMED, MOST_RULES, Policy, Rule, Verdict,
};
pub(super) use packet_state::Alteration;
pub(super) use report::{Reading, evaluate};
