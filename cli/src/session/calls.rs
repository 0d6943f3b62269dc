//! Reads and changes, and what is remembered of a change before it is sent.

use super::Session;
use super::batch::redacted;
use super::difference::{AskedAndAnswered, Difference};
use crate::error::{CliError, LocalErrorKind};
use crate::session::guard::Guard;
use crate::session::profile::Protected;
use crate::state::affected::{AffectedRecords, record_of};
use crate::state::changes::{ChangeAnswer, ChangeId, ChangeResult, ChangeStart};
use crate::ui::outcome::to_json;
use http::Method;
use secmon::model::{CustomerId, EndpointId};
use secmon::operations::{GetEndpoint, GetPortAlert, GetRule, ListDomains};
use secmon::{Operation, Response};
use serde::Serialize;
use serde_json::Value;
use std::time::Instant;
use uuid::Uuid;

/// What is said and remembered of a change before it is sent.
#[derive(Debug, Default, Clone)]
pub struct PlannedChange {
    /// What it is about, in words.
    pub about: String,
    customers: Vec<CustomerId>,
    server: Option<EndpointId>,
    before: Option<Value>,
    was_absent: bool,
    /// The change that it takes back.
    undoes: Option<ChangeId>,
}

impl PlannedChange {
    /// A change that is about this, in words.
    pub fn new(about: impl Into<String>) -> Self {
        Self {
            about: about.into(),
            ..Self::default()
        }
    }

    /// Whose record it is, where the request does not say it.
    #[must_use]
    pub fn of(mut self, customer: Option<CustomerId>) -> Self {
        self.customers.extend(customer);
        self
    }

    /// The server of a rule or of an alert.
    #[must_use]
    pub fn on(mut self, server: Option<EndpointId>) -> Self {
        self.server = server;
        self
    }

    /// The record as it was read.
    #[must_use]
    pub fn before<T: Serialize>(mut self, record: &T) -> Self {
        self.before = Some(to_json(record));
        self
    }

    /// The record was in no list: a create that finds it has restored it.
    #[must_use]
    pub fn was_absent(mut self) -> Self {
        self.was_absent = true;
        self
    }

    /// The change that it takes back.
    #[must_use]
    pub fn undoing(mut self, change: ChangeId) -> Self {
        self.undoes = Some(change);
        self
    }
}

impl<T: Into<String>> From<T> for PlannedChange {
    fn from(about: T) -> Self {
        Self::new(about)
    }
}

