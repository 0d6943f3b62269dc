//! Mechanisms: what holds of every operation, those of tomorrow too. Each is put to each operation of `contract.toml`, with
//! the requests that stand there.

mod account_isolation;
mod each_operation;
mod encodings;
mod idempotency;
mod instants;
mod journal;
mod lists;
mod no_side_effects;
mod races;
mod refused;
mod waits;

use crate::{Body, Case, Namespace, SCENES, STATE_TABLES};

/// Every mechanism, put to every operation.
pub fn cases() -> Vec<Case> {
    [
        no_side_effects::cases(),
        idempotency::cases(),
        account_isolation::cases(),
        encodings::cases(),
        refused::CASES.to_vec(),
        races::all(),
        lists::cases(),
        instants::cases(),
        journal::cases(),
        waits::CASES.to_vec(),
        scenes(),
    ]
    .concat()
}

/// Calls in order, with what each is answered, in both namespaces where they are identical; and tables of states.
fn scenes() -> Vec<Case> {
    let scenes = SCENES.iter().map(|scene| Case {
        path: "contract::scenes",
        spec_ref: &scene.spec_ref,
        needs: &scene.needs,
        namespace: Namespace::Billing,
        body: Body::Scene(scene),
    });
    let scenes: Vec<Case> = scenes.collect();
    let twins = scenes
        .iter()
        .filter(|case| matches!(case.body, Body::Scene(scene) if scene.has_a_twin()));
    let twins = twins.map(|case| Case {
        namespace: Namespace::Provisioning,
        ..*case
    });
    let twins: Vec<Case> = twins.collect();
    let walks = STATE_TABLES.iter().map(|walk| Case {
        path: "contract::states",
        spec_ref: &walk.spec_ref,
        needs: &walk.needs,
        namespace: Namespace::Billing,
        body: Body::StateTable(walk),
    });
    [scenes, twins, walks.collect()].concat()
}
