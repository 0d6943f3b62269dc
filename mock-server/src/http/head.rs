//! What the head of a request says of its host and its key.

use http::header::{AUTHORIZATION, HOST};
use http::request::Parts;
use http::{HeaderMap, Version};

/// The host and port that a request is for: of its absolute address, else of `Host` (A4).
pub(crate) fn authority(head: &Parts) -> Option<&str> {
    if let Some(authority) = head.uri.authority() {
        let text = authority.as_str();
        return Some(text.rsplit_once('@').map_or(text, |(_, host)| host));
    }
    head.headers.get(HOST)?.to_str().ok()
}

/// The name of the host that a request is for, without its port.
pub(crate) fn host_name(head: &Parts) -> &str {
    without_port(authority(head).unwrap_or_default())
}

/// Whether a request has one `Host`, or none where its version of HTTP needs none: who is behind a proxy that reads
/// another one than we do is answered for somebody else (A4).
pub(crate) fn has_one_host(head: &Parts) -> bool {
    match head.headers.get_all(HOST).iter().count() {
        0 => head.version < Version::HTTP_11,
        1 => true,
        _ => false,
    }
}

/// The text of the key in `Authorization: Bearer KEY`; `Bearer` in any case (A4).
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}

/// A host's name alone.
pub(crate) fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // The colons of an IPv6 address in brackets are not before a port.
        Some((name, port)) if !port.ends_with(']') => name,
        _ => host,
    }
}
