//! The calls of the admin API, by what they are about.

pub(super) mod clock;
pub(super) mod events;
pub(super) mod faults;
pub(super) mod journal;
pub(super) mod page;
pub(super) mod playbooks;
pub(super) mod records;
pub(super) mod tenants;

use super::{AdminCall, Answered, Responding, beside, input, refusal};
