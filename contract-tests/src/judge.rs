//! What a run of a case comes to: its own assertions, then every raw answer against the description and the client, its
//! times and its identifiers.

use std::collections::{BTreeSet, HashSet};

use crate::case::{Case, Run};
use crate::client;
use crate::description::{self, Findings};
use crate::exchange::{Exchange, Forced};
use crate::service::{Repeatability, Service};
use crate::table::NAMESPACES;
use crate::times;
use crate::transcript::Transcript;

/// What is to be said of a run.
#[derive(Debug, Default)]
pub struct Judgement {
    /// What the documents exclude.
    pub violations: Vec<Violation>,
    /// What they do not have and do not exclude: further members (F1). Our own mock may have none of them.
    pub differences: BTreeSet<String>,
    /// All that came over the wire, as it is pinned.
    pub transcript: String,
}

/// Something that the documents exclude.
#[derive(Debug, Clone)]
pub struct Violation {
    /// What was found.
    pub message: String,
    /// File and line of the assertion that found it, where one did.
    pub place: Option<String>,
    /// The answer that shows it, where it is one.
    pub answer: Option<Box<Exchange>>,
}

impl Judgement {
    /// Judges a run.
    pub fn of(case: &Case, service: &Service, run: &Run) -> Self {
        let mut judgement = Self::default();
        for failure in [&run.failure, &run.not_cleaned_up].into_iter().flatten() {
            judgement.violations.push(Violation {
                message: failure.message.clone(),
                place: Some(failure.place.clone()),
                answer: None,
            });
        }
        // What comes after a fall is its consequence.
        if judgement.violations.is_empty() {
            judgement.describe(service, run);
            judgement.check_each(case, service, run);
            judgement.write(case, service, run);
        }
        judgement
    }

    /// Holds each answer against the description and the client; what is read again and again is looked at once.
    fn describe(&mut self, service: &Service, run: &Run) {
        let answers = run.exchanges();
        let mut seen = HashSet::new();
        let first = answers.iter().filter(|exchange| {
            let answer = (
                &exchange.method,
                &exchange.path,
                exchange.status,
                &exchange.body,
            );
            exchange.forced != Forced::Body && seen.insert(answer)
        });
        for exchange in first {
            self.sort(service, exchange, description::findings(exchange));
            let strict = service.repeatability == Repeatability::Exact;
            let problem = client::problem_of_answer(exchange, strict);
            self.find(exchange, problem.into_iter().collect());
        }
    }

    /// Its times, and whether the client would have sent its request.
    fn check_each(&mut self, case: &Case, service: &Service, run: &Run) {
        for exchange in run.exchanges() {
            if exchange.forced != Forced::Body {
                self.sort(
                    service,
                    &exchange,
                    times::findings(&exchange, case.needs, service.repeatability),
                );
                let problem = client::problem_of_request(&exchange);
                self.find(&exchange, problem.into_iter().collect());
            }
        }
    }

    /// What the documents do not have, our own mock may not have either.
    fn sort(&mut self, service: &Service, exchange: &Exchange, findings: Findings) {
        self.find(exchange, findings.violations);
        match service.repeatability {
            Repeatability::Exact => self.find(exchange, findings.differences),
            Repeatability::Loose => self.differences.extend(findings.differences),
        }
    }

    fn find(&mut self, exchange: &Exchange, problems: Vec<String>) {
        let violations = problems.into_iter().map(|message| Violation {
            message,
            place: None,
            answer: Some(Box::new(exchange.clone())),
        });
        self.violations.extend(violations);
    }

    /// Writes the transcript, and finds what stands where an identifier or a time should.
    fn write(&mut self, case: &Case, service: &Service, run: &Run) {
        let mut transcript = Transcript::new(service);
        let events = run.events();
        let (pinned, rest) = events.split_at(run.pinned());
        let text = transcript.written(pinned);
        transcript.written(rest);
        // What both namespaces have is identical in both.
        let (own, first) = (case.namespace.as_str(), NAMESPACES[0]);
        self.transcript = text.replace(&format!("/api/v1/{own}/"), &format!("/api/v1/{first}/"));
        let problems = transcript.problems.into_iter();
        self.violations.extend(problems.map(|message| Violation {
            message,
            place: None,
            answer: None,
        }));
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        match &self.place {
            Some(place) => write!(f, "\nat {place}"),
            None => Ok(()),
        }
    }
}
