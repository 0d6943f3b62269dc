//! Every operation, every place of its answer, every name by which that may say whom it is about, also where its shape has
//! no such member: another customer, service or record than was asked for is no result (F11), the same one in any
//! spelling changes nothing (F12). All of it follows from the requests.

use std::collections::BTreeSet;

use secmon::{ErrorKind, OPERATIONS};
use serde_json::{Value, json};

use super::{Desk, assert_none_wrong};
use crate::specified::records::{ID, OTHER_ID};
use crate::specified::repeats::{NAMES, names_of};
use crate::specified::{Kind, Member, answers};

const ANOTHER_ID: &str = "00000000-0000-4000-8000-000000000099";

/// The objects of an answer whose members the specification gives, as pointers; not what is about the answer itself.
fn objects(kind: &Kind, place: &str, found: &mut Vec<String>) {
    match kind {
        Kind::Object(members) => {
            found.push(place.to_owned());
            for Member { name, kind, .. } in members {
                if !matches!(*name, "meta" | "links") {
                    objects(kind, &format!("{place}/{name}"), found);
                }
            }
        }
        Kind::List(items) => {
            for (position, item) in items.iter().enumerate() {
                objects(item, &format!("{place}/{position}"), found);
            }
        }
        _ => {}
    }
}

fn another(asked: &Value) -> Vec<Value> {
    match asked {
        Value::Number(_) => vec![json!(43), json!("43"), json!(43.0), json!(" 43.0 ")],
        _ if is_id(asked) => vec![json!(ANOTHER_ID), json!(ANOTHER_ID.to_uppercase())],
        _ => vec![json!("another_product")],
    }
}

/// The same in other letters, and what names nobody.
fn same(asked: &Value) -> Vec<Value> {
    let mut values = match asked {
        Value::Number(number) => vec![
            json!(number),
            json!(number.to_string()),
            json!(format!("{number}.0")),
        ],
        _ => {
            let text = asked.as_str().expect("an id or a word");
            vec![json!(text), json!(text.to_uppercase())]
        }
    };
    if is_id(asked) {
        let id = asked.as_str().unwrap_or_default();
        values.extend([json!(id.replace('-', "")), json!("unknown"), json!("")]);
    }
    values.extend([json!(null), json!({}), json!([])]);
    values
}

fn is_id(asked: &Value) -> bool {
    asked.as_str() == Some(ID) || asked.as_str() == Some(OTHER_ID)
}

fn with(good: &Value, place: &str, name: &str, value: Value) -> String {
    let mut answer = good.clone();
    let object = answer.pointer_mut(place).expect("an object");
    object[name] = value;
    answer.to_string()
}

/// The same answer in other letters: with blanks between its words, and with an escape in the name.
fn in_other_letters(answer: &str, name: &str) -> [String; 3] {
    let value: Value = serde_json::from_str(answer).expect("JSON");
    let pretty = serde_json::to_string_pretty(&value).expect("JSON");
    let spaced = pretty.replace("\": ", "\" :\t");
    let escaped = answer.replace(name, &name.replacen("_id", "\\u005fid", 1));
    [pretty, spaced, escaped]
}

/// As errors write a place: `data.alerts[0].endpoint_id`.
fn written(place: &str, name: &str) -> String {
    let mut written = String::new();
    for segment in place.split('/').skip(1).chain([name]) {
        match segment.parse::<usize>() {
            Ok(position) => written += &format!("[{position}]"),
            Err(_) if written.is_empty() => written += segment,
            Err(_) => written += &format!(".{segment}"),
        }
    }
    written
}

#[test]
fn an_answer_about_another_record_is_no_result_wherever_it_says_so() {
    let desk = Desk::new();
    let (mut walked, mut wrong) = (0, Vec::new());
    for row in &answers::all() {
        let Some(body) = &row.body else { continue };
        let good = body.value();
        let mut places = Vec::new();
        objects(body, "", &mut places);
        for (place, (name, asked)) in places
            .iter()
            .flat_map(|place| names_of(&row.request).map(move |named| (place, named)))
        {
            let is_there = good.pointer(place).and_then(|object| object.get(name));
            let mut judge = |value: &Value, problem: Option<String>| {
                walked += 1;
                let operation = row.operation.name;
                wrong.extend(
                    problem.map(|problem| format!("{operation} {place} {name} {value}: {problem}")),
                );
            };
            for value in another(asked) {
                let answer = with(&good, place, name, value.clone());
                let others = in_other_letters(&answer, name);
                for answer in [answer].into_iter().chain(others) {
                    let problem = match desk.answered(row, row.status, answer) {
                        Ok(done) => Some(format!("a result: {}", done.data)),
                        Err(error) if error.kind() != ErrorKind::Decode => {
                            Some(format!("{error:?}"))
                        }
                        Err(error) => {
                            let told = error.to_string();
                            let named = told.contains(&written(place, name))
                                && told.contains("the answer does not fit the request");
                            (!named).then(|| format!("the place is not named: {told}"))
                        }
                    };
                    judge(&value, problem);
                }
            }
            // What the shape has itself is read by its own rules: see the cells.
            if is_there.is_some() {
                continue;
            }
            for value in same(asked) {
                let answer = with(&good, place, name, value.clone());
                let problem = desk.answered(row, row.status, answer).err();
                judge(&value, problem.map(|error| error.to_string()));
            }
        }
    }
    assert!(walked > 1000, "only {walked}");
    assert_none_wrong(walked, &wrong);
}

/// What leaked, what an alert has found and how strong passwords are have members of their own, which name nobody here.
#[test]
fn members_that_the_specification_does_not_give_are_not_compared() {
    let desk = Desk::new();
    let own = json!({"client_id": 43, "billing_customer_id": "43", "domain_id": ANOTHER_ID});
    let mut walked = 0;
    for row in &answers::all() {
        let Some(body) = &row.body else { continue };
        for place in free(body, "") {
            let mut answer = body.value();
            *answer.pointer_mut(&place).expect("a place") = own.clone();
            let ended = desk.answered(row, row.status, answer.to_string());
            assert!(
                ended.is_ok(),
                "{} {place}: {:?}",
                row.operation.name,
                ended.err()
            );
            walked += 1;
        }
    }
    assert!(walked > 3, "only {walked}");
}

/// Places of objects whose members the specification does not give.
fn free(kind: &Kind, place: &str) -> Vec<String> {
    match kind {
        Kind::Free(_) => vec![place.to_owned()],
        Kind::Object(members) => {
            let inside = members
                .iter()
                .map(|member| (member.name.to_owned(), &member.kind));
            inside
                .flat_map(|(name, kind)| free(kind, &format!("{place}/{name}")))
                .collect()
        }
        Kind::List(items) => {
            let inside = items.iter().enumerate();
            inside
                .flat_map(|(at, kind)| free(kind, &format!("{place}/{at}")))
                .collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn every_member_that_names_a_record_is_compared() {
    let own = BTreeSet::from(["client_name", "client_email"]);
    let compared: BTreeSet<&str> = NAMES.iter().map(|(name, _)| *name).collect();
    let fields = OPERATIONS.iter().flat_map(|info| info.fields);
    let naming = fields.filter(|name| {
        name.ends_with("_id") || name.starts_with("client") || **name == "product_slug"
    });
    let left: Vec<_> = naming
        .filter(|name| !own.contains(*name) && !compared.contains(*name))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
