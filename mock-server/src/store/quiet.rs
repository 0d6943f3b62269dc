//! A guard around code that may panic on a broken file.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<u32> = const { Cell::new(0) };
}

/// Runs `work`; a panic inside becomes `None` and prints nothing.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |panic| {
            if GUARDED.get() == 0 {
                previous(panic);
            }
        }));
    });
    GUARDED.set(GUARDED.get() + 1);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(GUARDED.get() - 1);
    outcome.ok()
}
