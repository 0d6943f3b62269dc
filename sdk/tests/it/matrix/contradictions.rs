//! Answers that say two things: an error with a success status, a success with an error status, both in one body, and
//! bodies that are no whole answer. None of them is a result.

use secmon::{Error, ErrorKind};
use serde_json::{Value, json};

use super::{Desk, assert_none_wrong};
use crate::specified::answers::{self, Answer, Done};

/// Sends every operation with each of some answers, and checks how it ended.
fn every_row<A: IntoIterator<Item = (u16, String)>>(
    answers: impl Fn(&Answer) -> A,
    check: impl Fn(&Answer, Result<Done, Error>) -> Result<(), String>,
) {
    let desk = Desk::new();
    let (mut walked, mut wrong) = (0, Vec::new());
    for row in &answers::all() {
        for (status, body) in answers(row) {
            walked += 1;
            let ended = desk.answered(row, status, body.clone());
            if let Err(problem) = check(row, ended) {
                wrong.push(format!(
                    "{} {status}: {problem}\n  {body}",
                    row.operation.name
                ));
            }
        }
    }
    assert!(walked > 0, "nothing was checked");
    assert_none_wrong(walked, &wrong);
}

/// An error of this kind, and no result.
fn ends_as(kind: ErrorKind) -> impl Fn(&Answer, Result<Done, Error>) -> Result<(), String> {
    move |_, ended| match ended {
        Ok(done) => Err(format!("a result: {}", done.data)),
        Err(error) if error.kind() == kind => Ok(()),
        Err(error) => Err(format!("another kind: {error:?}")),
    }
}

/// The good answer with other members at the top; none where it has no `data`, as the health check.
fn with(row: &Answer, members: &Value) -> Option<(u16, String)> {
    let mut body = row.body.as_ref()?.value();
    body.get("data")?;
    for (name, value) in members.as_object().expect("members") {
        body[name] = value.clone();
    }
    Some((row.status, body.to_string()))
}

#[test]
fn an_error_with_a_success_status_is_the_services_error() {
    let errors = [
        json!({"success": false, "error": {"code": "X", "message": "No.", "details": {}}, "meta": {}}),
        json!({"success": false, "error": {"code": 404, "message": "No."}, "meta": {}}),
        json!({"error": {"code": 404, "message": "No."}}),
        json!({"status": "error", "message": "No.", "errors": {}}),
    ];
    // A deletion is done by 204 alone, which has no body.
    let status = |row: &Answer| if row.body.is_some() { row.status } else { 200 };
    every_row(
        |row| {
            errors
                .each_ref()
                .map(|error| (status(row), error.to_string()))
        },
        ends_as(ErrorKind::Api),
    );
}

#[test]
fn a_result_that_calls_itself_an_error_is_no_result() {
    let no_result = |_: &Answer, ended: Result<Done, Error>| match ended {
        Ok(done) => Err(format!("a result: {}", done.data)),
        Err(_) => Ok(()),
    };
    let words = [
        json!({"success": false}),
        json!({"success": false, "message": "No."}),
        json!({"success": false, "error": {"code": "X", "message": "No."}}),
    ];
    every_row(
        |row| {
            words
                .each_ref()
                .into_iter()
                .filter_map(|words| with(row, words))
                .collect::<Vec<_>>()
        },
        no_result,
    );
}

#[test]
fn a_result_beside_an_error_is_an_answer_that_does_not_decode() {
    let words = [
        json!({"error": {"code": "X", "message": "No."}}),
        json!({"success": true, "error": {"code": 404, "message": "No."}}),
        json!({"error": {}}),
        json!({"status": "error"}),
        json!({"status": "error", "message": "No."}),
        json!({"errors": {"endpoint_id": ["It is unknown."]}}),
        json!({"success": true, "errors": ["It is unknown."]}),
    ];
    every_row(
        |row| {
            let of_a_success = words.iter().filter(|_| row.status < 300);
            let bodies = of_a_success.filter_map(|words| with(row, words));
            bodies.collect::<Vec<_>>()
        },
        ends_as(ErrorKind::Decode),
    );
}