/// A change that was sent, and what the service answered.
pub struct Answered<T> {
    /// The answer.
    pub response: Response<T>,
    /// What became of the record, as far as the answer tells.
    pub result: ChangeResult,
}

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
        planned: impl Into<PlannedChange>,
    ) -> Result<Option<Response<O::Output>>, CliError> {
        let answered = self.change(operation, planned).await?;
        Ok(answered.map(|answered| answered.response))
    }

    /// The same, with what became of the record.
    pub async fn change<O: Operation>(
        &self,
        operation: O,
        planned: impl Into<PlannedChange>,
    ) -> Result<Option<Answered<O::Output>>, CliError> {
        let planned = planned.into();
        let call = Call::of(operation);
        let customer = whose(&call.affected, &planned);
        match self.send_change(call, &planned).await? {
            Ok(answered) => Ok(Some(answered)),
            Err(error) if self.guard()?.stopped(&error) => {
                self.refused(self.guard()?, &planned.about)
            }
            Err(error) => {
                let error = CliError::from(error);
                Err(match customer {
                    Some(customer) => error.of_customer(customer),
                    None => error,
                })
            }
        }
    }

    /// The same for whoever looks at the client's own error.
    pub async fn try_change<O: Operation>(
        &self,
        operation: O,
        planned: &PlannedChange,
    ) -> Result<Result<Answered<O::Output>, secmon::Error>, CliError> {
        self.send_change(Call::of(operation), planned).await
    }

    async fn send_change<O: Operation>(
        &self,
        call: Call<O>,
        planned: &PlannedChange,
    ) -> Result<Result<Answered<O::Output>, secmon::Error>, CliError> {
        let Call {
            operation,
            request,
            affected,
        } = call;
        self.ready().await?;
        self.agree_to(&planned.about, &affected, planned).await?;
        let recorded = self.record_change(O::INFO.name, planned, &request, &affected);
        let answer = self.connection()?.client().send(operation).await;
        Ok(match answer {
            Ok(response) => {
                let result = result_of(&response, O::INFO.name, planned);
                let body = (!O::INFO.secret).then(|| response.raw_field("").unwrap_or_default());
                let answered = body.as_ref().map(|body| body.get("data").unwrap_or(body));
                if let Some(answered) = answered {
                    let both = AskedAndAnswered {
                        asked: &request,
                        answered,
                        is_new: response.was_created() == Some(true),
                    };
                    if let Some(difference) = both.difference(O::INFO.name) {
                        let look = look_at(O::INFO.name, both, &affected, planned);
                        let error = self.not_as_asked(&planned.about, &difference, look);
                        recorded.unclear(&error.code());
                        return Err(error);
                    }
                }
                recorded.answered(result, body.as_ref());
                self.say_place(result, O::INFO.name);
                Ok(Answered { response, result })
            }
            Err(error) => {
                recorded.failed(&error);
                Err(error)
            }
        })
    }

    /// The error of an answer whose record is not what was asked for.
    fn not_as_asked(&self, about: &str, difference: &Difference, look: Option<String>) -> CliError {
        let sentence = format!(
            "{about}: the service answered with {difference}; it is not known whether the change was made as asked"
        );
        let sentence = self.without_key(&sentence);
        let error = CliError::new(LocalErrorKind::OtherAnswer, sentence).about_something_lost();
        match look {
            Some(look) => error.hint(look),
            None => error,
        }
    }

    /// Records a call of any path, which is sent by the caller.
    pub fn record_raw(&self, about: &str, affected: &AffectedRecords) -> Recorded<'_> {
        let planned = PlannedChange::new(about);
        let fields = affected
            .ids
            .first()
            .map(|id| serde_json::json!({ "id": id }));
        self.record_change("api", &planned, &fields.unwrap_or_default(), affected)
    }

    fn record_change<'a>(
        &'a self,
        operation: &'static str,
        planned: &PlannedChange,
        request: &Value,
        affected: &AffectedRecords,
    ) -> Recorded<'a> {
        let mut recorded = Recorded {
            session: self,
            change: None,
            operation,
            passed_before: 0,
            began: Instant::now(),
            has_ended: false,
        };
        let Some(guard) = self.guard_in_use().filter(|guard| guard.is_open()) else {
            return recorded;
        };
        recorded.passed_before = guard.passed();
        let Some(batch) = self.batch(operation) else {
            return recorded;
        };
        let mut customers = affected.customers.clone();
        for customer in &planned.customers {
            if !customers.contains(customer) {
                customers.push(*customer);
            }
        }
        if customers.is_empty() {
            let known = self.known().ok();
            customers.extend(known.iter().flat_map(|known| known.owners(&affected.ids)));
        }
        if customers.is_empty() && !affected.ids.is_empty() {
            customers.extend(self.settings.customer);
        }
        let (before, is_redacted) = redacted(self, planned.before.as_ref());
        let record = match operation {
            "api" => request["id"].as_str().map(str::to_owned),
            operation => record_of(operation, request),
        };
        recorded.change = self.state().and_then(|state| {
            state.begin_change(&ChangeStart {
                batch,
                operation,
                record: record.as_deref(),
                customers: &customers,
                server: planned.server.or_else(|| server_in(operation, request)),
                about: &self.without_key(&planned.about),
                before: before.as_ref(),
                is_redacted,
                undoes: planned.undoes,
            })
        });
        recorded
    }

    /// Asks before a change of what the profile protects. Whose a record is, the service is asked, unless the call says it.
    pub async fn agree_to(
        &self,
        about: &str,
        affected: &AffectedRecords,
        planned: &PlannedChange,
    ) -> Result<(), CliError> {
        let safety = &self.settings.safety;
        if safety.protect.is_empty() || safety.dry_run || safety.read_only {
            return Ok(());
        }
        let (customers, addresses) = self.owners_of(affected, planned).await?;
        let is_affected = |protected: &&Protected| match protected {
            Protected::Customer(customer) => customers.contains(customer),
            Protected::Address(address) => addresses.contains(address),
        };
        // What names nobody is about every customer of the account.
        let is_of_all = affected.customers.is_empty()
            && affected.ids.is_empty()
            && planned.customers.is_empty()
            && planned.server.is_none();
        let found = safety.protect.iter().find(is_affected);
        match found.or(safety.protect.first().filter(|_| is_of_all)) {
            Some(protected) => self.prompt.confirm_protected(about, &protected.to_string()),
            None => Ok(()),
        }
    }

    /// The customers and addresses of the records of a call: as it says, as the service says of its servers, and as this
    /// computer has seen them.
    async fn owners_of(
        &self,
        affected: &AffectedRecords,
        planned: &PlannedChange,
    ) -> Result<(Vec<CustomerId>, Vec<std::net::IpAddr>), CliError> {
        let known = self.known()?;
        let mut customers = affected.customers.clone();
        customers.extend(&planned.customers);
        customers.extend(known.owners(&affected.ids));
        let mut addresses = known.addresses(&affected.ids);
        let ids = affected
            .ids
            .iter()
            .copied()
            .chain(planned.server.map(Into::into));
        for id in ids {
            let get = GetEndpoint::account_wide(EndpointId::from(id));
            if let Ok(found) = self.read(get).await {
                customers.extend(found.billing_customer_id);
                addresses.extend(found.ip_address.ip());
            } else if customers.is_empty() {
                customers.extend(self.protected_owner(id).await);
            }
        }
        let named = self.settings.customer.filter(|_| !affected.ids.is_empty());
        if customers.is_empty() {
            customers.extend(named);
        }
        Ok((customers, addresses))
    }

    /// The protected customer whose record this is, where it is no server: a rule, a domain or an alert.
    async fn protected_owner(&self, id: Uuid) -> Option<CustomerId> {
        let protected = self.settings.safety.protect.iter();
        let protected = protected.filter_map(|protected| match protected {
            Protected::Customer(customer) => Some(*customer),
            Protected::Address(_) => None,
        });
        for customer in protected {
            let rule = self.read(GetRule::new(customer, id.into())).await;
            let alert = self.read(GetPortAlert::new(customer, id.into())).await;
            let domains = self.read(ListDomains::new(customer)).await;
            let domains = domains.ok().and_then(|overview| overview.domains);
            let has_domain = domains
                .iter()
                .flatten()
                .any(|domain| Uuid::from(domain.id) == id);
            if rule.is_ok() || alert.is_ok() || has_domain {
                return Some(customer);
            }
        }
        None
    }

    /// Names profile and portal beside the first change that was made, where it could be another one.
    fn say_place(&self, result: ChangeResult, operation: &str) {
        let alters = !matches!(operation, "scan_endpoint" | "create_sso_token");
        if result != ChangeResult::Unchanged
            && alters
            && let Some(place) = &self.settings.safety.place
            && !self.place_told.replace(true)
        {
            self.ui.note(&format!("Changed using {place}"));
        }
    }
}

