//! One walk: each step with the client at the service and in the reference, then both are compared.

mod domains;
mod servers;
mod subscriptions;
mod view;

use std::collections::BTreeSet;
use std::fmt::Display;

use crate::{Account, Customer};
use secmon::model::{DomainId, EndpointId, ServiceId};

use super::ops::Op;
use super::reference::{self, Reference, Who};

/// Two customers with the same addresses and names.
pub struct Walk<'a> {
    account: &'a Account,
    sides: [Side<'a>; 2],
    expected: Reference,
    /// Everything that was ever answered as it should be.
    pub answers: BTreeSet<String>,
}

/// A customer at the service; records in the reference's order.
struct Side<'a> {
    customer: Customer<'a>,
    servers: Vec<EndpointId>,
    domains: Vec<DomainId>,
    plans: [ServiceId; 2],
    slots: [ServiceId; 2],
    /// By address.
    hosts: [ServiceId; ADDRESSES],
}

const ADDRESSES: usize = super::ops::ADDRESSES as usize;

/// What a step should be answered; none when it was left out, or is no call of the partner API.
type Expected = Option<&'static str>;

impl<'a> Walk<'a> {
    pub fn new(account: &'a Account) -> Self {
        let side = || Side {
            customer: account.customer(),
            servers: Vec::new(),
            domains: Vec::new(),
            plans: [(); 2].map(|()| account.next_service()),
            slots: [(); 2].map(|()| account.next_service()),
            hosts: [(); ADDRESSES].map(|()| account.next_service()),
        };
        Self {
            account,
            sides: [side(), side()],
            expected: Reference::new(),
            answers: BTreeSet::new(),
        }
    }

    /// Makes a step on both, and compares them.
    pub async fn step(&mut self, op: &Op) -> Result<(), String> {
        let done = self.answered(op).await;
        done.map_err(|why| format!("{op}: {why}"))?;
        for who in [Who::One, Who::Other] {
            if op.who().is_none_or(|of| of == who) {
                let compared = self.compare(who).await;
                compared.map_err(|why| format!("after {op}: {why}"))?;
            }
        }
        Ok(())
    }

    async fn answered(&mut self, op: &Op) -> Result<(), String> {
        let expected = match op {
            Op::Fleet(who, count) => return self.fleet(*who, *count).await,
            Op::Sync(entries) => return self.sync(entries).await,
            Op::Provision(who, kind, name) => Some(self.provision(*who, *kind, *name).await),
            Op::Create(who, name, state) => Some(self.create(*who, *name, *state).await),
            Op::Update(who, at, wish) => self.update(*who, *at, *wish).await,
            Op::Move(who, kind, at, to) => self.moved(*who, *kind, *at, *to).await,
            Op::Delete(who, at) => self.delete(*who, *at).await,
            Op::Rename(who, at, name) => self.rename(*who, *at, *name).await,
            Op::Release(who, at, by) => self.release(*who, *at, *by).await,
            Op::Buy(who, buys, by) => Some(self.buy(*who, *buys, *by).await),
            Op::Turn(who, kind, by, to) => self.turn(*who, *kind, *by, *to).await,
            Op::Change(who, buys, by, forced) => self.change(*who, *buys, *by, *forced).await,
        };
        match expected {
            None => Ok(()),
            Some(expected) => self.was_answered(expected),
        }
    }

    fn was_answered(&mut self, expected: &str) -> Result<(), String> {
        let answer = self.account.last_outcome();
        same("answered", answer.as_str(), expected)?;
        self.answers.insert(answer);
        Ok(())
    }

    /// Compares both customers in everything: neither may have felt what the other did.
    pub async fn end(&self) -> Result<(), String> {
        for who in [Who::One, Who::Other] {
            let compared = self.compare(who).await;
            compared.map_err(|why| format!("in the end: {why}"))?;
        }
        Ok(())
    }

    /// A customer at the service and as it should be.
    fn of(&mut self, who: Who) -> (&'a Account, &mut Side<'a>, &mut reference::Customer) {
        let expected = &mut self.expected.customers[who as usize];
        (self.account, &mut self.sides[who as usize], expected)
    }
}

/// The n-th, counted round.
fn nth<T: Copy>(all: &[T], at: usize) -> Option<(usize, T)> {
    let at = at.checked_rem(all.len())?;
    Some((at, all[at]))
}

fn same<T: PartialEq + Display>(what: &str, shown: T, expected: T) -> Result<(), String> {
    match shown == expected {
        true => Ok(()),
        false => Err(format!("{what}: {shown}, not {expected}")),
    }
}
