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

/// A page whose answer says itself whether another follows.
macro_rules! counted_page {
    ($(#[$about:meta])* $page:ident { $(#[$what:meta])* $items:ident: $item:ty }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[non_exhaustive]
        pub struct $page {
            $(#[$what])*
            pub $items: Vec<$item>,
            /// How many there are in the filtered list.
            #[serde(default)]
            pub total: u64,
            /// Number of this page, from 1.
            pub current_page: u32,
            /// Number of the last page, at least 1.
            #[serde(default)]
            pub last_page: Option<u32>,
            /// Whether a page follows.
            #[serde(default, deserialize_with = "crate::model::tolerant::null_as_default")]
            pub has_more: bool,
        }

        impl crate::page::Page for $page {
            type Item = $item;

            fn items(&self) -> &[$item] {
                &self.$items
            }

            fn into_items(self) -> Vec<$item> {
                self.$items
            }

            fn number(&self) -> u32 {
                self.current_page
            }

            fn is_last(&self) -> bool {
                !self.has_more
            }
        }
    };
}

pub(crate) use counted_page;
