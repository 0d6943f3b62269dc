//! Allowed Ports rules: what calls do with them, and what they see of them.

pub(crate) mod manage;
pub(crate) mod view;
