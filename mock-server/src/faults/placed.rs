//! The faults of a server, in their places (M5).

use serde::Serialize;
use serde_json::{Value, json};

use super::aim::Incoming;
use super::effect::Effect;
#[cfg(feature = "tls")]
use super::effect::TlsTrouble;
use super::fault::Fault;
use crate::values::chance::draw;

/// A fault in its place, with what it did so far.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Placed {
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) fault: Fault,
    /// Calls that it acted on, or handshakes.
    pub(crate) hits: u64,
    #[serde(skip)]
    passed: u64,
    #[serde(skip)]
    drawn: u64,
}

impl Placed {
    fn matches(&self, call: &Incoming<'_>) -> bool {
        self.is_left() && self.fault.tls_trouble().is_none() && self.fault.fits(call)
    }

    fn is_left(&self) -> bool {
        self.fault.times == 0 || self.hits < self.fault.times
    }

    /// What is told of it once it is gone, which may hold a megabyte less.
    fn without_body(&self) -> Fault {
        let effect = match &self.fault.effect {
            Effect::Body { status, .. } => Effect::Body {
                status: *status,
                body: String::new(),
            },
            effect => effect.clone(),
        };
        Fault {
            effect,
            ..self.fault.clone()
        }
    }

    /// Whether it acts on a call, or a handshake, that it matches.
    fn acts(&mut self, seed: u64) -> bool {
        if self.passed < self.fault.after {
            self.passed += 1;
            return false;
        }
        if let Some(probability) = self.fault.probability {
            self.drawn += 1;
            if draw(seed, self.id, self.drawn) >= probability {
                return false;
            }
        }
        self.hits += 1;
        true
    }
}

/// Removed faults that are told of at the end of a run.
const MOST_UNHIT: usize = 100;

/// All faults of a server, in the order they were placed.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    placed: Vec<Placed>,
    last_id: u64,
    /// Rises with every change: who shows them sees whether they are the same.
    version: u64,
    /// Faults that were removed before they hit anything.
    removed_unhit: Vec<Fault>,
}

impl Faults {
    /// Places a fault; its id.
    pub(crate) fn place(&mut self, fault: Fault) -> u64 {
        self.version += 1;
        self.last_id += 1;
        self.placed.push(Placed {
            id: self.last_id,
            fault,
            hits: 0,
            passed: 0,
            drawn: 0,
        });
        self.last_id
    }

    /// The first fault that acts on this call, and what it does to it.
    pub(crate) fn matching_fault(
        &mut self,
        call: &Incoming<'_>,
        seed: u64,
    ) -> Option<(u64, Effect)> {
        let mut matching = self.placed.iter_mut().filter(|placed| placed.matches(call));
        let acting = matching.find_map(|placed| placed.acts(seed).then_some(placed))?;
        self.version += 1;
        Some((acting.id, acting.fault.effect.clone()))
    }

    /// Whether one may depend on the body of a call that has no account.
    pub(crate) fn look_at_bodies(&self) -> bool {
        let mut placed = self.placed.iter();
        placed.any(|placed| {
            placed.is_left() && placed.fault.tenant.is_none() && placed.fault.matching.is_some()
        })
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// What is wrong with the certificate of the next handshake, where a fault acts on it.
    #[cfg(feature = "tls")]
    pub(crate) fn hit_handshake(&mut self, seed: u64) -> Option<TlsTrouble> {
        let mut left = self.placed.iter_mut().filter(|placed| placed.is_left());
        let trouble = left.find_map(|placed| {
            let trouble = placed.fault.tls_trouble()?;
            placed.acts(seed).then_some(trouble)
        })?;
        self.version += 1;
        Some(trouble)
    }

    /// Those of one account, or all, as the admin API shows them.
    pub(crate) fn shown(&self, of: Option<&str>) -> Value {
        let is_meant = |placed: &&Placed| of.is_none() || placed.fault.tenant.as_deref() == of;
        let placed: Vec<_> = self.placed.iter().filter(is_meant).collect();
        json!({ "faults": placed })
    }

    pub(crate) fn all(&self) -> &[Placed] {
        &self.placed
    }

    /// Bytes of the bodies that they answer with.
    pub(crate) fn body_bytes(&self) -> usize {
        let bodies = self.placed.iter().map(|placed| match &placed.fault.effect {
            Effect::Body { body, .. } => body.len(),
            _ => 0,
        });
        bodies.sum()
    }

    /// Removes one fault; whether it was there.
    pub(crate) fn remove(&mut self, id: u64) -> bool {
        let before = self.placed.len();
        self.remove_where(|placed| placed.id == id);
        self.placed.len() < before
    }

    /// Removes the faults that name this account.
    pub(crate) fn clear_account(&mut self, name: &str) {
        self.remove_where(|placed| placed.fault.tenant.as_deref() == Some(name));
    }

    pub(crate) fn remove_all(&mut self) {
        self.remove_where(|_| true);
    }

    /// Removes every fault and starts their numbers again.
    pub(crate) fn clear(&mut self) {
        self.remove_all();
        self.last_id = 0;
    }

    fn remove_where(&mut self, is_meant: impl Fn(&Placed) -> bool) {
        self.version += 1;
        let (removed, placed) = std::mem::take(&mut self.placed)
            .into_iter()
            .partition::<Vec<_>, _>(|placed| is_meant(placed));
        self.placed = placed;
        let unhit = removed.iter().filter(|placed| placed.hits == 0);
        let room = MOST_UNHIT.saturating_sub(self.removed_unhit.len());
        self.removed_unhit
            .extend(unhit.take(room).map(Placed::without_body));
    }

    /// The faults that hit nothing, removed ones first.
    pub(crate) fn never_hit(&self) -> Vec<Fault> {
        let placed = self.placed.iter().filter(|placed| placed.hits == 0);
        let placed = placed.map(Placed::without_body);
        self.removed_unhit.iter().cloned().chain(placed).collect()
    }
}
