//! The contract suite: one binary, so that what all cases observed can be judged at the end.

#[macro_use]
mod suite;

mod cleaning;
mod deviation;
mod free;
mod honesty;
mod jq;
mod judgement;
mod message;
mod playbooks;
mod program;
mod proxy;
mod recipes;
mod remote;
mod report;
mod witnesses;

use std::process::ExitCode;

use secmon_contract_tests::cases;

use suite::{Check, run};

/// Every check that is no case.
fn checks() -> Vec<Check> {
    [
        witnesses::CHECKS,
        judgement::CHECKS,
        cleaning::CHECKS,
        free::CHECKS,
        honesty::CHECKS,
        honesty::legal::CHECKS,
        remote::CHECKS,
        playbooks::CHECKS,
        program::CHECKS,
        report::CHECKS,
        recipes::CHECKS,
    ]
    .concat()
}

fn main() -> ExitCode {
    if std::env::var_os(recipes::AS_CLIENT).is_some() {
        return recipes::calls_by_https();
    }
    if std::env::var_os(recipes::AS_MOCK).is_some() {
        return secmon_mock::command_line::main();
    }
    run(&cases(), &checks())
}
