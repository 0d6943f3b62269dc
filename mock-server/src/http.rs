//! The partner API over HTTP.

pub(crate) mod body;
mod call;
pub(crate) mod context;
mod customer;
mod domain_monitoring;
mod domains;
mod endpoints;
mod firewall;
pub(crate) mod head;
mod list;
mod paths;
mod port_alerts;
mod pricing;
mod problem;
pub(crate) mod query;
pub(crate) mod reply;
pub(crate) mod routes;
mod rules;
mod sandbox;
mod servers;
mod sso;
mod sso_page;
mod subscriptions;
mod sync;
mod trouble;
mod unkind;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};

use http::Request;
use secmon_engine::{Account, Call};
use serde_json::{Map, Value};

use crate::settings::Manners;
use body::Sent;
pub(crate) use call::{Api, Ending};
use context::{Context, PartnerRequest};
use paths::Segments;
use routes::Run;

/// Lets an operation act on an account as if a call had come; none where it is refused. `line` is method and path.
pub(crate) fn stand_in(
    account: &mut Account,
    call: Call,
    line: &str,
    body: &Map<String, Value>,
) -> Option<Value> {
    let route = routes::all()
        .into_iter()
        .find(|route| format!("{} {}", route.method, route.path) == line)?;
    let Run::Keyed(answer) = route.run else {
        return None;
    };
    let (head, ()) = Request::builder()
        .uri(route.path)
        .body(())
        .ok()?
        .into_parts();
    let request = PartnerRequest {
        head: &head,
        arrived_on: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        query: BTreeMap::new(),
        segments: Segments::default(),
        sent: Sent::Whole(serde_json::to_vec(body).ok()?.into()),
    };
    let reply = answer(&mut Context {
        account,
        call,
        request: &request,
        manners: Manners::Kind,
    });
    serde_json::from_slice(&reply.ok()?.body).ok()
}
