//! From the command line to the exit code.

use crate::cli::Cli;
use crate::commands::deferred::Deferred;
use crate::commands::help::laid_out;
use crate::commands::mock::{self, MockCommand};
use crate::commands::{Command, Task, run_offline, run_task};
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::machine::files;
use crate::machine::interrupt::{self, Reaction};
use crate::session::call_log::DEBUG_FILE;
use crate::session::flags::GlobalArgs;
use crate::session::service::KeySource;
use crate::session::settings::Settings;
use crate::suggest;
use crate::ui::invocation::{Invocation, Verdict};
use crate::ui::outcome::Outcome;
use crate::ui::{OutputFormat, Ui};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// Runs the program.
pub fn run() -> Exit {
    let invocation = Invocation::from_process(judge);
    let words: Vec<OsString> = std::env::args_os().collect();
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => return refuse(error, &words, invocation),
    };
    let invocation = cli.global.kept_in(invocation);
    if let Some(way_out) = suggest::pasted_word(&words) {
        let refused = Err(CliError::usage(way_out));
        return conclude(&Ui::before_settings(invocation), refused);
    }
    if cli.global.customer.is_some() && !cli.command.takes_customer() {
        return conclude(&Ui::before_settings(invocation), Err(takes_no_customer()));
    }
    let without_settings = |invocation, result| conclude(&Ui::before_settings(invocation), result);
    match cli.command {
        Command::Offline(command) => {
            without_settings(invocation, run_offline(command, Cli::command()))
        }
        Command::Mock(Deferred(MockCommand::Serve(args))) => {
            without_settings(invocation, mock::serve::run(*args))
        }
        Command::Mock(Deferred(MockCommand::Steering(command))) => {
            start(&cli.global, invocation, Task::Mock(command))
        }
        Command::Online(command) => {
            start(&cli.global, invocation, Task::Command(Box::new(command)))
        }
    }
}

/// What the parser says of a command that is suggested.
fn judge(words: &[String]) -> Verdict {
    let line = std::iter::once("secmon").chain(words.iter().map(String::as_str));
    match Cli::try_parse_from(line) {
        Ok(cli) if cli.command.takes_customer() => Verdict::OfCustomer,
        Err(error) if error.use_stderr() => Verdict::Refused,
        _ => Verdict::Accepted,
    }
}

/// A customer that narrows nothing was meant to narrow something.
fn takes_no_customer() -> CliError {
    CliError::usage(
        "-c cannot be used with this command, which does not concern a customer or takes one as an argument: leave -c out",
    )
}

/// Settles the settings, and runs what works with them.
fn start(flags: &GlobalArgs, invocation: Invocation, task: Task) -> Exit {
    let settings = match Settings::resolve(flags, task.reading()) {
        Ok(settings) => settings,
        Err(error) => return conclude(&Ui::before_settings(invocation), Err(error)),
    };
    if let Some(file) = &flags.debug_file
        && let Err(error) = files::refuse_input(DEBUG_FILE, file, &what_is_read(&settings, &task))
    {
        return conclude(&Ui::before_settings(invocation), Err(error));
    }
    let ui = Arc::new(Ui::new(settings.display.clone(), invocation));
    for warning in &settings.warnings {
        ui.note(&format!("warning: {warning}"));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(online(settings, &ui, task)),
        Err(error) => conclude(&ui, Err(CliError::io("starting", &error))),
    }
}

/// The files that a command reads: its input, the configuration and the key.
fn what_is_read<'a>(settings: &'a Settings, task: &'a Task) -> Vec<&'a Path> {
    let key = match settings.service.as_ref().map(|service| &service.key) {
        Ok(KeySource::File(path) | KeySource::Mounted(path)) => Some(path.as_path()),
        _ => None,
    };
    let always = [settings.config_path.as_path(), Path::new("-")];
    always.into_iter().chain(task.input()).chain(key).collect()
}

