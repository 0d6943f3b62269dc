//! What happens by itself, in the order in which it is due (A19).

use crate::state::{Account, Task};
use crate::time::Instant;

impl Account {
    /// Whether something is due by this time.
    #[must_use]
    pub fn is_due(&self, now: Instant) -> bool {
        let mut due = self.index.due.iter();
        due.next().is_some_and(|(at, _)| *at <= now)
    }

    /// Lets everything that is due happen, except at the end of the calendar:
    /// what is due there would be due there again.
    pub(crate) fn run_due(&mut self) {
        while let Some((at, task)) = self.index.due.first().copied() {
            if at > self.now || at == Instant::LAST {
                return;
            }
            self.index.due.remove(&(at, task));
            match task {
                Task::Endpoint(number) => self.run_scheduled(number, at),
                Task::ManualScan(number) => self.end_manual_scans(number, at),
                Task::Domain(number) => self.run_domain_schedule(number, at),
            }
        }
    }
}
