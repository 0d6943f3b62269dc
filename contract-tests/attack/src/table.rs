//! What was tried, told row by row; the first thing that is lost ends it.

use std::fmt;
use std::io;

/// What went wrong, in one sentence.
#[derive(Debug)]
pub struct Lost(String);

/// What comes of a trial.
pub type Outcome<T = ()> = Result<T, Lost>;

impl Lost {
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// The same, said of a place.
    pub fn at(self, place: &str) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<serde_json::Error> for Lost {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

/// Goes on where `is_so`; else the sentence is what went wrong.
pub fn hold(is_so: bool, otherwise: impl FnOnce() -> String) -> Outcome {
    if is_so {
        Ok(())
    } else {
        Err(Lost(otherwise()))
    }
}

/// What an attempt that was withstood showed.
pub struct Seen {
    count: usize,
    ratio: Option<f64>,
    result: String,
}

impl Seen {
    /// After so many tries.
    pub fn of(count: usize, result: impl Into<String>) -> Self {
        let result = result.into();
        Self {
            count,
            ratio: None,
            result,
        }
    }

    /// What it cost by what something harmless costs.
    pub fn ratio(self, ratio: f64) -> Self {
        let ratio = Some(ratio);
        Self { ratio, ..self }
    }
}

/// The rows of one part of the attack.
pub struct Table {
    part: &'static str,
}

impl Table {
    pub fn of(part: &'static str) -> Self {
        Self { part }
    }

    pub fn heading() {
        println!(
            "{:<9} {:<46} {:>7} {:>7}  result",
            "part", "attempt", "count", "ratio"
        );
    }

    /// Makes an attempt and tells what it showed.
    pub fn attempt(&self, name: &str, trial: impl FnOnce() -> Outcome<Seen>) -> Outcome {
        let seen = trial().map_err(|lost| lost.at(&format!("{}: {name}", self.part)))?;
        let Seen {
            count,
            ratio,
            result,
        } = seen;
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.1}"));
        println!(
            "{:<9} {name:<46} {count:>7} {ratio:>7}  {result}",
            self.part
        );
        Ok(())
    }
}
