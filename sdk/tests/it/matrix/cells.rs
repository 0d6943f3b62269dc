//! Every answer with one thing wrong, and what must come of it.

use serde_json::{Value, json};

use crate::specified::{Kind, Member, Need};

/// What stands in a wrong member; neither may show in an error.
pub const TEXT: &str = "canary text";
pub const NUMBER: u64 = 424_242;

/// One thing wrong in one place.
pub struct Cell {
    pub place: Place,
    pub change: Change,
    pub outcome: Outcome,
}

#[derive(Debug, Clone)]
pub enum Change {
    Remove,
    Put(Value),
}

#[derive(Debug, Clone)]
pub enum Outcome {
    /// The result of the good answer.
    Same,
    /// The member of the result is absent.
    Absent,
    /// The member of the result is this.
    Becomes(Value),
    /// The member of the result is a text of the client's own.
    Own,
    /// No result, and an error that names the place, or one below it.
    Fails,
    /// No result, and an error that names what is missing.
    Lacks(String),
}

/// Where in an answer: as a JSON pointer, and as errors write it.
#[derive(Debug, Clone, Default)]
pub struct Place {
    pub pointer: String,
    pub name: String,
}

impl Place {
    fn member(&self, name: &str) -> Self {
        let dot = if self.name.is_empty() { "" } else { "." };
        Self {
            pointer: format!("{}/{name}", self.pointer),
            name: format!("{}{dot}{name}", self.name),
        }
    }

    fn item(&self, position: usize) -> Self {
        Self {
            pointer: format!("{}/{position}", self.pointer),
            name: format!("{}[{position}]", self.name),
        }
    }
}

/// All cells of one answer.
pub fn cells(body: &Kind) -> Vec<Cell> {
    let mut cells = Vec::new();
    put(body, Need::Must, &Place::default(), &mut cells);
    below(body, &Place::default(), &mut cells);
    cells
}

/// The cells of what stands inside a value.
fn below(kind: &Kind, place: &Place, cells: &mut Vec<Cell>) {
    match kind {
        Kind::Object(members) => {
            for Member { name, need, kind } in members {
                let inner = place.member(name);
                cells.push(Cell {
                    change: Change::Remove,
                    outcome: missing(*need, &place.name, name),
                    place: inner.clone(),
                });
                put(kind, *need, &inner, cells);
                if *need != Need::Unread {
                    below(kind, &inner, cells);
                }
            }
            // A member that nobody knows changes nothing (F1).
            cells.push(Cell {
                place: place.member("canary_member"),
                change: Change::Put(json!({"canary": [TEXT, NUMBER]})),
                outcome: Outcome::Same,
            });
        }
        Kind::List(items) => {
            for (position, item) in items.iter().enumerate() {
                let inner = place.item(position);
                put(item, Need::Must, &inner, cells);
                below(item, &inner, cells);
            }
        }
        Kind::Map(entries) | Kind::Reports(entries) => {
            for (name, kind) in entries {
                let inner = place.member(name);
                cells.push(Cell {
                    place: inner.clone(),
                    change: Change::Remove,
                    outcome: Outcome::Absent,
                });
                put(kind, Need::Must, &inner, cells);
                below(kind, &inner, cells);
            }
        }
        _ => {}
    }
}

fn missing(need: Need, parent: &str, name: &str) -> Outcome {
    match need {
        Need::Unread => Outcome::Same,
        Need::May => Outcome::Absent,
        Need::Own => Outcome::Own,
        Need::Must if parent.is_empty() => Outcome::Lacks(format!("missing field `{name}`")),
        Need::Must => Outcome::Lacks(format!("`{parent}`: missing field `{name}`")),
    }
}

/// Every wrong value in one place.
fn put(kind: &Kind, need: Need, place: &Place, cells: &mut Vec<Cell>) {
    for value in wrong_values(kind) {
        let outcome = match (need, &value) {
            (Need::Unread, _) => Outcome::Same,
            (Need::May, Value::Null) => Outcome::Absent,
            (Need::Own, Value::Null) => Outcome::Own,
            // An empty list in place of an object is an empty one (F8), which here says as little as none.
            (Need::May, Value::Array(items)) if items.is_empty() && is_object(kind) => {
                Outcome::Absent
            }
            (Need::Must, value) if says_nothing(kind, value) => Outcome::Fails,
            _ => read_as(kind, &value).map_or(Outcome::Fails, Outcome::Becomes),
        };
        cells.push(Cell {
            place: place.clone(),
            change: Change::Put(value),
            outcome,
        });
    }
}

