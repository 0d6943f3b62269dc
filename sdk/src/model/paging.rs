//! What pages of the resource envelope share.

use serde::{Deserialize, Serialize};

use super::object_only::as_an_object;
use super::tolerant::filled;

/// Absolute addresses of the neighbouring pages of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub struct PageLinks {
    /// The first page.
    #[serde(default, deserialize_with = "filled")]
    pub first: Option<String>,
    /// The last page.
    #[serde(default, deserialize_with = "filled")]
    pub last: Option<String>,
    /// The page before; `None` on the first page.
    #[serde(default, deserialize_with = "filled")]
    pub prev: Option<String>,
    /// The page after; `None` on the last page.
    #[serde(default, deserialize_with = "filled")]
    pub next: Option<String>,
}

as_an_object!(PageLinks);

/// The part of [`Page`](crate::page::Page) that gives the items, from the member of the page that holds them.
macro_rules! items {
    ($items:ident: $item:ty, by_id) => {
        $crate::model::paging::items!($items: $item);

        fn id(item: &$item) -> Option<uuid::Uuid> {
            Some(item.id.into())
        }
    };
    ($items:ident: $item:ty) => {
        type Item = $item;

        fn items(&self) -> &[$item] {
            &self.$items
        }

        fn into_items(self) -> Vec<$item> {
            self.$items
        }
    };
}

/// A page whose answer says itself whether another follows.
macro_rules! counted_page {
    ($(#[$about:meta])* $page:ident { $(#[$what:meta])* $items:ident: $item:ty }) => {
        $crate::model::tolerant::record! {
            $(#[$about])*
            $page {
                $(#[$what])*
                $items: Vec<$item>,
                /// How many there are in the filtered list.
                total: Option<u64>,
                /// Number of this page, from 1.
                current_page: u32,
                /// Number of the last page, at least 1.
                last_page: Option<u32>,
                /// Whether a page follows.
                has_more: Option<bool>,
            }
        }

        impl crate::page::Page for $page {
            $crate::model::paging::items!($items: $item, by_id);

            fn position(&self) -> crate::page::Position {
                crate::page::Position {
                    has_more: self.has_more,
                    last_page: self.last_page,
                    ..crate::page::Position::of(self.current_page, self.total)
                }
            }
        }
    };
}

/// A page of the resource envelope: items in `data`, the neighbours in `links`, the position in `meta`.
macro_rules! linked_page {
    ($page:ident of $item:ty) => {
        impl crate::page::Page for $page {
            $crate::model::paging::items!(data: $item, by_id);

            fn position(&self) -> crate::page::Position {
                crate::page::Position {
                    // A link that is missing reads as one that is null: it counts where there is something to hold it
                    // against.
                    next_link: (self.links.as_ref().map(|links| links.next.is_some())).filter(
                        |next| *next || self.meta.total.is_some() || self.meta.last_page.is_some(),
                    ),
                    last_page: self.meta.last_page,
                    per_page: self.meta.per_page,
                    ..crate::page::Position::of(self.meta.current_page, self.meta.total)
                }
            }
        }
    };
}

pub(crate) use items;
pub(super) use {counted_page, linked_page};