/// A change that is about to be sent.
struct Call<O> {
    operation: O,
    request: Value,
    affected: AffectedRecords,
}

impl<O: Operation> Call<O> {
    fn of(operation: O) -> Self {
        let request = to_json(&operation);
        Self {
            affected: AffectedRecords::by(&request),
            request,
            operation,
        }
    }
}

/// The one customer that a change is about, where it says so.
fn whose(affected: &AffectedRecords, planned: &PlannedChange) -> Option<CustomerId> {
    let mut customers = affected.customers.iter().chain(&planned.customers);
    let one = *customers.next()?;
    customers.all(|other| *other == one).then_some(one)
}

/// The line that looks at the record of an answer, where the service can show it.
fn look_at(
    operation: &str,
    both: AskedAndAnswered<'_>,
    affected: &AffectedRecords,
    planned: &PlannedChange,
) -> Option<String> {
    let id = record_of(operation, both.answered).or_else(|| record_of(operation, both.asked));
    let id = id.filter(|id| id.parse::<Uuid>().is_ok());
    let customer = affected.customers.iter().chain(&planned.customers).next();
    let kind = operation.rsplit('_').next()?;
    Some(match (kind, id, customer) {
        ("rule", Some(id), _) => format!("look at it: `rules show {id}`"),
        ("endpoint", Some(id), _) => format!("look at it: `endpoint show {id}`"),
        ("domain", Some(id), Some(customer)) => {
            format!("look at it: `domain show {id} -c {customer}`")
        }
        ("subscription", _, Some(customer)) => format!(
            "see what the customer has now: `status -c {customer}`; the service cannot list subscriptions"
        ),
        ("services", ..) => {
            "send the same file again: services already reported with the same status count as unchanged".to_owned()
        }
        _ => return None,
    })
}

