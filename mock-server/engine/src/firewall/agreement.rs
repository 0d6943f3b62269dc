//! Dumps of several tools in one paste, which are of one host: what one of them refuses, another does not let in.

use super::accepted_line::AcceptedLine;
use super::filter::{Reading, Refused};
use super::port_map::PortMap;
use crate::values::RuleProtocol;

/// Refusals among which the line is sought that is told.
const MOST_SOUGHT: usize = 500;

/// What other dumps of a paste refuse.
pub(super) struct OtherRefusals<'a> {
    refused: Vec<&'a Refused>,
    map: PortMap,
}

impl<'a> OtherRefusals<'a> {
    /// Of all but the one at this place.
    pub(super) fn of(readings: &'a [Reading], place: usize) -> Self {
        let others = readings.iter().enumerate();
        let others = others.filter(|(other, _)| *other != place);
        let refused: Vec<&Refused> = others.flat_map(|(_, reading)| &reading.refused).collect();
        let mut map = PortMap::new();
        for one in &refused {
            map.mark(one.ports, one.protocol);
        }
        Self { refused, map }
    }

    /// What they leave of a line, and what is to be told of the rest.
    pub(super) fn left_of(&self, accepted: AcceptedLine) -> (Vec<AcceptedLine>, Option<String>) {
        let (ports, protocol) = (accepted.ports, accepted.protocol);
        if !self.map.meets(ports, protocol) {
            return (vec![accepted], None);
        }
        let shares = |other: RuleProtocol| {
            let mut protocols = other.protocols().iter();
            protocols.any(|one| protocol.protocols().contains(one))
        };
        let is_about = |one: &&&Refused| {
            let meets = one.ports.start() <= ports.end() && ports.start() <= one.ports.end();
            meets && shares(one.protocol)
        };
        let line = self.refused.iter().take(MOST_SOUGHT).find(is_about);
        let by = line.map_or_else(
            || "another dump".to_owned(),
            |one| format!("line {}", one.line),
        );
        let reason = format!(
            "{ports}/{}: {by} refuses it, in another dump of the paste",
            protocol.name()
        );
        let parts = self.map.free_parts(ports, protocol).into_iter();
        let left = parts.map(|(ports, protocol)| AcceptedLine {
            ports,
            protocol,
            ..accepted.clone()
        });
        (left.collect(), Some(reason))
    }
}
