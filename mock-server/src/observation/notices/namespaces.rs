//! Both namespaces used with one key.

use std::collections::HashMap;

use super::call_context::{CallContext, Fingerprint, REMEMBERED};
use crate::observation::notice::{Notice, NoticeCode};
use crate::operations::paths::Paths;

/// The namespace that each key called first, of operations that both have.
#[derive(Debug, Default)]
pub(super) struct Namespaces(HashMap<Fingerprint, Namespace>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Namespace {
    Billing,
    Provisioning,
}

impl Namespace {
    const BOTH: [Self; 2] = [Self::Billing, Self::Provisioning];

    fn prefix(self) -> &'static str {
        match self {
            Self::Billing => "/api/v1/billing/",
            Self::Provisioning => "/api/v1/provisioning/",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Billing => Self::Provisioning,
            Self::Provisioning => Self::Billing,
        }
    }

    /// The namespace of a call.
    fn of(call: &CallContext<'_>) -> Option<Self> {
        let is_known = !call.operation.is_empty();
        let mut both = Self::BOTH.into_iter().filter(|_| is_known);
        both.find(|namespace| call.path.starts_with(namespace.prefix()))
    }

    /// Whether the operation of a call in this namespace is in the other one, too.
    fn is_one_of_two(self, call: &CallContext<'_>) -> bool {
        let name = call.path.strip_prefix(self.prefix()).unwrap_or_default();
        let path = format!("{}{name}", self.other().prefix());
        let mut operations = Paths::all().find(&path).operations.iter();
        operations.any(|operation| operation.name == call.operation)
    }
}

impl Namespaces {
    /// Takes in a call, and says whether its key called the other namespace first.
    pub(super) fn see(&mut self, call: &CallContext<'_>) -> Option<Notice> {
        let namespace = Namespace::of(call)?;
        let key = Fingerprint::of(&call.key);
        let first = self.0.get(&key).copied();
        if first == Some(namespace) || !namespace.is_one_of_two(call) {
            return None;
        }
        let Some(first) = first else {
            if self.0.len() < REMEMBERED {
                self.0.insert(key, namespace);
            }
            return None;
        };
        let sentence = format!(
            "{} is called under {} after calls under {}; the two are identical, pick one for all calls and stay with it",
            call.operation,
            namespace.prefix(),
            first.prefix()
        );
        Some(call.notice(NoticeCode::TwoNamespaces, &sentence))
    }
}
