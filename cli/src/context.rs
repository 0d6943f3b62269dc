//! What a command works with: the settings, the client (made when first asked for), and the screen.

mod changes;

use crate::error::{CliError, Own};
use crate::machine::interrupt::Interruption;
use crate::notebook::history::History;
use crate::notebook::index::{self, Index, Notebook, Seen};
use crate::session::connection::{self, Connection, LARGEST_STATE};
use crate::session::credentials::{self, KeyFile, TypedKey};
use crate::session::guard::Guard;
use crate::session::local;
use crate::session::service::{self, KeySource, Source};
use crate::session::settings::{self, Settings};
use crate::ui::outcome::{Line, Outcome, Table};
use crate::ui::{Progress, Reader, Ui};
use secmon::model::CustomerId;
use secmon::transport::{HttpOptions, HttpTransport, Transport};
use secmon::{ApiKey, Client, Operation, RateGroup, Response};
use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

/// The surroundings of one command.
pub struct Context {
    /// What flags, environment and profile come to.
    pub settings: Settings,
    /// The screen. Commands reach it through the methods here alone, and print nothing themselves.
    ui: Arc<Ui>,
    key: OnceCell<ApiKey>,
    connection: OnceCell<Connection>,
    history: OnceCell<Option<History>>,
    /// What a person answered; one command asks once.
    asked_customer: OnceCell<CustomerId>,
    notebook: Notebook,
    /// What a Ctrl-C does.
    pub interruption: Interruption,
}

impl Context {
    /// Nothing is read or connected before a command asks.
    pub fn new(settings: Settings, ui: Arc<Ui>) -> Self {
        Self {
            settings,
            ui,
            key: OnceCell::new(),
            connection: OnceCell::new(),
            history: OnceCell::new(),
            asked_customer: OnceCell::new(),
            notebook: Notebook::default(),
            interruption: Interruption::default(),
        }
    }

    /// The client for the service in use.
    pub fn client(&self) -> Result<&Client, CliError> {
        Ok(self.connection()?.client())
    }

    /// Sends a read.
    pub async fn read<O: Operation>(&self, operation: O) -> Result<Response<O::Output>, CliError> {
        self.ready().await?;
        Ok(self.client()?.send(operation).await?)
    }

    /// A text for a file, in which somebody may have typed the key.
    fn without_key(&self, text: &str) -> String {
        let connection = self.connection.get();
        connection.map_or_else(|| text.to_owned(), |connection| connection.key.redact(text))
    }

