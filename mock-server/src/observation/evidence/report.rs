//! The folder that `exec --report` leaves.

use std::fmt::Write;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use super::check::Check;
use super::collector::Evidence;
use super::har;
use crate::values::escape::escaped;

impl Evidence {
    /// Writes `journal.json`, `journal.har`, `outcomes.json` and `junit.xml` into the folder.
    pub(crate) fn write(&self, folder: &Path, checks: &[Check]) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let calls = self.shown();
        let journal = json!({ "dropped": self.not_kept, "requests": calls });
        let files = [
            ("journal.json", pretty(&journal)),
            ("journal.har", pretty(&har::archive(&calls))),
            ("outcomes.json", pretty(&self.outcomes())),
            ("junit.xml", junit(checks)),
        ];
        for (name, text) in files {
            std::fs::write(folder.join(name), text)?;
        }
        Ok(())
    }

    /// What was met and how often, and what never was.
    fn outcomes(&self) -> Value {
        let met = self.met.iter().map(|((operation, outcome), times)| {
            json!({ "operation": operation, "outcome": outcome, "times": times })
        });
        let never = self.documented().into_iter();
        let never = never.filter(|(_, _, times)| *times == 0);
        let never = never
            .map(|(operation, outcome, _)| json!({ "operation": operation, "outcome": outcome }));
        json!({
            "met": met.collect::<Vec<_>>(),
            "never": never.collect::<Vec<_>>(),
            "notices": self.noticed(),
        })
    }
}

/// A case for each thing that the run was asked to hold.
fn junit(checks: &[Check]) -> String {
    let failed = checks.iter().filter(|check| check.failed()).count();
    let tests = checks.len();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"secmon-mock\" tests=\"{tests}\" failures=\"{failed}\">\n"
    );
    for check in checks {
        let name = escaped(&check.name);
        // Writing to a text does not fail.
        let _ = writeln!(
            xml,
            "  <testcase classname=\"secmon-mock\" name=\"{name}\">"
        );
        let element = match check.failed() {
            true => "failure",
            false => "system-err",
        };
        for finding in &check.findings {
            let _ = writeln!(xml, "    <{element}>{}</{element}>", escaped(finding));
        }
        xml.push_str("  </testcase>\n");
    }
    xml + "</testsuite>\n"
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
