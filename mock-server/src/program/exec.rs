//! Running a command beside a server that lives as long as the command does.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::configuration::flags::Given;
use crate::configuration::settings::Settings;
use crate::connection::tls::Trust;
use crate::embedded::server::MockServer;
use crate::mock::Mock;
use crate::observation::denied_notices::{DeniedNotices, NoticeFlags};
use crate::observation::evidence::check::{Check, Severity};
use crate::observation::evidence::collector;
use crate::observation::evidence::collector::Evidence;
use crate::program::child::{self, NotRun};
use crate::values::chance;
use crate::values::secret::Secret;

/// Exit code of a run that did not hold what it was asked to.
pub(crate) const NOT_HELD: u8 = 1;

/// What a run is asked to leave and to hold.
#[derive(Debug, clap::Args)]
pub(crate) struct Demands {
    /// Folder for the journal (JSON and HAR), the outcomes that were met and never met, and JUnit
    #[arg(long, value_name = "DIR", env = "SECMON_MOCK_REPORT")]
    report: Option<Given<PathBuf>>,

    /// Statuses and codes that the command must meet, such as 429,ENDPOINT_LIMIT_EXCEEDED; exit 1 where it does not
    #[arg(
        long,
        value_name = "OUTCOME",
        env = "SECMON_MOCK_REQUIRE",
        value_delimiter = ',',
        value_parser = outcome
    )]
    require: Vec<String>,

    #[command(flatten)]
    notices: NoticeFlags,
}

fn outcome(name: &str) -> Result<String, String> {
    match name.trim() {
        // An empty variable is as if unset.
        "" => Ok(String::new()),
        name if collector::is_outcome(name) => Ok(name.to_owned()),
        _ => Err("no operation is documented to answer with it".to_owned()),
    }
}

impl Demands {
    /// Holds the run against what was asked of it, and writes the report.
    fn judge(self, mock: &Mock, evidence: &mut Evidence) -> Vec<Check> {
        evidence.end_of_run(mock.accounts.secrets());
        let required = self.require.into_iter().filter(|name| !name.is_empty());
        let mut checks: Vec<Check> = required.map(|name| Check::met(name, evidence)).collect();
        let denied = DeniedNotices::from(self.notices);
        if denied.is_any() {
            checks.push(Check {
                name: "nothing careless was sent".to_owned(),
                severity: Severity::Error,
                findings: evidence.denied(&denied),
            });
        }
        let severity = match checks.is_empty() {
            true => Severity::Warning,
            false => Severity::Error,
        };
        checks.push(Check {
            name: "calls came, and faults met them".to_owned(),
            severity,
            findings: without_effect(mock, evidence),
        });
        if let Some(folder) = self.report.and_then(Given::value)
            && let Err(error) = evidence.write(&folder, &checks)
        {
            let finding = format!("{} cannot be written: {error}", folder.display());
            checks.push(Check {
                name: "the report was written".to_owned(),
                severity: Severity::Error,
                findings: vec![finding],
            });
        }
        checks
    }
}

/// What a run as a whole did not do: it called nothing, or a fault met no call.
fn without_effect(mock: &Mock, evidence: &Evidence) -> Vec<String> {
    if let Some(reason) = evidence.silence() {
        return vec![reason];
    }
    let never_hit = mock.accounts.faults().never_hit();
    let sentences = never_hit.iter();
    sentences.map(|fault| evidence.never_hit(fault)).collect()
}

/// Starts a server, runs the command with its address and key in the environment, and gives the
/// command's exit code. Prints nothing on standard output. Where the command succeeds and a demand is not met, the code
/// is 1.
pub(crate) fn exec(settings: Settings, command: &[OsString], demands: Demands) -> ExitCode {
    let ended = Stage::new(settings).and_then(|stage| {
        let mock = stage.server.mock();
        mock.gather_evidence();
        let first_key = stage.server.first_key().ok_or_else(|| {
            NotRun::before_it("the first account has no key; give it one in the configuration")
        })?;
        let code = child::run(command, &stage.variables(first_key))?;
        let evidence = mock.evidence();
        let checks =
            evidence.map_or_else(Vec::new, |mut evidence| demands.judge(mock, &mut evidence));
        for check in &checks {
            check.tell();
        }
        Ok(match code {
            0 if checks.iter().any(Check::failed) => NOT_HELD,
            code => code,
        })
    });
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(NotRun { code, sentence }) => refused(code, &sentence),
    }
}

/// A server for a command, with an admin key of its own.
pub(crate) struct Stage {
    pub(crate) server: MockServer,
    admin_key: Secret,
    /// What makes the command trust the server, where it speaks https.
    trust: Option<Trust>,
}

impl Stage {
    pub(crate) fn new(mut settings: Settings) -> Result<Self, NotRun> {
        let admin_key = settings
            .admin_key
            .get_or_insert_with(|| chance::text().into());
        let admin_key = admin_key.clone();
        let server =
            MockServer::with(settings).map_err(|error| NotRun::before_it(error.to_string()))?;
        let trust = server.mock().authority.as_deref().map(Trust::new);
        let trust = trust.transpose().map_err(|error| {
            let folder = std::env::temp_dir();
            let folder = folder.display();
            let sentence = format!("cannot write what the command is to trust to {folder}: {error}; name another folder in TMPDIR");
            NotRun::before_it(sentence)
        })?;
        Ok(Self {
            server,
            admin_key,
            trust,
        })
    }

    /// What tells a command where the server is.
    pub(crate) fn variables(&self, api_key: String) -> Vec<(&'static str, String)> {
        let mut variables = vec![
            ("SECMON_BASE_URL", self.server.url().to_owned()),
            ("SECMON_API_KEY", api_key),
            ("SECMON_MOCK_ADMIN_URL", self.server.admin_url().to_owned()),
            ("SECMON_MOCK_ADMIN_KEY", self.admin_key.expose().to_owned()),
        ];
        variables.extend(self.trust.iter().flat_map(Trust::variables));
        variables
    }
}

pub(crate) fn refused(code: u8, sentence: &str) -> ExitCode {
    eprintln!("error: {sentence}");
    ExitCode::from(code)
}
