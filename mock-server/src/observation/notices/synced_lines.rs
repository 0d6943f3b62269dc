//! What sync-services is used for that it should not: contract lines that have ended come back, or each is sent alone.

use std::collections::VecDeque;

use super::call_context::{CallContext, Clock, Fingerprint, REMEMBERED};
use crate::observation::notice::{ContractLine, Fact, Notice, NoticeCode};

/// Contract lines that terminate-subscription ended and that nothing has provisioned since, oldest first.
#[derive(Debug, Default)]
pub(super) struct EndedLines(VecDeque<ContractLine>);

impl EndedLines {
    /// Takes in a call, and says which ended lines it brought back without an order.
    pub(super) fn see(&mut self, call: &CallContext<'_>) -> Vec<Notice> {
        let facts = call.facts.iter();
        facts
            .filter_map(|fact| self.see_fact(call, *fact))
            .collect()
    }

    fn see_fact(&mut self, call: &CallContext<'_>, fact: Fact) -> Option<Notice> {
        match fact {
            Fact::LineEnded(line) => {
                self.forget(line);
                self.0.push_back(line);
                if self.0.len() > REMEMBERED {
                    self.0.pop_front();
                }
                None
            }
            Fact::LineProvisioned(line) => {
                self.forget(line);
                None
            }
            Fact::LineRevived(line) => {
                let was_ended = self.forget(line);
                was_ended.then(|| call.notice(NoticeCode::RevivedBySync, &revived(line)))
            }
            _ => None,
        }
    }

    /// Whether it was there.
    fn forget(&mut self, line: ContractLine) -> bool {
        let before = self.0.len();
        self.0.retain(|ended| *ended != line);
        self.0.len() < before
    }
}

fn revived(line: ContractLine) -> String {
    let slug = line.product.slug();
    format!(
        "sync_services brings back service {} ({slug}) of customer {}, which terminate_subscription ended; report it as cancelled, or send provision_subscription where it is ordered again",
        line.service, line.client
    )
}

/// So many reports of a single service may come in so many milliseconds.
const REPORTS: usize = 10;
const REPORTS_MILLIS: i64 = 10_000;

/// The reports of a single service that came last, each of another service, oldest first.
#[derive(Debug, Default)]
pub(super) struct SingleReports(VecDeque<Report>);

#[derive(Debug)]
struct Report {
    service: Fingerprint,
    at: i64,
}

impl SingleReports {
    /// Takes in a call, and says whether too many reports name one service each.
    pub(super) fn see(&mut self, call: &CallContext<'_>) -> Option<Notice> {
        let is_sync = call.operation == "sync_services" && call.succeeded();
        // Where the clock stands, nobody knows how much later a call comes.
        if !is_sync || call.clock == Clock::Stands {
            return None;
        }
        let services = call.body?.get("services")?.as_array()?;
        let [service] = services.as_slice() else {
            return None;
        };
        let which = ["service_id", "client_id", "product_slug"].map(|name| service.get(name));
        let service = Fingerprint::of(&which);
        let at = call.at.unix_millis();
        (self.0).retain(|report| report.service != service && at - report.at < REPORTS_MILLIS);
        self.0.push_back(Report { service, at });
        if self.0.len() < REPORTS {
            return None;
        }
        self.0.clear();
        let sentence = format!(
            "sync_services was called {REPORTS} times within {} s with one service each; send up to 500 in one call",
            REPORTS_MILLIS / 1000
        );
        Some(call.notice(NoticeCode::PiecemealSync, &sentence))
    }
}
