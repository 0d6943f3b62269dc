//! What talks to the service for a command: which service, with which key, what may be sent, and how often.

pub mod account;
mod batch;
pub mod call_log;
pub mod calls;
pub mod connection;
pub mod credentials;
pub mod current_run;
mod difference;
pub mod flags;
pub mod guard;
pub mod local;
pub mod portal;
pub mod profile;
pub mod prompt;
pub mod rate_limit;
pub mod service;
pub mod settings;
mod typed_line;

use crate::error::{CliError, LocalErrorKind};
use crate::machine::interrupt::Interruption;
use crate::state::StateDb;
use crate::state::records::{KnownRecords, Observation};
use crate::ui::Ui;
use crate::ui::outcome::Outcome;
use connection::{Connection, LARGEST_STATE};
use credentials::KeyFile;
use current_run::CurrentRun;
use guard::Guard;
use local::MockHandle;
use prompt::Prompt;
use secmon::transport::{HttpOptions, HttpTransport, Transport};
use secmon::{ApiKey, Client, RateGroup};
use service::{KeySource, Source};
use settings::Settings;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The service as one command talks to it. Nothing is read or connected before the command asks.
pub struct Session {
    /// What flags, environment and profile come to.
    pub settings: Settings,
    ui: Arc<Ui>,
    prompt: Rc<Prompt>,
    /// What this computer remembers of the account.
    state: OnceCell<StateDb>,
    /// What earlier commands have seen.
    known: OnceCell<KnownRecords>,
    /// What this one has.
    observations: RefCell<Vec<Observation>>,
    /// The run that this command is.
    run: CurrentRun,
    lease: MockHandle,
    key: OnceCell<ApiKey>,
    connection: OnceCell<Connection>,
    place_told: Cell<bool>,
    /// What a Ctrl-C does.
    pub interruption: Interruption,
}

impl Session {
    /// For a command with these settings.
    pub fn new(settings: Settings, ui: Arc<Ui>, prompt: Rc<Prompt>, lease: MockHandle) -> Self {
        Self {
            settings,
            ui,
            prompt,
            state: OnceCell::new(),
            known: OnceCell::new(),
            observations: RefCell::default(),
            run: CurrentRun::default(),
            lease,
            key: OnceCell::new(),
            connection: OnceCell::new(),
            place_told: Cell::new(false),
            interruption: Interruption::default(),
        }
    }

    /// The client for the service in use.
    pub fn client(&self) -> Result<&Client, CliError> {
        Ok(self.connection()?.client())
    }

    /// A text for a file, in which somebody may have typed the key.
    pub fn without_key(&self, text: &str) -> String {
        let connection = self.connection.get();
        connection.map_or_else(|| text.to_owned(), |connection| connection.key.redact(text))
    }

    /// The profile, `local`, or the address.
    pub fn service_name(&self) -> String {
        let settings = &self.settings;
        let service = settings.service.as_ref().ok();
        let address = service.map(|service| &service.base_url);
        let name = settings.profile_name.as_ref().or(address);
        name.cloned().unwrap_or_default()
    }

    /// Refuses a change before anything is read for it, where a profile refuses every change.
    pub fn refuse_read_only(&self) -> Result<(), CliError> {
        let name = self.settings.profile_name.as_deref().unwrap_or("in use");
        match self.settings.safety.read_only {
            true => Err(Guard::read_only_error(name)),
            false => Ok(()),
        }
    }

    /// What a change that the gate stopped comes to: nothing in a dry run, else an error.
    pub fn refused<T>(&self, guard: &Guard, about: &str) -> Result<Option<T>, CliError> {
        if guard.is_dry_run() {
            guard.describe_last(about);
            return Ok(None);
        }
        let name = self.settings.profile_name.as_deref().unwrap_or("in use");
        Err(Guard::read_only_error(name))
    }

    /// Connects for calls that take no key. The key it sends is one that no service knows.
    pub fn connect_without_key(&self) -> Result<(), CliError> {
        let none = credentials::parse("no key", "none")?;
        let connection = self.connect(none)?;
        self.connection.get_or_init(|| connection);
        Ok(())
    }

    /// A client for another pair of address and key, with the settings of this one.
    pub fn client_for(&self, base_url: &str, key: ApiKey) -> Result<Client, CliError> {
        let source = Source::Environment;
        let stop = self.interruption.sign();
        let connection = Connection::open(&self.settings, &self.ui, &source, base_url, key, stop)?;
        Ok(connection.client().clone())
    }

    /// Judges an address that is to be kept.
    pub fn check_address(&self, base_url: &str) -> Result<(), CliError> {
        connection::check_address(&self.settings, base_url)
    }

    /// The gate in front of the network.
    pub fn guard(&self) -> Result<&Guard, CliError> {
        Ok(&self.connection()?.guard)
    }

    /// The way to the mock's admin API: no key of the partner API goes along.
    pub fn admin_transport(&self) -> Result<Arc<dyn Transport>, CliError> {
        match &self.settings.service {
            Ok(service) if service.source == Source::Local => {
                Ok(Arc::clone(&self.connection()?.network))
            }
            _ => {
                let options = HttpOptions::new().body_limit(LARGEST_STATE);
                Ok(Arc::new(HttpTransport::new(&options)))
            }
        }
    }