/// Whether it is a summary with none of its members (F9).
fn says_nothing(kind: &Kind, value: &Value) -> bool {
    let Kind::Object(members) = kind else {
        return false;
    };
    let known = |member: &Member| value.get(member.name).is_some();
    members.iter().all(|member| member.need == Need::May) && !members.iter().any(known)
}

fn is_object(kind: &Kind) -> bool {
    matches!(kind, Kind::Object(_) | Kind::Free(_))
}

/// What may stand in the place of a value: null, every other type, an empty list for an object, the values of an object
/// without their names, the same in other letters.
fn wrong_values(kind: &Kind) -> Vec<Value> {
    let good = kind.value();
    let mut values = vec![
        json!(null),
        json!(TEXT),
        json!(""),
        json!(NUMBER.to_string()),
        json!(NUMBER),
        json!(-7),
        json!(0.5),
        json!(true),
        json!([]),
        json!([good]),
        json!({}),
        json!({"canary": TEXT}),
    ];
    match (kind, &good) {
        (Kind::Object(members), _) => {
            values.push(members.iter().map(|member| member.kind.value()).collect());
        }
        (_, Value::Object(members)) => values.push(members.values().cloned().collect()),
        (_, Value::String(text)) => values.push(text.to_uppercase().into()),
        (_, Value::Number(number)) => values.push(number.to_string().into()),
        _ => {}
    }
    values
}

/// What a value that stands there is read as, as JSON; none when it cannot.
fn read_as(kind: &Kind, value: &Value) -> Option<Value> {
    match (kind, value) {
        (Kind::Any(_), any) => Some(any.clone()),
        (Kind::Text(_) | Kind::Word(_), Value::String(_)) => Some(value.clone()),
        (Kind::Id(good), Value::String(text)) if text.eq_ignore_ascii_case(good) => {
            Some((*good).into())
        }
        (Kind::Time(good), Value::String(text)) if text == good => Some(value.clone()),
        (Kind::Number(_, most), Value::Number(number)) => {
            let number = number.as_u64().filter(|number| number <= most)?;
            Some(number.into())
        }
        (Kind::Owner(_), Value::Number(_) | Value::String(_)) => {
            let number = as_text(value)
                .parse::<u64>()
                .ok()
                .filter(|number| *number > 0)?;
            Some(number.into())
        }
        (Kind::Money(_), Value::Number(_) | Value::String(_)) => {
            Some(as_text(value).parse::<f64>().ok()?.into())
        }
        (Kind::Flag(_), Value::Bool(_)) => Some(value.clone()),
        (Kind::Free(_), Value::Object(_)) => Some(value.clone()),
        (Kind::List(good), Value::Array(items)) => {
            let record = Kind::Free(json!({}));
            let item = good.first().unwrap_or(&record);
            items.iter().map(|value| read_as(item, value)).collect()
        }
        (Kind::Reports(_), Value::Array(reports)) => {
            let named = reports
                .iter()
                .map(|report| Some((report["product_type"].as_str()?.to_owned(), report.clone())));
            Some(Value::Object(named.collect::<Option<_>>()?))
        }
        (Kind::Map(good) | Kind::Reports(good), Value::Object(entries)) => {
            let kind = good.first().map(|(_, kind)| kind);
            let read = entries.iter().map(|(name, value)| {
                let name = Some(name).filter(|name| *name != "canary");
                Some((name?.clone(), read_as(kind?, value)?))
            });
            Some(Value::Object(read.collect::<Option<_>>()?))
        }
        (Kind::Object(members), Value::Object(_)) => read_object(members),
        // The name above a report is enough to tell what nothing is known of.
        (Kind::Object(members), Value::Null) if members.iter().any(|m| m.need == Need::Own) => {
            read_object(members)
        }
        // An empty list in place of an object is an empty one (F8).
        (Kind::Object(members), Value::Array(items)) if items.is_empty() => read_object(members),
        (Kind::Map(_) | Kind::Free(_), Value::Array(items)) if items.is_empty() => Some(json!({})),
        _ => None,
    }
}

fn as_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// An object that has none of its members: of no use where one must be there.
fn read_object(members: &[Member]) -> Option<Value> {
    let lacks = members.iter().any(|member| member.need == Need::Must);
    let own = members.iter().filter(|member| member.need == Need::Own);
    let read = own.map(|member| (member.name.to_owned(), member.kind.value()));
    (!lacks).then(|| Value::Object(read.collect()))
}
