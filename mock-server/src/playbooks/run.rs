//! A playbook that somebody is working on.

use std::sync::{Arc, Mutex};

use super::book::Playbook;
use super::watch::Watch;

/// A playbook that somebody is working on.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) id: u64,
    pub(crate) playbook: &'static Playbook,
    pub(crate) tenant: String,
    pub(super) watch: Arc<Mutex<Watch>>,
}
