//! The partner API over HTTP.

pub(crate) mod body;
mod call;
pub(crate) mod context;
mod customer;
mod domain_monitoring;
mod domains;
mod endpoints;
mod firewall;
pub(crate) mod head;
mod list;
pub(crate) mod openapi;
pub(crate) mod paths;
mod port_alerts;
mod pricing;
mod problem;
pub(crate) mod query;
pub(crate) mod reply;
pub(crate) mod routes;
mod rules;
mod sandbox;
mod servers;
mod sso;
mod sso_page;
mod subscriptions;
mod sync;
mod trouble;
mod unkind;

use http::Request;
use secmon_engine::{Account, Call};
use serde_json::Value;

use crate::configuration::settings::AnswerStyle;
use crate::connection::server::ArrivedOn;
use body::Sent;
pub(crate) use call::{Api, Ending};
use context::{Context, PartnerRequest};
use paths::{Found, Paths};
use reply::Reply;
use routes::Run;

/// Why an operation did not act.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Fields, each with a sentence.
    Fields(Vec<(String, String)>),
    /// One sentence about the whole call.
    Whole(String),
}

/// Lets an operation act on an account as if a call had come, and gives what is answered.
pub(crate) fn stand_in(
    account: &mut Account,
    call: Call,
    method: &str,
    path: &str,
    body: &Value,
) -> Result<Value, Refused> {
    let unknown = || Refused::Whole(format!("There is no operation {method} {path}."));
    let Found { routes, segments } = Paths::all().find(path);
    let route = routes.iter().find(|route| route.method == method);
    let route = route.ok_or_else(unknown)?;
    let Run::Keyed(answer) = route.run else {
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
    answered
        .map(|reply| json(&reply))
        .map_err(|problem| refused(&json(&problem.reply(route.group.error_shape(), call.now))))
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
