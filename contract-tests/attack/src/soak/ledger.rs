//! What a partner was told: it must be so until the partner changes it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::client::Caller;
use crate::table::{Outcome, hold};

/// The records by where they are read.
#[derive(Default)]
pub struct Ledger(BTreeMap<String, Told>);

/// What was acknowledged of a record.
enum Told {
    /// It is there, with these members.
    Shown(Map<String, Value>),
    Gone,
}

impl Ledger {
    /// A record is there; what else is known of it stays.
    pub fn shown(&mut self, path: String, members: Value) {
        let Value::Object(members) = members else {
            return;
        };
        match self.0.get_mut(&path) {
            Some(Told::Shown(known)) => known.extend(members),
            _ => drop(self.0.insert(path, Told::Shown(members))),
        }
    }

    /// A member may be anything from now on.
    pub fn leave_open(&mut self, path: &str, member: &str) {
        if let Some(Told::Shown(known)) = self.0.get_mut(path) {
            known.remove(member);
        }
    }

    pub fn gone(&mut self, path: String) {
        self.0.insert(path, Told::Gone);
    }

    /// Nobody knows whether a change was made.
    pub fn forget(&mut self, path: &str) {
        self.0.remove(path);
    }

    /// Nobody knows which of those that are gone came back.
    pub fn forget_gone(&mut self) {
        self.0.retain(|_, told| matches!(told, Told::Shown(_)));
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The places of records that are there and are read below this path.
    pub fn places(&self, below: &str) -> Vec<String> {
        let there = self
            .0
            .iter()
            .filter(|(path, told)| path.starts_with(below) && matches!(told, Told::Shown(_)));
        there.map(|(path, _)| path.clone()).collect()
    }

    /// Reads every record; how many.
    pub fn hold_all(&self, caller: &Caller) -> Outcome<usize> {
        for (path, told) in &self.0 {
            let answer = caller.get(path)?;
            match told {
                Told::Gone => {
                    hold(answer.status == 404, || {
                        format!(
                            "{path}, whose deletion was acknowledged, is {}",
                            answer.status
                        )
                    })?;
                }
                Told::Shown(members) => {
                    let data =
                        answer.expect(200).map_err(|lost| lost.at(path))?.json()?["data"].take();
                    for (name, value) in members {
                        hold(data[name] == *value, || {
                            format!(
                                "{path}: {name} is {}, and {value} was acknowledged",
                                data[name]
                            )
                        })?;
                    }
                }
            }
        }
        Ok(self.0.len())
    }
}
