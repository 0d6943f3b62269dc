//! Every member of every answer in the spellings of other services: an optional one is read, or is absent, and costs
//! nothing else; one that must be there is read wherever that can be (F12).

use secmon::Error;
use serde_json::{Value, json};

use super::{Desk, assert_none_wrong};
use crate::specified::answers::{self, Done};
use crate::specified::{Kind, Member, Need};

/// A place of an answer.
struct Place {
    pointer: String,
    need: Need,
    kind: Kind,
    /// Whether another value would be another answer (F11).
    asked: bool,
}

/// Every place below this one.
fn places(kind: &Kind, at: &str, found: &mut Vec<Place>) {
    let mut add = |pointer: String, need, kind: &Kind, asked| {
        found.push(Place {
            pointer: pointer.clone(),
            need,
            kind: kind.clone(),
            asked,
        });
        if need != Need::Unread {
            places(kind, &pointer, found);
        }
    };
    match kind {
        Kind::Object(members) => {
            for Member {
                name,
                need,
                kind,
                asked,
            } in members
            {
                add(format!("{at}/{name}"), *need, kind, *asked);
            }
        }
        Kind::List(items) => {
            for (position, item) in items.iter().enumerate() {
                add(format!("{at}/{position}"), Need::Must, item, false);
            }
        }
        Kind::Map(entries) | Kind::Reports(entries) => {
            for (name, entry) in entries {
                add(format!("{at}/{name}"), Need::Must, entry, false);
            }
        }
        _ => {}
    }
}

/// Ten spellings of a value, each with what is read; `None` for absent.
fn spellings(kind: &Kind) -> Vec<(Value, Option<Value>)> {
    let same = |value: Value| Some(value);
    match kind {
        Kind::Number(good, _) | Kind::Owner(good) => vec![
            (json!(good.to_string()), same(json!(good))),
            (json!(format!("{good}.0")), same(json!(good))),
            (json!(format!(" {good} ")), same(json!(good))),
            (json!(*good as f64), same(json!(good))),
            (json!(format!("{good}.00")), same(json!(good))),
            (json!(""), None),
            (json!("n/a"), None),
            (json!(-1), None),
            (json!([]), None),
            (json!({"value": good}), None),
        ],
        Kind::Flag(good) => {
            let digit = u8::from(*good);
            vec![
                (json!(digit), same(json!(good))),
                (json!(digit.to_string()), same(json!(good))),
                (json!(good.to_string()), same(json!(good))),
                (json!(good.to_string().to_uppercase()), same(json!(good))),
                (json!(f64::from(digit)), None),
                (json!(""), None),
                (json!("yes"), None),
                (json!(2), None),
                (json!([]), None),
                (json!({}), None),
            ]
        }
        Kind::Time(good) => {
            let local = good.trim_end_matches("+00:00");
            let read = |text: String| (json!(text), Some(json!(text)));
            vec![
                read(format!("{local}+0000")),
                read(format!("{local}Z")),
                read(good.replace('T', " ")),
                read(format!("{local}.123456Z")),
                read(local.to_owned()),
                read(local.replace('T', " ")),
                read(local[..10].to_owned()),
                (json!(""), None),
                (json!("0000-00-00 00:00:00"), None),
                (json!(1_773_480_413), None),
            ]
        }
        Kind::Text(_) => vec![
            (json!(7), same(json!("7"))),
            (json!(0.5), same(json!("0.5"))),
            (json!("x"), same(json!("x"))),
            (json!(true), None),
            (json!([]), None),
            (json!(["x"]), None),
            (json!({}), None),
            (json!({"text": "x"}), None),
            (json!([[]]), None),
            (json!(null), None),
        ],
        Kind::Id(good) => vec![
            (json!(good.to_uppercase()), same(json!(good))),
            (json!(good.replace('-', "")), same(json!(good))),
            (json!(format!("{{{good}}}")), same(json!(good))),
            (json!(format!("urn:uuid:{good}")), same(json!(good))),
            (json!(""), None),
            (json!("n/a"), None),
            (json!(7), None),
            (json!(true), None),
            (json!([good]), None),
            (json!({"id": good}), None),
        ],
        // A word that nobody knows is kept as it came (F1).
        Kind::Word(good) => vec![
            (json!("x"), same(json!("x"))),
            (json!("two words"), same(json!("two words"))),
            (json!(good.to_uppercase()), same(json!(good.to_uppercase()))),
            (json!(format!("{good}-2")), same(json!(format!("{good}-2")))),
            (json!(true), None),
            (json!(0.5), None),
            (json!([]), None),
            (json!([good]), None),
            (json!({"value": good}), None),
            (json!(null), None),
        ],
        Kind::Money(good) => vec![
            (json!(good.to_string()), same(json!(good))),
            (json!("n/a"), None),
            (json!(true), None),
            (json!([]), None),
            (json!({"amount": good}), None),
            (json!(null), None),
        ],
        Kind::List(_) | Kind::Object(_) | Kind::Map(_) | Kind::Reports(_) | Kind::Free(_) => vec![
            (json!("x"), None),
            (json!(""), None),
            (json!(0), None),
            (json!(7), None),
            (json!(-1.5), None),
            (json!(true), None),
            (json!(false), None),
            (json!("[]"), None),
            (json!("null"), None),
            (json!(null), None),
        ],
        Kind::Any(_) => Vec::new(),
    }
}