    /// The gate, where a connection was made at all.
    pub fn guard_in_use(&self) -> Option<&Guard> {
        self.connection.get().map(|connection| &*connection.guard)
    }

    /// Starts the embedded mock where it is the service, so that its own errors come out as they are.
    pub async fn ready(&self) -> Result<(), CliError> {
        match &self.connection()?.local {
            Some(local) => local.start().await,
            None => Ok(()),
        }
    }

    /// What earlier commands have seen of this account.
    pub fn known(&self) -> Result<&KnownRecords, CliError> {
        self.connection()?;
        let read = || self.state().map(StateDb::known).unwrap_or_default();
        Ok(self.known.get_or_init(read))
    }

    /// Keeps in mind what an answer has shown.
    pub fn learn(&self, observation: Observation) {
        self.observations.borrow_mut().push(observation);
    }

    /// Remembers what was seen. What cannot be remembered keeps nobody from working.
    pub fn remember_observations(&self) {
        let observations = self.observations.take();
        if observations.is_empty() {
            return;
        }
        if let Some(state) = self.state() {
            state.recognize_key(&observations);
            state.observe(&observations, &|text| self.without_key(text));
        }
    }

    /// From here on a run over many: it leaves part of the key's calls to people.
    pub fn leave_calls_to_people(&self) -> Result<(), CliError> {
        self.connection()?.leave_calls_to_people();
        Ok(())
    }

    /// How many calls of a window the key has left, where that is counted.
    pub fn calls_left(&self, group: RateGroup) -> Option<u32> {
        self.connection.get()?.rate_limit.as_ref()?.left(group)
    }

    /// Why calls of other processes are not counted, where they should be.
    pub fn rate_limit_problem(&self) -> Option<&str> {
        self.connection.get()?.rate_limit.as_ref()?.problem()
    }

    /// Waits without keeping others from the embedded mock.
    pub async fn rest(&self, length: Duration) {
        self.lease.release();
        tokio::time::sleep(length).await;
    }

    /// What an interrupted command says from here on, and how to go on.
    pub fn on_interrupt(&self, sentence: &'static str, way_on: String) {
        let error = CliError::new(LocalErrorKind::Interrupted, sentence).hint(way_on);
        self.interruption.say(error);
    }

    /// The error of a command that a Ctrl-C has stopped, where one has.
    pub fn check_interrupted(&self) -> Result<(), CliError> {
        match self.interruption.sign().is_up() {
            true => Err(self.interruption.error()),
            false => Ok(()),
        }
    }

    /// In a dry run, what a change of this computer's own files comes to: it is said, and not made.
    pub fn only_said(&self, would: &str) -> Option<Outcome> {
        let dry_run = serde_json::json!({ "dry_run": [] });
        let said = Outcome::said(dry_run, format!("would {would}"));
        self.settings.safety.dry_run.then_some(said)
    }

    fn connection(&self) -> Result<&Connection, CliError> {
        if let Some(connection) = self.connection.get() {
            return Ok(connection);
        }
        let key = self.key_in_use()?;
        self.ui.hide(key);
        let connection = self.connect(key.clone())?;
        Ok(self.connection.get_or_init(|| connection))
    }

    fn connect(&self, key: ApiKey) -> Result<Connection, CliError> {
        let service = self.settings.service()?;
        let connection = Connection::open(
            &self.settings,
            &self.ui,
            &service.source,
            &service.base_url,
            key,
            self.interruption.sign(),
        )?;
        if let Some(local) = &connection.local {
            self.lease.begin(local);
        }
        Ok(connection)
    }

    /// The key of the service in use; a command that fetches it runs once.
    pub fn key_in_use(&self) -> Result<&ApiKey, CliError> {
        if let Some(key) = self.key.get() {
            return Ok(key);
        }
        let service = self.settings.service()?;
        let key = self.read_key(&service.key)?;
        Ok(self.key.get_or_init(|| key))
    }

    /// Says where a key that the service does not know comes from: what the environment has goes before what is kept.
    pub fn with_source_of_key(&self, error: CliError) -> CliError {
        let service = self.settings.service.as_ref();
        let variable = match service.map(|service| &service.key) {
            Ok(KeySource::Environment(_)) => "SECMON_API_KEY",
            Ok(KeySource::Mounted(_)) => "SECMON_API_KEY_FILE",
            _ => return error,
        };
        match error.failure().is_unknown_key() {
            true => error.hint(format!(
                "the key comes from {variable}: put the right one there, or unset it and keep one with `auth login`"
            )),
            false => error,
        }
    }

    /// Reads the key from where it is kept.
    fn read_key(&self, source: &KeySource) -> Result<ApiKey, CliError> {
        match source {
            KeySource::Local => credentials::parse("the embedded mock's key", local::KEY),
            KeySource::Environment(key) => Ok(key.clone()),
            KeySource::File(path) => credentials::read_file(path),
            KeySource::Mounted(path) => {
                let file = KeyFile::open(path)?;
                if let Some(open) = file.openness()? {
                    self.ui.note(&format!("warning: {open}"));
                }
                file.key()
            }
            KeySource::Command(command) => credentials::run_command(command),
            KeySource::Ask => self.prompt.ask_key(),
        }
    }
}
