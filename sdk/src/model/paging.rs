//! What pages of the resource envelope share.

use serde::{Deserialize, Serialize};

/// Absolute addresses of the neighbouring pages of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PageLinks {
    /// The first page.
    #[serde(default)]
    pub first: Option<String>,
    /// The last page.
    #[serde(default)]
    pub last: Option<String>,
    /// The page before; none on the first page.
    #[serde(default)]
    pub prev: Option<String>,
    /// The page after; none on the last page.
    #[serde(default)]
    pub next: Option<String>,
}

/// Whether no page follows: by the `next` link where links are given, else by counting.
pub(crate) fn is_last_page(
    links: Option<&PageLinks>,
    current_page: u32,
    per_page: u32,
    total: u64,
) -> bool {
    match links {
        Some(links) => links.next.is_none(),
        None => u64::from(current_page) * u64::from(per_page) >= total,
    }
}
