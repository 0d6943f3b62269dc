//! What the specification says of every answer, as data: its members, which of them it must have, and a good value of
//! each. It is written from the specification and the decisions, not from the code that reads the answers.
//!
//! The fuzz targets use this folder as well, so it knows nothing of the other tests.

pub mod answers;
mod findings;
pub mod planting;
pub mod records;
pub mod repeats;
pub mod secrets;
pub mod shown;

use serde_json::{Map, Value};

/// What may stand in a place of an answer, with a good value.
#[derive(Debug, Clone)]
pub enum Kind {
    Text(&'static str),
    /// A value of an open list; one that nobody knows is kept (F1).
    Word(&'static str),
    Id(&'static str),
    Time(&'static str),
    /// A whole number from zero to a largest one.
    Number(u64, u64),
    /// A number of the billing system, which may come as text.
    Owner(u64),
    /// An amount, which may come as text.
    Money(f64),
    Flag(bool),
    List(Vec<Kind>),
    Object(Vec<Member>),
    /// An object whose names are values; `[]` is an empty one.
    Map(Vec<(&'static str, Kind)>),
    /// The same with records that tell their names themselves, so that a list of them may come in its place (D7).
    Reports(Vec<(&'static str, Kind)>),
    /// An object whose members the specification does not give.
    Free(Value),
    /// Anything at all.
    Any(Value),
}

#[derive(Debug, Clone)]
pub struct Member {
    pub name: &'static str,
    pub need: Need,
    pub kind: Kind,
    /// Whether it repeats the request, or shows the state that the call sets: another value is another answer (F11).
    pub asked: bool,
}

/// What becomes of a member that is missing or null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The answer says something false without it, so it cannot be read.
    Must,
    /// It reads as absent, never as zero, empty or false (F9).
    May,
    /// Another member says that it is there, so the answer contradicts itself without it (F11).
    Claimed,
    /// The client says something of its own in its place.
    Own,
    /// The client takes what is there for granted where nothing stands.
    Granted,
    /// The client does not look at it.
    Unread,
}

fn member(name: &'static str, need: Need, kind: Kind) -> Member {
    Member {
        name,
        need,
        kind,
        asked: false,
    }
}

pub fn must(name: &'static str, kind: Kind) -> Member {
    member(name, Need::Must, kind)
}

pub fn may(name: &'static str, kind: Kind) -> Member {
    member(name, Need::May, kind)
}

pub fn claimed(name: &'static str, kind: Kind) -> Member {
    member(name, Need::Claimed, kind)
}

pub fn own(name: &'static str, kind: Kind) -> Member {
    member(name, Need::Own, kind)
}

pub fn granted(name: &'static str, kind: Kind) -> Member {
    member(name, Need::Granted, kind)
}

pub fn unread(name: &'static str, kind: Kind) -> Member {
    member(name, Need::Unread, kind)
}

/// How many there are of something.
pub fn count(number: u64) -> Kind {
    Kind::Number(number, u64::MAX)
}

/// A number of 32 bits: a page, a quantity.
pub fn small(number: u32) -> Kind {
    Kind::Number(number.into(), u32::MAX.into())
}

pub fn port(number: u16) -> Kind {
    Kind::Number(number.into(), u16::MAX.into())
}

impl Kind {
    /// The same, where the answer may not be without the member at this place; `0` is an item of a list.
    pub fn told(mut self, place: &str) -> Self {
        self.member_at(place).need = Need::Claimed;
        self
    }

    fn member_at(&mut self, place: &str) -> &mut Member {
        let (name, rest) = place.split_once('/').unwrap_or((place, ""));
        match self {
            Kind::List(items) => items[0].member_at(rest),
            Kind::Object(members) => {
                let found = members.iter_mut().find(|member| member.name == name);
                let member = found.unwrap_or_else(|| panic!("no member {name}"));
                match rest {
                    "" => member,
                    rest => member.kind.member_at(rest),
                }
            }
            other => panic!("no members: {other:?}"),
        }
    }

    /// The good value, all members included.
    pub fn value(&self) -> Value {
        self.filled(&|_| true)
    }

    /// What the client reads of the good value.
    pub fn read(&self) -> Value {
        self.filled(&|member| member.need != Need::Unread)
    }

    fn filled(&self, wanted: &dyn Fn(&Member) -> bool) -> Value {
        match self {
            Self::Text(text) | Self::Word(text) | Self::Id(text) | Self::Time(text) => {
                (*text).into()
            }
            Self::Number(number, _) | Self::Owner(number) => (*number).into(),
            Self::Money(amount) => (*amount).into(),
            Self::Flag(flag) => (*flag).into(),
            Self::Free(value) | Self::Any(value) => value.clone(),
            Self::List(items) => items.iter().map(|item| item.filled(wanted)).collect(),
            Self::Map(entries) | Self::Reports(entries) => entries
                .iter()
                .map(|(name, kind)| ((*name).to_owned(), kind.filled(wanted)))
                .collect::<Map<_, _>>()
                .into(),
            Self::Object(members) => members
                .iter()
                .filter(|member| wanted(member))
                .map(|member| (member.name.to_owned(), member.kind.filled(wanted)))
                .collect::<Map<_, _>>()
                .into(),
        }
    }
}
