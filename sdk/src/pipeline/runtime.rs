//! The runtime that a call runs on.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Handle, Id};
use tokio::time::sleep;

use crate::error::Error;

/// What is known of the runtimes that calls came from.
#[derive(Default)]
pub(crate) struct RuntimeCheck {
    /// The last that was seen to have time.
    with_time: Mutex<Option<Id>>,
}

impl RuntimeCheck {
    /// Whether calls can be timed here (F16).
    ///
    /// # Errors
    /// Outside of tokio, and on a runtime without time.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Ok(runtime) = Handle::try_current() else {
            return Err(Error::configuration(
                "not sent: calls need a tokio runtime; a program without one makes one and calls `block_on`",
            ));
        };
        let with_time = self.with_time.lock();
        let mut with_time = with_time.unwrap_or_else(PoisonError::into_inner);
        if *with_time == Some(runtime.id()) {
            return Ok(());
        }
        // Tokio has no other way to tell (1.54). The panic hook hears of it, and where panics abort the program ends here,
        // as it would at the first wait.
        if std::panic::catch_unwind(|| drop(sleep(Duration::ZERO))).is_err() {
            return Err(Error::configuration(
                "not sent: this tokio runtime has no time: build it with `enable_all`",
            ));
        }
        *with_time = Some(runtime.id());
        Ok(())
    }
}

/// Whether sockets work on this runtime (F16).
///
/// # Errors
/// On a runtime without I/O.
#[cfg(any(feature = "default-transport", feature = "redis"))]
pub(crate) fn check_io() -> Result<(), String> {
    let socket = std::net::UdpSocket::bind((std::net::Ipv4Addr::LOCALHOST, 0));
    let Ok(socket) = socket.and_then(|socket| socket.set_nonblocking(true).map(|()| socket)) else {
        return Ok(());
    };
    // As above.
    let probe = std::panic::AssertUnwindSafe(|| drop(tokio::net::UdpSocket::from_std(socket)));
    std::panic::catch_unwind(probe)
        .map_err(|_| "this tokio runtime has no I/O: build it with `enable_all`".to_owned())
}
