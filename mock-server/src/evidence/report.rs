//! The folder that `exec --report` leaves.

use std::fmt::Write;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use super::{Evidence, har};

impl Evidence {
    /// Writes `journal.json`, `journal.har`, `outcomes.json` and `junit.xml` into the folder.
    pub(crate) fn write(&self, folder: &Path, failures: &[String]) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let journal = json!({ "dropped": self.not_kept, "requests": self.calls });
        let files = [
            ("journal.json", pretty(&journal)),
            ("journal.har", pretty(&har::archive(&self.calls))),
            ("outcomes.json", pretty(&self.outcomes())),
            ("junit.xml", self.junit(failures)),
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

    /// A case for each documented outcome, skipped where it was not met, and one for what the run was asked to hold.
    fn junit(&self, failures: &[String]) -> String {
        let documented = self.documented();
        let never = documented
            .iter()
            .filter(|(_, _, times)| *times == 0)
            .count();
        let (tests, failed) = (documented.len() + 1, usize::from(!failures.is_empty()));
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuite name=\"secmon-mock\" tests=\"{tests}\" failures=\"{failed}\" skipped=\"{never}\">\n  \
             <testcase classname=\"secmon-mock\" name=\"what the run was asked to hold\">\n"
        );
        for failure in failures {
            // Writing to a text does not fail.
            let _ = writeln!(xml, "    <failure>{}</failure>", escaped(failure));
        }
        xml.push_str("  </testcase>\n");
        for (operation, outcome, times) in documented {
            let end = match times {
                0 => "><skipped message=\"never met\"/></testcase>",
                _ => "/>",
            };
            let _ = writeln!(
                xml,
                "  <testcase classname=\"{operation}\" name=\"{outcome}\"{end}"
            );
        }
        xml + "</testsuite>\n"
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// A text for XML, without the characters that it cannot hold.
pub(crate) fn escaped(text: &str) -> String {
    let shown = text.chars().map(|character| match character {
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '&' => "&amp;".to_owned(),
        '"' => "&quot;".to_owned(),
        character if character.is_control() => "\u{fffd}".to_owned(),
        character => character.to_string(),
    });
    shown.collect()
}
