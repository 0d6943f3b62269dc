//! The contract suite: one binary, so that what all cases observed can be judged at the end.

mod account_rules;
mod cleaning;
mod description;
mod domain_monitoring;
mod domain_states;
mod domains;
mod endpoints;
mod faults;
mod firewall;
mod health_and_access;
mod honesty;
mod judgement;
mod lasting_faults;
mod mechanisms;
mod model;
mod namespaces;
mod playbooks;
mod port_alerts;
mod pricing;
mod recipes;
mod remote;
mod rules;
mod sandbox;
mod server_states;
mod servers;
mod sso;
mod subscription_states;
mod subscriptions;
mod sync;
mod times;
mod witnesses;

use std::process::ExitCode;

use secmon_contract_tests::{Case, Check, run};

/// Every case.
fn cases() -> Vec<Case> {
    let files = [
        namespaces::CASES,
        health_and_access::CASES,
        servers::CASES,
        domains::CASES,
        subscriptions::CASES,
        sync::CASES,
        pricing::CASES,
        domain_monitoring::CASES,
        rules::CASES,
        account_rules::CASES,
        endpoints::CASES,
        port_alerts::CASES,
        sso::CASES,
        sandbox::CASES,
        firewall::CASES,
        times::CASES,
        faults::CASES,
        lasting_faults::CASES,
        model::CASES,
        server_states::CASES,
        domain_states::CASES,
        subscription_states::CASES,
    ];
    let mut cases = files.concat();
    cases.extend(namespaces::twins());
    cases.extend(mechanisms::cases());
    cases
}

/// Every check that is no case.
fn checks() -> Vec<Check> {
    [
        witnesses::CHECKS,
        mechanisms::CHECKS,
        judgement::CHECKS,
        cleaning::CHECKS,
        honesty::CHECKS,
        remote::CHECKS,
        playbooks::CHECKS,
        recipes::CHECKS,
    ]
    .concat()
}

fn main() -> ExitCode {
    if std::env::var_os(recipes::AS_MOCK).is_some() {
        return secmon_mock::command_line::main();
    }
    run(&cases(), &checks(), description::findings)
}
