//! Sets of ports of both protocols, so that a dump of thousands of ranges
//! costs what its text costs.

use std::num::NonZeroU16;

use crate::values::{PortRange, Protocol, RuleProtocol};

/// A mark for each port of TCP and of UDP.
#[derive(Clone, Debug)]
pub(super) struct PortMap {
    tcp: Box<[bool]>,
    udp: Box<[bool]>,
}

/// Ports 0 to 65535.
const PORTS: usize = 1 << 16;

impl PortMap {
    pub(super) fn new() -> Self {
        Self {
            tcp: vec![false; PORTS].into(),
            udp: vec![false; PORTS].into(),
        }
    }

    fn of(&self, protocol: Protocol) -> &[bool] {
        match protocol {
            Protocol::Tcp => &self.tcp,
            Protocol::Udp => &self.udp,
        }
    }

    fn of_mut(&mut self, protocol: Protocol) -> &mut [bool] {
        match protocol {
            Protocol::Tcp => &mut self.tcp,
            Protocol::Udp => &mut self.udp,
        }
    }

    pub(super) fn mark(&mut self, ports: PortRange, protocol: RuleProtocol) {
        for protocol in protocol.protocols() {
            self.of_mut(*protocol)[places(ports)].fill(true);
        }
    }

    /// Whether any of these is marked.
    pub(super) fn meets(&self, ports: PortRange, protocol: RuleProtocol) -> bool {
        let mut protocols = protocol.protocols().iter();
        protocols.any(|protocol| self.of(*protocol)[places(ports)].contains(&true))
    }

    /// Whether all of these are marked.
    pub(super) fn covers(&self, ports: PortRange, protocol: RuleProtocol) -> bool {
        let mut protocols = protocol.protocols().iter();
        protocols.all(|protocol| !self.of(*protocol)[places(ports)].contains(&false))
    }

    /// The parts of a range that are not marked. Where both protocols are the
    /// same, they stay together.
    pub(super) fn free_parts(
        &self,
        ports: PortRange,
        protocol: RuleProtocol,
    ) -> Vec<(PortRange, RuleProtocol)> {
        let with =
            |protocol, parts: Vec<PortRange>| parts.into_iter().map(move |part| (part, protocol));
        let free = |protocol| self.free_of(ports, protocol);
        match protocol {
            RuleProtocol::Tcp => with(protocol, free(Protocol::Tcp)).collect(),
            RuleProtocol::Udp => with(protocol, free(Protocol::Udp)).collect(),
            RuleProtocol::Both => {
                let (tcp, udp) = (free(Protocol::Tcp), free(Protocol::Udp));
                if tcp == udp {
                    return with(RuleProtocol::Both, tcp).collect();
                }
                let tcp = with(RuleProtocol::Tcp, tcp);
                tcp.chain(with(RuleProtocol::Udp, udp)).collect()
            }
        }
    }

    fn free_of(&self, ports: PortRange, protocol: Protocol) -> Vec<PortRange> {
        let marks = self.of(protocol);
        if !marks[places(ports)].contains(&true) {
            return vec![ports];
        }
        let numbers: Vec<u16> = (ports.start()..=ports.end())
            .filter(|port| !marks[usize::from(*port)])
            .collect();
        numbers
            .chunk_by(|port, next| port + 1 == *next)
            .filter_map(|run| {
                let (first, last) = (NonZeroU16::new(*run.first()?)?, run.last()?);
                PortRange::new(first, NonZeroU16::new(*last)?)
            })
            .collect()
    }
}

fn places(ports: PortRange) -> std::ops::RangeInclusive<usize> {
    usize::from(ports.start())..=usize::from(ports.end())
}
