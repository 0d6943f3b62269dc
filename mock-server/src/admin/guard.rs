//! Who may call the admin API (M7).

use std::net::IpAddr;

use http::StatusCode;
use http::header::ORIGIN;
use http::request::Parts;

use crate::connection::arrival::ArrivedOn;
use crate::http::head::{self, bearer, host_name};
use crate::http::reply::{Reply, plain_error};
use crate::mock::Mock;

/// Whether a call needs the admin key, where one is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Openness {
    /// It shows nothing of the state.
    Open,
    /// It does.
    Keyed,
}

const ANOTHER_ORIGIN: &str = "Pages of another origin may not call the admin API.";

/// What a browser says about the page that makes a call, and what for; other clients send neither.
const FETCH_SITE: &str = "sec-fetch-site";
const FETCH_MODE: &str = "sec-fetch-mode";

/// The pages that a link of any site may lead to.
const PAGES: [&str; 2] = ["/_mock/", "/_mock/docs"];

/// Lets a call through, or answers it.
pub(super) fn check(mock: &Mock, head: &Parts, openness: Openness) -> Result<(), Reply> {
    if !head::has_one_host(head) || head.headers.get_all(ORIGIN).iter().nth(1).is_some() {
        return Err(plain_error(
            StatusCode::FORBIDDEN,
            "The call names no host, or several hosts or origins; send one Host header, and one Origin or none.",
        ));
    }
    if let Some(origin) = head.headers.get(ORIGIN) {
        let host = head::authority(head).unwrap_or_default();
        if !same_authority(origin.as_bytes(), host.as_bytes()) {
            return Err(plain_error(StatusCode::FORBIDDEN, ANOTHER_ORIGIN));
        }
    }
    match &mock.accounts.settings.admin_key {
        Some(key) => {
            let right = bearer(&head.headers).is_some_and(|candidate| key.matches(candidate));
            if openness == Openness::Keyed && !right {
                return Err(plain_error(
                    StatusCode::UNAUTHORIZED,
                    "The admin key is missing or wrong; send Authorization: Bearer KEY.",
                ));
            }
        }
        None if !known_host(mock, head) => {
            return Err(plain_error(
                StatusCode::FORBIDDEN,
                "The admin API does not answer to this host name; call it by its address, or start the server with --host NAME.",
            ));
        }
        None if is_by_another_site(head) => {
            return Err(plain_error(StatusCode::FORBIDDEN, ANOTHER_ORIGIN));
        }
        None => {}
    }
    Ok(())
}

/// A browser sends no `Origin` with the image or the script of another site's page, but says that it is one.
fn is_by_another_site(head: &Parts) -> bool {
    let said = |name, values: &[&str]| {
        let mut all = head.headers.get_all(name).iter();
        all.all(|said| {
            values
                .iter()
                .any(|value| said.as_bytes() == value.as_bytes())
        })
    };
    let is_navigation = head.headers.contains_key(FETCH_MODE)
        && said(FETCH_MODE, &["navigate"])
        && PAGES.contains(&head.uri.path());
    !is_navigation && !said(FETCH_SITE, &["same-origin", "none"])
}

fn same_authority(origin: &[u8], host: &[u8]) -> bool {
    let authority = [&b"http://"[..], b"https://"]
        .iter()
        .find_map(|scheme| origin.strip_prefix(*scheme));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

/// Loopback, a name the server was given, or the address that the connection came in on. Any other
/// name may be a page's trick to reach this server through the browser of somebody near it.
fn known_host(mock: &Mock, head: &Parts) -> bool {
    let host = host_name(head);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    mock.accounts.counts_as_loopback(host)
        || (mock.accounts.settings.admin_addresses())
            .any(|listen| listen.host().eq_ignore_ascii_case(bare))
        || head.extensions.get::<ArrivedOn>().is_some_and(|arrived| {
            bare.parse::<IpAddr>()
                .is_ok_and(|address| arrived.address.ip() == address)
        })
}
