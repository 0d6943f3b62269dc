//! The nightly correction: tells the service the state of everything sold, and tells us what that changed.

use crate::billing::policy::{self, Next};
use secmon::model::{CustomerId, ProductSlug};
use secmon::operations::{ServiceReport, SyncResult, SyncServices};
use secmon::{Client, Response};
use std::fmt;

/// Services in one report, the most that the service takes.
pub const CHUNK: usize = 500;

/// A sum of numbers of which some answers may not tell theirs. It never shows a zero that nobody told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// The sum of what was told.
    pub told: u64,
    /// How many answers did not tell.
    pub silent: u32,
}

impl Tally {
    fn add(&mut self, number: Option<u64>) {
        match number {
            Some(number) => self.told += number,
            None => self.silent += 1,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.told, self.silent) {
            (told, 0) => write!(f, "{told}"),
            (0, _) => f.write_str("not known"),
            (told, _) => write!(f, "at least {told}"),
        }
    }
}

/// Resources of a customer that were paused, or are watched again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Whose they are.
    pub customer: CustomerId,
    /// The product whose capacity changed.
    pub product: ProductSlug,
    /// Domain names, or addresses of servers.
    pub resources: Vec<String>,
}

/// What a correction did.
#[derive(Debug, Clone, Default)]
pub struct Correction {
    /// Services that the service has heard of.
    pub reported: usize,
    /// Services that were moved to another state.
    pub changed: Tally,
    /// Services that were there already.
    pub unchanged: Tally,
    /// Services that the platform does not know, as it wrote them.
    pub unknown: Vec<String>,
    /// What was paused.
    pub paused: Vec<Moved>,
    /// What is watched again.
    pub resumed: Vec<Moved>,
    /// Customers with more in use than they pay for.
    pub over_quota: Vec<CustomerId>,
    /// What the answers leave open, a sentence each. While there is one, the lists above may be too short.
    pub open: Vec<String>,
    /// Chunks that were not taken: their first service, how many, and what to do.
    pub failed: Vec<(usize, usize, Next)>,
}

/// Reports these services, 500 at a time. Give it [`Module::background`](super::Module::background), so that nobody at
/// a screen waits for it.
pub async fn correct(client: &Client, services: &[ServiceReport]) -> Correction {
    let mut result = Correction::default();
    for (number, chunk) in services.chunks(CHUNK).enumerate() {
        let report = SyncServices::new(chunk).module_version(env!("CARGO_PKG_VERSION"));
        match client.send(report).await {
            Ok(answer) => {
                result.reported += chunk.len();
                result.take(number, answer);
            }
            Err(error) => {
                let next = policy::next(&error);
                let halted = matches!(next, Next::Halt(_));
                result.failed.push((number * CHUNK, chunk.len(), next));
                if halted {
                    break;
                }
            }
        }
    }
    result
}

impl Correction {
    fn take(&mut self, number: usize, answer: Response<SyncResult>) {
        // The report that counted may have been an earlier attempt, whose answer was lost: then this one tells only
        // that nothing is left to change.
        let again = answer.may_have_acted_before();
        if again {
            self.open.push(format!(
                "chunk {number}: what its first attempt changed and paused was lost"
            ));
        }
        let SyncResult {
            changed,
            unchanged,
            unknown_services,
            enforcement,
            ..
        } = answer.into_data();
        self.changed.add(changed.filter(|_| !again));
        self.unchanged.add(unchanged.filter(|_| !again));
        match unknown_services {
            Some(services) => self.unknown.extend(
                services
                    .iter()
                    .map(|service| service.as_value().to_string()),
            ),
            None => self.open.push(format!(
                "chunk {number}: which services are unknown is not told"
            )),
        }
        let Some(enforcement) = enforcement else {
            self.open
                .push(format!("chunk {number}: what was paused is not told"));
            return;
        };
        for (customer, reports) in enforcement {
            for report in reports {
                let product = report.product_type;
                for (list, moved, what) in [
                    (report.newly_paused, &mut self.paused, "paused"),
                    (report.unpaused, &mut self.resumed, "resumed"),
                ] {
                    match list {
                        Some(resources) if resources.is_empty() => {}
                        Some(resources) => moved.push(Moved {
                            customer,
                            product: product.clone(),
                            resources,
                        }),
                        None => self.open.push(format!(
                            "customer {customer}, {product}: what was {what} is not told"
                        )),
                    }
                }
                match report.over_quota {
                    Some(true) if !self.over_quota.contains(&customer) => {
                        self.over_quota.push(customer)
                    }
                    Some(_) => {}
                    None => self.open.push(format!(
                        "customer {customer}, {product}: whether it fits is not told"
                    )),
                }
            }
        }
    }
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} services reported: {} changed, {} as before",
            self.reported, self.changed, self.unchanged
        )?;
        for unknown in &self.unknown {
            writeln!(f, "not known to the service: {unknown}")?;
        }
        for (word, list) in [("paused", &self.paused), ("watched again", &self.resumed)] {
            for moved in list {
                writeln!(
                    f,
                    "customer {}, {}: {word} {}",
                    moved.customer,
                    moved.product,
                    moved.resources.join(", ")
                )?;
            }
        }
        for sentence in &self.open {
            writeln!(f, "open: {sentence}")?;
        }
        for (first, count, next) in &self.failed {
            writeln!(
                f,
                "not reported: services {first} to {}: {next:?}",
                first + count - 1
            )?;
        }
        Ok(())
    }
}
