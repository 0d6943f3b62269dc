//! What a run may leave behind, written down before each call that makes something: a run that is cut off can be cleaned up
//! later.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use http::{Method, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::numbers::now_in_micros;

/// A call that may have made something.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Sent {
    method: String,
    pub(crate) path: String,
    /// Its JSON body.
    pub(crate) body: Value,
    /// Nothing where no complete answer came.
    pub(crate) answer: Option<Said>,
}

/// What was answered.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Said {
    status: u16,
    /// `data` of the answer.
    pub(crate) data: Value,
}

/// What tells of the things that a case may have made.
#[derive(Debug, Default)]
pub struct Left {
    pub(crate) calls: Vec<Sent>,
    /// Accounts that the case made, or tried to make, by name.
    pub(crate) accounts: Vec<String>,
}

/// A line of the ledger.
#[derive(Serialize, Deserialize)]
struct Line {
    /// When the run began, in microseconds since 1970.
    run: u64,
    case: String,
    number: u64,
    #[serde(flatten)]
    entry: Entry,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    /// An account is about to be made.
    Account(String),
    /// A call is about to be sent.
    Sending(Sent),
    /// What it was answered.
    Answered(Said),
    /// All of the case is gone.
    TakenAway,
}

/// What is known of a case whose things are not all gone.
#[derive(Default)]
struct Open {
    calls: BTreeMap<u64, Sent>,
    accounts: Vec<String>,
}

/// The file, as a run writes it.
#[derive(Debug)]
pub struct Ledger {
    run: u64,
    path: PathBuf,
    file: Mutex<File>,
}

impl Sent {
    pub(crate) fn new(method: &Method, path: &str, body: Value) -> Self {
        Self {
            method: method.as_str().to_owned(),
            path: path.to_owned(),
            body,
            answer: None,
        }
    }

    pub(crate) fn method(&self) -> Method {
        self.method.parse().unwrap_or_default()
    }
}

impl Said {
    pub(crate) fn new(status: StatusCode, json: &Value) -> Self {
        Self {
            status: status.as_u16(),
            data: json["data"].clone(),
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl Ledger {
    /// Opens the ledger of a service, to go on in it.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self {
            run: now_in_micros(),
            path: path.to_owned(),
            file: Mutex::new(file),
        })
    }

    /// # Panics
    /// When it cannot be written: what comes next must not be sent then.
    pub(crate) fn write(&self, case: &str, number: u64, entry: Entry) {
        let line = Line {
            run: self.run,
            case: case.to_owned(),
            number,
            entry,
        };
        let line = serde_json::to_string(&line).expect("a line is JSON") + "\n";
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.write_all(line.as_bytes());
        written.unwrap_or_else(|error| {
            panic!(
                "the ledger {} cannot be written: {error}",
                self.path.display()
            )
        });
    }

    /// What the cases of earlier runs may have left, by run and case; a line that was cut off says nothing certain and is left out.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn left(path: &Path) -> io::Result<BTreeMap<(u64, String), Left>> {
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read?,
        };
        let mut open: BTreeMap<(u64, String), Open> = BTreeMap::new();
        let lines = text.lines();
        for line in lines.filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            let key = (line.run, line.case);
            let Open { calls, accounts } = open.entry(key.clone()).or_default();
            match line.entry {
                Entry::Account(name) => accounts.push(name),
                Entry::Sending(call) => drop(calls.insert(line.number, call)),
                Entry::Answered(said) => {
                    if let Some(call) = calls.get_mut(&line.number) {
                        call.answer = Some(said);
                    }
                }
                Entry::TakenAway => drop(open.remove(&key)),
            }
        }
        let left = open.into_iter().map(|(case, open)| {
            let left = Left {
                calls: open.calls.into_values().collect(),
                accounts: open.accounts,
            };
            (case, left)
        });
        Ok(left.collect())
    }
}
