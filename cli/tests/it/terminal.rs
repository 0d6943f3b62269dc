//! The program at a terminal, where a person answers.

use crate::shell::Shell;
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);

/// Whether what is typed shows.
pub fn echoes(keyboard: &Pty) -> bool {
    let mode = rustix::termios::tcgetattr(keyboard).expect("a terminal");
    mode.local_modes.contains(rustix::termios::LocalModes::ECHO)
}

/// A running program and its screen, as everything that was ever written to it.
pub struct Terminal {
    keyboard: Arc<Pty>,
    seen: Arc<Mutex<Vec<u8>>>,
    /// So much of the screen was waited for already.
    read: usize,
    reader: JoinHandle<()>,
    child: std::process::Child,
}

impl Terminal {
    /// Starts the program in a terminal of 24 lines and this many columns.
    pub fn start(shell: &Shell, columns: u16, arguments: &[&str]) -> Self {
        Self::start_with(shell, columns, arguments, &[])
    }

    /// The same with further variables.
    pub fn start_with(
        shell: &Shell,
        columns: u16,
        arguments: &[&str],
        more: &[(&str, &str)],
    ) -> Self {
        let (pty, pts) = open().expect("a terminal");
        pty.resize(Size::new(24, columns)).expect("a size");
        let mut command = Command::new(env!("CARGO_BIN_EXE_secmon"))
            .args(arguments)
            .env_clear()
            .env("HOME", shell.path(""))
            .env("TERM", "xterm-256color")
            .current_dir(shell.path(""));
        for (name, value) in shell.variables() {
            command = command.env(name, value);
        }
        let child = command
            .envs(more.iter().copied())
            .spawn(pts)
            .expect("the program starts");
        let keyboard = Arc::new(pty);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (screen, written) = (Arc::clone(&keyboard), Arc::clone(&seen));
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The terminal of a program that has ended gives an error.
            while let Ok(count) = (&*screen).read(&mut bytes) {
                // A letter may come in two reads.
                let read = &bytes[..count];
                written.lock().expect("no panic").extend_from_slice(read);
            }
        });
        Self {
            keyboard,
            seen,
            read: 0,
            reader,
            child,
        }
    }

    /// Waits until a text appears behind what was waited for before.
    #[track_caller]
    pub fn shows(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let seen = self.seen.lock().expect("no panic").clone();
            let new = String::from_utf8_lossy(&seen[self.read..]);
            let bytes = &seen[self.read..];
            let mut places = bytes.windows(text.len());
            if let Some(at) = places.position(|part| part == text.as_bytes()) {
                self.read += at + text.len();
                return;
            }
            assert!(Instant::now() < deadline, "{text:?} does not come: {new}");
            std::thread::yield_now();
        }
    }

    /// Presses keys.
    pub fn type_keys(&self, keys: &str) {
        (&*self.keyboard)
            .write_all(keys.as_bytes())
            .expect("the terminal takes keys");
    }

    /// The other side of the terminal, which stays when the program has ended.
    pub fn keyboard(&self) -> Arc<Pty> {
        Arc::clone(&self.keyboard)
    }

    /// Waits for the end; the exit code and everything that was on the screen.
    #[track_caller]
    pub fn ends(mut self) -> (i32, String) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("the program is ours") {
                // What was written last is still on its way to the screen.
                self.reader.join().expect("no panic");
                let seen = self.seen.lock().expect("no panic").clone();
                let seen = String::from_utf8_lossy(&seen).into_owned();
                return (status.code().unwrap_or(-1), seen);
            }
            assert!(
                Instant::now() < deadline,
                "it does not end: {:?}",
                self.seen
            );
            std::thread::yield_now();
        }
    }
}
