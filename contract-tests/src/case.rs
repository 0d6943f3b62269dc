//! A case of the suite, and one run of it.

use std::any::Any;
use std::cell::RefCell;
use std::future::Future;
use std::panic::{self, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::{Arc, Once};

use secmon::Namespace;
use tokio::runtime::Builder;

use crate::cleanup::clean_up;
use crate::exchange::Exchange;
use crate::need::Need;
use crate::scene::Scene;
use crate::service::Service;
use crate::stage::{Event, STAGE, Stage};
use crate::table::Row;

/// A case: an `async fn` without arguments, and what it asks of the service.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its path in the test crate.
    pub path: &'static str,
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
    Alone(fn() -> Playing),
    /// A mechanism, put to one operation.
    Of(fn(&'static Row) -> Playing, &'static Row),
    /// Calls in order.
    Scene(&'static Scene),
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
        let name = match self.body {
            Body::Alone(_) => name.to_owned(),
            Body::Of(_, row) => format!("{name}::{}", row.operation),
            Body::Scene(scene) => format!("{name}::{}", scene.name),
        };
        match self.namespace {
            Namespace::Billing => name,
            other => format!("{name} /{}/", other.as_str()),
        }
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

/// The cases of a file: those that any service can be put to, then those that steer it, with what they need. One that
/// is not listed is dead code, which does not compile.
#[macro_export]
macro_rules! cases {
    (anywhere: $($any:ident),* $(,)? ; steered: $($steered:ident($($need:ident),+)),* $(,)?) => {
        /// The cases of this file.
        pub const CASES: &[$crate::Case] = &[
            $($crate::Case {
                path: concat!(module_path!(), "::", stringify!($any)),
                needs: &[],
                namespace: $crate::Namespace::Billing,
                body: $crate::Body::Alone(|| Box::pin($any())),
            },)*
            $($crate::Case {
                path: concat!(module_path!(), "::", stringify!($steered)),
                needs: &[$($crate::Need::$need),+],
                namespace: $crate::Namespace::Billing,
                body: $crate::Body::Alone(|| Box::pin($steered())),
            },)*
        ];
    };
}

/// What a run of a case left.
pub struct Run {
    pub(crate) stage: Arc<Stage>,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
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
    let stage = Stage::new(service.clone(), case);
    let playing = || match case.body {
        Body::Alone(play) => play(),
        Body::Of(play, row) => play(row),
        Body::Scene(scene) => Box::pin(scene.play()),
    };
    let body = || runtime.block_on(STAGE.scope(Arc::clone(&stage), playing()));
    let failure = caught(body).err();
    let left = stage.record().left();
    let cleaning = Stage::new(service.clone(), case);
    let cleaned = caught(|| runtime.block_on(STAGE.scope(cleaning, clean_up(service, &left))));
    Run {
        stage,
        failure,
        not_cleaned_up: cleaned.err(),
    }
}

/// Runs something that may panic.
pub(crate) fn caught(body: impl FnOnce()) -> Result<(), Failure> {
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
pub(crate) fn keep_panics() {
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
