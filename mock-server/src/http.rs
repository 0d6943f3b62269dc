//! The partner API over HTTP.

mod ask;
pub(crate) mod body;
pub(crate) mod call;
mod customer;
mod domain_monitoring;
mod domains;
mod endpoints;
mod firewall;
mod list;
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
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request};
use axum::routing::any;

use secmon_engine::{Account, Call};
use serde_json::{Map, Value};

use crate::mock::Mock;
use crate::settings::Manners;
use ask::{Ask, Asked};
use body::Sent;
use routes::{Route, Run};

/// Answers every path that the admin API does not have.
pub(crate) fn router(mock: &Arc<Mock>) -> Router {
    let mut paths: BTreeMap<String, Vec<Route>> = BTreeMap::new();
    for route in routes::all() {
        paths.entry(route.path.clone()).or_default().push(route);
    }
    let mut router = Router::new();
    for (path, routes) in paths {
        let mock = Arc::clone(mock);
        let routes: Arc<[Route]> = routes.into();
        // Every method comes here: HEAD and OPTIONS are refused like any other (A6).
        let handler = move |parts: Result<RawPathParams, RawPathParamsRejection>,
                            request: Request| {
            let (mock, routes) = (Arc::clone(&mock), Arc::clone(&routes));
            async move {
                let parts = named(parts);
                // An empty segment is no id: such a path is not one of ours (A6).
                let known = parts.iter().all(|(_, text)| !text.is_empty());
                let routes = if known { &*routes } else { &[] };
                call::answer(&mock, routes, parts, request).await
            }
        };
        router = router.route(&path, any(handler));
    }
    let mock = Arc::clone(mock);
    router.fallback(move |request: Request| {
        let mock = Arc::clone(&mock);
        async move { call::answer(&mock, &[], Vec::new(), request).await }
    })
}

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
    let asked = Asked {
        origin: String::new(),
        path: route.path,
        raw_query: None,
        query: BTreeMap::new(),
        parts: Vec::new(),
        sent: Sent::Whole(serde_json::to_vec(body).ok()?.into()),
    };
    let reply = answer(&mut Ask {
        account,
        call,
        asked: &asked,
        manners: Manners::Kind,
    });
    serde_json::from_slice(&reply.ok()?.body).ok()
}

/// The variable parts of a path. What is no text is no id either: it is left out (A16).
fn named(parts: Result<RawPathParams, RawPathParamsRejection>) -> Vec<(String, String)> {
    match parts {
        Ok(parts) => parts
            .iter()
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect(),
        Err(_) => Vec::new(),
    }
}
