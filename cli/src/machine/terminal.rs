//! How the terminal behaves: a secret is typed without an echo, a choice key by key.

/// The mode that a terminal was in.
#[derive(Debug)]
pub struct TerminalMode {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

impl TerminalMode {
    /// The mode of standard input.
    pub fn of_stdin() -> Self {
        Self {
            #[cfg(unix)]
            before: rustix::termios::tcgetattr(std::io::stdin()).ok(),
        }
    }

    /// Puts the terminal back into it.
    pub fn restore(&self) {
        #[cfg(unix)]
        if let Some(before) = &self.before {
            use rustix::termios::{OptionalActions, tcsetattr};
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}
