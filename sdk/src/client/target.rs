//! From an operation to the address and the body of its request.

use bytes::Bytes;
use http::Uri;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::operation::{FieldsIn, Namespace, Operation};

/// Where a request goes, and what it carries.
pub(super) struct Target {
    pub(super) uri: Uri,
    pub(super) body: Bytes,
}

/// The target of an operation.
pub(super) fn of<O: Operation>(
    origin: &str,
    namespace: Namespace,
    path: &str,
    operation: &O,
) -> Result<Target, String> {
    let mut address = format!("{origin}{}", fill(path, namespace, &operation.path_ids()));
    let body = match O::fields_in() {
        FieldsIn::Query => {
            push_query(&mut address, fields_of(operation)?);
            Bytes::new()
        }
        FieldsIn::Body => serde_json::to_vec(operation)
            .map(Bytes::from)
            .map_err(unwritable)?,
    };
    let uri = parse(&address)?;
    Ok(Target { uri, body })
}

/// Reads an absolute address.
pub(super) fn parse(address: &str) -> Result<Uri, String> {
    address
        .parse()
        .map_err(|error| format!("`{address}` is no address: {error}"))
}

/// Appends the parameters to an address without or with a query.
pub(super) fn push_query<N: AsRef<str>, V: AsRef<str>>(
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

fn fill(template: &str, namespace: Namespace, ids: &[Uuid]) -> String {
    let mut ids = ids.iter();
    let segments = template.split('/').map(|segment| match segment {
        "{namespace}" => namespace.as_str().to_owned(),
        placeholder if placeholder.starts_with('{') => {
            ids.next().map(Uuid::to_string).unwrap_or_default()
        }
        literal => literal.to_owned(),
    });
    segments.collect::<Vec<_>>().join("/")
}

/// The fields of a request as text, those that are not set left out.
fn fields_of(request: &impl Serialize) -> Result<Vec<(String, String)>, String> {
    let Value::Object(fields) = serde_json::to_value(request).map_err(unwritable)? else {
        return Ok(Vec::new());
    };
    let text = |(name, value): (String, Value)| match value {
        Value::Null => None,
        Value::String(text) => Some((name, text)),
        other => Some((name, other.to_string())),
    };
    Ok(fields.into_iter().filter_map(text).collect())
}

fn unwritable(error: serde_json::Error) -> String {
    format!("the request cannot be written as JSON: {error}")
}
