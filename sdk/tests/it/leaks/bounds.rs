//! Every text is one line of at most 4 KiB, however large the answer is and whatever characters it has in it.

use serde_json::{Map, Value, json};

use super::{KEY, PASSWORD, TOKEN, Watch, assert_nothing_seen, target};
use crate::specified::planting::{Planted, SPOTS, STATUSES, plant};
use crate::specified::secrets::{Encoding, Secret};
use crate::specified::shown::faults;

/// Every character that ends a line, turns the direction of writing, or moves a terminal.
fn unruly() -> String {
    let control = (0..0x20_u8).chain(0x7f..0xa0).map(char::from);
    let further =
        "\u{2028}\u{2029}\u{85}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{61c}\u{feff}";
    control
        .chain(further.chars())
        .flat_map(|c| [c, 'x'])
        .collect()
}

fn as_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// All spots of answers to some operations, filled with a text.
fn check_every_spot(operations: &[&str], text: &str) {
    let encoding: Encoding = ("as it is", as_json);
    let watch = Watch::new();
    let (mut checked, mut all) = (0, Vec::new());
    for name in operations {
        let target = target(name, KEY);
        for (at, spot) in SPOTS.iter().enumerate() {
            let status = [422, STATUSES[at % STATUSES.len()]][at % 2];
            let planted = plant(&target.good, spot, &encoding, status, text);
            checked += 1;
            if let Some(fault) = faults(&watch.seen(&target.row, &planted), &target.secret) {
                all.push(format!("{name} {status}, {}: {fault}", spot.0));
            }
        }
    }
    assert_nothing_seen(checked, &all);
}

#[test]
fn characters_that_break_a_line_break_none() {
    let operations = ["get_endpoint", "create_sso_token", "list_credential_leaks"];
    check_every_spot(&operations, &unruly());
}

#[test]
fn a_text_of_a_megabyte_is_shown_in_short() {
    check_every_spot(
        &["get_endpoint"],
        &"All work and no play. ".repeat(1_000_000 / 44),
    );
    check_every_spot(&["create_sso_token"], &"\u{2028}\u{1F600}".repeat(8_000));
}

/// An answer of 422 with a body.
fn refusal(body: Value) -> Planted {
    Planted {
        status: 422,
        headers: vec![("content-type", "application/json".to_owned())],
        body: body.to_string(),
    }
}

#[test]
fn thousands_of_fields_and_details_are_shown_in_short() {
    let many = |value: &dyn Fn(usize) -> Value| -> Map<String, Value> {
        (0..5_000)
            .map(|number| (format!("services.{number}.status"), value(number)))
            .collect()
    };
    let sentences = json!(vec![
        "It must be one of active, suspended, cancelled.";
        3_000
    ]);
    let answers = [
        json!({"status": "error", "message": "No.", "errors": many(&|_| json!(["It is required.", "It is odd."]))}),
        json!({"status": "error", "message": "No.", "errors": {"client_id": sentences}}),
        json!({"error": {"code": "X", "message": "No.", "details": many(&|number| json!({"limit": number}))}}),
        json!({"error": {"code": "X", "message": "No.", "details": {"all": many(&|number| json!(number))}}}),
    ];
    let watch = Watch::new();
    let mut all = Vec::new();
    for (name, secret) in [
        ("get_endpoint", KEY),
        ("create_sso_token", TOKEN),
        ("list_credential_leaks", PASSWORD),
    ] {
        let target = target(name, secret);
        for answer in &answers {
            let seen = watch.seen(&target.row, &refusal(answer.clone()));
            all.extend(faults(&seen, &Secret::new(secret)).map(|fault| format!("{name}: {fault}")));
        }
    }
    assert_nothing_seen(12, &all);
}
