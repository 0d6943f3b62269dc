//! Every operation as a value: one file a group, with request, response and the operation's row of the table together.

pub mod domain_monitoring;
pub mod domains;
pub mod endpoints;
pub mod firewall;
pub mod health;
pub mod port_alerts;
pub mod pricing;
pub mod rules;
pub mod sandbox;
pub mod servers;
pub mod sso;
pub mod subscriptions;
pub mod sync;

pub use domain_monitoring::*;
pub use domains::*;
pub use endpoints::*;
pub use firewall::*;
pub use health::*;
pub use port_alerts::*;
pub use pricing::*;
pub use rules::*;
pub use sandbox::*;
pub use servers::*;
pub use sso::*;
pub use subscriptions::*;
pub use sync::*;

/// Chainable setters for optional fields: first, in brackets, those of text, which take anything text-like; then the
/// others, which take the value.
macro_rules! setters {
    ($request:ty { $([$($text:ident),+])? $($field:ident: $kind:ty),* $(,)? }) => {
        impl $request {
            $($(
                #[doc = concat!("Sets `", stringify!($text), "`.")]
                #[must_use]
                pub fn $text(mut self, $text: impl Into<String>) -> Self {
                    self.$text = Some($text.into());
                    self
                }
            )+)?
            $(
                #[doc = concat!("Sets `", stringify!($field), "`.")]
                #[must_use]
                pub fn $field(mut self, $field: $kind) -> Self {
                    self.$field = Some($field);
                    self
                }
            )*
        }
    };
}
pub(crate) use setters;

/// What makes a list request one of pages: its `page` field.
macro_rules! paged {
    ($request:ty) => {
        impl $crate::PagedOperation for $request {
            fn page_number(&self) -> Option<u32> {
                self.page
            }

            fn at_page(&self, page: u32) -> Self {
                self.clone().page(page)
            }
        }
    };
}
pub(crate) use paged;
