//! Names of domains, as people type them and as the service keeps them.

/// A name as the service keeps it: of a URL the host, in small letters, without a dot at its end, in its ASCII form.
pub fn normalized(name: &str) -> String {
    let name = name.trim();
    let host = match name.split_once("://") {
        Some((_, rest)) => {
            let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
            authority.rsplit('@').next().unwrap_or_default()
        }
        None => name.split('/').next().unwrap_or_default(),
    };
    let host = host.split(':').next().unwrap_or_default();
    let host = host.trim_end_matches('.').to_lowercase();
    idna::domain_to_ascii(&host).unwrap_or(host)
}
