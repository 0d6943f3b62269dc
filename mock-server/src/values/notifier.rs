//! Telling tasks that there is something new.

use tokio::sync::watch;

/// Tells who listens that something happened.
#[derive(Debug, Default)]
pub(crate) struct Notifier(watch::Sender<()>);

impl Notifier {
    pub(crate) fn tell(&self) {
        // Most of the time nobody listens.
        if self.0.receiver_count() > 0 {
            self.0.send_replace(());
        }
    }

    pub(crate) fn listen(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }
}
