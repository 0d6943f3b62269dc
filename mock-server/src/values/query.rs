//! The query of a request, decoded.

use std::collections::BTreeMap;

/// The parameters of a raw query; of a repeated one the last counts (A8).
pub(crate) fn parse(raw: Option<&str>) -> BTreeMap<String, String> {
    form_urlencoded::parse(raw.unwrap_or_default().as_bytes())
        .into_owned()
        .collect()
}

/// The raw query with `page` set to this number, at the end (A13).
pub(crate) fn with_page(raw: Option<&str>, page: u64) -> String {
    let kept = raw
        .unwrap_or_default()
        .split('&')
        .filter(|pair| !pair.is_empty() && *pair != "page" && !pair.starts_with("page="));
    let page = format!("page={page}");
    kept.chain([page.as_str()]).collect::<Vec<_>>().join("&")
}
