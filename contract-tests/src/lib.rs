//! Where the SDK and the mock meet.
//!
//! Neither knows the other: each was written from the specification, and this crate holds them against each other,
//! against the raw answers, and against `openapi.yaml` and the table `contract.toml`. The cases run against a mock in
//! this process; with `SECMON_CONTRACT_URL` and `SECMON_CONTRACT_KEY` they run against that service instead, over the
//! network only. `SECMON_CONTRACT_ADMIN=1` says that it has the mock's `/_mock/` calls; without it, the cases that
//! steer the service are skipped, each by its name.

#[macro_use]
mod case;

mod account;
mod cases;
mod cleanup;
pub mod client;
mod counts;
pub mod description;
mod exchange;
pub mod free;
mod http_calls;
mod judge;
pub mod junit;
mod ledger;
mod made;
mod matrix;
mod mechanisms;
mod model;
mod names;
mod need;
mod numbers;
pub mod program;
mod race;
mod recipe;
mod request;
mod sample_account;
mod scene;
mod service;
mod snapshot;
mod stage;
mod state_table;
mod step;
pub mod table;
mod times;
mod transcript;
mod untold;
mod wire;

pub use account::{Account, Customer};
pub use case::{
    Body, Case, Failure, INTERRUPTED, Playing, Run, caught, keep_panics, run_case, take_away,
};
pub use cases::cases;
pub use cleanup::Leftovers;
pub use exchange::{Exchange, Forced};
pub use http_calls::{RawAnswer, RawCall};
pub use judge::{Judgement, Violation};
pub use ledger::{Ledger, Left};
pub use matrix::{Matrix, Verdict};
pub use need::Need;
pub use recipe::{Bad, Listing, Members, NOTHING, Order, Recipe, Shape, names_in, placeholder};
pub use request::{Request, target};
pub use sample_account::{SampleAccount, nobody};
pub use scene::{SCENES, Scene};
pub use secmon::Namespace;
pub use service::{Repeatability, Service, Steering, ask, embedded, rate_limits, repeatable};
pub use snapshot::{MOST_PAGES, Snapshot};
pub use stage::Stage;
pub use state_table::{STATE_TABLES, StateTable};
pub use times::findings as time_findings;
pub use untold::Untold;
pub use wire::Wire;
