//! Checks of the way to the service, and of the key there.

use super::check::Check;
use crate::error::{CliError, LocalErrorKind};
use crate::machine::env_vars;
use crate::session::Session;
use crate::session::service::{Service, Source};
use crate::values::durations::counted_if_told;
use chrono::Utc;
use http::{Method, Uri};
use secmon::model::Timestamp;
use secmon::operations::{GetHealth, ListEndpoints};
use secmon::transport::HttpOptions;
use secmon::{Namespace, RateGroup, RawRequest};
use serde_json::json;
use std::net::ToSocketAddrs;

/// A clock that is further off makes days of rules and waits wrong.
const TOLERATED_SKEW_SECONDS: i64 = 30;

/// From the name of the host to the calls that are left; what cannot be reached ends them.
pub async fn checks(session: &Session, service: &Service) -> Vec<Check> {
    let mut checks = Vec::new();
    if service.source != Source::Local {
        let route = Route::to(&service.base_url);
        checks.extend(route.check());
        match route {
            // A proxy looks names up itself.
            Route::Through { .. } => {}
            Route::Unreadable(_) => return checks,
            Route::Straight { .. } => checks.extend(name(&service.base_url)),
        }
    }
    let health = match session.read_whole(GetHealth::new()).await {
        Ok(answer) => answer,
        Err(error) => {
            checks.push(unreachable(error));
            return checks;
        }
    };
    if service.base_url.starts_with("https:") {
        checks.push(Check::good(
            "tls",
            format!("this computer trusts the portal's certificate{}", trusted()),
        ));
    }
    let took = health.elapsed().as_millis();
    let about = format!("{} in {took} ms", health.data.status);
    checks.push(Check::good("reachable", about));
    // The embedded mock has a clock of its own, which people move.
    if let (Some(now), false) = (&health.data.timestamp, service.source == Source::Local) {
        checks.push(Check::of("clock", clock(now)));
    }
    let accepted = account(session).await;
    let has_account = accepted.is_ok();
    checks.push(Check::of("account", accepted));
    if has_account {
        checks.push(Check::of("portal", portal(session).await));
    }
    checks.push(rate_limit(session));
    if session.settings.namespace == Namespace::Provisioning {
        let about = "provisioning: scan, sync, release and pricing exist under billing only";
        checks.push(Check::good("namespace", about));
    }
    checks
}

/// The variables that name a proxy, the strongest first.
const PROXIES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
const NO_PROXIES: [&str; 2] = ["NO_PROXY", "no_proxy"];

