//! `secmon doctor`: what stands between this machine and the service, step by step.

use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::outcome::{Cell, Column, Line, Outcome, Table, shown};
use crate::settings::Source;
use chrono::Utc;
use secmon::model::Timestamp;
use secmon::operations::{GetHealth, ListEndpoints};
use secmon::{Namespace, RateGroup};
use serde_json::{Value, json};

const COLUMNS: &[Column] = &[
    shown("check"),
    shown("result"),
    shown("about"),
    shown("fix"),
];

/// A clock that is further off makes days of rules and waits wrong.
const TOLERATED_SKEW_SECONDS: i64 = 30;

/// One check.
struct Check {
    name: &'static str,
    /// What was found, or what is wrong.
    finding: Result<String, CliError>,
}

/// Runs the command. What cannot be reached ends the checks that need it; the worst one decides the exit code.
pub async fn run(context: &Context) -> Result<Outcome, CliError> {
    let mut checks = vec![configuration(context), service(context)];
    if let Ok(service) = &context.settings.service {
        let key = context.key(&service.key).map(|key| {
            format!(
                "{} ({})",
                key.masked_tail(),
                super::auth::source_name(&service.key)
            )
        });
        let has_key = key.is_ok();
        checks.push(Check {
            name: "key",
            finding: key,
        });
        if has_key {
            checks.extend(over_the_network(context).await);
        }
    }
    Ok(report(&checks))
}

fn configuration(context: &Context) -> Check {
    let path = context.settings.config_path.display();
    let count = context.settings.config.profiles.len();
    let finding = match context.settings.config_path.exists() {
        true => format!("{path}: {count} profiles"),
        false => format!("{path} is not there; nothing is missing if the environment says all"),
    };
    Check {
        name: "configuration",
        finding: Ok(finding),
    }
}

fn service(context: &Context) -> Check {
    let described = context
        .settings
        .service
        .as_ref()
        .map_err(Clone::clone)
        .map(|service| match &service.source {
            Source::Local => "the embedded mock".to_owned(),
            Source::Profile(name) => format!("{} (profile {name})", service.base_url),
            Source::Environment => format!("{} (environment)", service.base_url),
        });
    Check {
        name: "service",
        finding: described,
    }
}

async fn over_the_network(context: &Context) -> Vec<Check> {
    let health = match context.read(GetHealth::new()).await {
        Ok(answer) => answer,
        Err(error) => {
            return vec![Check {
                name: "reachable",
                finding: Err(error),
            }];
        }
    };
    let took = health.elapsed().as_millis();
    let mut checks = vec![Check {
        name: "reachable",
        finding: Ok(format!("{} in {took} ms", health.data.status)),
    }];
    if let Some(now) = &health.data.timestamp {
        checks.push(Check {
            name: "clock",
            finding: clock(now),
        });
    }
    let accepted = context
        .read(ListEndpoints::new().per_page(1))
        .await
        .map(|answer| {
            let count = answer
                .data
                .meta
                .current_endpoint_count
                .unwrap_or(answer.data.meta.total);
            format!("the service accepts the key; the account has {count} servers")
        });
    checks.push(Check {
        name: "account",
        finding: accepted,
    });
    let left = context
        .calls_left(RateGroup::Strict)
        .zip(context.calls_left(RateGroup::Default));
    let left = left.map_or_else(
        || "no rate limits are kept".to_owned(),
        |(strict, default)| format!("{strict} and {default} calls left of this minute"),
    );
    checks.push(Check {
        name: "pace",
        finding: Ok(left),
    });
    if context.settings.namespace == Namespace::Provisioning {
        checks.push(Check {
            name: "namespace",
            finding: Ok(
                "provisioning: scan, sync, release and pricing exist under billing only".to_owned(),
            ),
        });
    }
    checks
}

fn clock(service: &Timestamp) -> Result<String, CliError> {
    let skew = Utc::now()
        .signed_duration_since(service.date_time())
        .num_seconds();
    if skew.abs() <= TOLERATED_SKEW_SECONDS {
        return Ok(format!(
            "within {TOLERATED_SKEW_SECONDS} s of the service's"
        ));
    }
    let way = if skew > 0 { "ahead of" } else { "behind" };
    Err(CliError::new(
        Exit::Other,
        "clock",
        format!(
            "this machine's clock is {} s {way} the service's",
            skew.abs()
        ),
    )
    .hint("set the clock: days and waits are reckoned with it"))
}

fn report(checks: &[Check]) -> Outcome {
    let mut table = Table::new(COLUMNS);
    let mut story = Vec::new();
    let mut result = Vec::new();
    for check in checks {
        let (mark, word, about, fix) = match &check.finding {
            Ok(finding) => ("✔", "good", finding.as_str(), None),
            Err(error) => ("✘", "bad", error.message(), error.way_out()),
        };
        table.rows.push(vec![
            Cell::text(check.name),
            Cell::state(word),
            Cell::text(about),
            Cell::maybe(fix),
        ]);
        story.push(Line::text(format!("{mark} {:<14} {about}", check.name)));
        story.extend(fix.map(|fix| Line::Hint(fix.to_owned())));
        result.push(json!({ "check": check.name, "result": word, "about": about, "fix": fix }));
    }
    let worst = checks
        .iter()
        .filter_map(|check| check.finding.as_ref().err())
        .map(CliError::exit)
        .max_by_key(|exit| *exit as u8);
    Outcome {
        exit: worst.unwrap_or(Exit::Done),
        ..Outcome::record(Value::Array(result), table).tell(story)
    }
}
