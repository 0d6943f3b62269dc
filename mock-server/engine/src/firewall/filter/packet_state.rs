//! What rules on the way may have changed of a packet before another rule looks at it.

/// What a rule may change of a packet that others ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Alteration {
    /// It gives the packet a mark.
    Mark,
    /// It takes the packet out of connection tracking.
    Untrack,
}

/// What is not as on arrival with a packet, and where it is when a rule looks at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct State(u8);

const MARKED: u8 = 1;
const UNTRACKED: u8 = 2;
const BEFORE_TRACKING: u8 = 4;

/// How many states there are.
pub(super) const STATES: usize = 8;

impl State {
    /// As it arrived.
    pub(super) const PLAIN: Self = Self(0);
    pub(super) const ALL: [Self; STATES] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    pub(super) fn after(self, alteration: Alteration) -> Self {
        Self(match alteration {
            Alteration::Mark => self.0 | MARKED,
            Alteration::Untrack => self.0 | UNTRACKED,
        })
    }

    /// The same, before the kernel has looked up its connection.
    pub(super) fn before_tracking(self) -> Self {
        Self(self.0 | BEFORE_TRACKING)
    }

    pub(super) fn is_marked(self) -> bool {
        self.0 & MARKED != 0
    }

    pub(super) fn is_untracked(self) -> bool {
        self.0 & UNTRACKED != 0
    }

    pub(super) fn is_before_tracking(self) -> bool {
        self.0 & BEFORE_TRACKING != 0
    }

    pub(super) fn has_no_connection(self) -> bool {
        self.is_untracked() || self.is_before_tracking()
    }

    /// Its bit in a set of states.
    pub(super) fn mask(self) -> u8 {
        1 << self.0
    }

    pub(super) fn place(self) -> usize {
        usize::from(self.0)
    }
}
