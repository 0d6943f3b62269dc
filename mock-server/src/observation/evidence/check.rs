//! What a run was asked to hold, and whether it did.

use super::collector::Evidence;

/// One thing that a run was asked to hold.
#[derive(Debug)]
pub(crate) struct Check {
    /// What is so where it holds.
    pub(crate) name: String,
    pub(crate) severity: Severity,
    /// None where it holds.
    pub(crate) findings: Vec<String>,
}

/// Whether a run fails that does not hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    Error,
    Warning,
}

impl Check {
    /// Whether this status or code was met.
    pub(crate) fn met(outcome: String, evidence: &Evidence) -> Self {
        let is_missing = !evidence.has_met(&outcome);
        let missing = is_missing.then(|| format!("{outcome} was never met"));
        Self {
            name: format!("{outcome} was met"),
            severity: Severity::Error,
            findings: missing.into_iter().collect(),
        }
    }

    pub(crate) fn failed(&self) -> bool {
        self.severity == Severity::Error && !self.findings.is_empty()
    }

    /// Says on standard error what does not hold.
    pub(crate) fn tell(&self) {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        for finding in &self.findings {
            // What a client sent may stand in it.
            let shown: String = (finding.chars())
                .map(|letter| {
                    if letter.is_control() {
                        '\u{fffd}'
                    } else {
                        letter
                    }
                })
                .collect();
            eprintln!("{severity}: {shown}");
        }
    }
}
