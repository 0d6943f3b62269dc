//! Every optional member of every answer in ten spellings of other services: each is read, or is absent, and none
//! costs the rest of the answer (F12).

use serde_json::{Value, json};

use super::{Desk, assert_none_wrong};
use crate::specified::answers;
use crate::specified::{Kind, Member, Need};

/// Places of optional members, with what stands there.
fn optional(kind: &Kind, place: &str, found: &mut Vec<(String, Kind)>) {
    match kind {
        Kind::Object(members) => {
            for Member {
                name, need, kind, ..
            } in members
            {
                let inner = format!("{place}/{name}");
                if *need == Need::May {
                    found.push((inner.clone(), kind.clone()));
                }
                if *need != Need::Unread {
                    optional(kind, &inner, found);
                }
            }
        }
        Kind::List(items) => {
            for (position, item) in items.iter().enumerate() {
                optional(item, &format!("{place}/{position}"), found);
            }
        }
        Kind::Map(entries) | Kind::Reports(entries) => {
            for (name, entry) in entries {
                optional(entry, &format!("{place}/{name}"), found);
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

#[test]
fn no_spelling_of_an_optional_member_costs_the_answer() {
    let desk = Desk::new();
    let (mut walked, mut wrong) = (0, Vec::new());
    for row in &answers::all() {
        let Some(body) = &row.body else { continue };
        let mut places = Vec::new();
        optional(body, "", &mut places);
        for (place, kind) in places {
            for (value, read) in spellings(&kind) {
                walked += 1;
                let mut answer = body.value();
                *answer.pointer_mut(&place).expect("a place") = value.clone();
                let ended = desk.answered(row, row.status, answer.to_string());
                let within = match row.is_enveloped() {
                    true => place.strip_prefix("/data"),
                    false => Some(place.as_str()),
                };
                let problem = match (&ended, within) {
                    (Err(error), _) => format!("no result: {error}"),
                    (Ok(_), None) => continue,
                    (Ok(done), Some(within)) => {
                        let got = done.data.pointer(within).filter(|got| !got.is_null());
                        match got == read.as_ref() {
                            true => continue,
                            false => format!("read as {got:?}, not {read:?}"),
                        }
                    }
                };
                wrong.push(format!("{} {place} {value}: {problem}", row.operation.name));
            }
        }
    }
    assert!(walked > 1500, "only {walked}");
    assert_none_wrong(walked, &wrong);
}
