//! Running the suite: every case, then the matrix.

use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Completion, Conclusion, Failed, Trial};

use secmon_contract_tests::junit::{self, Ending, Line};
use secmon_contract_tests::{
    Case, Judgement, Matrix, Need, Repeatability, Run, Service, Violation, caught, keep_panics,
    run_case,
};

/// A check that is no case: it looks at no single answer of the service, or starts its own.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its path in the test crate.
    pub path: &'static str,
    /// What the service must be able to do beyond the partner API.
    pub needs: &'static [Need],
    /// Programs of the machine without which it is skipped.
    pub programs: &'static [&'static str],
    /// Panics when it does not hold.
    pub body: fn(),
}

impl Check {
    /// File and function, as in `witnesses::every_code_of_the_client_has_a_cell`.
    pub fn name(&self) -> &'static str {
        self.path
            .split_once("::")
            .map_or(self.path, |(_, name)| name)
    }
}

/// The checks of a file with what they need, in which `Embedded` judges the suite itself; then a program of the machine,
/// where one is needed. One that is not listed is dead code, which does not compile.
macro_rules! checks {
    ($($check:ident($($need:ident),*) $(with $program:literal)?),* $(,)?) => {
        /// The checks of this file.
        pub const CHECKS: &[$crate::suite::Check] = &[
            $($crate::suite::Check {
                path: concat!(module_path!(), "::", stringify!($check)),
                needs: &[$(::secmon_contract_tests::Need::$need),*],
                programs: &[$($program)?],
                body: $check,
            },)*
        ];
    };
}

/// What all threads of a run write to.
#[derive(Default)]
struct Report {
    matrix: Mutex<Matrix>,
    lines: Mutex<Vec<Line>>,
    differences: Mutex<BTreeSet<String>>,
}

/// So many play at once where nobody says how many: on two processors they wait more than they compute.
const AT_ONCE: usize = 8;

/// Runs cases and checks as `cargo test` expects. Afterwards, unless only some were asked for, judges the matrix and prints
/// it; `SECMON_CONTRACT_JUNIT` names a file for the report.
pub fn run(cases: &[Case], checks: &[Check]) -> ExitCode {
    keep_panics();
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    let service = Service::found();
    let report = Arc::new(Report::default());
    let trials = cases.iter().map(|case| trial(*case, &service, &report));
    let mut trials: Vec<Trial> = trials.collect();
    let checks = checks.iter();
    trials.extend(checks.map(|check| check_trial(*check, &service, &report)));
    let conclusion = libtest_mimic::run(&arguments, trials);
    let complete = !arguments.list && !arguments.ignored && conclusion.num_filtered_out == 0;
    let matrix_holds = !complete || judge(&report, &service, &conclusion);
    write_junit(&report);
    match conclusion.has_failed() || !matrix_holds {
        true => ExitCode::from(101),
        false => ExitCode::SUCCESS,
    }
}

fn trial(case: Case, service: &Service, report: &Arc<Report>) -> Trial {
    let (service, report) = (service.clone(), Arc::clone(report));
    Trial::ignorable_test(case.name(), move || {
        let lacking = service.lacking(case.needs);
        if !lacking.is_empty() {
            return report.skipped(&case.name(), &needs(&lacking));
        }
        let start = Instant::now();
        let run = run_case(&case, &service);
        let judged = judged(&case, &service, &run, &report);
        report.observe(&case, &run);
        if let (Ok(()), Some(untold)) = (&judged, run.untold) {
            return report.skipped(&case.name(), &untold.to_string());
        }
        report.ended(&case.name(), start, judged)
    })
}

fn check_trial(check: Check, service: &Service, report: &Arc<Report>) -> Trial {
    let (lacking, report) = (service.lacking(check.needs), Arc::clone(report));
    Trial::ignorable_test(check.name(), move || {
        if !lacking.is_empty() {
            return report.skipped(check.name(), &needs(&lacking));
        }
        if let Some(program) = check.programs.iter().find(|program| !is_installed(program)) {
            return report.skipped(check.name(), &format!("needs {program}"));
        }
        let start = Instant::now();
        let held = caught(check.body).map_err(|failure| at(&failure.place, &failure.message));
        report.ended(check.name(), start, held)
    })
}

