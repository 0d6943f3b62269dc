//! The same request in another dress is answered to the letter as in the first, and does the same.

use std::sync::Arc;

use crate::table::{NAMESPACES, Row, TABLE};
use crate::{Case, Members, Need, RawAnswer, SampleAccount, Snapshot, Stage, Wire};
use http::{Method, header};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::each_operation::{STEERED, needs_of, of_each, own_needs};

/// What says so.
const SPEC_REF: &str = "A7 to A9, A16";

pub fn cases() -> Vec<Case> {
    let at_once = of_each(
        SPEC_REF,
        concat!(module_path!(), "::all_at_once"),
        |stage, row| Box::pin(all_at_once(stage, row)),
        |row| needs_of(row).is_none().then(|| alone(row)),
    );
    let each = of_each(
        SPEC_REF,
        concat!(module_path!(), "::each_alone"),
        |stage, row| Box::pin(each_alone(stage, row)),
        |_| Some(STEERED),
    );
    let spelled = of_each(
        SPEC_REF,
        concat!(
            module_path!(),
            "::values_at_the_edge_and_in_other_spellings"
        ),
        |stage, row| Box::pin(values_at_the_edge_and_in_other_spellings(stage, row)),
        |row| (needs_of(row).is_none() && has_values(row)).then(|| alone(row)),
    );
    [at_once, each, spelled].concat()
}

/// What two estates need that are compared: rules of the whole account, which others make meanwhile, would show in both.
fn alone(row: &Row) -> &'static [Need] {
    match row.group.as_str() {
        "allowed ports" => &[Need::Accounts],
        _ => own_needs(row),
    }
}

/// A way to write a request otherwise.
struct RequestVariant {
    what: &'static str,
    /// Whether it is for a request without what is optional.
    bare: bool,
    put_on: fn(&mut Wire, &Row),
}

const VARIANTS: &[RequestVariant] = &[
    full("the members in another order", |wire, _| {
        wire.query.reverse();
        wire.body.iter_mut().for_each(|body| body.reverse());
    }),
    full(
        "each member and parameter twice, of which the last counts",
        |wire, _| {
            doubled(&mut wire.query, "x");
            wire.body.iter_mut().for_each(|body| doubled(body, "{}"));
        },
    ),
    full("with members that the operation has not", |wire, row| {
        wire.body
            .iter_mut()
            .for_each(|body| body.extend(unknown(row)));
    }),
    full("identifiers in capitals", capitals),
    full("`bearer` in small letters", |wire, _| {
        scheme(wire, "bearer")
    }),
    full("`BEARER` in capitals", |wire, _| scheme(wire, "BEARER")),
    full("another Content-Type", |wire, _| {
        wire.set(header::CONTENT_TYPE, Some("text/plain"))
    }),
    full("no Content-Type", |wire, _| {
        wire.set(header::CONTENT_TYPE, None)
    }),
    full("the query's letters escaped", |wire, _| {
        for (name, value) in &mut wire.query {
            (*name, *value) = (escaped(name), escaped(value));
        }
    }),
    full("in the other namespace", |wire, row| {
        if row.path.contains("{namespace}") {
            wire.path = wire.path.replace(NAMESPACES[0], NAMESPACES[1]);
        }
    }),
    bare("null for what is left out", |wire, row| {
        let optional = row.recipe.iter().flat_map(|recipe| recipe.optional.keys());
        let nulls = optional.map(|name| (name.clone(), "null".to_owned()));
        wire.body
            .iter_mut()
            .for_each(|body| body.extend(nulls.clone()));
    }),
    bare("with a body that nobody asked for", |wire, row| {
        if !row.takes_body() {
            let body = [
                ("billing_customer_id", "999999999"),
                ("status", "\"active\""),
                ("page", "0"),
            ];
            wire.body = Some(
                body.map(|(name, text)| (name.to_owned(), text.to_owned()))
                    .to_vec(),
            );
        }
    }),
];

const fn full(what: &'static str, put_on: fn(&mut Wire, &Row)) -> RequestVariant {
    RequestVariant {
        what,
        bare: false,
        put_on,
    }
}

