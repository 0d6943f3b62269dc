//! What a fault does to the call that it hits.

use std::time::Duration;

use http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fields::{by_name, field_readers, read_field};
use crate::values::fields::Raw;
use crate::values::fields::readers::{Read, integer, named, text};

/// Longest delay: an hour.
const LONGEST_LATENCY_MS: i64 = 3_600_000;

/// Characters of a body that a fault answers with.
const LONGEST_BODY: usize = 1024 * 1024;

/// What a fault does to the call that it hits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "EffectFields", into = "EffectFields")]
#[non_exhaustive]
pub enum Effect {
    /// Answers with this status and nothing is processed. With a code, in the documented envelope
    /// of that code; without one, in the shape that the path's group has for that status.
    Status {
        /// The HTTP status of the answer.
        status: StatusCode,
        /// The string code of the error envelope.
        code: Option<String>,
        /// What `Retry-After` says; none sends none.
        retry_after: Option<String>,
    },
    /// Waits, then the call goes on normally.
    Latency(Duration),
    /// The connection ends without a whole answer.
    Close(CloseAt),
    /// A TLS handshake shows a certificate that no client may accept. It comes before any call: whatever else the fault
    /// is aimed at is not looked at, and a server that speaks no TLS has none to hit.
    Tls(TlsTrouble),
    /// Answers with this raw body and nothing is processed.
    Body {
        /// The HTTP status of the answer.
        status: StatusCode,
        /// The bytes of the answer.
        body: String,
    },
}

/// Where on the way of a call the connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseAt {
    /// Closed, and nothing is processed.
    Before,
    /// Processed, then closed before any byte of the answer.
    After,
    /// Processed, then closed halfway through the answer's body.
    MidBody,
    /// Reset by TCP, and nothing is processed.
    Reset,
}

/// What is wrong with the certificate of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TlsTrouble {
    /// It has expired.
    Expired,
    /// It is for another host.
    WrongHost,
    /// It is of an authority that nobody trusts.
    Untrusted,
}

/// What `Retry-After` says where a fault does not say otherwise (M5).
pub(crate) fn usual_retry_after(status: StatusCode) -> Option<String> {
    let waits = [
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    waits.contains(&status).then(|| "1".to_owned())
}

/// An effect as it is written: which one it is, is told by the field that it must have.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "an object")]
struct EffectFields {
    #[serde(deserialize_with = "latency", skip_serializing_if = "Option::is_none")]
    latency_ms: Option<i64>,
    #[serde(deserialize_with = "close", skip_serializing_if = "Option::is_none")]
    close: Option<CloseAt>,
    #[serde(deserialize_with = "tls", skip_serializing_if = "Option::is_none")]
    tls: Option<TlsTrouble>,
    #[serde(deserialize_with = "body", skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(deserialize_with = "status", skip_serializing_if = "Option::is_none")]
    status: Option<i64>,
    #[serde(deserialize_with = "code", skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// Left out, it is the usual one; null is none.
    #[serde(
        deserialize_with = "retry_after",
        skip_serializing_if = "Option::is_none"
    )]
    retry_after: Option<Option<String>>,
}

field_readers! {
    latency: i64 = "latency_ms", integer(0..=LONGEST_LATENCY_MS);
    close: CloseAt = "close", named(by_name, "before, after, mid_body, reset");
    tls: TlsTrouble = "tls", named(by_name, "expired, wrong_host, untrusted");
    body: String = "body", text(0..=LONGEST_BODY);
    status: i64 = "status", integer(200..=599);
    code: String = "code", text(1..=100);
}

fn retry_after<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<String>>, D::Error> {
    read_field(deserializer, "retry_after", wait).map(Some)
}

/// A number of seconds, or any text that a header can hold: clients meet both.
fn wait(raw: Raw) -> Read<String> {
    let text = match raw {
        Raw::Json(Value::Number(number)) => number.to_string(),
        raw => text(0..=1000)(raw)?,
    };
    match HeaderValue::try_from(&text) {
        Ok(_) => Ok(text),
        Err(_) => Err("must be a number, or a text that a header can hold.".to_owned()),
    }
}

impl EffectFields {
    /// Refuses what is there and does not belong to the effect.
    fn only(&self, known: &[&str]) -> Result<(), String> {
        let given = [
            ("latency_ms", self.latency_ms.is_some()),
            ("close", self.close.is_some()),
            ("tls", self.tls.is_some()),
            ("body", self.body.is_some()),
            ("status", self.status.is_some()),
            ("code", self.code.is_some()),
            ("retry_after", self.retry_after.is_some()),
        ];
        let mut given = given.iter().filter(|(_, is_given)| *is_given);
        match given.find(|(name, _)| !known.contains(name)) {
            Some((name, _)) => {
                let known = known.join(", ");
                Err(format!("There is no field {name}; there are {known}."))
            }
            None => Ok(()),
        }
    }
}

impl TryFrom<EffectFields> for Effect {
    type Error = String;

    fn try_from(fields: EffectFields) -> Result<Self, String> {
        if let Some(wait) = fields.latency_ms {
            fields.only(&["latency_ms"])?;
            Ok(Self::Latency(Duration::from_millis(wait.unsigned_abs())))
        } else if let Some(at) = fields.close {
            fields.only(&["close"])?;
            Ok(Self::Close(at))
        } else if let Some(trouble) = fields.tls {
            fields.only(&["tls"])?;
            Ok(Self::Tls(trouble))
        } else if fields.body.is_some() {
            fields.only(&["body", "status"])?;
            let status = fields.status.map_or(Some(StatusCode::OK), status_code);
            Ok(Self::Body {
                status: status.unwrap_or(StatusCode::OK),
                body: fields.body.unwrap_or_default(),
            })
        } else {
            fields.only(&["status", "code", "retry_after"])?;
            let is_empty = fields.code.is_none() && fields.retry_after.is_none();
            let status = fields.status.ok_or(match is_empty {
                true => "The effect needs one of status, latency_ms, close, tls, body.",
                false => "The status field is required.",
            })?;
            let status = status_code(status).filter(|status| status.as_u16() >= 400);
            let status = status.ok_or("The status must be an integer from 400 to 599.")?;
            Ok(Self::Status {
                status,
                code: fields.code,
                retry_after: (fields.retry_after).unwrap_or_else(|| usual_retry_after(status)),
            })
        }
    }
}

fn status_code(number: i64) -> Option<StatusCode> {
    StatusCode::from_u16(u16::try_from(number).ok()?).ok()
}

impl From<Effect> for EffectFields {
    fn from(effect: Effect) -> Self {
        let mut fields = Self::default();
        match effect {
            Effect::Latency(wait) => {
                fields.latency_ms = Some(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX));
            }
            Effect::Close(at) => fields.close = Some(at),
            Effect::Tls(trouble) => fields.tls = Some(trouble),
            Effect::Body { status, body } => {
                fields.body = Some(body);
                fields.status = Some(status.as_u16().into());
            }
            Effect::Status {
                status,
                code,
                retry_after,
            } => {
                fields.status = Some(status.as_u16().into());
                fields.code = code;
                let is_usual = retry_after == usual_retry_after(status);
                fields.retry_after = (!is_usual).then_some(retry_after);
            }
        }
        fields
    }
}