fn first_set(names: &[&'static str]) -> Option<&'static str> {
    let mut names = names.iter().copied();
    names.find(|name| env_vars::is_set(name))
}

/// The way to the service.
enum Route {
    /// Through a proxy.
    Through { proxy: String },
    /// To the service itself, and why, where a proxy is named.
    Straight { because: Option<String> },
    /// Nobody knows: a variable cannot be read.
    Unreadable(CliError),
}

impl Route {
    fn to(base_url: &str) -> Self {
        let Ok(uri) = base_url.parse::<Uri>() else {
            return Self::Straight { because: None };
        };
        let named = first_set(&PROXIES);
        match HttpOptions::new().proxy_for(&uri) {
            Err(error) => Self::Unreadable(CliError::from(error)),
            Ok(Some(proxy)) => Self::Through { proxy },
            Ok(None) => Self::Straight {
                because: named.map(|named| match uri.scheme_str() {
                    Some("https") => {
                        let exception = first_set(&NO_PROXIES).unwrap_or("NO_PROXY");
                        format!("none: {exception} excludes this host from {named}")
                    }
                    _ => format!("none: {named} is for https, and this is http"),
                }),
            },
        }
    }

    fn check(&self) -> Option<Check> {
        const NAME: &str = "proxy";
        match self {
            Self::Through { proxy } => {
                let named = first_set(&PROXIES).unwrap_or_default();
                Some(Check::good(NAME, format!("{proxy}, from {named}")))
            }
            Self::Straight { because } => {
                let because = because.clone()?;
                Some(Check::good(NAME, because))
            }
            Self::Unreadable(error) => Some(Check::of(NAME, Err(error.clone()))),
        }
    }
}

/// Which certificates are trusted, where somebody has named them.
fn trusted() -> String {
    let named = |name: &&str| env_vars::is_set(name);
    let named = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter().find(named);
    let path = named.and_then(|name| Some((name, std::env::var(name).ok()?)));
    path.map_or_else(String::new, |(name, path)| format!(" ({name} is {path})"))
}

/// That the host has an address. A number is one already.
fn name(base_url: &str) -> Option<Check> {
    let uri: Uri = base_url.parse().ok()?;
    let host = uri.host()?.trim_matches(['[', ']']).to_owned();
    if host.parse::<std::net::IpAddr>().is_ok() {
        return None;
    }
    let found = (host.as_str(), 443).to_socket_addrs();
    let finding = match found
        .map(|addresses| addresses.map(|a| a.ip().to_string()).collect::<Vec<_>>())
    {
        Ok(addresses) if !addresses.is_empty() => Ok(format!("{host} is {}", addresses.join(", "))),
        _ => Err(CliError::new(
            LocalErrorKind::Dns,
            format!("{host} has no address"),
        )),
    };
    Some(Check::of("dns", finding))
}

/// A service that no call reaches.
fn unreachable(error: CliError) -> Check {
    let name = match error.code().as_ref() {
        "tls" => "tls",
        _ => "reachable",
    };
    Check::of(name, Err(error))
}

fn clock(service: &Timestamp) -> Result<String, CliError> {
    let skew = Utc::now()
        .signed_duration_since(service.date_time())
        .num_seconds();
    if skew.abs() <= TOLERATED_SKEW_SECONDS {
        return Ok(format!(
            "within {TOLERATED_SKEW_SECONDS} s of the service's"
        ));
    }
    let way = if skew > 0 { "ahead of" } else { "behind" };
    Err(CliError::new(
        LocalErrorKind::Clock,
        format!(
            "this computer's clock is {} s {way} the service's",
            skew.abs()
        ),
    ))
}

async fn account(session: &Session) -> Result<String, CliError> {
    let page = session
        .read(ListEndpoints::account_wide().per_page(1))
        .await?;
    let meta = &page.meta;
    let count = meta.current_endpoint_count.or(meta.total);
    Ok(format!(
        "the service accepts the key; the account has {}",
        counted_if_told(count, "server")
    ))
}

/// Only calls that write hold the key against the portal's domain, so one is sent that is refused before it can do
/// anything: it names no server.
async fn portal(session: &Session) -> Result<String, CliError> {
    let safety = &session.settings.safety;
    if safety.read_only || safety.dry_run {
        return Ok("not checked: read-only profile or dry run".to_owned());
    }
    let path = format!("{}/suspend", session.settings.namespace.as_str());
    let mut request = RawRequest::new(Method::POST, path);
    request.body = Some(json!({}));
    let answer = session.client()?.raw(request).await?;
    match answer.status.as_u16() {
        422 => Ok("the key belongs to this portal's domain".to_owned()),
        403 => Err(CliError::new(
            LocalErrorKind::ForeignKey,
            "the key belongs to another portal's domain, or its account is suspended",
        )),
        _ => Ok(format!("not clear: the service says {}", answer.status)),
    }
}

fn rate_limit(session: &Session) -> Check {
    const NAME: &str = "rate limit";
    let left = session
        .calls_left(RateGroup::Strict)
        .zip(session.calls_left(RateGroup::Default));
    let about = left.map_or_else(
        || "rate limits are off".to_owned(),
        |(strict, default)| format!("{strict} and {default} calls left in this minute"),
    );
    match session.rate_limit_problem() {
        Some(problem) => Check::advice(
            NAME,
            format!("calls of other secmon processes are not counted: {problem}"),
            "make the folder of that file your own, with mode 700".to_owned(),
        ),
        None => Check::good(NAME, about),
    }
}
