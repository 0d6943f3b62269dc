//! The run that this process is.

use crate::state::changes::{BatchId, Scope};
use secmon::model::CustomerId;
use std::cell::{Cell, RefCell};

/// What a command is, before its first change.
#[derive(Debug, Clone)]
pub struct RunKind {
    /// What it does, as `suspend_endpoint`.
    pub verb: &'static str,
    /// What it is about.
    pub scope: Scope,
    /// Whose all is.
    pub customer: Option<CustomerId>,
}

/// The run of this process.
#[derive(Debug, Default)]
pub struct CurrentRun {
    pub(super) kind: RefCell<Option<RunKind>>,
    pub(super) batch: Cell<Option<BatchId>>,
    pub(super) is_partial: Cell<bool>,
    pub(super) was_warned: Cell<bool>,
}
