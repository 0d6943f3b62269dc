//! The engine against the model, by random sequences of calls.

use proptest::prelude::*;
use secmon_engine::{DomainStatus, EndpointStatus, Product};
use uuid::Uuid;

use crate::bench::client;
use crate::model::{Item, Model, State, ok};
use crate::steps::{AdminStep, PLANS, Runner, Step, step};

/// Runs a step in both worlds and compares the answers.
pub fn run(runner: &mut Runner, model: &mut Model, step: &Step) {
    let named = match step {
        Step::Server(_, number) => runner.servers.get(usize::from(*number)),
        Step::Domain(_, number) => runner.domains.get(usize::from(*number)),
        _ => None,
    };
    let named = named.copied().unwrap_or_default();
    let answer = runner.run(step);
    let expected = match step {
        Step::Provision { customer, host } => {
            let address = format!("203.0.113.{host}");
            let newest = newest_server(runner, *customer);
            let expected = model.add(*customer, address.clone(), Product::PortMonitoring, newest);
            if expected == ok() {
                model
                    .links
                    .retain(|link| (link.0, link.1) != (*customer, *host));
                model.links.push((*customer, *host, address));
            }
            expected
        }
        Step::ProvisionDomain { customer, name } => {
            let name = format!("site{name}.example");
            let listed = runner.bench.domains(i64::from(*customer) + 1).domains;
            let newest = listed.last().map_or(Uuid::nil(), |item| item.id);
            model.add(*customer, name, Product::DomainMonitoring, newest)
        }
        Step::Server(step, _) => model.server_step(step, named),
        Step::Domain(step, _) => model.domain_step(step, named),
        Step::Billing(step, customer, number) => model.billing_step(step, *customer, *number),
        Step::Admin(AdminStep::Reset) => {
            *model = Model::default();
            None
        }
        Step::Sync(entries) => {
            for part in model.sync(entries) {
                assert!(answer.contains(&part), "{part} is not in {answer}");
            }
            None
        }
        Step::Rule(_) | Step::Admin(_) | Step::Wait(_) => None,
    };
    if let Some(expected) = expected {
        assert!(
            answer.starts_with(&expected),
            "{step:?}: {answer}, expected {expected}"
        );
    }
}

fn newest_server(runner: &mut Runner, customer: u8) -> Uuid {
    let list = runner.bench.list(Some(i64::from(customer) + 1));
    let newest = list.endpoints.items.last();
    newest.map_or(Uuid::nil(), |endpoint| endpoint.id)
}

/// Compares everything a caller can see of the states.
pub fn compare(runner: &mut Runner, model: &Model) {
    for customer in 0..2 {
        let list = runner.bench.list(Some(i64::from(customer) + 1));
        let shown: Vec<(Uuid, bool, bool)> = list
            .endpoints
            .items
            .iter()
            .map(|one| {
                (
                    one.id,
                    one.status == EndpointStatus::Active,
                    one.quota_paused,
                )
            })
            .collect();
        assert_eq!(shown, live_states(&model.servers, customer));
        let ports = Product::PortMonitoring;
        assert_eq!(list.endpoint_limit, model.capacity(customer, ports));
        assert_eq!(list.current_endpoint_count, model.usage(customer, ports));
        assert_eq!(
            list.status_counts.active,
            model.count(customer, ports, &[State::Active])
        );
        let domains = runner.bench.domains(i64::from(customer) + 1);
        let shown: Vec<(Uuid, bool, bool)> = domains
            .domains
            .iter()
            .map(|one| (one.id, one.status == DomainStatus::Active, one.quota_paused))
            .collect();
        assert_eq!(shown, live_states(&model.domains, customer));
        let product = Product::DomainMonitoring;
        assert_eq!(domains.slots_total, model.capacity(customer, product));
        assert_eq!(domains.slots_used, model.usage(customer, product));
    }
    let live = model.servers.iter().filter(|item| item.state.is_live());
    assert_eq!(
        runner.bench.list(None).current_endpoint_count,
        live.count() as u64
    );
    for item in &model.servers {
        let call = runner.bench.call();
        let found = runner.bench.account.at(call).endpoint(item.id, None);
        assert_eq!(found.is_ok(), item.state.is_live(), "{item:?}");
    }
    for id in runner.domains.clone() {
        let owner = model.find(Product::DomainMonitoring, id);
        let call = runner.bench.call();
        for customer in 0..2 {
            let number = client(i64::from(customer) + 1);
            let found = runner.bench.account.at(call).domain_summary(id, number);
            let expected = owner.as_ref().is_some_and(|item| item.customer == customer);
            assert_eq!(found.is_ok(), expected);
        }
    }
}

/// Id, active, and quota-paused of each live record of a customer.
fn live_states(items: &[Item], customer: u8) -> Vec<(Uuid, bool, bool)> {
    items
        .iter()
        .filter(|item| item.customer == customer && item.state.is_live())
        .map(|item| {
            (
                item.id,
                item.state == State::Active,
                item.state == State::Platform,
            )
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_sequence_of_calls_leads_where_the_model_says(
        steps in prop::collection::vec(step(), 1..120),
    ) {
        assert_eq!(PLANS, ["starter", "professional"]);
        let (mut runner, mut model) = (Runner::new(), Model::default());
        for step in &steps {
            run(&mut runner, &mut model, step);
            compare(&mut runner, &model);
        }
    }
}
