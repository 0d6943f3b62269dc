//! What a walk is made of, and how steps are drawn.

use std::collections::BTreeSet;

use proptest::bool::weighted;
use proptest::collection::{btree_set, vec};
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use proptest::strategy::Union;

use super::reference::{AlertState, Entry, Port, Ports, Service, State, Status, Who};

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

/// Where a rule is to apply; the server is the n-th.
#[derive(Debug, Clone, Copy)]
pub enum Where {
    Server(usize),
    Customer,
    Account,
}

/// A step. A record is the n-th that was made, counted round; a step on a record of which there is none is left out.
#[derive(Debug, Clone)]
pub enum Op {
    Provision(Who, Kind, u8),
    /// Provisions the first addresses, one after the other.
    Fleet(Who, u8),
    Create(Who, u8, State),
    Update(Who, usize, Wish),
    Suspend(Who, Kind, usize),
    Resume(Who, Kind, usize),
    Terminate(Who, Kind, usize),
    Delete(Who, usize),
    Rename(Who, usize, u8),
    Release(Who, usize, usize),
    Buy(Who, Buys, usize),
    Turn(Who, Kind, usize, Status),
    Change(Who, Buys, usize, bool),
    Sync(Vec<Entry>),
    AddRule(Who, Where, Ports),
    UpdateRule(Who, usize, Ports),
    DeleteRule(Who, usize),
    /// Asks for a scan, which is then pending.
    QueueScan(Who, usize),
    /// Ends a scan of the n-th active server, with these ports open.
    EndScan(Who, usize, BTreeSet<Port>),
    /// Until every cooldown is over.
    Wait,
    ResolvePort(Who, usize),
    /// Runs a scan of the n-th active domain, which counts leaks of employees, customers, third parties, and mentions.
    ScanDomain(Who, usize, [u64; 4]),
    /// Acknowledges or resolves an alert of any domain.
    MoveAlert(Who, usize, AlertState),
}

impl Op {
    /// The customer whose view is compared after it; none when it may concern both.
    pub fn who(&self) -> Option<Who> {
        match self {
            Self::Wait | Self::Sync(..) => None,
            Self::Provision(who, ..)
            | Self::Fleet(who, ..)
            | Self::Create(who, ..)
            | Self::Update(who, ..)
            | Self::Suspend(who, ..)
            | Self::Resume(who, ..)
            | Self::Terminate(who, ..)
            | Self::Delete(who, ..)
            | Self::Rename(who, ..)
            | Self::Release(who, ..)
            | Self::Buy(who, ..)
            | Self::Turn(who, ..)
            | Self::Change(who, ..)
            | Self::AddRule(who, ..)
            | Self::UpdateRule(who, ..)
            | Self::DeleteRule(who, ..)
            | Self::QueueScan(who, ..)
            | Self::EndScan(who, ..)
            | Self::ResolvePort(who, ..)
            | Self::ScanDomain(who, ..)
            | Self::MoveAlert(who, ..) => Some(*who),
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
        (4, ruling().boxed()),
        (7, scanning().boxed()),
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
    let wish = prop_oneof![
        1 => any::<u8>().prop_map(Wish::Nickname),
        2 => desired().prop_map(Wish::Status),
    ];
    prop_oneof![
        2 => (who(), kind(), 0..NTH).prop_map(|(who, kind, at)| Op::Suspend(who, kind, at)),
        2 => (who(), kind(), 0..NTH).prop_map(|(who, kind, at)| Op::Resume(who, kind, at)),
        2 => (who(), kind(), 0..NTH).prop_map(|(who, kind, at)| Op::Terminate(who, kind, at)),
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

fn ruling() -> impl Strategy<Value = Op> {
    let place = prop_oneof![
        4 => (0..NTH).prop_map(Where::Server),
        1 => Just(Where::Customer),
        1 => Just(Where::Account),
    ];
    let ports = || {
        let ranges = select(&[(22, 22), (1, 100), (80, 443), (443, 443)][..]);
        let protocols = select(&["tcp", "udp", "*"][..]);
        (ranges, protocols).prop_map(|((first, last), protocol)| Ports {
            first,
            last,
            protocol,
        })
    };
    prop_oneof![
        3 => (who(), place, ports()).prop_map(|(who, place, ports)| Op::AddRule(who, place, ports)),
        2 => (who(), 0..NTH, ports()).prop_map(|(who, at, ports)| Op::UpdateRule(who, at, ports)),
        2 => (who(), 0..NTH).prop_map(|(who, at)| Op::DeleteRule(who, at)),
    ]
}

fn scanning() -> impl Strategy<Value = Op> {
    let open = select(
        &[
            (22, "tcp"),
            (80, "tcp"),
            (161, "udp"),
            (443, "udp"),
            (3389, "tcp"),
        ][..],
    );
    let counts = proptest::array::uniform4(0..4_u64);
    let to = prop_oneof![Just(AlertState::Acknowledged), Just(AlertState::Resolved)];
    prop_oneof![
        3 => (who(), 0..NTH, btree_set(open, 0..3)).prop_map(|(who, at, open)| Op::EndScan(who, at, open)),
        2 => (who(), 0..NTH).prop_map(|(who, at)| Op::QueueScan(who, at)),
        1 => Just(Op::Wait),
        1 => (who(), 0..NTH).prop_map(|(who, nth)| Op::ResolvePort(who, nth)),
        2 => (who(), 0..NTH, counts).prop_map(|(who, at, counts)| Op::ScanDomain(who, at, counts)),
        6 => (who(), 0..3_usize, to).prop_map(|(who, nth, to)| Op::MoveAlert(who, nth, to)),
    ]
}
