//! Calls of operations without HTTP: for fixtures and playbooks.

use http::Request;
use secmon_engine::{Account, Call};
use serde_json::Value;

use super::body::Sent;
use super::context::{Context, PartnerRequest};
use super::reply::Reply;
use super::routes::{self, Route};
use crate::configuration::settings::AnswerStyle;
use crate::connection::arrival::ArrivedOn;
use crate::operations::paths::{Found, Paths};

/// Why an operation did not act.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Fields, each with a sentence.
    Fields(Vec<(String, String)>),
    /// One sentence about the whole call.
    Whole(String),
}

/// Lets an operation act on an account as if a call had come, and gives what is answered.
pub(crate) fn call_operation(
    account: &mut Account,
    call: Call,
    method: &str,
    path: &str,
    body: &Value,
) -> Result<Value, Refused> {
    let unknown = || Refused::Whole(format!("There is no operation {method} {path}."));
    let Found {
        operations,
        segments,
    } = Paths::all().find(path);
    let operation = operations.iter().find(|one| one.method == method);
    let operation = operation.ok_or_else(unknown)?;
    let Route::Keyed(answer) = routes::route(operation.id) else {
        return Err(unknown());
    };
    let head = Request::builder().uri(path).body(());
    let (head, ()) = head.map_err(|_| unknown())?.into_parts();
    let mut request = PartnerRequest::new(&head, ArrivedOn::nowhere(), segments);
    request.sent = Sent::Whole(body.to_string().into());
    let answered = answer(&mut Context {
        account,
        call,
        request: &request,
        answer_style: AnswerStyle::Plain,
        facts: Vec::new(),
    });
    let json = |reply: &Reply| serde_json::from_slice(&reply.body).unwrap_or_default();
    answered.map(|reply| json(&reply)).map_err(|problem| {
        refused(&json(
            &problem.reply(operation.group.error_shape(), call.now),
        ))
    })
}

/// Why, as the answer says it.
fn refused(answer: &Value) -> Refused {
    let Some(errors) = answer["errors"].as_object() else {
        let message = answer["error"]["message"].as_str();
        return Refused::Whole(message.unwrap_or("The operation was refused.").to_owned());
    };
    let sentences = errors.iter().flat_map(|(field, sentences)| {
        let sentences = sentences.as_array().into_iter().flatten();
        let texts = sentences.filter_map(Value::as_str);
        texts.map(|text| (field.clone(), text.to_owned()))
    });
    Refused::Fields(sentences.collect())
}
