//! The parts that a command works with.

use crate::error::CliError;
use crate::session::Session;
use crate::session::local::MockHandle;
use crate::session::prompt::Prompt;
use crate::session::settings::{self, Settings};
use crate::ui::Ui;
use secmon::model::CustomerId;
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

/// What a command is handed. A part of one is handed only what it needs of this.
pub struct Context {
    /// The service, and what this computer remembers of it.
    pub session: Session,
    /// A person who can be asked.
    pub prompt: Rc<Prompt>,
    /// The screen. Commands print nothing themselves.
    pub screen: Arc<Ui>,
    /// What a person answered; one command asks once.
    asked_customer: OnceCell<CustomerId>,
}

impl Context {
    /// Nothing is read or connected before a command asks.
    pub fn new(settings: Settings, ui: Arc<Ui>) -> Self {
        let lease = MockHandle::default();
        let safety = settings.safety.clone();
        let prompt = Rc::new(Prompt::new(Arc::clone(&ui), safety, lease.clone()));
        Self {
            session: Session::new(settings, Arc::clone(&ui), Rc::clone(&prompt), lease),
            prompt,
            screen: ui,
            asked_customer: OnceCell::new(),
        }
    }

    /// Takes a customer that the arguments imply for one that was named; what was named comes first.
    pub fn imply_customer(&self, customer: CustomerId) {
        self.asked_customer.get_or_init(|| customer);
    }

    /// The customer given by `-c`, the environment or the profile; else a person is asked.
    pub fn customer(&self) -> Result<CustomerId, CliError> {
        if let Some(customer) = self
            .session
            .settings
            .customer
            .or(self.asked_customer.get().copied())
        {
            return Ok(customer);
        }
        let answer = self
            .prompt
            .ask("-c ID", "the customer's number", "Customer number")?;
        let customer = settings::parse_customer("--customer", &answer)?;
        Ok(*self.asked_customer.get_or_init(|| customer))
    }
}
