//! How a program ends, for whatever started it: a cron job, a queue, a test.

use crate::policy::Next;
use std::error::Error;
use std::process::ExitCode;

/// How a program ended; of two ends, the later one in this list counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// Exit code 0: all is done.
    #[default]
    Done,
    /// Exit code 1: somebody has to look at what was printed; starting it again changes nothing.
    Look,
    /// Exit code 2: something is left that another run can do.
    RunAgain,
}

impl From<&Next> for End {
    fn from(next: &Next) -> Self {
        match next {
            Next::Done => Self::Done,
            Next::RetryLater { .. } | Next::LookFirst => Self::RunAgain,
            Next::AskCustomer(_) | Next::AskOperator(_) | Next::Halt(_) => Self::Look,
        }
    }
}

/// The exit code of a program; what kept it from starting is printed, and counts as [`End::Look`].
#[must_use]
pub fn exit(program: &str, ended: Result<End, Box<dyn Error>>) -> ExitCode {
    let end = ended.unwrap_or_else(|problem| {
        eprintln!("{program}: {problem}");
        End::Look
    });
    ExitCode::from(end as u8)
}
