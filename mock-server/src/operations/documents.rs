//! The descriptions of the partner API and of the admin API, as they were written and as they are served.

/// The description as it was written.
pub(crate) const YAML: &str = include_str!("../../openapi.yaml");

/// As it is served.
pub(crate) const JSON: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

/// The admin API's, as it is served at `/_mock/openapi.json`.
pub(crate) const OF_ADMIN: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi-mock.json"));

/// Where the partner API's is served; it needs no key (M7).
pub(crate) const PATH: &str = "/openapi.json";
