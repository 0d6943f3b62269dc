//! Which addresses a client accepts for its service.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use http::Uri;

use crate::Error;

/// The origin of a base URL: scheme, host and port.
///
/// # Errors
/// For anything but `http(s)://host[:port]`, and for plain http to a host that is neither this computer nor named in
/// `http_hosts`: the key would be readable on the way.
pub(super) fn of(base_url: &str, http_hosts: &[String]) -> Result<String, Error> {
    let text = base_url.trim();
    let refuse = |reason: &str| {
        let shown = without_secrets(text);
        Error::configuration(format!("the base URL `{shown}` {reason}"))
    };
    if text.is_empty() {
        return Err(refuse(
            "is not an address: write it as in https://portal.example.com",
        ));
    }
    let (scheme, rest) = text
        .split_once("://")
        .ok_or_else(|| refuse("has no scheme: write https:// in front of it"))?;
    let scheme = scheme.to_ascii_lowercase();
    if !matches!(scheme.as_str(), "https" | "http") {
        return Err(refuse("is neither https nor http"));
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    // A user that holds a slash moves the end of the host.
    if rest.contains('@') {
        return Err(refuse("must name a host, without a user in front of it"));
    }
    if !matches!(path, "" | "/") {
        return Err(refuse(
            "has a path or a query: give the origin only, as in https://portal.example.com",
        ));
    }
    let (host, port) = host_and_port(authority).ok_or_else(|| {
        refuse(
            "names no host, or no port from 1 to 65535: write it as in https://portal.example.com",
        )
    })?;
    if scheme == "http" && !may_be_plain(&host, http_hosts) {
        return Err(refuse(
            "is plain http, where anybody on the way could read the key: use https, or allow this host by name",
        ));
    }
    Ok(match port {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    })
}

/// Host and port of an address; the host as DNS has it.
pub(crate) fn host_and_port(authority: &str) -> Option<(String, Option<u16>)> {
    let port_at = authority
        .rfind(':')
        .filter(|at| !authority[*at..].contains(']'));
    let (host, port) = match port_at {
        Some(at) => (&authority[..at], Some(authority[at + 1..].parse().ok()?)),
        None => (authority, None),
    };
    Some((host_name(host)?, port.filter(|port| *port > 0)))
        .filter(|(_, kept)| kept.is_some() == port_at.is_some())
}

/// A host in the spelling that travels: an address, or a name whose letters outside ASCII are A-labels (F15).
pub(crate) fn host_name(host: &str) -> Option<String> {
    if let Some(address) = host.strip_prefix('[') {
        let address: Ipv6Addr = address.strip_suffix(']')?.parse().ok()?;
        return Some(format!("[{address}]"));
    }
    let name = match host.is_ascii() {
        true => host.to_owned(),
        false => idna::domain_to_ascii(host).ok()?,
    };
    let labels = name.strip_suffix('.').unwrap_or(&name);
    let last = labels.rsplit('.').next()?;
    if last.bytes().all(|byte| byte.is_ascii_digit()) {
        return labels
            .parse::<Ipv4Addr>()
            .ok()
            .map(|address| address.to_string());
    }
    (labels.len() <= 253 && labels.split('.').all(is_label)).then_some(name)
}

fn is_label(label: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=63).contains(&label.len())
        && label.bytes().all(fits)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// What of an address may be shown: no user, no query, no fragment (F15).
pub(crate) fn without_secrets(address: &str) -> String {
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, address),
    };
    let host = rest.rsplit('@').next().unwrap_or_default();
    let host = host.split(['?', '#']).next().unwrap_or_default();
    match scheme.filter(|scheme| !scheme.contains('@')) {
        Some(scheme) => format!("{scheme}://{host}"),
        None => host.to_owned(),
    }
}

/// One spelling for all that name the same origin, its port included; a text that names none as it is.
pub(crate) fn spelled_one_way(base_url: &str) -> String {
    let spelled = || {
        let uri: Uri = base_url.trim().parse().ok()?;
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let usual = if scheme == "https" { 443 } else { 80 };
        let port = uri.port_u16().unwrap_or(usual);
        Some(format!(
            "{scheme}://{}:{port}",
            uri.host()?.to_ascii_lowercase()
        ))
    };
    spelled().unwrap_or_else(|| base_url.to_owned())
}

fn may_be_plain(host: &str, http_hosts: &[String]) -> bool {
    is_loopback(host)
        || http_hosts.iter().any(|allowed| {
            let allowed = host_name(allowed);
            allowed.is_some_and(|allowed| allowed.eq_ignore_ascii_case(host))
        })
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
