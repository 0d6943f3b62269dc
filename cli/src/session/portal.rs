//! Pages of the portal about a record. The service tells the path of a domain's page; a server's is taken to be alike.

use crate::session::service::Source;
use crate::session::settings::Settings;

/// The path in front of a server's id.
pub const SERVERS: &str = "/endpoints/";
/// The path in front of a domain's id.
pub const DOMAINS: &str = "/domains/";

/// The address in front of a record's id; the embedded mock has no portal.
pub fn pages(settings: &Settings, path: &str) -> Option<String> {
    let service = settings.service.as_ref().ok()?;
    let base = service.base_url.trim_end_matches('/');
    (service.source != Source::Local).then(|| format!("{base}{path}"))
}