const fn bare(what: &'static str, put_on: fn(&mut Wire, &Row)) -> RequestVariant {
    RequestVariant {
        what,
        bare: true,
        put_on,
    }
}

fn doubled(pairs: &mut Vec<(String, String)>, wrong: &str) {
    let both = pairs.iter().flat_map(|(name, text)| {
        [
            (name.clone(), wrong.to_owned()),
            (name.clone(), text.clone()),
        ]
    });
    *pairs = both.collect();
}

/// What other operations take, and what only answers have.
fn unknown(row: &Row) -> Vec<(String, String)> {
    let others = TABLE.operations().filter_map(|row| row.recipe.as_ref());
    let mut all: Members = others.flat_map(|recipe| recipe.full()).collect();
    all.extend(TABLE.unknown.clone());
    all.retain(|name, value| {
        let named = value.as_str().is_some_and(|text| text.starts_with('$'));
        !TABLE.takes(row, name) && !named && !value.is_array()
    });
    all.into_iter()
        .map(|(name, value)| (name, value.to_string()))
        .collect()
}

fn capitals(wire: &mut Wire, _: &Row) {
    let upper = |text: &mut String| {
        let parts = text.split_inclusive(['/', '"', ',']);
        let parts = parts.map(|part| {
            let id = part.trim_end_matches(['/', '"', ',']);
            match Uuid::parse_str(id) {
                Ok(_) => part.to_ascii_uppercase(),
                Err(_) => part.to_owned(),
            }
        });
        *text = parts.collect();
    };
    upper(&mut wire.path);
    wire.query.iter_mut().for_each(|(_, value)| upper(value));
    wire.body
        .iter_mut()
        .flatten()
        .for_each(|(_, text)| upper(text));
}

fn scheme(wire: &mut Wire, scheme: &str) {
    let key = wire
        .headers
        .iter()
        .find(|(name, _)| *name == header::AUTHORIZATION);
    let key = key.map(|(_, value)| value.replace("Bearer", scheme));
    wire.set(header::AUTHORIZATION, key.as_deref());
}

fn escaped(text: &str) -> String {
    // What is escaped already stays so.
    match text.contains('%') {
        true => text.to_owned(),
        false => text.bytes().map(|byte| format!("%{byte:02X}")).collect(),
    }
}

/// What a request did: its answer, and what there is after it.
struct Done {
    answer: Snapshot,
    state: Snapshot,
}

async fn done(row: &Row, wire: &Wire, sample: &SampleAccount) -> (RawAnswer, Done) {
    let answer = wire.send(&sample.account).await;
    let done = Done {
        // Links keep the query as it was asked for.
        answer: Snapshot::answer(&row.path, &answer, sample, None).without("links"),
        state: Snapshot::in_short(sample).await.named(sample),
    };
    (answer, done)
}

impl Done {
    fn assert_same(&self, dressed: &Self, row: &Row, what: &str, wire: &Wire) {
        for (says, is, other) in [
            ("is answered otherwise", &self.answer, &dressed.answer),
            ("does something else", &self.state, &dressed.state),
        ] {
            let (differs, name, told) = (is.changes(other), &row.name, wire.told());
            assert!(
                differs.is_empty(),
                "{name} {what} {says}: {differs} ({told})"
            );
        }
    }
}

fn members(row: &Row, bare: bool) -> Members {
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    // A list without a customer is the whole account's, which others use too.
    match bare && row.http_method() != Method::GET {
        true => recipe.send.clone(),
        false => recipe.full(),
    }
}

async fn wire(row: &Row, members: &Members, sample: &SampleAccount) -> Wire {
    let request = sample.request(row, members).await;
    Wire::of(&request, &sample.account)
}

async fn accepted(row: &Row, plain: &Wire, sample: &SampleAccount) -> Done {
    let (answer, done) = done(row, plain, sample).await;
    let (status, json) = (answer.status, answer.json);
    assert!(status.is_success(), "{}: {json}", plain.told());
    done
}

