//! Sends the reports and adds up what they changed. It never shows a zero or an empty list that nobody told.

use secmon::model::{CapacityReport, CustomerId};
use secmon::operations::{ServiceReport, SyncResult, SyncServices};
use secmon::{Client, Response};
use secmon_examples::end::End;
use secmon_examples::policy::{self, Next};
use std::fmt;

/// Services in one report, the most that the service takes.
const CHUNK: usize = 500;

/// What a correction did.
#[derive(Default)]
pub struct Correction {
    /// Services that the service has heard of.
    reported: usize,
    /// Services that were moved to another state, and those that were there already.
    changed: Tally,
    unchanged: Tally,
    /// What follows for customers, a sentence each.
    for_customers: Vec<String>,
    /// Services that the service does not know, as it wrote them.
    unknown: Vec<String>,
    /// What the answers leave open, a sentence each. While there is one, the lists above may be too short.
    open: Vec<String>,
    /// Chunks that were not taken: their lines in the file, and what to do.
    failed: Vec<(u64, u64, Next)>,
}

/// A sum of numbers of which some answers may not tell theirs.
#[derive(Default)]
struct Tally {
    told: u64,
    silent: u32,
}

impl Correction {
    /// Reports these services, each with its line in the file.
    pub async fn of(client: &Client, services: &[(u64, ServiceReport)]) -> Self {
        let mut result = Self::default();
        for chunk in services.chunks(CHUNK) {
            let lines = (chunk[0].0, chunk[chunk.len() - 1].0);
            let reports: Vec<_> = chunk.iter().map(|(_, report)| report.clone()).collect();
            let report = SyncServices::new(reports).module_version(env!("CARGO_PKG_VERSION"));
            match client.send(report).await {
                Ok(answer) => {
                    result.reported += chunk.len();
                    result.take(lines, answer);
                }
                Err(error) => {
                    let next = policy::next(&error);
                    let halted = matches!(next, Next::Halt(_));
                    result.failed.push((lines.0, lines.1, next));
                    if halted {
                        break;
                    }
                }
            }
        }
        result
    }

    /// How the program ends.
    pub fn end(&self) -> End {
        let told = match self.unknown.is_empty() && self.open.is_empty() {
            true => End::Done,
            false => End::Look,
        };
        let failed = self.failed.iter().map(|(_, _, next)| End::from(next));
        failed.fold(told, End::max)
    }

    fn take(&mut self, (first, last): (u64, u64), answer: Response<SyncResult>) {
        // The report that counted may have been an earlier attempt, whose answer was lost: then this one tells only
        // that nothing is left to change.
        let again = answer.may_have_acted_before();
        let chunk = format!("lines {first} to {last}");
        if again {
            self.open.push(format!(
                "{chunk}: what the first attempt changed and paused was lost with its answer"
            ));
        }
        let result = answer.into_inner();
        self.changed.add(result.changed.filter(|_| !again));
        self.unchanged.add(result.unchanged.filter(|_| !again));
        match result.unknown_services {
            Some(services) => {
                let written = services.iter().map(|one| one.as_value().to_string());
                self.unknown.extend(written);
            }
            None => self
                .open
                .push(format!("{chunk}: which services are unknown is not told")),
        }
        match result.enforcement {
            Some(customers) => {
                for (customer, reports) in customers {
                    for report in reports {
                        self.enforced(customer, report);
                    }
                }
            }
            None => self
                .open
                .push(format!("{chunk}: what was paused is not told")),
        }
    }

    fn enforced(&mut self, customer: CustomerId, report: CapacityReport) {
        let whose = format!("customer {customer}, {}", report.product_type);
        for (list, what) in [
            (report.newly_paused, "paused"),
            (report.unpaused, "watched again"),
        ] {
            match list {
                Some(list) if list.is_empty() => {}
                Some(list) => {
                    let list = list.join(", ");
                    self.for_customers.push(format!("{whose}: {what} {list}"));
                }
                None => self
                    .open
                    .push(format!("{whose}: what was {what} is not told")),
            }
        }
        match report.over_quota {
            Some(true) => {
                let more = "more is in use than is paid for";
                self.for_customers.push(format!("{whose}: {more}"));
            }
            Some(false) => {}
            None => self
                .open
                .push(format!("{whose}: whether it fits is not told")),
        }
    }
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
            (0, _) => f.write_str("an unknown number"),
            (told, _) => write!(f, "at least {told}"),
        }
    }
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "services reported: {}, of them {} changed, {} as before",
            self.reported, self.changed, self.unchanged
        )?;
        for sentence in &self.for_customers {
            writeln!(f, "{sentence}")?;
        }
        for unknown in &self.unknown {
            writeln!(f, "the service does not know: {unknown}")?;
        }
        for sentence in &self.open {
            writeln!(f, "open: {sentence}")?;
        }
        for (first, last, next) in &self.failed {
            writeln!(f, "not reported: lines {first} to {last}: {next}")?;
        }
        Ok(())
    }
}
