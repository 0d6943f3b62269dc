//! Reads and changes, and the line that a change leaves in the history of this machine.

use super::Session;
use crate::error::{CliError, Own};
use crate::notebook::history::{self, Change, History};
use crate::notebook::touched::Touched;
use crate::notebook::way_back::WayBack;
use crate::session::guard::Guard;
use crate::session::profile::Protected;
use secmon::model::CustomerId;
use secmon::{Operation, Response};
use uuid::Uuid;

impl Session {
    /// Sends a read, and gives what it found.
    pub async fn read<O: Operation>(&self, operation: O) -> Result<O::Output, CliError> {
        Ok(self.read_whole(operation).await?.into_inner())
    }

    /// The same with the answer as it came.
    pub async fn read_whole<O: Operation>(
        &self,
        operation: O,
    ) -> Result<Response<O::Output>, CliError> {
        self.ready().await?;
        Ok(self.client()?.send(operation).await?)
    }

    /// Sends a change; `None` in a dry run, which keeps it to be shown with what it is about.
    pub async fn write<O: Operation>(
        &self,
        operation: O,
        about: &str,
    ) -> Result<Option<Response<O::Output>>, CliError> {
        self.write_touching(operation, about, None).await
    }

    /// The same for a call that does not name a record it touches, as the server of a rule.
    pub async fn write_touching<O: Operation>(
        &self,
        operation: O,
        about: &str,
        record: Option<Uuid>,
    ) -> Result<Option<Response<O::Output>>, CliError> {
        self.write_reversibly(operation, about, record, |_| None)
            .await
    }

    /// The same for a change that can be taken back; a remark of the service says that everything was so before.
    pub async fn write_reversibly<O: Operation>(
        &self,
        operation: O,
        about: &str,
        record: Option<Uuid>,
        way_back: impl FnOnce(&Response<O::Output>) -> Option<WayBack>,
    ) -> Result<Option<Response<O::Output>>, CliError> {
        let mut touched = Touched::by(&operation);
        touched.extend(record);
        let change = Change::begun(O::INFO.name, about, touched);
        self.send_change(operation, change, way_back).await
    }

    /// Sends what takes another change back.
    pub async fn write_undoing<O: Operation>(
        &self,
        operation: O,
        about: &str,
        undoes: &str,
    ) -> Result<Option<Response<O::Output>>, CliError> {
        let mut change = Change::begun(O::INFO.name, about, Touched::by(&operation));
        change.undoes = Some(undoes.to_owned());
        self.send_change(operation, change, |_| None).await
    }

    async fn send_change<O: Operation>(
        &self,
        operation: O,
        mut change: Change,
        way_back: impl FnOnce(&Response<O::Output>) -> Option<WayBack>,
    ) -> Result<Option<Response<O::Output>>, CliError> {
        self.ready().await?;
        self.agree_to(&change)?;
        let connection = self.connection()?;
        let unanswered = Unanswered::new(self, &connection.guard, &change);
        let answer = connection.client().send(operation).await;
        unanswered.forget();
        match answer {
            Ok(response) => {
                if !O::INFO.secret {
                    change.touched.extend_from_body(response.body());
                }
                let so_before = response.note().map(|_| WayBack::Nothing);
                change.way_back = way_back(&response).map(|way| so_before.unwrap_or(way));
                self.remember(&change, history::DONE);
                Ok(Some(response))
            }
            Err(error) if connection.guard.stopped(&error) => {
                self.refused(&connection.guard, &change.about)
            }
            Err(error) => {
                let sent = error.attempts() > 0;
                let error = CliError::from(error);
                if sent {
                    self.remember(&change, &error.code());
                }
                Err(error)
            }
        }
    }

    /// Asks before a change of what the profile protects.
    pub fn agree_to(&self, change: &Change) -> Result<(), CliError> {
        let safety = &self.settings.safety;
        if safety.protect.is_empty() || safety.dry_run || safety.read_only {
            return Ok(());
        }
        let customers = self.customers_of(&change.touched);
        let addresses = self
            .notebook
            .addresses(self.account()?, &change.touched.ids);
        let is_touched = |protected: &&Protected| match protected {
            Protected::Customer(customer) => customers.contains(customer),
            Protected::Address(address) => addresses.contains(address),
        };
        match safety.protect.iter().find(is_touched) {
            Some(protected) => {
                let name = protected.to_string();
                self.prompt.confirm_protected(&change.about, &name)
            }
            None => Ok(()),
        }
    }

    /// Whose the records are: as the call says, or as this and earlier commands have seen them; else the one that was
    /// named, where the change is about records at all.
    fn customers_of(&self, touched: &Touched) -> Vec<CustomerId> {
        let mut customers = touched.customers.clone();
        if customers.is_empty()
            && let Some(connection) = self.connection.get()
        {
            customers = self.notebook.owners(&connection.account, &touched.ids);
        }
        let named = self.settings.customer.filter(|_| !touched.ids.is_empty());
        match customers.as_slice() {
            [] => named.into_iter().collect(),
            _ => customers,
        }
    }

    /// Names profile and portal beside the first change that was made, where it could be another one.
    fn tell_place(&self, change: &Change, result: &str) {
        if result == history::DONE
            && change.alters_records()
            && let Some(place) = &self.settings.safety.place
            && !self.place_told.replace(true)
        {
            self.ui.note(&format!("changed with {place}"));
        }
    }

    /// Writes a change that was sent into the history of this machine.
    pub fn remember(&self, change: &Change, result: &str) {
        let history = self.history.get_or_init(|| {
            let place = self.settings.safety.place.clone();
            let service = (self.service_name(), place);
            History::open(service, |text| self.without_key(text))
        });
        self.tell_place(change, result);
        let about = self.without_key(&change.about);
        let customers = self.customers_of(&change.touched);
        let written = history
            .as_ref()
            .map(|history| history.add(change, customers, about, result));
        if let Some(Err(error)) = written {
            self.ui
                .note(&format!("warning: the history cannot be written: {error}"));
        }
    }
}

/// A change that was sent: dropped before its answer, it leaves its line in the history all the same.
struct Unanswered<'a> {
    session: &'a Session,
    guard: &'a Guard,
    change: &'a Change,
    passed_before: usize,
}

impl<'a> Unanswered<'a> {
    fn new(session: &'a Session, guard: &'a Guard, change: &'a Change) -> Self {
        Self {
            session,
            guard,
            change,
            passed_before: guard.passed(),
        }
    }

    /// The answer is there.
    fn forget(self) {
        std::mem::forget(self);
    }
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if self.guard.passed() > self.passed_before {
            self.session.remember(self.change, Own::Interrupted.code());
        }
    }
}