    /// The profile, `local`, or the address.
    pub fn service_name(&self) -> String {
        let address = || {
            self.settings
                .service
                .as_ref()
                .map(|service| service.base_url.clone())
        };
        self.settings
            .profile_name
            .clone()
            .or_else(|| address().ok())
            .unwrap_or_default()
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

    /// The name of key and address together, for files that belong to both.
    pub fn account(&self) -> Result<&str, CliError> {
        Ok(&self.connection()?.account)
    }

    /// Keeps in mind what an answer has shown.
    pub fn learn(&self, seen: Seen) {
        self.notebook.learn(seen);
    }

    /// What earlier commands have seen of this account.
    pub fn known(&self) -> Result<&Index, CliError> {
        Ok(self.notebook.known(self.account()?))
    }

    /// Writes what was seen into the index. One that cannot be written keeps nobody from working.
    pub fn save_index(&self) {
        let Some(connection) = self.connection.get() else {
            return;
        };
        let _ = self.notebook.save(&connection.account);
        if let Ok(service) = &self.settings.service
            && let Source::Profile(name) = &service.source
        {
            let origin = service::origin_of(&service.base_url);
            let _ = index::remember_account(name, &origin, &connection.account);
        }
    }

    /// From here on a run over many: it leaves part of the key's calls to people.
    pub fn leave_calls_to_people(&self) -> Result<(), CliError> {
        self.connection()?.leave_calls_to_people();
        Ok(())
    }

    /// How many calls of a window the key has left, where that is counted.
    pub fn calls_left(&self, group: RateGroup) -> Option<u32> {
        self.connection.get()?.pace.as_ref()?.left(group)
    }

    /// Waits without keeping others from the embedded mock.
    pub async fn rest(&self, length: Duration) {
        self.release();
        tokio::time::sleep(length).await;
    }

    fn release(&self) {
        if let Some(local) = self
            .connection
            .get()
            .and_then(|connection| connection.local.as_ref())
        {
            local.release();
        }
    }

    /// What an interrupted command says from here on, and how to go on.
    pub fn on_interrupt(&self, sentence: &'static str, way_on: String) {
        let error = CliError::new(Own::Interrupted, sentence).hint(way_on);
        self.interruption.say(error);
    }

    /// The error of a command that a Ctrl-C has stopped, where one has.
    pub fn check_interrupted(&self) -> Result<(), CliError> {
        match self.interruption.sign().is_up() {
            true => Err(self.interruption.error()),
            false => Ok(()),
        }
    }

    /// Takes a customer that the arguments imply for one that was named; what was named comes first.
    pub fn imply_customer(&self, customer: CustomerId) {
        self.asked_customer.get_or_init(|| customer);
    }

    /// The customer given by `-c`, the environment or the profile; else a person is asked.
    pub fn customer(&self) -> Result<CustomerId, CliError> {
        if let Some(customer) = self
            .settings
            .customer
            .or(self.asked_customer.get().copied())
        {
            return Ok(customer);
        }
        let answer = self.ask("--customer", "the customer's number", "Customer number")?;
        let customer = settings::parse_customer("--customer", &answer)?;
        Ok(*self.asked_customer.get_or_init(|| customer))
    }

    /// In a dry run, what a change of this machine's own files comes to: it is said, and not made.
    pub fn only_said(&self, would: &str) -> Option<Outcome> {
        let story = vec![Line::text(format!("would {would}"))];
        let result = serde_json::json!({ "dry_run": [] });
        self.settings
            .safety
            .dry_run
            .then(|| Outcome::record(result, Table::new(&[])).tell(story))
    }

    /// Whether a person is there and wants to be asked.
    pub fn may_ask(&self) -> bool {
        !self.settings.safety.no_input && self.ui.can_ask()
    }

    /// Asks for what is missing, or says which option gives it.
    pub fn ask(&self, option: &str, what: &str, question: &str) -> Result<String, CliError> {
        if !self.may_ask() {
            return Err(CliError::usage(format!(
                "{what} is missing: give it with {option}"
            )));
        }
        self.release();
        self.ui.ask_text(question)
    }

    /// Says something beside the result.
    pub fn note(&self, sentence: &str) {
        self.ui.note(sentence);
    }

    /// Says how many items a limit leaves out.
    pub fn tell_cut(&self, more: usize) {
        self.ui.tell_cut(more);
    }

    /// What a limit leaves of the items that were read of a list, and a word of how many it leaves out of the `total`.
    pub fn cut<T>(&self, mut items: Vec<T>, total: Option<u64>) -> Vec<T> {
        let total = total.map_or(items.len(), |total| {
            usize::try_from(total).unwrap_or(usize::MAX)
        });
        items.truncate(self.limit().unwrap_or(usize::MAX));
        self.ui.tell_cut(total.saturating_sub(items.len()));
        items
    }

    /// Shows part of a result that comes bit by bit.
    pub fn show_part(&self, part: Outcome) -> Result<Reader, CliError> {
        self.ui.part(part)
    }

    /// Whether a list is shown as its pages come.
    pub fn streams(&self) -> bool {
        self.ui.streams()
    }

    /// How many items of a list need be read.
    pub fn limit(&self) -> Option<usize> {
        self.ui.limit()
    }

    /// A progress bar for so many items.
    pub fn progress(&self, total: usize) -> Progress {
        self.ui.progress(total)
    }

    /// An error as it stands in JSON output.
    pub fn error_as_json(&self, error: &CliError) -> serde_json::Value {
        self.ui.error_as_json(error)
    }

    /// Asks for one of a few letters; each stands for what is behind it.
    pub fn ask_letter(&self, question: &str, letters: &[(char, &str)]) -> Result<char, CliError> {
        self.release();
        self.ui.ask_letter(question, letters)
    }

    /// Asks for a line of text that may be left empty, or taken over from before.
    pub fn ask_again(&self, question: &str, before: &str) -> Result<String, CliError> {
        self.release();
        self.ui.ask_text_or(question, before)
    }

    /// Lets a person choose several; none is chosen to begin with.
    pub fn choose_some(&self, question: &str, options: &[String]) -> Result<Vec<usize>, CliError> {
        self.release();
        self.ui.ask_some(question, options)
    }

    /// Lets a person choose one of several.
    pub fn choose(&self, question: &str, options: &[String]) -> Result<usize, CliError> {
        self.release();
        self.ui.ask_choice(question, options)
    }

    /// Whether somebody sees what is told before a change: a person who is asked, a script that left the answer out, or
    /// whoever tries it with a dry run.
    pub fn shows_preview(&self, danger: Danger) -> bool {
        let safety = &self.settings.safety;
        let answered = match danger == Danger::Severe || safety.protected {
            true => safety.confirm.is_some(),
            false => safety.yes,
        };
        safety.dry_run || (danger != Danger::Mild && !answered)
    }

    /// Asks before a change that is hard to take back; `name` is typed for a severe one.
    pub fn confirm(&self, danger: Danger, question: &str, name: &str) -> Result<(), CliError> {
        let safety = &self.settings.safety;
        if danger == Danger::Mild || safety.dry_run {
            return Ok(());
        }
        let severe = danger == Danger::Severe || safety.protected;
        if severe {
            self.confirm_by_typing(question, name)
        } else {
            self.confirm_by_yes(question)
        }
    }

    fn confirm_by_typing(&self, question: &str, name: &str) -> Result<(), CliError> {
        if let Some(given) = &self.settings.safety.confirm {
            return match given.trim() == name.trim() {
                true => Ok(()),
                false => Err(CliError::usage(format!(
                    "{question} --confirm={given} does not fit: it must be {name}"
                ))),
            };
        }
        if !self.may_ask() {
            let name = crate::ui::invocation::quoted(name);
            return Err(CliError::usage(format!(
                "{question} This needs --confirm={name}"
            )));
        }
        self.release();
        let typed = self
            .ui
            .ask_text(&format!("{question} Type {name} to go on"))?;
        if typed.trim() == name.trim() {
            Ok(())
        } else {
            Err(declined(&format!("{typed:?} is not {name:?}")))
        }
    }

    fn confirm_by_yes(&self, question: &str) -> Result<(), CliError> {
        if self.settings.safety.yes {
            return Ok(());
        }
        if !self.may_ask() {
            return Err(CliError::usage(format!("{question} This needs --yes")));
        }
        self.release();
        if self.ui.ask_yes(&format!("{question} Go on?"))? {
            Ok(())
        } else {
            Err(declined("the answer was no"))
        }
    }

    fn connection(&self) -> Result<&Connection, CliError> {
        if let Some(connection) = self.connection.get() {
            return Ok(connection);
        }
        let connection = self.connect(self.key_in_use()?.clone())?;
        Ok(self.connection.get_or_init(|| connection))
    }

    fn connect(&self, key: ApiKey) -> Result<Connection, CliError> {
        let service = self.settings.service.as_ref().map_err(Clone::clone)?;
        Connection::open(
            &self.settings,
            &self.ui,
            &service.source,
            &service.base_url,
            key,
            self.interruption.sign(),
        )
    }

    /// The key of the service in use; a command that fetches it runs once.
    pub fn key_in_use(&self) -> Result<&ApiKey, CliError> {
        if let Some(key) = self.key.get() {
            return Ok(key);
        }
        let service = self.settings.service.as_ref().map_err(Clone::clone)?;
        let key = self.read_key(&service.key)?;
        Ok(self.key.get_or_init(|| key))
    }

    /// Commands between backticks written out in full.
    pub fn written_out(&self, text: &str) -> String {
        self.ui.written_out(text)
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
                    self.note(&format!("warning: {open}"));
                }
                file.key()
            }
            KeySource::Command(command) => credentials::run_command(command),
            KeySource::Ask => self.ask_key(),
        }
    }

    /// Asks for a key that is kept nowhere.
    fn ask_key(&self) -> Result<ApiKey, CliError> {
        if !self.may_ask() {
            return Err(CliError::usage("there is no API key: set SECMON_API_KEY or SECMON_API_KEY_FILE, or name a profile that has one")
                .hint("keep one: `auth login --key-stdin`"));
        }
        self.typed_key("API key")?.check()
    }

    /// Asks for a key without showing it.
    pub fn typed_key(&self, question: &str) -> Result<TypedKey, CliError> {
        self.release();
        Ok(TypedKey::new(&self.ui.ask_secret(question)?))
    }
}

/// How hard a change is to take back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Danger {
    /// Easily.
    Mild,
    /// With work.
    Moderate,
    /// Not at all, or very many at once.
    Severe,
}

impl Danger {
    /// The danger of doing the same to `count` things.
    pub fn times(self, count: usize) -> Self {
        match (self, count) {
            (_, 51..) => Self::Severe,
            (Self::Mild, 6..) => Self::Moderate,
            (danger, _) => danger,
        }
    }
}

fn declined(reason: &str) -> CliError {
    CliError::new(Own::Declined, format!("{reason}: nothing was changed"))
}
