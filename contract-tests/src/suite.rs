//! Running tests that may or may not be possible against the service at hand.

use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use tokio::runtime::Builder;

use crate::service::{Steering, steering};

/// A test by name, with what it asks of the service.
pub struct Test {
    name: &'static str,
    needs: Steering,
    body: Body,
}

type Body = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()>>> + Send>;

impl Test {
    fn new<F>(
        name: &'static str,
        needs: Steering,
        body: impl FnOnce() -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + 'static,
    {
        Self {
            name,
            needs,
            body: Box::new(move || Box::pin(body())),
        }
    }
}

/// A test that any service can be put to.
pub fn anywhere<F>(name: &'static str, body: impl FnOnce() -> F + Send + 'static) -> Test
where
    F: Future<Output = ()> + 'static,
{
    Test::new(name, Steering::Impossible, body)
}

/// A test that needs the `/_mock/` calls.
pub fn steered<F>(name: &'static str, body: impl FnOnce() -> F + Send + 'static) -> Test
where
    F: Future<Output = ()> + 'static,
{
    Test::new(name, Steering::Possible, body)
}

/// Runs the tests as `cargo test` expects; those that the service at hand cannot be put to are listed as ignored.
pub fn run(tests: Vec<Test>) -> ExitCode {
    let possible = steering();
    let trials = tests.into_iter().map(|test| {
        let missing = test.needs == Steering::Possible && possible == Steering::Impossible;
        Trial::test(test.name, move || {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtime.block_on((test.body)());
            Ok(())
        })
        .with_ignored_flag(missing)
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// The tests of a file: those that any service can be put to, then those that need the `/_mock/` calls. Each is an
/// `async fn` without arguments; one that is not listed is dead code, which does not compile.
#[macro_export]
macro_rules! suite {
    (anywhere: $($any:ident),* ; steered: $($steered:ident),* $(,)?) => {
        fn main() -> std::process::ExitCode {
            $crate::run(vec![
                $($crate::anywhere(stringify!($any), $any),)*
                $($crate::steered(stringify!($steered), $steered),)*
            ])
        }
    };
}