/// The answer with another value in this place.
fn with(body: &Kind, place: &Place, value: &Value) -> String {
    let mut answer = body.value();
    *answer.pointer_mut(&place.pointer).expect("a place") = value.clone();
    answer.to_string()
}

/// Why this is not what should be read there; `within` is where in the result, where it has the place.
fn problem(
    ended: Result<Done, Error>,
    within: Option<&str>,
    read: Option<&Value>,
) -> Option<String> {
    match (&ended, within) {
        (Err(error), _) => Some(format!("no result: {error}")),
        (Ok(_), None) => None,
        (Ok(done), Some(within)) => {
            let got = done.data.pointer(within).filter(|got| !got.is_null());
            (got != read).then(|| format!("read as {got:?}, not {read:?}"))
        }
    }
}

/// Tries the spellings that are wanted in every place: how many there were, and what was read wrongly.
fn walk(wanted: impl Fn(&Place, Option<&Value>) -> bool) -> (usize, Vec<String>) {
    let desk = Desk::new();
    let (mut walked, mut wrong) = (0, Vec::new());
    for row in &answers::all() {
        let Some(body) = &row.body else { continue };
        let mut found = Vec::new();
        places(body, "", &mut found);
        for place in &found {
            let within = match row.is_enveloped() {
                true => place.pointer.strip_prefix("/data"),
                false => Some(place.pointer.as_str()),
            };
            for (value, read) in spellings(&place.kind) {
                if !wanted(place, read.as_ref()) {
                    continue;
                }
                walked += 1;
                let ended = desk.answered(row, row.status, with(body, place, &value));
                let (name, pointer) = (row.operation.name, &place.pointer);
                wrong.extend(
                    problem(ended, within, read.as_ref())
                        .map(|problem| format!("{name} {pointer} {value}: {problem}")),
                );
            }
        }
    }
    (walked, wrong)
}

#[test]
fn no_spelling_of_an_optional_member_costs_the_answer() {
    let (walked, wrong) = walk(|place, _| place.need == Need::May);
    assert!(walked > 1500, "only {walked}");
    assert_none_wrong(walked, &wrong);
}

#[test]
fn a_member_that_must_be_there_is_read_in_every_spelling_of_its_value() {
    let (walked, wrong) = walk(|place, read| {
        let is_the_same = read == Some(&place.kind.value());
        place.need == Need::Must && read.is_some() && (is_the_same || !place.asked)
    });
    assert!(walked > 300, "only {walked}");
    assert_none_wrong(walked, &wrong);
}
