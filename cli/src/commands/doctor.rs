//! `secmon doctor`: what stands between this machine and the service, step by step.

mod machine;
mod network;

use crate::error::{CliError, Exit};
use crate::session::Session;
use crate::ui::Ui;
use crate::ui::outcome::{Cell, Field, Line, Outcome, shown};
use serde::Serialize;

const COLUMNS: &[Field<CheckResult>] = &[
    shown("check").of(|check| Cell::text(check.check)),
    shown("result").of(|check| Cell::state(check.result)),
    shown("about").of(|check| Cell::text(&check.about)),
    shown("fix").of(|check| Cell::maybe(check.fix.as_ref())),
];

/// A check and its end, in words.
#[derive(Serialize)]
struct CheckResult {
    check: &'static str,
    result: &'static str,
    about: String,
    fix: Option<String>,
}

/// One check.
struct Check {
    name: &'static str,
    finding: Finding,
}

/// What a check came to.
enum Finding {
    /// As it should be.
    Good(String),
    /// It works, and could be better.
    Advice { about: String, fix: String },
    /// What is wrong, and the way out.
    Bad(CliError),
}

impl Check {
    fn good(name: &'static str, about: impl Into<String>) -> Self {
        Self {
            name,
            finding: Finding::Good(about.into()),
        }
    }

    fn advice(name: &'static str, about: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            name,
            finding: Finding::Advice {
                about: about.into(),
                fix: fix.into(),
            },
        }
    }

    fn of(name: &'static str, finding: Result<String, CliError>) -> Self {
        let finding = finding.map_or_else(Finding::Bad, Finding::Good);
        Self { name, finding }
    }
}

/// Runs the command. What cannot be reached ends the checks that need it; the worst one decides the exit code.
pub async fn run(session: &Session, screen: &Ui) -> Result<Outcome, CliError> {
    let mut checks = vec![
        machine::configuration(session),
        machine::files(session),
        machine::service(session),
    ];
    if let Ok(service) = &session.settings.service {
        let key = session.key_in_use().map(|key| {
            let place = super::auth::status::source_name(&service.key);
            format!("{} ({place})", key.masked_tail())
        });
        let has_key = key.is_ok();
        checks.push(Check::of("key", key));
        if has_key {
            checks.extend(network::checks(session, service).await);
        }
    }
    checks.extend(machine::completion());
    Ok(report(screen, &checks))
}

fn report(screen: &Ui, checks: &[Check]) -> Outcome {
    let mut story = Vec::new();
    let mut all = Vec::new();
    for check in checks {
        let (mark, word, about, fix) = match &check.finding {
            Finding::Good(about) => ("✔", "good", about.as_str(), None),
            Finding::Advice { about, fix } => ("·", "advice", about.as_str(), Some(fix.as_str())),
            Finding::Bad(error) => ("✘", "bad", error.message(), error.way_out()),
        };
        story.push(Line::text(format!("{mark} {:<14} {about}", check.name)));
        story.extend(fix.map(|fix| Line::Hint(fix.to_owned())));
        all.push(CheckResult {
            check: check.name,
            result: word,
            about: about.to_owned(),
            fix: fix.map(|fix| screen.written_out(fix)),
        });
    }
    let worst = checks.iter().filter_map(|check| match &check.finding {
        Finding::Bad(error) => Some(error.exit()),
        _ => None,
    });
    Outcome {
        exit: worst.max_by_key(|exit| *exit as u8).unwrap_or(Exit::Done),
        ..Outcome::list(&all, COLUMNS).tell(story)
    }
}
