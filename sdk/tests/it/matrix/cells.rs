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
    /// No result, and an error that names this other place, or one below it.
    FailsAt(String),
    /// No result, and an error that names what is missing.
    Lacks(String),
    /// All around it is absent: this place of the result, as a JSON pointer.
    AbsentAt(String),
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
    let mut walk = Walk { cells: Vec::new() };
    let root = Spot {
        place: Place::default(),
        around: None,
        asked: false,
    };
    walk.put(body, Need::Must, &root);
    walk.below(body, &root);
    walk.cells
}

/// A place, and what becomes of the answer where it must be readable and is not.
#[derive(Clone)]
struct Spot {
    place: Place,
    /// The nearest member around it that may be absent (F12).
    around: Option<Outcome>,
    asked: bool,
}

impl Spot {
    fn member(&self, member: &Member) -> Self {
        self.at(self.place.member(member.name), member.asked)
    }

    fn at(&self, place: Place, asked: bool) -> Self {
        Self {
            place,
            asked,
            around: self.around.clone(),
        }
    }

    /// The same for what stands inside.
    fn inside(mut self, need: Need) -> Self {
        self.around = match need {
            Need::May => Some(Outcome::AbsentAt(self.place.pointer.clone())),
            Need::Claimed => Some(Outcome::FailsAt(self.place.name.clone())),
            Need::Must | Need::Own | Need::Granted | Need::Unread => self.around,
        };
        self
    }

    /// What comes of a value there that cannot be read.
    fn unreadable(&self, need: Need) -> Outcome {
        match need {
            Need::May => Outcome::Absent,
            Need::Own => Outcome::Own,
            Need::Unread => Outcome::Same,
            Need::Claimed => Outcome::Fails,
            Need::Must | Need::Granted => self.around.clone().unwrap_or(Outcome::Fails),
        }
    }

    fn missing(&self, need: Need, parent: &Self, name: &str) -> Outcome {
        match (need, parent.place.name.as_str()) {
            (Need::Must, "") => Outcome::Lacks(format!("missing field `{name}`")),
            (Need::Must, parent) => (self.around.clone())
                .unwrap_or_else(|| Outcome::Lacks(format!("`{parent}`: missing field `{name}`"))),
            (Need::Granted, _) => Outcome::Same,
            (need, _) => self.unreadable(need),
        }
    }
}

struct Walk {
    cells: Vec<Cell>,
}

impl Walk {
    fn add(&mut self, spot: &Spot, change: Change, outcome: Outcome) {
        self.cells.push(Cell {
            place: spot.place.clone(),
            change,
            outcome,
        });
    }

    /// The cells of what stands inside a value.
    fn below(&mut self, kind: &Kind, spot: &Spot) {
        match kind {
            Kind::Object(members) => {
                for member in members {
                    let inner = spot.member(member);
                    let missing = inner.missing(member.need, spot, member.name);
                    self.add(&inner, Change::Remove, missing);
                    self.put(&member.kind, member.need, &inner);
                    if member.need != Need::Unread {
                        self.below(&member.kind, &inner.clone().inside(member.need));
                    }
                }
                // A member that nobody knows changes nothing (F1).
                let unknown = spot.at(spot.place.member("canary_member"), false);
                let change = Change::Put(json!({"canary": [TEXT, NUMBER]}));
                self.add(&unknown, change, Outcome::Same);
            }
            Kind::List(items) => {
                for (position, item) in items.iter().enumerate() {
                    let inner = spot.at(spot.place.item(position), false);
                    self.put(item, Need::Must, &inner);
                    self.below(item, &inner);
                }
            }
            Kind::Map(entries) | Kind::Reports(entries) => {
                for (name, entry) in entries {
                    let inner = spot.at(spot.place.member(name), false);
                    self.add(&inner, Change::Remove, Outcome::Absent);
                    self.put(entry, Need::Must, &inner);
                    self.below(entry, &inner);
                }
            }
            _ => {}
        }
    }

    /// Every wrong value in one place.
    fn put(&mut self, kind: &Kind, need: Need, spot: &Spot) {
        let mut values = wrong_values(kind);
        if spot.asked {
            values.push(another(kind));
        }
        for value in values {
            let outcome = match (need, &value) {
                (Need::Unread, _) => Outcome::Same,
                (_, value) if spot.asked && *value == another(kind) => Outcome::Fails,
                // An empty link is none.
                (Need::May, value) if spot.place.pointer.starts_with("/links/") && *value == "" => {
                    Outcome::Absent
                }
                (Need::May | Need::Own, Value::Null) => spot.unreadable(need),
                // An empty list in place of an object is an empty one (F8).
                (Need::May, Value::Array(items)) if items.is_empty() && is_object(kind) => {
                    match has_needed_members(kind) {
                        true => Outcome::Absent,
                        false => Outcome::Becomes(json!({})),
                    }
                }
                (Need::Must, value) if says_nothing(kind, value) => spot.unreadable(need),
                (_, value) if is_passed_over(kind, value) => Outcome::Absent,
                _ => match read_as(kind, &value) {
                    Some(read) if spot.asked && !is_what_was_asked(spot, kind, &read) => {
                        Outcome::Fails
                    }
                    Some(read) => Outcome::Becomes(read),
                    None => spot.unreadable(need),
                },
            };
            self.add(spot, Change::Put(value), outcome);
        }
    }
}

