//! A request as it is written, so that it can be written otherwise.

use http::{HeaderName, Method, header};
use serde_json::Value;

use crate::account::Account;
use crate::http_calls::{RawAnswer, RawCall};
use crate::request::{Request, target};

/// A request with everything that is sent, in the order in which it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Wire {
    /// The HTTP method.
    pub method: Method,
    /// The path.
    pub path: String,
    /// The query's parameters, as written.
    pub query: Vec<(String, String)>,
    /// The headers.
    pub headers: Vec<(HeaderName, String)>,
    /// The members of the body and their JSON text, where there is a body.
    pub body: Option<Vec<(String, String)>>,
}

impl Wire {
    /// A request with an account's key, as an ordinary client writes it.
    pub fn of(request: &Request, account: &Account) -> Self {
        let members = |body: &Value| {
            let members = body.as_object().into_iter().flatten();
            members
                .map(|(name, value)| (name.clone(), value.to_string()))
                .collect()
        };
        Self {
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.written_query(),
            headers: vec![
                (header::AUTHORIZATION, format!("Bearer {}", account.key)),
                (header::CONTENT_TYPE, "application/json".to_owned()),
            ],
            body: request.body.as_ref().map(members),
        }
    }

    /// A header in the place of the one of this name; nothing takes it out.
    pub fn set(&mut self, name: HeaderName, value: Option<&str>) {
        self.headers.retain(|(known, _)| *known != name);
        self.headers
            .extend(value.map(|value| (name, value.to_owned())));
    }

    /// Everything but the key, on one line.
    pub fn told(&self) -> String {
        let kept = self
            .headers
            .iter()
            .filter(|(name, _)| *name != header::AUTHORIZATION);
        let headers: Vec<String> = kept
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let body = self.written_body().unwrap_or_default();
        format!(
            "{} {} [{}] {body}",
            self.method,
            target(&self.path, &self.query),
            headers.join(", ")
        )
    }

    /// The text of the body.
    pub fn written_body(&self) -> Option<String> {
        let members = self.body.as_ref()?.iter();
        let members = members.map(|(name, text)| format!("{}:{text}", Value::from(name.as_str())));
        Some(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
    }

    /// The call, to be changed before it is sent.
    pub fn call(&self, account: &Account) -> RawCall {
        let mut call = account.call(self.method.clone(), &target(&self.path, &self.query));
        for (name, value) in &self.headers {
            call = call.header(name.clone(), value);
        }
        match self.written_body() {
            Some(body) => call.body(body),
            None => call,
        }
    }

    /// Sends it.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn send(&self, account: &Account) -> RawAnswer {
        let answer = self.call(account).send().await;
        answer.unwrap_or_else(|error| panic!("{}: {error}", self.told()))
    }
}
