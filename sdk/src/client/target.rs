//! From an operation to the address and the body of its request.

use bytes::Bytes;
use http::Uri;
use serde_json::{Map, Value};

use crate::operation::Operation;
use crate::operation_info::{FieldsIn, Namespace};
use crate::origin;

/// The fields of a request by their names; another page replaces the request's own.
pub(crate) fn fields_of(
    request: &impl Operation,
    page: Option<u32>,
) -> Result<Map<String, Value>, String> {
    let value = serde_json::to_value(request)
        .map_err(|error| format!("the request cannot be written as JSON: {error}"))?;
    let mut fields = match value {
        Value::Object(fields) => fields,
        Value::Null => Map::new(),
        _ => return Err("the request is not written as a JSON object".to_owned()),
    };
    if let Some(page) = page {
        fields.insert("page".to_owned(), page.into());
    }
    Ok(fields)
}

/// The path of a template, its placeholders filled by the fields of their names, which are taken out.
///
/// # Errors
/// When a field is missing or cannot stand in a path, so that none becomes an empty or a climbing segment.
pub(crate) fn path(
    template: &str,
    namespace: Namespace,
    fields: &mut Map<String, Value>,
) -> Result<String, String> {
    let mut path = String::with_capacity(template.len() + 64);
    for segment in template.split('/').skip(1) {
        path.push('/');
        match segment
            .strip_prefix('{')
            .and_then(|name| name.strip_suffix('}'))
        {
            None => path.push_str(segment),
            Some("namespace") => path.push_str(namespace.as_str()),
            Some(name) => {
                let text = match fields.remove(name) {
                    Some(Value::String(text)) => text,
                    Some(Value::Number(number)) => number.to_string(),
                    _ => {
                        return Err(format!(
                            "`{template}` needs `{name}`, which the request does not have"
                        ));
                    }
                };
                if !is_segment(&text) {
                    return Err(format!(
                        "the `{name}` of `{template}` cannot stand in a path"
                    ));
                }
                path.push_str(&text);
            }
        }
    }
    Ok(path)
}

/// Letters, digits and the marks that need no encoding; no segment that means another folder.
fn is_segment(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_~.".contains(&byte);
    !matches!(text, "" | "." | "..") && text.bytes().all(plain)
}

/// Whether a path given as text has a segment that means another folder, in any spelling: `%2e` is a dot to a server,
/// a backslash a slash to a URL parser, and an escape may be escaped once more (F15).
pub(crate) fn climbs(path: &str) -> bool {
    let mut plain = String::with_capacity(path.len());
    for (position, part) in path.split('%').enumerate() {
        if position == 0 {
            plain.push_str(part);
            continue;
        }
        // `%25` is an escaped `%`, whose own escape may follow.
        plain.push('%');
        plain.push_str(part.trim_start_matches("25"));
    }
    let plain = plain.to_ascii_lowercase();
    let plain = plain.replace("%2e", ".").replace("%2f", "/");
    let is_dots = |segment| matches!(segment, "." | "..");
    plain.contains(['\\', '#']) || plain.contains("%5c") || plain.split('/').any(is_dots)
}

/// Where the remaining fields travel: the address with its query, and the body.
pub(crate) fn address_and_body(
    mut address: String,
    fields_in: FieldsIn,
    fields: Map<String, Value>,
) -> Result<(Uri, Bytes), String> {
    let body = match fields_in {
        FieldsIn::Query => {
            push_query(&mut address, fields.into_iter().filter_map(as_text));
            Bytes::new()
        }
        FieldsIn::Body => Value::Object(fields).to_string().into(),
    };
    Ok((parse(&address)?, body))
}

fn as_text((name, value): (String, Value)) -> Option<(String, String)> {
    match value {
        Value::Null => None,
        Value::String(text) => Some((name, text)),
        other => Some((name, other.to_string())),
    }
}

/// Reads an absolute address.
pub(crate) fn parse(address: &str) -> Result<Uri, String> {
    address.parse().map_err(|error| {
        let shown = origin::without_secrets(address);
        format!("`{shown}` is not an address: {error}")
    })
}

/// Appends the parameters to an address without or with a query.
pub(crate) fn push_query<N: AsRef<str>, V: AsRef<str>>(
    address: &mut String,
    parameters: impl IntoIterator<Item = (N, V)>,
) {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    let query = query.finish();
    if !query.is_empty() {
        address.push(if address.contains('?') { '&' } else { '?' });
        address.push_str(&query);
    }
}
