//! From the command line to the exit code.

use crate::args::{Cli, Command};
use crate::commands;
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::invocation::Invocation;
use crate::outcome::Outcome;
use crate::settings::Settings;
use crate::ui::Ui;
use clap::Parser;
use clap::error::ErrorKind;
use std::sync::Arc;

/// Runs the program.
pub fn run() -> Exit {
    let invocation = Invocation::from_process();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, invocation),
    };
    let invocation = invocation.for_service(&cli.global);
    if let Command::Offline(command) = cli.command {
        return conclude(
            &Ui::before_settings(invocation),
            commands::run_offline(command),
        );
    }
    let settings = match Settings::resolve(&cli.global) {
        Ok(settings) => settings,
        Err(error) => return conclude(&Ui::before_settings(invocation), Err(error)),
    };
    let ui = Arc::new(Ui::new(settings.display.clone(), invocation));
    for warning in &settings.warnings {
        ui.note(&format!("warning: {warning}"));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(online(Context::new(settings, ui), cli.command)),
        Err(error) => conclude(&ui, Err(CliError::io("starting", &error))),
    }
}

async fn online(context: Context, command: Command) -> Exit {
    let result = tokio::select! {
        result = commands::run(&context, command) => result,
        _ = tokio::signal::ctrl_c() => Err(context.interrupted()),
    };
    let planned = context
        .guard_in_use()
        .filter(|guard| guard.is_dry_run())
        .map(crate::guard::Guard::planned);
    match (result, planned) {
        (Ok(_), Some(planned)) if !planned.is_empty() => context.ui.planned(&planned),
        (result, _) => conclude(&context.ui, result),
    }
}

fn conclude(ui: &Ui, result: Result<Outcome, CliError>) -> Exit {
    match result {
        Ok(outcome) => ui.show(outcome),
        Err(error) => {
            ui.error(&error);
            error.exit()
        }
    }
}

/// Help and version are results; anything else the parser says is wrong usage.
fn refuse(error: &clap::Error, invocation: Invocation) -> Exit {
    let ui = Ui::before_settings(invocation);
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            ui.show(Outcome::text(error.render().ansi().to_string()))
        }
        _ if ui.format() == crate::args::OutputFormat::Json => {
            let text = error.render().to_string();
            let first = text
                .lines()
                .next()
                .unwrap_or_default()
                .trim_start_matches("error: ");
            conclude(
                &ui,
                Err(CliError::usage(first.to_owned()).hint("see how: `--help`")),
            )
        }
        _ => {
            ui.usage(&error.render().ansi().to_string());
            Exit::Usage
        }
    }
}
