//! `--jq`: filtering a result with a jq expression, before any request is sent and after the last one has ended.
//!
//! An expression is somebody's program: it may never end, go deeper than any stack and want more memory than there is.
//! So it runs in a process of its own, this program started again: whatever becomes of that one, this one says it in a
//! sentence, and a Ctrl-C ends both.

use crate::error::CliError;
#[cfg(feature = "jq")]
use crate::error::Exit;
use serde_json::Value;

/// What an expression makes of a result.
#[derive(Debug, Default)]
pub struct Filtered {
    /// One line a result: texts bare, everything else as JSON.
    pub text: String,
    /// Why it ended early.
    pub trouble: Option<CliError>,
}

fn refused(expression: &str, reason: &str) -> CliError {
    /// An expression that is longer is somebody's file, and its beginning is enough to know it by.
    const SHOWN: usize = 200;
    let mut shown: String = expression.chars().take(SHOWN).collect();
    if shown.len() < expression.len() {
        shown.push_str("...");
    }
    CliError::usage(format!("--jq: {shown:?} {reason}"))
        .hint("it is the language of jq, as in --jq '.[] | select(.status == \"open\") | .id'")
}

/// An error of the expression on this very result: what the command did is done.
#[cfg(feature = "jq")]
fn failed(reason: &str) -> CliError {
    CliError::new(
        Exit::Other,
        "jq",
        format!("--jq does not fit the result: {reason}"),
    )
    .hint("the command itself has ended; see its result with -o json")
}

#[cfg(feature = "jq")]
pub use in_its_own_process::{Filter, answer};
#[cfg(not(feature = "jq"))]
pub use without::{Filter, answer};

#[cfg(feature = "jq")]
mod expression;

#[cfg(feature = "jq")]
mod in_its_own_process {
    use super::expression::{Expression, Problem};
    use super::{CliError, Exit, Filtered, Value, failed, refused};
    use crate::{children, interrupt};
    use std::io::{BufRead, Read, Write};
    use std::path::PathBuf;
    use std::process::{Child, Command, ExitStatus, Stdio};
    use std::sync::{Mutex, PoisonError};

    /// Set for the process that runs an expression.
    const VARIABLE: &str = "SECMON_RUNS_JQ";

    /// As deep as an expression may go: room for any that ends, and an end for one that does not.
    const STACK: usize = 256 * 1024 * 1024;

    /// How the process ends that has come to an end by itself.
    const DONE: i32 = 0;
    const REFUSED: i32 = 3;
    const FAILED: i32 = 4;

    /// An expression that can be read.
    #[derive(Debug)]
    pub struct Filter {
        expression: String,
    }

    impl Filter {
        /// Reads an expression.
        pub fn parse(expression: &str) -> Result<Self, CliError> {
            let end = run(expression, None)?;
            match end.code() {
                Some(DONE) => Ok(Self {
                    expression: expression.to_owned(),
                }),
                Some(REFUSED) => Err(refused(expression, &end.reason)),
                _ => Err(refused(expression, "goes too deep to be read")),
            }
        }

        /// Runs the expression on a result.
        pub fn run(&self, result: &Value) -> Filtered {
            match run(&self.expression, Some(result)) {
                Ok(end) => Filtered {
                    trouble: end.trouble(),
                    text: whole_lines(end.text),
                },
                Err(error) => Filtered {
                    text: String::new(),
                    trouble: Some(error),
                },
            }
        }
    }

    /// How the process ended, and what it wrote.
    struct End {
        text: String,
        reason: String,
        /// `None` where a Ctrl-C ended it.
        status: Option<ExitStatus>,
    }

    impl End {
        fn code(&self) -> Option<i32> {
            self.status.and_then(|status| status.code())
        }

        fn trouble(&self) -> Option<CliError> {
            match (self.status, self.code()) {
                (None, _) => Some(
                    CliError::new(Exit::Interrupted, "interrupted", "interrupted in --jq")
                        .hint("the command itself has ended; see its result with -o json"),
                ),
                (_, Some(DONE)) => None,
                (_, Some(FAILED)) => Some(failed(&self.reason)),
                _ => Some(failed(
                    "the expression goes deeper, or needs more memory, than there is",
                )),
            }
        }
    }

