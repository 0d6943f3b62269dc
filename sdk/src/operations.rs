//! Every operation as a value: one file a group, with request, response and the operation's row of the table together.

mod declaration;

mod domain_alerts;
mod domain_monitoring;
mod domains;
mod endpoints;
mod firewall;
mod health;
mod port_alerts;
mod pricing;
mod rules;
mod sandbox;
mod servers;
mod sso;
mod subscriptions;
mod sync;

pub use domain_alerts::*;
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

use declaration::operation;