#[test]
fn other_members_beside_a_result_leave_it_one() {
    let words = [
        json!({"error": null}),
        json!({"error": "none"}),
        json!({"error": []}),
        json!({"status": "ok"}),
        json!({"status": {"error": true}}),
        json!({"status": null, "errors": {}, "warning": {"code": "X", "message": "Soon."}}),
        json!({"errors": []}),
        json!({"errors": null}),
    ];
    every_row(
        |row| {
            words
                .each_ref()
                .map(|words| with(row, words))
                .into_iter()
                .flatten()
        },
        |_, ended| ended.map(drop).map_err(|error| format!("{error:?}")),
    );
}

#[test]
fn a_result_with_a_status_that_says_otherwise_is_no_result() {
    every_row(
        |row| [400, 403, 404, 409, 422].map(|status| (status, row.text())),
        ends_as(ErrorKind::Decode),
    );
    every_row(
        |row| [408, 421, 425, 500, 502, 504, 520, 530, 599].map(|status| (status, row.text())),
        ends_as(ErrorKind::Gateway),
    );
    // Only of leaked credentials a 503 is a result, by its own word.
    every_row(
        |row| match row.operation.name {
            "list_credential_leaks" => with(row, &json!({"success": "yes"})),
            _ => Some((503, row.text())),
        },
        |row, ended| match row.operation.name {
            "list_credential_leaks" if row.status < 300 => Ok(()),
            _ => ends_as(ErrorKind::Gateway)(row, ended),
        },
    );
    // A part of a result, or a list of outcomes, is none.
    every_row(
        |row| {
            let body = row.body.as_ref().map(|_| row.text());
            [203, 205, 206, 207, 226]
                .into_iter()
                .zip(body.into_iter().cycle())
        },
        ends_as(ErrorKind::Decode),
    );
}

#[test]
fn a_byte_order_mark_and_half_characters_cost_nothing() {
    every_row(
        |row| {
            row.body
                .as_ref()
                .map(|_| (row.status, format!("\u{feff}{}", row.text())))
        },
        |_, ended| ended.map(drop).map_err(|error| format!("{error:?}")),
    );
    every_row(
        |row| {
            let broken = with(row, &json!({"hint": "@"}))?;
            Some((broken.0, broken.1.replace('@', "\\ud83d!")))
        },
        |_, ended| ended.map(drop).map_err(|error| format!("{error:?}")),
    );
}

#[test]
fn what_is_no_whole_answer_is_no_result() {
    every_row(
        |row| {
            let good = row.text();
            let cuts = (0..good.len())
                .filter(|at| good.is_char_boundary(*at))
                .step_by(good.len() / 40 + 1);
            let mut bodies: Vec<String> = cuts.map(|at| good[..at].to_owned()).collect();
            bodies.extend(
                [
                    " ",
                    "null",
                    "true",
                    "7",
                    "\"ok\"",
                    "[]",
                    "{}",
                    "<html>Welcome</html>",
                ]
                .map(String::from),
            );
            bodies.extend([
                format!("{good}{good}"),
                format!("[{good}]"),
                format!("{good}x"),
            ]);
            bodies.retain(|_| row.body.is_some());
            let status = row.status;
            bodies.into_iter().map(move |body| (status, body))
        },
        |row, ended| match row.status {
            // It does not say that it is a result.
            503 => ends_as(ErrorKind::Gateway)(row, ended),
            _ => ends_as(ErrorKind::Decode)(row, ended),
        },
    );
    // A status without a body says nothing of a result.
    every_row(
        |row| row.body.as_ref().map(|_| (204, String::new())),
        ends_as(ErrorKind::Decode),
    );
}