    /// Runs an expression on a result; without one it is only read.
    fn run(expression: &str, result: Option<&Value>) -> Result<End, CliError> {
        let start = |error: std::io::Error| CliError::io("--jq: starting a process", &error);
        let mut child = children::without_key(Command::new(this_program().map_err(start)?))
            .env(VARIABLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(start)?;
        let (input, text, reason) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let result = result.map(Value::to_string).unwrap_or_default();
        let child = Mutex::new(Running::Now(child));
        let (text, reason) = interrupt::heeded(
            || Running::end(&child),
            || {
                // It stays open: that it closes tells the process that this one is gone.
                let mut input = input;
                if let Some(input) = &mut input {
                    // One that has ended already says why.
                    let _ = writeln!(input, "{}\n{result}", Value::from(expression));
                }
                (all(text), all(reason))
            },
        );
        let running = child.into_inner().unwrap_or_else(PoisonError::into_inner);
        let status = match running {
            Running::Now(mut child) => Some(child.wait().map_err(start)?),
            Running::Ended => None,
        };
        Ok(End {
            text,
            reason,
            status: status.filter(|status| !was_interrupted(*status)),
        })
    }

    /// What was written before the end; half a line is no result.
    fn whole_lines(mut text: String) -> String {
        let end = text.rfind('\n').map_or(0, |last| last + 1);
        text.truncate(end);
        text
    }

    /// The process, until a Ctrl-C has ended it.
    enum Running {
        Now(Child),
        Ended,
    }

    impl Running {
        fn end(this: &Mutex<Self>) {
            let mut this = this.lock().unwrap_or_else(PoisonError::into_inner);
            if let Self::Now(mut child) = std::mem::replace(&mut *this, Self::Ended) {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }

    /// All that is written until the end; a result is JSON, so it is text.
    fn all(pipe: Option<impl Read>) -> String {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before a broken pipe is worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[cfg(target_os = "linux")]
    fn this_program() -> std::io::Result<PathBuf> {
        // The very program that runs, even where a newer one has taken its place on the disk.
        Ok(PathBuf::from("/proc/self/exe"))
    }

    #[cfg(not(target_os = "linux"))]
    fn this_program() -> std::io::Result<PathBuf> {
        std::env::current_exe()
    }

    /// A Ctrl-C at the terminal reaches both processes.
    #[cfg(unix)]
    fn was_interrupted(status: ExitStatus) -> bool {
        use std::os::unix::process::ExitStatusExt;
        const INTERRUPT: i32 = 2;
        status.signal() == Some(INTERRUPT)
    }

    #[cfg(not(unix))]
    fn was_interrupted(_status: ExitStatus) -> bool {
        false
    }

    /// In the process that was started for it: runs an expression, and ends. Otherwise does nothing.
    pub fn answer() {
        if std::env::var_os(VARIABLE).is_none() {
            return;
        }
        let deep = std::thread::Builder::new().stack_size(STACK).spawn(work);
        let code = deep.ok().and_then(|work| work.join().ok());
        std::process::exit(code.unwrap_or(1));
    }

    fn work() -> i32 {
        let Some((expression, result)) = task() else {
            return 1;
        };
        std::thread::spawn(end_with_the_other);
        let end = Expression::parse(&expression).and_then(|expression| match result.as_str() {
            "" => Ok(()),
            result => expression.run(result, &mut std::io::stdout().lock()),
        });
        let (code, reason) = match end {
            Ok(()) => (DONE, String::new()),
            Err(Problem::Unreadable(reason)) => (REFUSED, reason),
            Err(Problem::Failed(reason)) => (FAILED, reason),
        };
        let _ = std::io::stderr().write_all(reason.as_bytes());
        code
    }

    /// The expression, and the result in JSON; of an expression that is only read, there is none.
    fn task() -> Option<(String, String)> {
        let mut lines = std::io::stdin().lock().lines();
        let expression = lines.next()?.ok()?;
        let result = lines.next()?.ok()?;
        Some((serde_json::from_str(&expression).ok()?, result))
    }

    /// Standard input ends when the process at its other end is gone: then nobody wants the answer any more.
    fn end_with_the_other() {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        std::process::exit(1);
    }
}

#[cfg(not(feature = "jq"))]
mod without {
    use super::{CliError, Filtered, Value, refused};

    /// What a build without jq knows of an expression: nothing.
    #[derive(Debug)]
    pub enum Filter {}

    impl Filter {
        /// Refuses.
        pub fn parse(expression: &str) -> Result<Self, CliError> {
            Err(refused(
                expression,
                "cannot be run: this program was built without the feature jq",
            ))
        }

        /// Never called: there is no filter.
        pub fn run(&self, _result: &Value) -> Filtered {
            match *self {}
        }
    }

    /// No process is started for an expression.
    pub fn answer() {}
}
