//! A progress bar on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How far a run over many items is.
#[derive(Debug, Clone)]
pub struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(total: usize, visible: bool) -> Self {
        let target = match visible {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        if let Ok(style) = ProgressStyle::with_template("  [{bar:30}] {pos}/{len}  {prefix}{msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(bar)
    }

    /// One more item has ended; `failed` of all have failed so far.
    pub fn advance(&self, failed: usize) {
        if failed > 0 {
            self.0.set_prefix(format!("{failed} failed  "));
        }
        self.0.set_message("");
        self.0.inc(1);
    }

    /// Shows why nothing moves.
    pub fn say(&self, sentence: &str) {
        self.0.set_message(sentence.to_owned());
    }

    /// Writes something beside the bar.
    pub fn aside(&self, write: impl FnOnce()) {
        self.0.suspend(write);
    }

    /// Whether it is off the screen.
    pub fn is_over(&self) -> bool {
        self.0.is_finished()
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
