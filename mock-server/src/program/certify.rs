//! Playing playbooks with a command, and telling the verdicts (M8).

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ArgGroup;
use serde_json::json;

use crate::configuration::settings::Settings;
use crate::observation::denied_notices::{DeniedNotices, NoticeFlags};
use crate::observation::evidence::collector::Evidence;
use crate::playbooks::book;
use crate::playbooks::book::Playbook;
use crate::playbooks::watch::Client;
use crate::program::child::{self, NotRun};
use crate::program::exec::{NOT_HELD, Stage, refused};
use crate::store::commit;
use crate::values::escape::escaped;

/// Which playbooks, and where the verdicts go.
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("which").args(["names", "all"]).required(true)))]
pub(crate) struct Playbooks {
    #[arg(value_name = "NAME", help = names_help(), value_parser = known)]
    names: Vec<String>,

    /// Plays all of them
    #[arg(long)]
    all: bool,

    /// File for the verdicts as JUnit
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    #[command(flatten)]
    notices: NoticeFlags,
}

fn names_help() -> String {
    let names = book::names().join(", ");
    format!("The playbooks to play, or --all for all of them: {names}")
}

fn known(name: &str) -> Result<String, String> {
    let names = book::names();
    match names.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!("there are {}", names.join(", "))),
    }
}

/// How one playbook ended.
struct Verdict {
    name: &'static str,
    /// None where it passed.
    findings: Vec<String>,
}

/// Plays the playbooks one after the other; 0 when all passed.
pub(crate) fn certify(settings: Settings, command: &[OsString], asked: &Playbooks) -> ExitCode {
    let denied = DeniedNotices::from(asked.notices.clone());
    let played = Stage::new(settings).and_then(|stage| {
        stage.server.mock().gather_evidence();
        let wanted = book::all().iter();
        let wanted = wanted.filter(|one| asked.all || asked.names.contains(&one.name));
        wanted
            .map(|playbook| play(&stage, playbook, command, &denied))
            .collect()
    });
    let verdicts: Vec<Verdict> = match played {
        Ok(verdicts) => verdicts,
        Err(NotRun { code, sentence }) => return refused(code, &sentence),
    };
    // Who does not read the table has the exit code.
    let _ = std::io::stdout().write_all(table(&verdicts).as_bytes());
    if let Some(file) = &asked.junit
        && let Err(error) = std::fs::write(file, junit(&verdicts))
    {
        return refused(
            NOT_HELD,
            &format!("{} cannot be written: {error}", file.display()),
        );
    }
    match verdicts.iter().all(|verdict| verdict.findings.is_empty()) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(NOT_HELD),
    }
}

/// Lets the command play one, with an account of its own.
fn play(
    stage: &Stage,
    playbook: &'static Playbook,
    command: &[OsString],
    denied: &DeniedNotices,
) -> Result<Verdict, NotRun> {
    let mock = stage.server.mock();
    let started = mock.start_playbook(&playbook.name);
    let (run, made, commit) = started.map_err(|error| NotRun::before_it(error.to_string()))?;
    commit::wait(commit).map_err(|error| NotRun::before_it(error.to_string()))?;
    let mut variables = stage.variables(made.api_key);
    let goal = json!({ "name": playbook.name, "goal": playbook.goal });
    variables.push(("SECMON_PLAYBOOK", goal.to_string()));
    let code = child::run(command, &variables)?;
    let mut findings = mock.judge(&run, Client::Finished).findings;
    if let Some(mut evidence) = mock.evidence() {
        // Each playbook has its own.
        let next = Evidence::begin(mock.accounts.secrets());
        let mut evidence = std::mem::replace(&mut *evidence, next);
        evidence.end(mock.accounts.secrets());
        findings.extend(evidence.denied(denied));
    }
    if code != 0 {
        findings.push(format!(
            "The command ended with exit code {code}. End with 0 once the goal is reached, also where a refusal is part of it."
        ));
    }
    Ok(Verdict {
        name: &playbook.name,
        findings,
    })
}

fn table(verdicts: &[Verdict]) -> String {
    let width = verdicts
        .iter()
        .map(|verdict| verdict.name.len())
        .max()
        .unwrap_or(0);
    let mut table = String::new();
    for Verdict { name, findings } in verdicts {
        let word = if findings.is_empty() {
            "passed"
        } else {
            "failed"
        };
        // Writing to a text does not fail.
        let _ = writeln!(table, "{name:width$}  {word}");
        for finding in findings {
            let _ = writeln!(table, "  {finding}");
        }
    }
    table
}

fn junit(verdicts: &[Verdict]) -> String {
    let failed = verdicts
        .iter()
        .filter(|verdict| !verdict.findings.is_empty())
        .count();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"playbooks\" tests=\"{}\" failures=\"{failed}\">\n",
        verdicts.len()
    );
    for Verdict { name, findings } in verdicts {
        let _ = writeln!(xml, "  <testcase classname=\"playbook\" name=\"{name}\">");
        for finding in findings {
            let _ = writeln!(xml, "    <failure>{}</failure>", escaped(finding));
        }
        xml.push_str("  </testcase>\n");
    }
    xml + "</testsuite>\n"
}
