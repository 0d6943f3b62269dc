//! The file behind the pace: which slots are taken, and until when.

use crate::files;
use secmon::RateGroup;
use serde::{Deserialize, Serialize};
use std::fs::File;
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
    slots: Vec<Slot>,
    /// Nothing goes out before.
    closed_until: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Slot {
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

/// How far back the clock may go without being a step.
const TOLERANCE_MS: u64 = 1_000;

impl Ledger {
    /// Locks and reads the file. What was written before a restart of the machine, or in the future, or cannot be
    /// read, could hide calls of this minute: then nothing is free for one window.
    pub fn open(path: &Path, window: Duration, now: u64) -> Result<Self> {
        let mut options = File::options();
        options.create(true).truncate(false).read(true).write(true);
        let mut file = files::private(&mut options).open(path)?;
        file.lock()?;
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
            _ => Entries::closed(boot, now + u64::try_from(window.as_millis()).unwrap_or(0)),
        };
        let mut ledger = Self { file, entries, now };
        ledger.drop_what_is_over();
        Ok(ledger)
    }

    /// Takes a slot that ends at `lost_at` if nobody gives it back.
    pub fn take(&mut self, group: RateGroup, limit: u32, lost_at: u64) -> Result<Taken> {
        let now = self.now;
        let window = self.window(group);
        if window.closed_until > now {
            let wait = Duration::from_millis(window.closed_until - now);
            self.write()?;
            return Ok(Taken::FreeIn(wait));
        }
        if window.slots.len() >= limit as usize {
            let over = window.slots.len() + 1 - limit as usize;
            let mut ends: Vec<u64> = window.slots.iter().map(|slot| slot.until).collect();
            ends.sort_unstable();
            let end = ends.get(over - 1).copied().unwrap_or(now);
            return Ok(Taken::FreeIn(Duration::from_millis(
                end.saturating_sub(now).max(1),
            )));
        }
        let id = self.entries.next_id;
        self.entries.next_id += 1;
        self.window(group).slots.push(Slot { id, until: lost_at });
        self.write()?;
        Ok(Taken::Slot(id))
    }

    /// Ends a slot at this time.
    pub fn give_back_at(&mut self, group: RateGroup, id: u64, until: u64) -> Result<()> {
        for slot in &mut self.window(group).slots {
            if slot.id == id {
                slot.until = until;
            }
        }
        self.write()
    }

    /// Ends a slot now.
    pub fn give_back(&mut self, group: RateGroup, id: u64) -> Result<()> {
        self.window(group).slots.retain(|slot| slot.id != id);
        self.write()
    }

    /// The service's window was used up by others: what is known of it is void once it opens again.
    pub fn close_until(&mut self, group: RateGroup, opens: u64) -> Result<()> {
        let window = self.window(group);
        window.slots.clear();
        window.closed_until = window.closed_until.max(opens);
        self.write()
    }

    /// How many slots could be taken now.
    pub fn free(&self, group: RateGroup, limit: u32) -> u32 {
        let window = match group {
            RateGroup::Strict => &self.entries.strict,
            RateGroup::Default => &self.entries.default,
        };
        if window.closed_until > self.now {
            return 0;
        }
        limit.saturating_sub(u32::try_from(window.slots.len()).unwrap_or(u32::MAX))
    }

    fn window(&mut self, group: RateGroup) -> &mut Window {
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
            slots: Vec::new(),
            closed_until: until,
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
