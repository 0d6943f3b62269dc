//! The nightly correction: tells the service the state of everything sold, 500 services at a time, and prints what that
//! changed.
//!
//! It needs an export of the billing system as CSV, with the columns `customer`, `service`, `product` and `status`. All
//! mistakes of the file are named by line before anything is sent. It goes at the pace of the key, behind everybody who
//! waits at a screen. Starting it again does no harm: the service changes what is not as reported, and nothing else.
//!
//! ```sh
//! cargo build -p secmon-mock -p secmon-examples
//! target/debug/secmon-mock exec --fixtures mock-server/fixtures.toml -- \
//!   target/debug/nightly-sync examples/services.csv
//! ```
//!
//! It needs what [`secmon_examples::connect`] reads from the environment, and ends with the codes of
//! [`secmon_examples::end`]. `correction.rs` sends the chunks and adds their answers up.

mod correction;

use crate::correction::Correction;
use secmon::model::{CustomerId, ProductSlug, ServiceId, SubscriptionStatus};
use secmon::operations::ServiceReport;
use secmon_examples::connect;
use secmon_examples::end::{self, End};
use secmon_examples::table::{self, Columns, Mistakes};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

const COLUMNS: Columns = Columns {
    needed: &["customer", "service", "product", "status"],
    optional: &[],
};

#[derive(Deserialize)]
struct Row {
    customer: CustomerId,
    service: ServiceId,
    product: ProductSlug,
    status: SubscriptionStatus,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    end::exit("nightly-sync", run().await)
}

async fn run() -> Result<End, Box<dyn Error>> {
    let [file] = &std::env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("name the export of the billing system: nightly-sync SERVICES.csv".into());
    };
    let services = read(Path::new(file))?;
    let client = connect::for_the_background(&connect::from_environment()?.build()?);
    let correction = Correction::of(&client, &services).await;
    print!("{correction}");
    Ok(correction.end())
}

fn read(file: &Path) -> Result<Vec<(u64, ServiceReport)>, Mistakes> {
    let mut seen = BTreeMap::new();
    table::read(file, COLUMNS, |line, row: Row| {
        // One entry that the service does not know rejects its whole chunk.
        one_of("product", row.product.as_str(), ProductSlug::VARIANTS)?;
        one_of("status", row.status.as_str(), SubscriptionStatus::VARIANTS)?;
        let same = (row.customer, row.service, row.product.clone());
        match seen.insert(same, line) {
            Some(first) => Err(format!(
                "service {} of customer {} stands in line {first} already",
                row.service, row.customer
            )),
            None => Ok(ServiceReport::new(
                row.customer,
                row.service,
                row.product,
                row.status,
            )),
        }
    })
}

fn one_of<T: AsRef<str>>(column: &str, value: &str, known: &[T]) -> Result<(), String> {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    match known.contains(&value) {
        true => Ok(()),
        false => Err(format!(
            "{column}: `{value}` is none of {}",
            known.join(", ")
        )),
    }
}
