//! Which leak records of a domain were looked at: as salted hashes, so that nobody can read an address here or try one.

use crate::error::CliError;
use crate::machine::files::write_private;
use crate::machine::paths;
use secmon::model::{DomainId, LeakRecord};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use uuid::Uuid;

/// The records of one domain that were shown.
#[derive(Debug, Serialize, Deserialize)]
pub struct LookedAt {
    salt: Uuid,
    records: BTreeSet<Uuid>,
    /// Shown since then.
    #[serde(skip)]
    shown: Vec<Uuid>,
}

impl LookedAt {
    /// What was shown of a domain; nothing where nothing can be read.
    pub fn read(place: (&str, DomainId)) -> Self {
        let text = file(place).and_then(|path| {
            std::fs::read(&path).map_err(|error| CliError::io("the leaks looked at", &error))
        });
        let kept = text
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok());
        kept.unwrap_or_else(|| Self {
            salt: Uuid::new_v4(),
            records: BTreeSet::new(),
            shown: Vec::new(),
        })
    }

    /// Whether nothing was shown yet.
    pub fn is_first(&self) -> bool {
        self.records.is_empty()
    }

    /// Whether a record was shown before.
    pub fn has(&self, record: &LeakRecord) -> bool {
        self.records.contains(&self.hash(record))
    }

    /// Takes in that records were shown. What was shown before stays what it was.
    pub fn add(&mut self, records: &[LeakRecord]) {
        let hashes: Vec<Uuid> = records.iter().map(|record| self.hash(record)).collect();
        self.shown.extend(hashes);
    }

    /// Keeps what was shown for the next look.
    pub fn keep(mut self, place: (&str, DomainId)) -> Result<(), CliError> {
        if self.shown.is_empty() {
            return Ok(());
        }
        self.records.extend(std::mem::take(&mut self.shown));
        let text = serde_json::to_vec(&self)
            .map_err(|error| CliError::io("the leaks looked at", &std::io::Error::other(error)))?;
        write_private(&file(place)?, &text)
    }

    fn hash(&self, record: &LeakRecord) -> Uuid {
        let text = serde_json::Value::Object(record.as_map().clone()).to_string();
        Uuid::new_v5(&self.salt, text.as_bytes())
    }
}

fn file((account, domain): (&str, DomainId)) -> Result<PathBuf, CliError> {
    let folder = paths::state_folder()?.join("leaks").join(account);
    Ok(folder.join(format!("{domain}.json")))
}
