//! What was changed from this machine, and by whom: one line of JSON for each change that was sent.
//!
//! The vendor's own log shows only the root key; this one answers who suspended a server. It never holds keys, sign-in
//! tokens or leak records: only the command line, the call, the ids and how it ended.

use crate::error::{CliError, Own};
use crate::machine::{files, paths};
use crate::notebook::owner::Owner;
use crate::notebook::touched::Touched;
use crate::notebook::way_back::WayBack;
use secmon::model::{CustomerId, RuleId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use uuid::Uuid;

/// How a change ended that was made.
pub const DONE: &str = "done";
/// How a change ended that may have been made.
const UNCERTAIN: [Own; 3] = [Own::Interrupted, Own::ConnectionLost, Own::Timeout];

/// One change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    /// Names the line.
    pub id: String,
    /// When it was sent, in UTC.
    pub at: String,
    /// The user of this machine.
    pub user: String,
    /// The profile, `local`, or the address.
    pub service: String,
    /// The command as it was typed.
    pub command: String,
    /// The operation, as `suspend_endpoint`.
    pub operation: String,
    /// What it was about, in words.
    pub about: String,
    /// `done`, or the error's code.
    pub result: String,
    /// How long it took, waits included.
    pub duration_ms: u64,
    /// The records it touched; `None` in a line of an earlier version, which kept none.
    #[serde(default)]
    pub ids: Option<Vec<Uuid>>,
    /// The customers it was about; `None` in a line of an earlier version.
    #[serde(default)]
    pub customers: Option<Vec<CustomerId>>,
    /// Addresses and domains that the platform paused or un-paused because of it.
    #[serde(default)]
    pub moved: Vec<String>,
    /// Profile and portal, where more than one was configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The run of the program that made it; empty in a line of an earlier version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// What takes it back, where something does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way_back: Option<WayBack>,
    /// The change that it has taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
}

impl Entry {
    /// Whether it was about this customer. A line that keeps none may tell it by its words.
    pub fn is_about(&self, customer: CustomerId) -> bool {
        match &self.customers {
            Some(customers) => customers.contains(&customer),
            None => {
                let number = customer.to_string();
                let named = |text: &str, words: &[&str]| {
                    let typed: Vec<&str> = text.split([' ', ',', '=']).collect();
                    let mut pairs = typed.windows(2);
                    pairs.any(|pair| words.contains(&pair[0]) && pair[1] == number)
                };
                named(&self.command, &["-c", "--customer", "--client-id"])
                    || named(&self.about, &["customer"])
            }
        }
    }

    /// Whether the same run of the program made both.
    pub fn is_of_run(&self, other: &Self) -> bool {
        self.id == other.id || (!self.run.is_empty() && self.run == other.run)
    }

    fn may_have_been_made(&self) -> bool {
        let lost = UNCERTAIN.iter().any(|own| own.code() == self.result);
        self.result == DONE || lost
    }

    /// Whether it was one of all that a customer has, as `suspend --all` and `customer suspend` make them.
    fn is_of_all(&self) -> bool {
        let words = || self.command.split(' ');
        let mut of_customer = words().skip_while(|word| !word.starts_with("customer"));
        words().any(|word| word == "--all") || of_customer.any(|word| word == "suspend")
    }
}

/// A change that is sent.
#[derive(Debug)]
pub struct Change {
    operation: &'static str,
    /// What it is about, in words.
    pub about: String,
    /// The records it touches.
    pub touched: Touched,
    /// What takes it back, where something does.
    pub way_back: Option<WayBack>,
    /// The change that it takes back.
    pub undoes: Option<String>,
    started: Instant,
}

impl Change {
    /// A change that is sent now.
    pub fn begun(operation: &'static str, about: impl Into<String>, touched: Touched) -> Self {
        Self {
            operation,
            about: about.into(),
            touched,
            way_back: None,
            undoes: None,
            started: Instant::now(),
        }
    }

    /// Whether any record is other than before: a scan only looks, and a sign-in link only opens the portal.
    pub fn alters_records(&self) -> bool {
        !matches!(self.operation, "scan_endpoint" | "create_sso_token")
    }
}

/// The file that changes are written to.
#[derive(Debug)]
pub struct History {
    file: PathBuf,
    user: String,
    service: String,
    command: String,
    run: String,
    place: Option<String>,
}

impl History {
    /// The history of this user; `None` where there is no home to keep it in. `clean` takes the key out of what was
    /// typed.
    pub fn open(
        (service, place): (String, Option<String>),
        clean: impl Fn(&str) -> String,
    ) -> Option<Self> {
        let user = ["USER", "LOGNAME", "USERNAME"]
            .iter()
            .find_map(|name| std::env::var(name).ok())
            .or_else(|| whoami::username().ok());
        let words: Vec<String> = std::env::args_os()
            .skip(1)
            .map(|word| crate::ui::invocation::quoted(&word.to_string_lossy()))
            .collect();
        Some(Self {
            file: paths::history_file().ok()?,
            user: user.unwrap_or_else(|| "unknown".to_owned()),
            service,
            command: clean(&format!("secmon {}", words.join(" "))),
            run: Uuid::new_v4().simple().to_string(),
            place,
        })
    }

