//! A case of the suite, and one run of it.

use std::any::Any;
use std::cell::RefCell;
use std::future::Future;
use std::panic::{self, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Once};
use std::time::Duration;

use secmon::Namespace;
use tokio::runtime::Builder;

use crate::cleanup::{Leftovers, clean_up};
use crate::exchange::Exchange;
use crate::ledger::Left;
use crate::need::Need;
use crate::scene::Scene;
use crate::service::{Service, Steering};
use crate::stage::{Event, Stage};
use crate::state_table::StateTable;
use crate::table::Row;
use crate::untold::Untold;

/// A case: an `async fn` that gets its stage, and what it asks of the service.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its path in the test crate.
    pub path: &'static str,
    /// The decisions or sections of the specification that say so.
    pub spec_ref: &'static str,
    /// What the service must be able to do beyond the partner API.
    pub needs: &'static [Need],
    /// Where it sends the operations that stand in two.
    pub namespace: Namespace,
    /// What it does.
    pub body: Body,
}

/// What a case does.
#[derive(Clone, Copy)]
pub enum Body {
    /// All it does is its own.
    Alone(fn(Arc<Stage>) -> Playing),
    /// A mechanism, put to one operation.
    Of(fn(Arc<Stage>, &'static Row) -> Playing, &'static Row),
    /// Calls in order.
    Scene(&'static Scene),
    /// A table of states.
    StateTable(&'static StateTable),
}

/// A case that is being played.
pub type Playing = Pin<Box<dyn Future<Output = ()>>>;

impl Case {
    /// File and function, as in `servers::a_server_goes_through_its_life`, the operation where a mechanism is put to one,
    /// and the namespace where that is not `billing`.
    pub fn name(&self) -> String {
        let name = self
            .path
            .split_once("::")
            .map_or(self.path, |(_, name)| name);
        let name = name.strip_prefix("cases::").unwrap_or(name);
        let name = match self.body {
            Body::Alone(_) => name.to_owned(),
            Body::Of(_, row) => format!("{name}::{}", row.operation),
            Body::Scene(scene) => format!("{name}::{}", scene.name),
            Body::StateTable(walk) => format!("{name}::{}", walk.name),
        };
        match self.namespace {
            Namespace::Billing => name,
            other => format!("{name} /{}/", other.as_str()),
        }
    }

    /// The sentence that a service breaks where the case falls: decisions, or sections of the specification.
    pub fn spec_ref(&self) -> &str {
        self.spec_ref
    }

    /// Whether it is put to an operation that stands in two namespaces.
    pub fn is_in_both_namespaces(&self) -> bool {
        matches!(self.body, Body::Of(_, row) if row.path.contains("{namespace}"))
    }

    /// The name of its transcript, which both namespaces share: they are identical.
    pub fn transcript(&self) -> String {
        let case = Self {
            namespace: Namespace::Billing,
            ..*self
        };
        case.name().replace("::", ".")
    }
}

/// The cases of a file: what says so, those that any service can be put to, then those that steer it, with what they
/// need. One that is not listed is dead code, which does not compile.
macro_rules! cases {
    (
        spec_ref: $spec_ref:literal;
        anywhere: $($any:ident),* $(,)? ;
        steered: $($steered:ident($($need:ident),+)),* $(,)?
    ) => {
        /// What the cases of this file stand for.
        const SPEC_REF: &str = $spec_ref;

        /// The cases of this file.
        pub const CASES: &[$crate::Case] = &[
            $($crate::Case {
                path: concat!(module_path!(), "::", stringify!($any)),
                spec_ref: SPEC_REF,
                needs: &[],
                namespace: $crate::Namespace::Billing,
                body: $crate::Body::Alone(|stage| Box::pin($any(stage))),
            },)*
            $($crate::Case {
                path: concat!(module_path!(), "::", stringify!($steered)),
                spec_ref: SPEC_REF,
                needs: &[$($crate::Need::$need),+],
                namespace: $crate::Namespace::Billing,
                body: $crate::Body::Alone(|stage| Box::pin($steered(stage))),
            },)*
        ];
    };
}

/// What a run of a case left.
pub struct Run {
    pub(crate) stage: Arc<Stage>,
    /// What it made and no call takes away.
    pub leftovers: Leftovers,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
    /// What nobody told of the service and is otherwise than assumed, where the case could not go on for that reason.
    pub untold: Option<Untold>,
    /// What it left behind, if anything.
    pub not_cleaned_up: Option<Failure>,
}

/// The assertion that a case fell to.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What it says.
    pub message: String,
    /// File and line, from the root of the workspace.
    pub place: String,
}

impl Run {
    /// Everything that came over the wire.
    pub(crate) fn events(&self) -> Vec<Event> {
        self.stage.record().events.clone()
    }

    /// Whether its transcript is to be compared.
    pub fn is_pinned(&self) -> bool {
        self.pinned() > 0
    }

    /// How many events its transcript has.
    pub(crate) fn pinned(&self) -> usize {
        let record = self.stage.record();
        let all = record.events.len();
        record.pinned.map_or(all, |pinned| pinned.min(all))
    }

    /// Every complete answer.
    pub fn exchanges(&self) -> Vec<Exchange> {
        let answered = self.events().into_iter().filter_map(|event| match event {
            Event::Answered(exchange) => Some(*exchange),
            Event::Lost(..) => None,
        });
        answered.collect()
    }
}

/// Runs a case against a service, and takes away what it made there, whether it held or not.
///
/// # Panics
/// When the system has no runtime to give.
pub fn run_case(case: &Case, service: &Service) -> Run {
    keep_panics();
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("the system gives a runtime");
    let stage = Stage::new(service.clone(), case.name(), case.needs, case.namespace);
    let playing = || -> Playing {
        let stage = Arc::clone(&stage);
        match case.body {
            Body::Alone(play) => play(stage),
            Body::Of(play, row) => play(stage, row),
            Body::Scene(scene) => Box::pin(scene.play(stage)),
            Body::StateTable(walk) => Box::pin(walk.play(stage)),
        }
    };
    let failure = caught(|| runtime.block_on(until_stopped(service, playing()))).err();
    let otherwise = stage.record().otherwise.first().copied();
    let (failure, untold) = match otherwise {
        Some(untold) if failure.is_some() => (None, Some(untold)),
        _ => (failure, None),
    };
    let left = stage.record().left();
    let not_cleaned_up = take_away(&case.name(), service, &left).err();
    Run {
        stage,
        failure,
        untold,
        not_cleaned_up,
        // Accounts of a case's own are gone with all that was in them.
        leftovers: match service.steering {
            Steering::Possible => Leftovers::default(),
            Steering::Impossible => Leftovers::of(&left),
        },
    }
}

/// Takes away what a case made.
///
/// # Errors
/// Naming what could not be taken away.
///
/// # Panics
/// When the system has no runtime to give.
pub fn take_away(case: &str, service: &Service, left: &Left) -> Result<(), Failure> {
    keep_panics();
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("the system gives a runtime");
    let stage = Stage::cleaning(service.clone(), case);
    caught(|| runtime.block_on(clean_up(&stage, left)))?;
    caught(|| stage.is_taken_away())
}

/// How often somebody looks whether the run is to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Plays until the end, or until the run is to stop; what is on its way then counts as unanswered.
async fn until_stopped(service: &Service, playing: Playing) {
    let stopped = async {
        while !service.interrupted.load(Ordering::Relaxed) {
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::select! {
        biased;
        () = playing => {}
        () = stopped => panic!("{INTERRUPTED}"),
    }
}

/// What a case says that was stopped.
pub const INTERRUPTED: &str = "interrupted";

/// Runs something that may panic.
pub fn caught(body: impl FnOnce()) -> Result<(), Failure> {
    panic::catch_unwind(AssertUnwindSafe(body)).map_err(|payload| {
        let place = LAST_PLACE.with_borrow_mut(std::mem::take);
        Failure {
            message: message_of(payload.as_ref()),
            place,
        }
    })
}

thread_local! {
    static LAST_PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the place of a panic for the report, instead of printing it at once.
pub fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| {
            let place = info
                .location()
                .map(|place| format!("{}:{}", place.file(), place.line()));
            LAST_PLACE.with_borrow_mut(|last| *last = place.unwrap_or_default());
        }));
    });
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").to_owned()
}
