//! Addresses that nobody on the internet reaches: the service takes them, and its scans find nothing there.

use crate::bulk::preview;
use crate::context::Context;
use secmon::model::CustomerId;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Says so of addresses, each with the name it was typed by, before they become servers.
pub fn tell<'a>(
    context: &Context,
    servers: impl IntoIterator<Item = (&'a str, IpAddr, CustomerId)>,
) {
    let servers = servers.into_iter();
    let unreachable = servers.filter(|(_, address, _)| is_unreachable(*address));
    let names: Vec<&str> = unreachable.map(|(name, _, _)| name).collect();
    let warning = match names.as_slice() {
        [] => return,
        [one] => format!(
            "warning: {one} is no public address: scans come from the internet, and cannot reach it"
        ),
        _ => format!(
            "warning: {} addresses are not public ({}): scans come from the internet, and cannot reach them",
            names.len(),
            preview(&names, |name| (*name).to_owned())
        ),
    };
    context.screen.note(&warning);
}

/// Addresses for examples are not among them: people try things with those.
fn is_unreachable(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    // RFC 6598: between a provider and its customers.
    let is_shared = address.octets()[0] == 100 && address.octets()[1] & 0xc0 == 64;
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.octets()[0] == 0
        || is_shared
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    address.is_unique_local()
        || address.is_unicast_link_local()
        || address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
}
