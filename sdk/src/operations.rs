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

use crate::operation_info::OperationInfo;

/// Every operation this crate can send, in the order of the specification.
///
/// The documentation of each request names its row. The whole table:
///
/// ```
/// for row in secmon::OPERATIONS {
///     println!("{} {} {}: {:?}, {:?}", row.name, row.method, row.path, row.group, row.safety);
/// }
/// ```
pub static OPERATIONS: &[&OperationInfo] = &ROWS;

const FILES: [&[&OperationInfo]; 14] = [
    health::TABLE,
    servers::TABLE,
    domains::TABLE,
    subscriptions::TABLE,
    sync::TABLE,
    pricing::TABLE,
    domain_monitoring::TABLE,
    domain_alerts::TABLE,
    rules::TABLE,
    endpoints::TABLE,
    port_alerts::TABLE,
    sso::TABLE,
    sandbox::TABLE,
    firewall::TABLE,
];

const COUNT: usize = {
    let (mut count, mut file) = (0, 0);
    while file < FILES.len() {
        count += FILES[file].len();
        file += 1;
    }
    count
};

const ROWS: [&OperationInfo; COUNT] = {
    let mut rows = [FILES[0][0]; COUNT];
    let (mut row, mut file) = (0, 0);
    while file < FILES.len() {
        let mut in_file = 0;
        while in_file < FILES[file].len() {
            rows[row] = FILES[file][in_file];
            row += 1;
            in_file += 1;
        }
        file += 1;
    }
    rows
};
