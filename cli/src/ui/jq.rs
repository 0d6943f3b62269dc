//! `--jq`: filtering a result with a jq expression, before any request is sent and after the last one has ended.
//!
//! An expression is somebody's program and may never end. So it runs on a thread of its own, with room for deep results,
//! and is left behind when its time is over or a Ctrl-C comes.

use crate::error::{CliError, LocalErrorKind};
use crate::machine::interrupt;
use errors::{failed, refused};
use serde_json::Value;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

mod errors;
#[cfg(feature = "jq")]
mod expression;

/// The longest time that an expression may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest expression that is read: reading goes as deep as its brackets.
const LONGEST: usize = 10_000;

/// Room for results as deep as any that the service sends, many times over.
const STACK: usize = 256 * 1024 * 1024;

/// What an expression makes of a result.
#[derive(Debug, Default)]
pub struct Filtered {
    /// One line a result: texts bare, everything else as JSON.
    pub text: String,
    /// Why it ended early.
    pub deferred_error: Option<CliError>,
}

/// An expression that can be read.
#[derive(Debug)]
pub struct Filter {
    expression: String,
}

/// What the thread of an expression tells.
#[cfg_attr(not(feature = "jq"), expect(dead_code))]
#[derive(Debug)]
enum News {
    /// A result, as one line.
    Line(String),
    /// It has ended.
    Over(Result<(), CliError>),
    /// A Ctrl-C came.
    Interrupted,
}

impl Filter {
    /// Reads an expression.
    pub fn parse(expression: &str) -> Result<Self, CliError> {
        if expression.len() > LONGEST {
            let reason = format!("is longer than {LONGEST} characters");
            return Err(refused(expression, &reason));
        }
        let filter = Self {
            expression: expression.to_owned(),
        };
        match filter.evaluate(None, PATIENCE)?.deferred_error {
            None => Ok(filter),
            Some(error) => Err(error),
        }
    }

    /// Runs the expression on a result.
    pub fn run(&self, result: &Value) -> Filtered {
        let filtered = self.evaluate(Some(result.to_string()), PATIENCE);
        filtered.unwrap_or_else(|error| Filtered {
            text: String::new(),
            deferred_error: Some(error),
        })
    }

    /// Runs the expression on a result in JSON; without one it is only read.
    pub fn evaluate(
        &self,
        result: Option<String>,
        patience: Duration,
    ) -> Result<Filtered, CliError> {
        const UNREAD_LINES: usize = 1000;
        let (tell, news) = sync_channel(UNREAD_LINES);
        let interrupted = tell.clone();
        let expression = self.expression.clone();
        std::thread::Builder::new()
            .name("jq".to_owned())
            .stack_size(STACK)
            .spawn(move || work(&expression, result.as_deref(), &tell))
            .map_err(|error| CliError::io("--jq: starting a thread", &error))?;
        let ends_at = Instant::now() + patience;
        let filtered = || collect(&news, ends_at);
        Ok(match interrupt::is_taken_over() {
            true => interrupt::with_ctrl_c(
                // Where nobody listens any more it has ended already.
                || drop(interrupted.send(News::Interrupted)),
                filtered,
            ),
            false => filtered(),
        })
    }
}

fn collect(news: &Receiver<News>, ends_at: Instant) -> Filtered {
    let mut text = String::new();
    let deferred_error = loop {
        let left = ends_at.saturating_duration_since(Instant::now());
        match news.recv_timeout(left) {
            Ok(News::Line(line)) if !left.is_zero() => text.push_str(&line),
            Ok(News::Over(end)) => break end.err(),
            Ok(News::Interrupted) => break Some(broken_off()),
            Ok(News::Line(_)) | Err(_) => {
                let seconds = PATIENCE.as_secs();
                break Some(failed(&format!(
                    "the expression did not end within {seconds} s"
                )));
            }
        }
    };
    Filtered {
        text,
        deferred_error,
    }
}

/// What the thread does. What it tells after nobody listens is lost, and ends it.
#[cfg(feature = "jq")]
fn work(expression: &str, result: Option<&str>, tell: &SyncSender<News>) {
    let line = |line| tell.send(News::Line(line)).is_ok();
    let end = expression::Expression::parse(expression).and_then(|expression| match result {
        Some(result) => expression.run(result, line),
        None => Ok(()),
    });
    let _ = tell.send(News::Over(end));
}

#[cfg(not(feature = "jq"))]
fn work(expression: &str, _result: Option<&str>, tell: &SyncSender<News>) {
    let reason = "cannot be run: this program was built without the feature jq";
    let _ = tell.send(News::Over(Err(refused(expression, reason))));
}

fn broken_off() -> CliError {
    CliError::new(LocalErrorKind::Interrupted, "interrupted in --jq")
        .hint("the command itself was carried out; see its result with -o json")
}
