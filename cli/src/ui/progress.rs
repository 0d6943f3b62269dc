//! A progress bar on standard error.

use crate::values::durations;
use crossterm::cursor::MoveToColumn;
use crossterm::execute;
use crossterm::style::Print;
use crossterm::terminal::{self, Clear, ClearType};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

const CELLS: usize = 30;
/// Columns where the terminal does not tell.
const COLUMNS: u16 = 80;
/// More pictures a second than this only cost time.
const BETWEEN_PICTURES: Duration = Duration::from_millis(50);
const TICK: Duration = Duration::from_secs(1);

/// How far a run over many items is. Copies show the same bar.
#[derive(Debug, Clone)]
pub struct Progress(Option<Arc<Mutex<Bar>>>);

#[derive(Debug)]
struct Bar {
    total: usize,
    done: usize,
    failed: usize,
    /// Why nothing moves, and until when.
    wait: Option<(String, Instant)>,
    drawn: Option<Instant>,
    over: bool,
}

impl Progress {
    /// One that nobody sees.
    pub(super) const fn hidden() -> Self {
        Self(None)
    }

    /// One on the screen, which counts the seconds of a wait down. Needs a runtime.
    pub(super) fn shown(total: usize) -> Self {
        let bar = Arc::new(Mutex::new(Bar {
            total,
            done: 0,
            failed: 0,
            wait: None,
            drawn: None,
            over: false,
        }));
        tokio::spawn(tick(Arc::downgrade(&bar)));
        Self(Some(bar))
    }

    fn bar(&self) -> Option<MutexGuard<'_, Bar>> {
        let bar = self.0.as_ref()?;
        Some(bar.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// One more item has ended; `failed` of all have failed so far.
    pub fn advance(&self, failed: usize) {
        if let Some(mut bar) = self.bar() {
            bar.done += 1;
            bar.failed = failed;
            bar.draw_if_due();
        }
    }

    /// Shows why nothing moves, with the time that is left of it.
    pub fn wait(&self, reason: &str, length: Duration) {
        if let Some(mut bar) = self.bar() {
            bar.wait = Some((reason.to_owned(), Instant::now() + length));
            bar.draw();
        }
    }

    /// Writes something beside the bar.
    pub fn aside(&self, write: impl FnOnce()) {
        if let Some(mut bar) = self.bar() {
            bar.wipe();
            write();
            bar.draw();
        }
    }

    /// Whether it is off the screen.
    pub fn is_over(&self) -> bool {
        self.bar().is_none_or(|bar| bar.over)
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        if let Some(mut bar) = self.bar() {
            bar.over = true;
            bar.wipe();
        }
    }
}

/// Draws a bar every second, so that a wait is seen to pass.
async fn tick(bar: Weak<Mutex<Bar>>) {
    loop {
        tokio::time::sleep(TICK).await;
        let Some(bar) = bar.upgrade() else { return };
        let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
        if bar.over {
            return;
        }
        bar.draw();
    }
}

impl Bar {
    fn draw_if_due(&mut self) {
        let due = self
            .drawn
            .is_none_or(|drawn| drawn.elapsed() >= BETWEEN_PICTURES);
        if due || self.done == self.total {
            self.draw();
        }
    }

    /// Standard error that cannot be written leaves nowhere to say so.
    fn draw(&mut self) {
        let columns = terminal::size().map_or(COLUMNS, |(columns, _)| columns);
        let room = usize::from(columns.saturating_sub(1));
        let text: String = self.text().chars().take(room).collect();
        let _ = execute!(
            std::io::stderr(),
            MoveToColumn(0),
            Print(text),
            Clear(ClearType::UntilNewLine)
        );
        self.drawn = Some(Instant::now());
    }

    fn wipe(&self) {
        let _ = execute!(
            std::io::stderr(),
            MoveToColumn(0),
            Clear(ClearType::CurrentLine)
        );
    }

    fn text(&self) -> String {
        let Self { total, done, .. } = self;
        let full = (CELLS * done).checked_div(*total).unwrap_or(CELLS);
        let head = if full < CELLS { ">" } else { "" };
        let bar = format!("{}{head}", "=".repeat(full.min(CELLS)));
        let mut text = format!("  [{bar:CELLS$}] {done}/{total}");
        if self.failed > 0 {
            text.push_str(&format!("  {} failed", self.failed));
        }
        if let Some((reason, left)) = self.waiting() {
            text.push_str(&format!("  {reason} {}", durations::shown(left)));
        }
        text
    }

    fn waiting(&self) -> Option<(&str, Duration)> {
        let (reason, until) = self.wait.as_ref()?;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some((reason, left))
    }
}
