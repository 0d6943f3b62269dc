//! A line of a dump that accepts ports.

use super::format::FirewallFormat;
use crate::values::{PortRange, RuleProtocol};

/// Ports that a line accepts.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AcceptedLine {
    pub(super) format: FirewallFormat,
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) ports: PortRange,
    pub(super) protocol: RuleProtocol,
}