async fn all_at_once(stage: Arc<Stage>, row: &'static Row) {
    for bare in [false, true] {
        let sample = SampleAccount::new(&stage).await;
        let plain = wire(row, &members(row, bare), &sample).await;
        let expected = accepted(row, &plain, &sample).await;
        let sample = SampleAccount::new(&stage).await;
        let plain = wire(row, &members(row, bare), &sample).await;
        let mut dressed = plain.clone();
        let dresses = VARIANTS.iter().filter(|dress| dress.bare == bare);
        dresses.for_each(|dress| (dress.put_on)(&mut dressed, row));
        if dressed != plain {
            let (_, other) = done(row, &dressed, &sample).await;
            expected.assert_same(&other, row, "in other dress", &dressed);
        }
    }
}

/// Of a read in the midst of findings, of anything else in a sample account that has no more than it names.
async fn sample_for(stage: &Arc<Stage>, row: &Row) -> SampleAccount {
    if row.http_method() != Method::GET {
        return SampleAccount::new(stage).await;
    }
    let sample = SampleAccount::furnished(stage).await;
    sample.value("alert").await;
    sample.value("domain_alert").await;
    sample
}

async fn each_alone(stage: Arc<Stage>, row: &'static Row) {
    for bare in [false, true] {
        let mut sample = sample_for(&stage, row).await;
        let plain = wire(row, &members(row, bare), &sample).await;
        if row.http_method() == Method::GET {
            // A first read marks mentions as seen (C9).
            plain.send(&sample.account).await;
        }
        let expected = accepted(row, &plain, &sample).await;
        for dress in VARIANTS.iter().filter(|dress| dress.bare == bare) {
            let mut dressed = plain.clone();
            (dress.put_on)(&mut dressed, row);
            if dressed == plain {
                continue;
            }
            if row.http_method() != Method::GET {
                sample = SampleAccount::new(&stage).await;
                dressed = wire(row, &members(row, bare), &sample).await;
                (dress.put_on)(&mut dressed, row);
            }
            let (_, other) = done(row, &dressed, &sample).await;
            expected.assert_same(&other, row, dress.what, &dressed);
        }
    }
}

fn has_values(row: &Row) -> bool {
    let full = members(row, false);
    full.keys()
        .any(|name| TABLE.good.contains_key(name) || TABLE.same.contains_key(name))
}

async fn values_at_the_edge_and_in_other_spellings(stage: Arc<Stage>, row: &'static Row) {
    for name in members(row, false).keys() {
        let good = TABLE.good.get(name).and_then(Value::as_array);
        for value in good.into_iter().flatten() {
            let sample = SampleAccount::new(&stage).await;
            valued(row, name, value, value, &sample).await;
        }
        for spellings in TABLE.same.get(name).into_iter().flatten() {
            let mut expected: Option<Done> = None;
            for spelling in spellings {
                let sample = SampleAccount::new(&stage).await;
                let (wire, other) = valued(row, name, spelling, &spellings[0], &sample).await;
                if let Some(expected) = &expected {
                    expected.assert_same(&other, row, "in another spelling", &wire);
                }
                expected.get_or_insert(other);
            }
        }
    }
}

/// A request with a value that is taken, and shown as this one.
async fn valued(
    row: &Row,
    name: &str,
    value: &Value,
    shown: &Value,
    sample: &SampleAccount,
) -> (Wire, Done) {
    let over = Map::from_iter([(name.to_owned(), value.clone())]);
    let mut members = members(row, false);
    members.extend(over);
    let wire = wire(row, &members, sample).await;
    let (answer, done) = done(row, &wire, sample).await;
    assert!(
        answer.status.is_success(),
        "{}: {}",
        wire.told(),
        answer.json
    );
    let shown = sample
        .filled(&Map::from_iter([("as".to_owned(), shown.clone())]))
        .await;
    let told = &answer.json["data"][name];
    let same = told.is_null() || told == &shown["as"] || told.as_f64() == shown["as"].as_f64();
    assert!(same, "{} shows {name} as {told}", wire.told());
    (wire, done)
}
