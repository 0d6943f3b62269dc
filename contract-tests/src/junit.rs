//! The report for a CI.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// How a case ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Everything held.
    Passed,
    /// It did not, for this reason.
    Failed(String),
    /// The service cannot be put to it, for this reason.
    Skipped(String),
}

/// A line of the report.
#[derive(Debug, Clone)]
pub struct Line {
    /// File and function.
    pub name: String,
    /// Time it took.
    pub time: Duration,
    /// How it ended.
    pub ending: Ending,
}

/// Writes the report.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, lines: &[Line]) -> std::io::Result<()> {
    std::fs::write(path, document(lines))
}

/// The report as JUnit XML.
pub fn document(lines: &[Line]) -> String {
    let count =
        |wanted: fn(&Ending) -> bool| lines.iter().filter(|line| wanted(&line.ending)).count();
    let failed = count(|ending| matches!(ending, Ending::Failed(_)));
    let skipped = count(|ending| matches!(ending, Ending::Skipped(_)));
    let time: f64 = lines.iter().map(|line| line.time.as_secs_f64()).sum();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let tests = lines.len();
    let counts =
        format!("tests=\"{tests}\" failures=\"{failed}\" skipped=\"{skipped}\" time=\"{time:.3}\"");
    // Writing to a text cannot fail.
    let _ = writeln!(
        xml,
        "<testsuites {counts}>\n<testsuite name=\"secmon-contract\" {counts}>"
    );
    for line in lines {
        let (file, case) = line.name.split_once("::").unwrap_or(("", &line.name));
        let (file, case) = (escaped(file), escaped(case));
        let time = line.time.as_secs_f64();
        let _ = write!(
            xml,
            "<testcase classname=\"{file}\" name=\"{case}\" time=\"{time:.3}\""
        );
        let _ = match &line.ending {
            Ending::Passed => writeln!(xml, "/>"),
            Ending::Failed(why) => {
                let first = escaped(why.lines().next().unwrap_or_default());
                writeln!(
                    xml,
                    "><failure message=\"{first}\">{}</failure></testcase>",
                    escaped(why)
                )
            }
            Ending::Skipped(why) => {
                writeln!(xml, "><skipped message=\"{}\"/></testcase>", escaped(why))
            }
        };
    }
    xml + "</testsuite>\n</testsuites>\n"
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(character),
            control if control.is_control() => safe.push('?'),
            other => safe.push(other),
        }
    }
    safe
}