/// The name of a product may come in other letters; a state is a word.
fn is_what_was_asked(spot: &Spot, kind: &Kind, read: &Value) -> bool {
    match (kind, read) {
        (Kind::Word(good), Value::String(read)) if spot.place.name.ends_with("product_slug") => {
            good.eq_ignore_ascii_case(read)
        }
        _ => *read == kind.value(),
    }
}

/// A value that can be read, and is not the good one.
fn another(kind: &Kind) -> Value {
    match kind {
        Kind::Id(_) => json!("00000000-0000-4000-8000-000000000099"),
        Kind::Flag(good) => json!(!good),
        Kind::Number(good, _) | Kind::Owner(good) => json!(good + 1),
        _ => json!("another"),
    }
}

/// Whether it is no report beside the reports.
fn is_passed_over(kind: &Kind, value: &Value) -> bool {
    // An empty list is an empty report (F8).
    is_report(kind) && !value.is_object() && *value != json!([])
}

fn is_report(kind: &Kind) -> bool {
    matches!(kind, Kind::Object(members) if members.iter().any(|member| member.name == "product_type"))
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

fn has_needed_members(kind: &Kind) -> bool {
    matches!(kind, Kind::Object(members) if members.iter().any(|member| member.need == Need::Must))
}

/// What may stand in the place of a value: null, every other type, an empty list for an object, the values of a map
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
        // No service writes a record as a list.
        (Kind::Object(_), _) => {}
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
        (Kind::Text(_), Value::Number(number)) => Some(number.to_string().into()),
        (Kind::Text(_) | Kind::Word(_), Value::String(_)) => Some(value.clone()),
        (Kind::Id(good), Value::String(text)) if text.eq_ignore_ascii_case(good) => {
            Some((*good).into())
        }
        (Kind::Time(good), Value::String(text)) if text == good => Some(value.clone()),
        (Kind::Number(_, most), Value::Number(_) | Value::String(_)) => {
            let number = whole(value)?.parse().ok();
            Some(number.filter(|number: &u64| number <= most)?.into())
        }
        (Kind::Owner(_), Value::Number(_) | Value::String(_)) => {
            let number = whole(value)?.parse().ok();
            Some(number.filter(|number: &u64| *number > 0)?.into())
        }
        (Kind::Money(_), Value::Number(_) | Value::String(_)) => {
            Some(as_text(value).parse::<f64>().ok()?.into())
        }
        (Kind::Flag(_), _) => match as_text(value).as_str() {
            "true" | "1" => Some(json!(true)),
            "false" | "0" => Some(json!(false)),
            _ => None,
        },
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
            Some(Value::Object(
                named.collect::<Option<_>>().unwrap_or_default(),
            ))
        }
        // The services are changed, whatever else is told in the place of reports.
        (Kind::Reports(_), Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            Some(json!({}))
        }
        (Kind::Map(good) | Kind::Reports(good), Value::Object(entries)) => {
            let kind = good.first().map(|(_, kind)| kind);
            // What is no report is passed over, and so is what is below no customer's name.
            let skips = |kind: &Kind| is_report(kind) || matches!(kind, Kind::Reports(_));
            if kind.is_none_or(skips) && entries.contains_key("canary") {
                return Some(json!({}));
            }
            let read = entries.iter().map(|(name, value)| {
                let name = Some(name).filter(|name| *name != "canary");
                Some((name?.clone(), read_as(kind?, value)?))
            });
            Some(Value::Object(read.collect::<Option<_>>()?))
        }
        (Kind::Object(members), Value::Object(_)) => read_object(members),
        (Kind::Object(members), Value::Array(_)) if is_report(kind) => read_object(members),
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

/// The digits of a whole number, a fraction of nothing left out.
fn whole(value: &Value) -> Option<String> {
    let text = as_text(value);
    match text.trim().split_once('.') {
        None => Some(text.trim().to_owned()),
        Some((digits, fraction)) => {
            let is_nothing = fraction.trim_end_matches('0').is_empty();
            is_nothing.then(|| digits.to_owned())
        }
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
