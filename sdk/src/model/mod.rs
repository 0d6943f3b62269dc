//! What several operations share: identifiers, records, open enums, addresses, ports, money, timestamps.

mod capacity;
mod domain;
mod endpoint;
mod expiry;
mod ids;
mod money;
pub(crate) mod object_only;
mod open_enum;
pub(crate) mod paging;
mod port;
mod port_alert;
mod rule;
mod subscription;
mod text;
mod timestamp;
pub(crate) mod tolerant;
pub(crate) mod tolerant_value;
mod values;

pub use capacity::*;
pub use domain::*;
pub use endpoint::*;
pub use expiry::*;
pub use ids::*;
pub use money::*;
pub use open_enum::UnknownValue;
pub use paging::PageLinks;
pub use port::*;
pub use port_alert::*;
pub use rule::*;
pub use subscription::*;
pub use text::*;
pub use timestamp::*;
pub use tolerant::optional;
pub use values::*;