async fn online(settings: Settings, ui: &Arc<Ui>, task: Task) -> Exit {
    let context = Context::new(settings, Arc::clone(ui));
    let result = interruptible(&context, task).await;
    let result = result.map_err(|error| context.session.with_source_of_key(error));
    let planned = context
        .session
        .guard_in_use()
        .filter(|guard| guard.is_dry_run())
        .map(crate::session::guard::Guard::take_planned);
    let exit = match (result, planned) {
        (Ok(_), Some(planned)) if !planned.is_empty() => ui.planned(&planned),
        (result, _) => conclude(ui, result),
    };
    // What was done is told before anything is waited for.
    context.session.remember_observations();
    context.session.end_run(exit != Exit::Done);
    exit
}

/// Runs the command. The signal is taken over only once the command waits for something: before that, and while it
/// reads standard input, a Ctrl-C ends the program as it ends any other.
async fn interruptible(context: &Context, task: Task) -> Result<Outcome, CliError> {
    let mut running = std::pin::pin!(run_task(context, task));
    loop {
        let result = tokio::select! {
            biased;
            result = &mut running => result,
            () = interrupt::signal() => match context.session.interruption.take() {
                Reaction::EndsNow => return Err(context.session.interruption.error()),
                Reaction::Finishes => {
                    context.screen.note("finishing the requests already sent; press Ctrl-C again to stop now");
                    continue;
                }
            },
        };
        return match (result, context.session.check_interrupted()) {
            (Ok(outcome), Err(stopped)) => Ok(Outcome {
                deferred_error: Some(stopped),
                ..outcome
            }),
            (Err(_), Err(stopped)) => Err(stopped),
            (result, Ok(())) => result,
        };
    }
}

fn conclude(ui: &Ui, result: Result<Outcome, CliError>) -> Exit {
    match result {
        Ok(outcome) => ui.show(outcome),
        Err(error) => {
            let words: Vec<OsString> = std::env::args_os().collect();
            let error = match suggest::pasted_in(&words, error.message()) {
                Some(way_out) if error.exit() == Exit::Usage => error.hint(way_out),
                _ => error,
            };
            ui.error(&error);
            error.exit()
        }
    }
}

/// Help and version are results; anything else the parser says is wrong usage.
fn refuse(mut error: clap::Error, words: &[OsString], invocation: Invocation) -> Exit {
    let ui = Ui::before_settings(invocation);
    if let ErrorKind::DisplayHelp | ErrorKind::DisplayVersion = error.kind() {
        return ui.show(Outcome::text(laid_out(&error.render())));
    }
    let suggestion = suggest::instead(&mut error, words, Cli::command());
    let page = suggest::help_page(words, Cli::command());
    if ui.format() == OutputFormat::Json {
        let way_out = suggestion.map_or_else(
            || format!("see how: {page}"),
            |suggestion| suggestion.as_hint(),
        );
        let error = CliError::usage(in_one_sentence(&error));
        return conclude(&ui, Err(error.hint(way_out)));
    }
    let suggestion = suggestion.map(|suggestion| suggestion.to_string());
    let said = with_page(&laid_out(&error.render()), &page);
    ui.usage(&said, suggestion.as_deref());
    Exit::Usage
}

/// The parser leads to `--help` alone, whichever command was typed.
fn with_page(said: &str, page: &str) -> String {
    const LEAD: &str = "For more information, try";
    match said.split_once(LEAD) {
        Some((before, option)) => format!("{before}{LEAD}{}", option.replace("--help", page)),
        None => said.to_owned(),
    }
}

/// What the parser says, without the usage lines behind it.
fn in_one_sentence(error: &clap::Error) -> String {
    let text = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "incomplete command: a subcommand or an argument is missing".to_owned()
        }
        _ => error.render().to_string(),
    };
    let said = text
        .lines()
        .take_while(|line| !line.starts_with("Usage:"))
        .map(str::trim);
    let said: Vec<&str> = said.filter(|line| !line.is_empty()).collect();
    said.join(" ").trim_start_matches("error: ").to_owned()
}
