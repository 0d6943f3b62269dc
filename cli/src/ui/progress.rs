//! A progress bar on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How far a run over many items is.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(total: usize, visible: bool) -> Self {
        let target = if visible {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        if let Ok(style) =
            ProgressStyle::with_template("  [{bar:30}] {pos}/{len}  {msg}  about {eta} left")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(bar)
    }

    /// One more item has ended; `failed` of all have failed so far.
    pub fn advance(&self, failed: usize) {
        if failed > 0 {
            self.0.set_message(format!("{failed} failed"));
        }
        self.0.inc(1);
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
