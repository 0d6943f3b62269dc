//! Sets of ports of both protocols, so that a dump of thousands of ranges
//! costs what its text costs.

use std::num::NonZeroU16;

use crate::values::{PortRange, Protocol, RuleProtocol};

/// A mark for each port of TCP and of UDP, by the protocol's number.
#[derive(Clone, Debug)]
pub(super) struct PortMap([Marks; 2]);

/// Ports 0 to 65535, a bit for each.
#[derive(Clone, Debug)]
struct Marks(Box<[u64]>);

const BITS: usize = 64;
const PORTS: usize = 1 << 16;

impl Marks {
    pub(crate) fn new() -> Self {
        Self(vec![0; PORTS / BITS].into())
    }

    fn mark(&mut self, ports: PortRange) {
        let (first, last) = (usize::from(ports.start()), usize::from(ports.end()));
        for (place, word) in self
            .0
            .iter_mut()
            .enumerate()
            .take(last / BITS + 1)
            .skip(first / BITS)
        {
            let from = first.saturating_sub(place * BITS);
            let to = (last - place * BITS).min(BITS - 1);
            *word |= (!0 << from) & (!0 >> (BITS - 1 - to));
        }
    }

    /// The first port from this one on that is marked.
    fn next_marked(&self, from: usize) -> usize {
        self.next(from, |word| word)
    }

    /// The first port from this one on that is not marked.
    fn next_free(&self, from: usize) -> usize {
        self.next(from, |word| !word)
    }

    /// The first port from this one on whose bit is set; one more than there are when there is none.
    fn next(&self, from: usize, bits: impl Fn(u64) -> u64) -> usize {
        let mut within = !0 << (from % BITS);
        for (place, word) in self.0.iter().enumerate().skip(from / BITS) {
            let found = bits(*word) & within;
            if found != 0 {
                return place * BITS + found.trailing_zeros() as usize;
            }
            within = !0;
        }
        PORTS
    }

    /// The parts of a range that are not marked.
    fn free_of(&self, ports: PortRange) -> Vec<PortRange> {
        let mut parts = Vec::new();
        let end = usize::from(ports.end());
        let mut first = self.next_free(ports.start().into());
        while first <= end {
            let after = self.next_marked(first).min(end + 1);
            parts.extend(range(first, after - 1));
            first = self.next_free(after);
        }
        parts
    }
}

fn range(first: usize, last: usize) -> Option<PortRange> {
    let port = |number| NonZeroU16::new(u16::try_from(number).ok()?);
    PortRange::new(port(first)?, port(last)?)
}

impl PortMap {
    pub(super) fn new() -> Self {
        Self([Marks::new(), Marks::new()])
    }

    fn of(&self, protocol: Protocol) -> &Marks {
        &self.0[protocol as usize]
    }

    pub(super) fn mark(&mut self, ports: PortRange, protocol: RuleProtocol) {
        for protocol in protocol.protocols() {
            self.0[*protocol as usize].mark(ports);
        }
    }

    /// Whether any of these is marked.
    pub(super) fn meets(&self, ports: PortRange, protocol: RuleProtocol) -> bool {
        let (start, end) = (usize::from(ports.start()), usize::from(ports.end()));
        let mut protocols = protocol.protocols().iter();
        protocols.any(|protocol| self.of(*protocol).next_marked(start) <= end)
    }

    /// Whether all of these are marked.
    pub(super) fn covers(&self, ports: PortRange, protocol: RuleProtocol) -> bool {
        let (start, end) = (usize::from(ports.start()), usize::from(ports.end()));
        let mut protocols = protocol.protocols().iter();
        protocols.all(|protocol| self.of(*protocol).next_free(start) > end)
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
        let free = |protocol| self.of(protocol).free_of(ports);
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
}
