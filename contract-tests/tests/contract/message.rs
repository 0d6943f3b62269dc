//! Calls and answers on their way through a proxy, and how a jq program sees them.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use jaq_json::{Map, Rc, Val, read};
use serde::de::IgnoredAny;

/// A call on its way to the service.
#[derive(Debug, Clone, PartialEq)]
pub struct Passing {
    /// The HTTP method.
    pub method: Method,
    /// The path, without the query.
    pub path: String,
    /// The query's parameters, as written.
    pub query: Vec<(String, String)>,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// An answer on its way back.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Passing {
    /// As `{method, path, query: [[name, value]], headers, body, text}`.
    pub fn to_val(&self) -> Val {
        let query = self.query.iter();
        let query = query.map(|(name, value)| Val::from_iter([name, value].map(string)));
        object([
            ("method", string(self.method.as_str())),
            ("path", string(&self.path)),
            ("query", query.collect()),
            ("headers", headers_to_val(&self.headers)),
            ("body", json(&self.body)),
            ("text", Val::utf8_str(self.body.clone())),
        ])
    }

    /// The call that a program made of the one that came.
    pub fn from_val(value: &Val, came: &Val) -> Result<Self, String> {
        let method = words(&member(value, "method"))?;
        let pairs = items(&member(value, "query"));
        let pairs = pairs.into_iter().map(|pair| match &items(&pair)[..] {
            [name, value] => Ok((words(name)?, words(value)?)),
            _ => Err(format!("{pair} is no parameter of a query")),
        });
        Ok(Self {
            method: method.parse().map_err(|_| format!("no method: {method}"))?,
            path: words(&member(value, "path"))?,
            query: pairs.collect::<Result<_, String>>()?,
            headers: headers_from_val(&member(value, "headers"))?,
            body: body_from_val(value, came),
        })
    }
}

impl Answer {
    /// As `{status, headers, body, text}`.
    pub fn to_val(&self) -> Val {
        object([
            ("status", Val::from(usize::from(self.status.as_u16()))),
            ("headers", headers_to_val(&self.headers)),
            ("body", json(&self.body)),
            ("text", Val::utf8_str(self.body.clone())),
        ])
    }

    /// The answer that a program made of the one that came; null is none.
    pub fn from_val(value: &Val, came: &Val) -> Result<Option<Self>, String> {
        if matches!(value, Val::Null) {
            return Ok(None);
        }
        let status = member(value, "status").to_string();
        Ok(Some(Self {
            status: status.parse().map_err(|_| format!("no status: {status}"))?,
            headers: headers_from_val(&member(value, "headers"))?,
            body: body_from_val(value, came),
        }))
    }
}

/// The JSON object that a text is; null when it is none, so that a program may look for members in any body.
fn json(text: &[u8]) -> Val {
    // The other reader takes more than JSON for JSON.
    let is_json = || serde_json::from_slice::<IgnoredAny>(text).is_ok();
    match text.trim_ascii_start().starts_with(b"{") && is_json() {
        true => read::parse_single(text).unwrap_or_default(),
        false => Val::Null,
    }
}

/// The text, unless a program made another body: what nobody changed goes on byte for byte.
fn body_from_val(value: &Val, came: &Val) -> Bytes {
    let (body, text) = (member(value, "body"), member(value, "text"));
    let before = match &text {
        Val::TStr(other) if text != member(came, "text") => json(other),
        _ => member(came, "body"),
    };
    let text = match text {
        Val::TStr(text) => Some(*text),
        _ => None,
    };
    match (&body, &before, text) {
        (Val::Null, _, text) => text.unwrap_or_default(),
        (Val::Obj(body), Val::Obj(before), Some(text)) if Rc::ptr_eq(body, before) => text,
        (_, _, text) => {
            // Compared as written, since 1 and 1.0 are equal.
            let written = body.to_string();
            let text = text.filter(|_| written == before.to_string());
            text.unwrap_or_else(|| written.into())
        }
    }
}

/// A name and its line; its lines, where there are several.
fn headers_to_val(headers: &HeaderMap) -> Val {
    let line = |value: &HeaderValue| Val::utf8_str(value.as_bytes().to_vec());
    let all = headers.keys().map(|name| {
        let mut lines: Vec<Val> = headers.get_all(name).iter().map(line).collect();
        let only = (lines.len() == 1).then(|| lines.remove(0));
        (
            name.as_str(),
            only.unwrap_or_else(|| lines.into_iter().collect()),
        )
    });
    object(all)
}

fn headers_from_val(value: &Val) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    let Val::Obj(all) = value else {
        return Ok(headers);
    };
    for (name, value) in all.iter() {
        let lines = match value {
            Val::Arr(lines) => lines.to_vec(),
            line => vec![line.clone()],
        };
        for line in lines {
            let line = match line {
                Val::TStr(text) => text.to_vec(),
                other => other.to_string().into_bytes(),
            };
            let name = HeaderName::try_from(words(name)?).map_err(|why| why.to_string())?;
            let line = HeaderValue::try_from(line).map_err(|why| why.to_string())?;
            headers.append(name, line);
        }
    }
    Ok(headers)
}

fn string(text: impl AsRef<str>) -> Val {
    Val::from(text.as_ref().to_owned())
}

/// A text that a program must give.
pub fn words(value: &Val) -> Result<String, String> {
    match value {
        Val::TStr(text) => Ok(String::from_utf8_lossy(text).into_owned()),
        other => Err(format!("{other} is no text")),
    }
}

fn object<'a>(members: impl IntoIterator<Item = (&'a str, Val)>) -> Val {
    let members = members
        .into_iter()
        .map(|(name, value)| (string(name), value));
    Val::obj(members.collect::<Map>())
}

/// What a member is; null when there is none.
pub fn member(value: &Val, name: &str) -> Val {
    match value {
        Val::Obj(members) => members.get(&string(name)).cloned().unwrap_or_default(),
        _ => Val::Null,
    }
}

fn items(value: &Val) -> Vec<Val> {
    match value {
        Val::Arr(items) => items.to_vec(),
        _ => Vec::new(),
    }
}
