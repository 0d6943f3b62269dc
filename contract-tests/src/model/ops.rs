//! What a walk is made of, and how steps are drawn.

use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use proptest::strategy::Union;

use super::reference::{Entry, Move, Service, State, Status, Who};

/// What servers and domains have in common.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Servers,
    Domains,
}

/// What a service buys.
#[derive(Debug, Clone, Copy)]
pub enum Buys {
    Starter,
    Professional,
    Slots(usize),
}

/// What an update changes.
#[derive(Debug, Clone, Copy)]
pub enum Wish {
    Nickname(u8),
    Status(State),
}

/// A step. A record is the n-th that was made, counted round; a step on a record of which there is none is left out.
#[derive(Debug, Clone)]
pub enum Op {
    Provision(Who, Kind, u8),
    /// Provisions the first addresses, one after the other.
    Fleet(Who, u8),
    Create(Who, u8, State),
    Update(Who, usize, Wish),
    Move(Who, Kind, usize, Move),
    Delete(Who, usize),
    Rename(Who, usize, u8),
    Release(Who, usize, usize),
    Buy(Who, Buys, usize),
    Turn(Who, Kind, usize, Status),
    Change(Who, Buys, usize, bool),
    Sync(Vec<Entry>),
}

impl Op {
    /// The customer whose view is compared after it; none when it may concern both.
    pub fn who(&self) -> Option<Who> {
        match self {
            Self::Sync(..) => None,
            Self::Provision(who, ..)
            | Self::Fleet(who, ..)
            | Self::Create(who, ..)
            | Self::Update(who, ..)
            | Self::Move(who, ..)
            | Self::Delete(who, ..)
            | Self::Rename(who, ..)
            | Self::Release(who, ..)
            | Self::Buy(who, ..)
            | Self::Turn(who, ..)
            | Self::Change(who, ..) => Some(*who),
        }
    }
}

/// Addresses; more than the smaller plan has servers.
pub const ADDRESSES: u8 = 7;
/// Names of domains.
const NAMES: u8 = 5;
/// As far as records are counted.
const NTH: usize = 6;

/// Every kind of step, those that make something more often than others.
pub fn ops() -> impl Strategy<Value = Op> {
    Union::new_weighted(vec![
        (8, adding().boxed()),
        (8, moving().boxed()),
        (9, subscribing().boxed()),
    ])
}

/// Mostly one customer, so that something comes together there.
fn who() -> impl Strategy<Value = Who> {
    prop_oneof![6 => Just(Who::One), 1 => Just(Who::Other)]
}

/// Which of the services; mostly one, for the same reason.
fn by() -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(0_usize), 1 => Just(1_usize)]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Servers), Just(Kind::Domains)]
}

fn status() -> impl Strategy<Value = Status> {
    select(&[Status::Active, Status::Suspended, Status::Cancelled][..])
}

fn desired() -> impl Strategy<Value = State> {
    prop_oneof![Just(State::Active), Just(State::Paused)]
}

fn adding() -> impl Strategy<Value = Op> {
    prop_oneof![
        1 => (who(), 0..ADDRESSES).prop_map(|(who, name)| Op::Provision(who, Kind::Servers, name)),
        3 => (who(), 0..NAMES).prop_map(|(who, name)| Op::Provision(who, Kind::Domains, name)),
        1 => (who(), 0..ADDRESSES, desired()).prop_map(|(who, name, state)| Op::Create(who, name, state)),
        1 => (who(), 1..=ADDRESSES).prop_map(|(who, count)| Op::Fleet(who, count)),
    ]
}

fn moving() -> impl Strategy<Value = Op> {
    let to = select(&[Move::Suspend, Move::Resume, Move::Terminate][..]);
    let wish = prop_oneof![
        1 => any::<u8>().prop_map(Wish::Nickname),
        2 => desired().prop_map(Wish::Status),
    ];
    prop_oneof![
        6 => (who(), kind(), 0..NTH, to).prop_map(|(who, kind, at, to)| Op::Move(who, kind, at, to)),
        2 => (who(), 0..NTH, wish).prop_map(|(who, at, wish)| Op::Update(who, at, wish)),
        1 => (who(), 0..NTH).prop_map(|(who, at)| Op::Delete(who, at)),
        1 => (who(), 0..NTH, 0..NAMES).prop_map(|(who, at, name)| Op::Rename(who, at, name)),
        1 => (who(), 0..NTH, by()).prop_map(|(who, at, by)| Op::Release(who, at, by)),
    ]
}

fn subscribing() -> impl Strategy<Value = Op> {
    let buys = || {
        prop_oneof![
            1 => Just(Buys::Starter),
            1 => Just(Buys::Professional),
            3 => (1..6_usize).prop_map(Buys::Slots),
        ]
    };
    let service = prop_oneof![
        by().prop_map(Service::Plan),
        by().prop_map(Service::Slots),
        (0..ADDRESSES).prop_map(Service::Server),
    ];
    let entry = (who(), service, status());
    let entry = entry.prop_map(|(who, service, to)| Entry { who, service, to });
    prop_oneof![
        3 => (who(), buys(), by()).prop_map(|(who, buys, by)| Op::Buy(who, buys, by)),
        2 => (who(), kind(), by(), status()).prop_map(|(who, kind, by, to)| Op::Turn(who, kind, by, to)),
        4 => (who(), buys(), by(), weighted(0.3))
            .prop_map(|(who, buys, by, forced)| Op::Change(who, buys, by, forced)),
        2 => vec(entry, 1..5).prop_map(Op::Sync),
    ]
}
