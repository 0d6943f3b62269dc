//! Whether anybody gets what is written to standard output.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether the program was started with its standard output closed, as by `>&-`. Known on Linux only.
pub fn is_closed() -> bool {
    IS_CLOSED.load(Ordering::Relaxed)
}

/// Runs before Rust's own start, which opens `/dev/null` in the place of an output that is closed: after that nobody can
/// tell it from one that was sent there on purpose.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "there is no other way to run something so early"
)]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    let flags = rustix::io::fcntl_getfd(rustix::stdio::stdout());
    IS_CLOSED.store(flags == Err(rustix::io::Errno::BADF), Ordering::Relaxed);
}