fn is_installed(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").output();
    asked.is_ok_and(|asked| asked.status.success())
}

/// Whether a run held: the judgement of all that came over the wire, then the transcript.
fn judged(case: &Case, service: &Service, run: &Run, report: &Report) -> Result<(), String> {
    let judgement = Judgement::of(case, service, run);
    lock(&report.differences).extend(judgement.differences);
    if !judgement.violations.is_empty() {
        let violations = judgement.violations.iter().map(Violation::to_string);
        return Err(violations.collect::<Vec<_>>().join("\n"));
    }
    if service.repeatability == Repeatability::Loose || !run.is_pinned() {
        return Ok(());
    }
    let mut settings = insta::Settings::new();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/contract/transcripts"
    ));
    let (name, text) = (case.transcript(), judgement.transcript);
    let compare = || settings.bind(|| insta::assert_snapshot!(name, text));
    caught(compare).map_err(|failure| format!("the transcript differs: {}", failure.message))
}

/// Prints the matrix and says whether it is as it should be. After a failure cells may be empty for that reason.
fn judge(report: &Report, service: &Service, conclusion: &Conclusion) -> bool {
    let matrix = lock(&report.matrix);
    let verdict = matrix.judged(&service.abilities);
    println!(
        "what was observed (~ in a sandbox account, * steered, ! by fault), and how often\n\n{}",
        matrix.printed()
    );
    println!("{}", verdict.printed());
    let differences = lock(&report.differences);
    if !differences.is_empty() {
        println!(
            "allowed, but not as openapi.yaml has it ({}):",
            differences.len()
        );
        differences
            .iter()
            .for_each(|difference| println!("  {difference}"));
    }
    if conclusion.num_ignored > 0 {
        println!(
            "{} were skipped, each by name above\n",
            conclusion.num_ignored
        );
    }
    let ending = match verdict.is_good() {
        true => Ending::Passed,
        false => Ending::Failed(verdict.printed()),
    };
    report.add(
        "matrix::no_cell_is_empty_and_no_outcome_undocumented",
        Duration::ZERO,
        ending,
    );
    verdict.is_good()
}

fn write_junit(report: &Report) {
    if let Ok(path) = env::var("SECMON_CONTRACT_JUNIT") {
        let path = PathBuf::from(path);
        let written = junit::write(&path, &lock(&report.lines));
        written.unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    }
}

impl Report {
    fn observe(&self, case: &Case, run: &Run) {
        let mut matrix = lock(&self.matrix);
        for exchange in run.exchanges() {
            matrix.observe(&case.name(), case.needs, &exchange);
        }
    }

    fn ended(
        &self,
        name: &str,
        start: Instant,
        judged: Result<(), String>,
    ) -> Result<Completion, Failed> {
        let ending = match &judged {
            Ok(()) => Ending::Passed,
            Err(why) => Ending::Failed(why.clone()),
        };
        self.add(name, start.elapsed(), ending);
        judged.map(|()| Completion::Completed).map_err(Failed::from)
    }

    fn skipped(&self, name: &str, why: &str) -> Result<Completion, Failed> {
        self.add(name, Duration::ZERO, Ending::Skipped(why.to_owned()));
        Ok(Completion::ignored_with(why))
    }

    fn add(&self, name: &str, time: Duration, ending: Ending) {
        lock(&self.lines).push(Line {
            name: name.to_owned(),
            time,
            ending,
        });
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn at(place: &str, message: &str) -> String {
    format!("{message}\nat {place}")
}

fn needs(lacking: &[Need]) -> String {
    let lacking = lacking.iter().map(Need::to_string);
    format!("needs {}", lacking.collect::<Vec<_>>().join(", "))
}
