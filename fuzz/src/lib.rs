//! The readers of foreign text, each fed with arbitrary bytes: whatever they are, they are read or refused, and what was
//! read is as it should be.
//!
//! `.ci/fuzz.sh` runs the targets under libFuzzer; `tests/corpora.rs` replays the inputs in `corpus/`.

mod client;
mod command_line;
mod envelope;
mod leaks;
mod mock;

pub use client::retry_after;
pub use command_line::{configuration, references, spreadsheet};
pub use envelope::envelope;
pub use leaks::leaks;
pub use mock::{admin, dumps, state};

/// A target's name, and what it does with an input.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("admin", admin),
    ("configuration", configuration),
    ("dumps", dumps),
    ("envelope", envelope),
    ("leaks", leaks),
    ("references", references),
    ("retry_after", retry_after),
    ("spreadsheet", spreadsheet),
    ("state", state),
];

/// Runs a future to its end; time passes at once where everything waits for it.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime")
        .block_on(future)
}