/// The server that a request names beside its own record.
fn server_in(operation: &str, request: &Value) -> Option<EndpointId> {
    let is_apart = operation.ends_with("_rule") || operation.ends_with("_firewall");
    let named = request.get("endpoint_id").filter(|_| is_apart)?;
    named.as_str()?.parse().ok()
}

/// What became of the record: a note says that it was so before, unless an attempt before may have made it so, or it was
/// in no list and has been restored.
fn result_of<T>(response: &Response<T>, operation: &str, planned: &PlannedChange) -> ChangeResult {
    let creates =
        ["create_endpoint", "provision_endpoint", "provision_domain"].contains(&operation);
    let was_there = match creates {
        true => response.was_created() == Some(false) && !planned.was_absent,
        false => response.note().is_some(),
    };
    match (was_there, response.may_have_acted_before()) {
        (false, _) if creates && response.was_created().is_none() => ChangeResult::Perhaps,
        (false, _) => ChangeResult::Changed,
        (true, true) => ChangeResult::Perhaps,
        (true, false) => ChangeResult::Unchanged,
    }
}

/// A change whose row stands; dropped before its answer, the row says that nobody saw one.
pub struct Recorded<'a> {
    session: &'a Session,
    change: Option<ChangeId>,
    operation: &'static str,
    passed_before: usize,
    began: Instant,
    has_ended: bool,
}

impl Recorded<'_> {
    /// The service has answered; `body` is the answer, unless it is secret.
    pub fn answered(mut self, result: ChangeResult, body: Option<&Value>) {
        self.has_ended = true;
        let (Some(change), Some(state)) = (self.change, self.session.state()) else {
            return;
        };
        let data = body.map(|body| body.get("data").unwrap_or(body));
        let mut affected = AffectedRecords::default();
        if let Some(data) = data {
            affected.extend_from(data);
        }
        let record = data.and_then(|data| record_of(self.operation, data));
        let (after, is_redacted) = redacted(self.session, data.filter(|data| data.is_object()));
        let answered_at = body.and_then(|body| body.pointer("/meta/timestamp")?.as_str());
        state.end_change(
            change,
            &ChangeAnswer {
                result: Some(result),
                record: record.as_deref(),
                customers: &affected.customers,
                after: after.as_ref(),
                is_redacted,
                moved: &affected.names,
                answered_at,
                took: self.began.elapsed(),
                code: None,
            },
        );
    }

    /// It was answered, but not so that anybody could tell what was done.
    fn unclear(mut self, code: &str) {
        self.has_ended = true;
        if let (Some(change), Some(state)) = (self.change, self.session.state()) {
            let answer = ChangeAnswer {
                result: Some(ChangeResult::Pending),
                took: self.began.elapsed(),
                code: Some(code),
                ..ChangeAnswer::default()
            };
            state.end_change(change, &answer);
        }
    }

    /// It was answered with an error, or not at all.
    pub fn failed(mut self, error: &secmon::Error) {
        self.has_ended = true;
        let (Some(change), Some(state)) = (self.change, self.session.state()) else {
            return;
        };
        let is_write = error.method().is_none_or(|method| *method != Method::GET);
        let result = match error.delivery() {
            secmon::Delivery::NotSent => return state.withdraw_change(change),
            secmon::Delivery::Maybe if is_write => ChangeResult::Pending,
            _ => ChangeResult::Refused,
        };
        let code = CliError::code_of(error);
        state.end_change(
            change,
            &ChangeAnswer {
                result: Some(result),
                took: self.began.elapsed(),
                code: Some(&code),
                ..ChangeAnswer::default()
            },
        );
    }
}

impl Drop for Recorded<'_> {
    /// Nobody waits for its answer any more: what never left is forgotten, the rest stays open.
    fn drop(&mut self) {
        let (Some(change), false) = (self.change, self.has_ended) else {
            return;
        };
        let guard = self.session.guard_in_use();
        let was_sent = guard.is_some_and(|guard: &Guard| guard.passed() > self.passed_before);
        if let Some(state) = self.session.state() {
            match was_sent {
                false => state.withdraw_change(change),
                true => state.end_change(
                    change,
                    &ChangeAnswer {
                        took: self.began.elapsed(),
                        code: Some(LocalErrorKind::Interrupted.code()),
                        ..ChangeAnswer::default()
                    },
                ),
            }
        }
    }
}