    /// Adds a change, with words for what it is about that hold no key. A history that cannot be written keeps nobody
    /// from working.
    pub fn add(
        &self,
        change: &Change,
        customers: Vec<CustomerId>,
        about: String,
        result: &str,
    ) -> std::io::Result<()> {
        let took = change.started.elapsed();
        let entry = Entry {
            id: Uuid::new_v4().simple().to_string(),
            at: chrono::Utc::now()
                .format("%Y-%m-%dT%H:%M:%S+00:00")
                .to_string(),
            user: self.user.clone(),
            service: self.service.clone(),
            command: self.command.clone(),
            operation: change.operation.to_owned(),
            about,
            result: result.to_owned(),
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            ids: Some(change.touched.ids.clone()),
            customers: Some(customers),
            moved: change.touched.names.clone(),
            place: self.place.clone(),
            run: self.run.clone(),
            way_back: change.way_back.clone(),
            undoes: change.undoes.clone(),
        };
        let mut line = serde_json::to_vec(&entry)?;
        line.push(b'\n');
        open(&self.file)?.write_all(&line)
    }
}

/// All changes, oldest first; lines that cannot be read are passed over.
pub fn read() -> Result<Vec<Entry>, CliError> {
    let path = paths::history_file()?;
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(CliError::io(&format!("history {}", path.display()), &error)),
    };
    let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    Ok(lines
        .filter_map(|line| serde_json::from_slice(&line).ok())
        .collect())
}

/// The customers of whom a record was changed or made from this machine at this service.
pub fn customers(service: &str) -> BTreeSet<CustomerId> {
    let entries = read().unwrap_or_default().into_iter();
    let done = entries.filter(|entry| entry.result == DONE && entry.service == service);
    // A sync is about whatever numbers its file names.
    let done = done.filter(|entry| entry.ids.iter().flatten().next().is_some());
    done.filter_map(|entry| entry.customers).flatten().collect()
}

/// Whose the global rules are that were made from this machine at this service.
pub fn makers_of_rules(service: &str) -> Result<HashMap<RuleId, Owner>, CliError> {
    let made = read()?.into_iter().filter(|entry| {
        entry.operation == "create_rule" && entry.result == DONE && entry.service == service
    });
    let mut owners = HashMap::new();
    for entry in made {
        let owner = match (&entry.way_back, entry.customers.as_deref()) {
            (_, Some([customer])) => Owner::Customer(*customer),
            (Some(WayBack::RemoveRules { customer: None, .. }), _) => Owner::Account,
            _ => continue,
        };
        let ids = entry.ids.into_iter().flatten().map(RuleId::from);
        owners.extend(ids.map(|id| (id, owner)));
    }
    Ok(owners)
}

/// The records of a kind (`endpoint`, `domain`, `subscription`) that a suspension of all of a customer's has stopped,
/// and that nothing has resumed, or suspended by name, since: all as far as this history tells.
pub fn stopped_with_all(kind: &str) -> Result<HashSet<Uuid>, CliError> {
    let (suspend, resume) = (format!("suspend_{kind}"), format!("resume_{kind}"));
    let mut stopped = HashSet::new();
    for entry in read()? {
        // A suspension whose answer was lost may have been made; a resumption that failed was not.
        let suspended = entry.operation == suspend && entry.may_have_been_made();
        let resumed = entry.operation == resume && entry.result == DONE;
        let ids = entry.ids.iter().flatten();
        if suspended && entry.is_of_all() {
            stopped.extend(ids);
        } else if suspended || resumed {
            for id in ids {
                stopped.remove(id);
            }
        }
    }
    Ok(stopped)
}

/// The records that were provisioned from this machine, and when last: a provision restores what was ended.
pub fn provisions() -> Result<HashMap<Uuid, String>, CliError> {
    let provisions = read()?.into_iter().filter(|entry| {
        let operation = entry.operation.as_str();
        let provisions = ["provision_domain", "provision_endpoint", "create_endpoint"];
        provisions.contains(&operation) && entry.may_have_been_made()
    });
    let each = provisions.flat_map(|entry| {
        let ids = entry.ids.into_iter().flatten();
        ids.map(move |id| (id, entry.at.clone()))
    });
    Ok(each.collect())
}

/// Whether this history tells that all of a customer's records of a kind were ever suspended at once.
pub fn was_stopped_with_all(kind: &str, customer: CustomerId) -> Result<bool, CliError> {
    let suspend = format!("suspend_{kind}");
    let is_such = |entry: &Entry| {
        entry.operation == suspend
            && entry.may_have_been_made()
            && entry.is_of_all()
            && entry.is_about(customer)
    };
    Ok(read()?.iter().any(is_such))
}

/// One write appends one line, so two processes never mix theirs.
fn open(path: &Path) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    files::private(File::options().create(true).append(true)).open(path)
}
