//! `secmon doctor`: what stands between this computer and the service, step by step.

mod check;
mod machine;
mod network;

use self::check::Check;
use crate::error::{CliError, Exit};
use crate::session::Session;
use crate::ui::Ui;
use crate::ui::outcome::{Block, Cell, Field, Outcome, shown};

const COLUMNS: &[Field<Check>] = &[
    shown("check").of(|check| Cell::text(check.check)),
    shown("result").of(|check| Cell::state(check.result.word())),
    shown("about").of(|check| Cell::text(&check.about)),
    shown("fix").of(|check| Cell::maybe(check.fix.as_ref())),
];

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
            checks.extend(machine::memory(session));
        }
    }
    checks.extend(machine::completion());
    Ok(report(screen, checks))
}

fn report(screen: &Ui, mut checks: Vec<Check>) -> Outcome {
    let mut text = Vec::new();
    for check in &mut checks {
        let mark = check.result.mark();
        let sentence = format!("{mark} {:<14} {}", check.check, check.about);
        text.push(Block::text(sentence));
        if let Some(fix) = &mut check.fix {
            text.push(Block::Hint(fix.clone()));
            *fix = screen.written_out(fix);
        }
    }
    let ends = checks.iter().map(|check| check.exit);
    Outcome {
        exit: ends.max_by_key(|exit| *exit as u8).unwrap_or(Exit::Done),
        ..Outcome::list(&checks, COLUMNS).tell(text)
    }
}
