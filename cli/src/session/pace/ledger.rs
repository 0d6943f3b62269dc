//! The file behind the pace: which slots are taken, and until when.

use super::millis;
use crate::machine::files;
use secmon::RateGroup;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Read, Result, Seek, Write};
use std::path::Path;
use std::time::Duration;

/// The open file, locked until it is dropped.
pub struct Ledger {
    file: File,
    entries: Entries,
    now: u64,
}

/// What the file holds. Times are milliseconds since 1970.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Entries {
    /// Which run of the machine wrote it: a clock means nothing across a restart.
    boot: String,
    /// When it was last written.
    at: u64,
    next_id: u64,
    strict: Window,
    default: Window,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Window {
    slots: Vec<LedgerSlot>,
    /// Nothing goes out before.
    closed_until: u64,
    /// How many 429s in a row did not say for how long, or for longer than a window lasts.
    #[serde(default)]
    guesses: u32,
}

#[derive(Debug, Serialize, Deserialize)]
struct LedgerSlot {
    id: u64,
    until: u64,
}

/// The result of asking for a slot.
pub enum Taken {
    /// It is taken under this id.
    Slot(u64),
    /// None is free; one is after this time at the latest.
    FreeIn(Duration),
}

/// From one second on, twice as long each time, and a little longer by chance: who was refused together does not come
/// back together.
fn guess(repeats: u32, longest: Duration) -> Duration {
    const SHORTEST: Duration = Duration::from_secs(1);
    let doubled = SHORTEST.saturating_mul(1 << repeats.min(30));
    let chance = RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64;
    let stretched = doubled.mul_f64(1.0 + chance / 4.0);
    stretched.clamp(SHORTEST, longest.max(SHORTEST))
}

/// Others hold the file for moments: one that holds it for longer than this has stopped.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);

/// How far back the clock may go without being a step.
const TOLERANCE_MS: u64 = 1_000;

impl Ledger {
    /// Locks and reads the file. What was written before a restart of the machine, or in the future, or cannot be
    /// read, could hide calls of this minute: then nothing is free for one window.
    pub fn open(path: &Path, window: Duration, now: u64) -> Result<Self> {
        let mut file = files::open_shared(path)?;
        files::lock_within(&file, LOCK_PATIENCE)?;
        let mut text = String::new();
        let read = file.read_to_string(&mut text);
        let boot = boot_id();
        let known = serde_json::from_str::<Entries>(&text).ok();
        let entries = match known {
            Some(entries)
                if read.is_ok() && entries.boot == boot && entries.at <= now + TOLERANCE_MS =>
            {
                entries
            }
            None if text.is_empty() && read.is_ok() => Entries {
                boot,
                ..Entries::default()
            },
            _ => Entries::closed(boot, now + millis(window)),
        };
        let mut ledger = Self { file, entries, now };
        ledger.drop_what_is_over();
        Ok(ledger)
    }

    /// Takes a slot that ends at `lost_at` if nobody gives it back.
    pub fn take(&mut self, group: RateGroup, limit: u32, lost_at: u64) -> Result<Taken> {
        if let Some(wait) = self.free_in(group, limit) {
            self.write()?;
            return Ok(Taken::FreeIn(wait));
        }
        let id = self.entries.next_id;
        self.entries.next_id += 1;
        self.window_mut(group)
            .slots
            .push(LedgerSlot { id, until: lost_at });
        self.write()?;
        Ok(Taken::Slot(id))
    }

    /// How long it is at most until a slot is free; none where one is now.
    pub fn free_in(&self, group: RateGroup, limit: u32) -> Option<Duration> {
        let (window, now) = (self.window(group), self.now);
        if window.closed_until > now {
            return Some(Duration::from_millis(window.closed_until - now));
        }
        // After a guess one goes first, and its answer says whether the window is open.
        let limit = if window.guesses > 0 {
            1
        } else {
            limit as usize
        };
        let over = window.slots.len().checked_sub(limit)?;
        let mut ends: Vec<u64> = window.slots.iter().map(|slot| slot.until).collect();
        ends.sort_unstable();
        let end = ends.get(over).copied().unwrap_or(now);
        Some(Duration::from_millis(end.saturating_sub(now).max(1)))
    }

    /// The answer is there: the slot ends at this time.
    pub fn answered(&mut self, group: RateGroup, id: u64, until: u64) -> Result<()> {
        let now = self.now;
        let window = self.window_mut(group);
        if window.closed_until <= now {
            window.guesses = 0;
        }
        for slot in &mut window.slots {
            if slot.id == id {
                slot.until = until;
            }
        }
        self.write()
    }

    /// Ends a slot now.
    pub fn give_back(&mut self, group: RateGroup, id: u64) -> Result<()> {
        self.window_mut(group).slots.retain(|slot| slot.id != id);
        self.write()
    }

    /// The service's window was used up by others: what is known of it is void once it opens again. A 429 that names no
    /// time closes it for a time that grows with each repeat. No window lasts longer than its `length` and the second that
    /// `Retry-After` is rounded by.
    pub fn close(
        &mut self,
        group: RateGroup,
        retry_after: Option<Duration>,
        length: Duration,
    ) -> Result<()> {
        let now = self.now;
        let longest = length.saturating_add(Duration::from_secs(1));
        let window = self.window_mut(group);
        window.slots.clear();
        let repeated = window.guesses.saturating_add(1);
        let (wait, guesses) = match retry_after.filter(|wait| !wait.is_zero()) {
            Some(wait) if wait <= longest => (wait, 0),
            // Of calls that were under way together, the first refusal counts.
            _ if window.closed_until > now => return self.write(),
            Some(_) => (longest, repeated),
            None => (guess(window.guesses, length), repeated),
        };
        window.closed_until = window.closed_until.max(now + millis(wait));
        window.guesses = guesses;
        self.write()
    }

    /// Forgets what was closed.
    pub fn reopen(&mut self) -> Result<()> {
        for window in [&mut self.entries.strict, &mut self.entries.default] {
            window.closed_until = 0;
            window.guesses = 0;
        }
        self.write()
    }

    /// How many slots could be taken now.
    pub fn free(&self, group: RateGroup, limit: u32) -> u32 {
        let window = self.window(group);
        if window.closed_until > self.now {
            return 0;
        }
        limit.saturating_sub(u32::try_from(window.slots.len()).unwrap_or(u32::MAX))
    }

    fn window(&self, group: RateGroup) -> &Window {
        match group {
            RateGroup::Strict => &self.entries.strict,
            RateGroup::Default => &self.entries.default,
        }
    }

    fn window_mut(&mut self, group: RateGroup) -> &mut Window {
        match group {
            RateGroup::Strict => &mut self.entries.strict,
            RateGroup::Default => &mut self.entries.default,
        }
    }

    fn drop_what_is_over(&mut self) {
        let now = self.now;
        for window in [&mut self.entries.strict, &mut self.entries.default] {
            window.slots.retain(|slot| slot.until > now);
        }
    }

    fn write(&mut self) -> Result<()> {
        self.entries.at = self.now;
        let text = serde_json::to_vec(&self.entries)?;
        self.file.rewind()?;
        self.file.write_all(&text)?;
        self.file.set_len(text.len() as u64)
    }
}

impl Entries {
    fn closed(boot: String, until: u64) -> Self {
        let window = || Window {
            closed_until: until,
            ..Window::default()
        };
        Self {
            boot,
            strict: window(),
            default: window(),
            ..Self::default()
        }
    }
}

/// Names this run of the machine, where the platform tells.
fn boot_id() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}
