//! Each part of the attack, with small counts, against a build of the mock that is this very program.

use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

/// Set when this program shall be `secmon-mock`: the same code, without building another program.
const AS_MOCK: &str = "SECMON_ATTACK_AS_MOCK";

macro_rules! checks {
    ($($name:ident($($argument:literal),+),)*) => {
        /// Every test, and what it calls the program with.
        const CHECKS: &[(&str, &[&str])] = &[$((stringify!($name), &[$($argument),+])),*];
    };
}

checks! {
    every_shape_is_answered_or_closed_and_changes_nothing("shapes", "--rounds", "1"),
    seats_that_give_nothing_come_back("seats", "--connections", "300", "--unread", "0"),
    nothing_of_a_mebibyte_burns_time_or_memory("burners", "--servers", "200"),
    the_journal_holds_no_more_than_its_bound_and_nobody_waits_for_it("journal", "--calls", "400"),
    what_was_acknowledged_survives_kills("kills", "--kills", "4"),
    what_was_acknowledged_survives_a_full_disk("full-disk"),
    no_clock_makes_anybody_wait_longer_than_a_window("clock", "--jumps", "30"),
    a_hostile_document_is_refused_or_there_after_a_restart("imports", "--documents", "60"),
    what_must_hold_holds_after_everything_at_random("soak", "--seconds", "10"),
}

fn main() -> ExitCode {
    if std::env::var_os(AS_MOCK).is_some() {
        return secmon_mock::command_line::main();
    }
    let trials = CHECKS
        .iter()
        .map(|(name, arguments)| Trial::test(*name, || attack(arguments)));
    // It reads what Linux tells of processes.
    let trials = trials.map(|trial| trial.with_ignored_flag(!cfg!(target_os = "linux")));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn attack(arguments: &[&str]) -> Result<(), Failed> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_secmon-attack"));
    program
        .args(arguments)
        .arg("--mock")
        .arg(std::env::current_exe()?)
        .env(AS_MOCK, "1");
    let ended = program.output()?;
    let said = [&ended.stdout[..], &ended.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    if ended.status.success() {
        Ok(())
    } else {
        Err(said.into())
    }
}
