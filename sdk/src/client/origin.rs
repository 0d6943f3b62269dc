//! Which addresses a client accepts for its service.

use std::net::IpAddr;

use http::Uri;
use http::uri::Scheme;

use crate::Error;

/// The origin of a base URL: scheme, host and port.
///
/// # Errors
/// For anything but `http(s)://host[:port]`, and for plain http to a host that is neither this machine nor named in
/// `http_hosts`: the key would be readable on the way.
pub(super) fn of(base_url: &str, http_hosts: &[String]) -> Result<String, Error> {
    let refuse = |reason: &str| Error::configuration(format!("the base URL `{base_url}` {reason}"));
    let uri: Uri = base_url
        .trim()
        .parse()
        .map_err(|_| refuse("is not an address: write it as in https://portal.example.com"))?;
    let scheme = uri
        .scheme()
        .ok_or_else(|| refuse("has no scheme: write https:// in front of it"))?;
    let authority = uri.authority().ok_or_else(|| refuse("names no host"))?;
    if authority.as_str().contains('@') || authority.host().is_empty() {
        return Err(refuse("must name a host, without a user in front of it"));
    }
    if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return Err(refuse(
            "has a path or a query: give the origin only, as in https://portal.example.com",
        ));
    }
    if *scheme == Scheme::HTTP && !may_be_plain(authority.host(), http_hosts) {
        return Err(refuse(
            "is plain http, where anybody on the way could read the key: use https, or allow this host by name",
        ));
    }
    if *scheme != Scheme::HTTP && *scheme != Scheme::HTTPS {
        return Err(refuse("is neither https nor http"));
    }
    Ok(format!("{scheme}://{authority}"))
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
        || http_hosts
            .iter()
            .any(|allowed| allowed.eq_ignore_ascii_case(host))
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
