//! Pages of the portal about a record. The service tells the path of a domain's page; a server's is taken to be alike.

use crate::session::service::Source;
use crate::session::settings::Settings;

/// What a page is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    /// A monitored server.
    Server,
    /// A monitored domain.
    Domain,
}

impl Thing {
    /// The path in front of the record's id.
    pub fn path(self) -> &'static str {
        match self {
            Self::Server => "/endpoints/",
            Self::Domain => "/domains/",
        }
    }
}

/// The address in front of a record's id; the embedded mock has no portal.
pub fn pages(settings: &Settings, thing: Thing) -> Option<String> {
    let service = settings.service.as_ref().ok()?;
    let base = service.base_url.trim_end_matches('/');
    (service.source != Source::Local).then(|| format!("{base}{}", thing.path()))
}
