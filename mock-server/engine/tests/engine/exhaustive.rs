//! Every short sequence of calls around two domains and their slots.

use secmon_engine::{DowngradeCheck, Product};

use crate::against_model::{compare, run};
use crate::model::Model;
use crate::steps::{BillingStep, DomainStep, Runner, Step};

const SLOTS: Product = Product::DomainMonitoring;

fn letters() -> Vec<Step> {
    let billing = |step| Step::Billing(step, 0, 0);
    vec![
        billing(BillingStep::Slots(2)),
        billing(BillingStep::Suspend(SLOTS)),
        billing(BillingStep::Resume(SLOTS)),
        billing(BillingStep::Terminate(SLOTS)),
        billing(BillingStep::Change(1, DowngradeCheck::Force)),
        Step::ProvisionDomain {
            customer: 0,
            name: 0,
        },
        Step::Domain(DomainStep::Suspend, 0),
        Step::Domain(DomainStep::Resume, 1),
        Step::Domain(DomainStep::Terminate, 0),
        Step::Domain(DomainStep::Rename(0), 1),
        Step::Domain(DomainStep::Release(0), 1),
    ]
}

/// The calls that lead to two active domains in two slots.
fn start() -> Vec<Step> {
    let domain = |name| Step::ProvisionDomain { customer: 0, name };
    vec![
        Step::Billing(BillingStep::Slots(2), 0, 0),
        domain(0),
        domain(1),
    ]
}

#[test]
fn every_sequence_of_four_calls_leads_where_the_model_says() {
    let letters = letters();
    let length = letters.len();
    for sequence in 0..length.pow(4) {
        let (mut runner, mut model) = (Runner::new(), Model::default());
        for step in &start() {
            run(&mut runner, &mut model, step);
        }
        let mut rest = sequence;
        for _ in 0..4 {
            run(&mut runner, &mut model, &letters[rest % length]);
            rest /= length;
        }
        compare(&mut runner, &model);
    }
}
