//! `secmon domain release`: the slot is given up for good.

use super::provision;
use crate::bulk::args::RunArgs;
use crate::bulk::{
    self, Applied, BulkOperation, Label, PlannedRow, Question, RowOutcome, VerbLabels,
};
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::references::{self, DomainRef, FoundDomain};
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::session::current_run::RunKind;
use crate::session::prompt::ConfirmationLevel;
use crate::state::changes::Scope;
use crate::ui::outcome::{Outcome, to_json};
use clap::Args;
use secmon::model::{CustomerId, DomainId, ServiceId};
use secmon::operations::{GetDomainSummary, ReleaseDomain};
use serde_json::json;

/// The domain to give up.
#[derive(Debug, Args)]
pub struct DomainReleaseArgs {
    /// The domain: name or id
    pub domain: String,
    /// Number of the billing service whose slot is given up
    #[arg(long, value_name = "ID")]
    pub service: Option<String>,
}

const OPERATION: &str = "release_domain";
const RELEASED: VerbLabels = VerbLabels {
    done: "released",
    skipped: "already released",
};

/// `secmon domain release`: the slot is given up for good, so the name is typed.
pub async fn run(context: &Context, args: &DomainReleaseArgs) -> Result<Outcome, CliError> {
    let settings = &context.session.settings;
    settings.need_billing("a slot is given up")?;
    let service = provision::service(&context.prompt, args.service.as_deref())?;
    let named = std::slice::from_ref(&args.domain);
    let releasing = Releasing {
        context,
        named,
        service,
        customer: references::customer_of_domains(context, named)?,
    };
    let items = bulk::run_bulk(context, &releasing, &RunArgs::default()).await?;
    bulk::conclude(&context.screen, RELEASED, items)
}

/// A release, of one domain.
struct Releasing<'a> {
    context: &'a Context,
    named: &'a [String],
    service: ServiceId,
    customer: CustomerId,
}

/// What was named, and the domain where there is one.
enum ReleaseRow {
    There(Box<DomainRef>),
    Absent(String),
}

impl Releasing<'_> {
    /// A domain that this computer has released is in no list any more.
    fn absent(&self, id: Option<DomainId>, error: CliError) -> PlannedRow<ReleaseRow> {
        let name = self.named.concat();
        let session = &self.context.session;
        let state = session.state();
        let id = id.map(|id| id.to_string());
        let ended = id.as_deref().and_then(|id| state?.ended_from_here(id));
        let row = ReleaseRow::Absent(name.clone());
        let (Some(id), true) = (id, ended.is_some_and(|ended| ended.operation == OPERATION)) else {
            return PlannedRow::settled(row, RowOutcome::Failed(error));
        };
        let is_ours = session.settle_pending(OPERATION, &id);
        let record = json!({ "monitored_domain_id": id, "released": true });
        let applied = Applied {
            id,
            record,
            sentence: format!("Domain {name} was released."),
            note: Some(match is_ours {
                true => "by the interrupted run".to_owned(),
                false => "already released, from this computer".to_owned(),
            }),
            ..Applied::default()
        };
        let outcome = match is_ours {
            true => RowOutcome::Applied(applied),
            false => RowOutcome::Skipped(applied),
        };
        PlannedRow::settled(row, outcome)
    }

    async fn release(&self, domain: &DomainRef) -> Result<RowOutcome, CliError> {
        let (session, customer) = (&self.context.session, domain.customer);
        let request = ReleaseDomain::new(customer, self.service, domain.id);
        let about = format!("domain {} of customer {customer}", domain.name);
        let planned = PlannedChange::new(about).before(&domain.listed);
        let released = |record, slots: String| {
            RowOutcome::Applied(Applied {
                id: domain.id.to_string(),
                record,
                sentence: format!("Domain {} was released.{slots}", domain.name),
                ..Applied::default()
            })
        };
        match session.write(request, planned).await {
            Ok(None) => Ok(RowOutcome::Planned),
            Ok(Some(answer)) => {
                let slots = answer.data.slots_used.zip(answer.data.slots_total);
                let slots =
                    slots.map(|(used, total)| format!(" {used} of {total} slots are in use now."));
                Ok(released(to_json(&answer.data), slots.unwrap_or_default()))
            }
            Err(error)
                if error.may_have_happened() && is_gone(session, domain.id, customer).await =>
            {
                let record = json!({ "monitored_domain_id": domain.id, "released": true });
                Ok(released(record, String::new()))
            }
            Err(error) => Err(error.during(format!("releasing {}", domain.name))),
        }
    }
}

/// A release whose answer was lost is looked for, never sent again.
async fn is_gone(session: &Session, id: DomainId, customer: CustomerId) -> bool {
    let summary = session.read(GetDomainSummary::new(customer, id)).await;
    summary.is_err_and(|error| error.exit() == Exit::NotFound)
}

impl BulkOperation for Releasing<'_> {
    type Row = ReleaseRow;

    fn kind(&self) -> RunKind {
        RunKind {
            verb: OPERATION,
            scope: Scope::One,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<ReleaseRow>>, CliError> {
        let found = references::domain_targets(self.context, self.named).await?;
        let planned = found.into_iter().map(|found| match found {
            FoundDomain::There(domain) => PlannedRow::send(ReleaseRow::There(domain)),
            FoundDomain::Absent { id, error } => self.absent(id, error),
        });
        Ok(planned.collect())
    }

    fn label(&self, row: &ReleaseRow) -> Label {
        let name = match row {
            ReleaseRow::There(domain) => domain.name.as_str(),
            ReleaseRow::Absent(name) => name,
        };
        Label::of(name, Some(self.customer))
    }

    fn question(&self, rows: &[&ReleaseRow]) -> Question {
        let [ReleaseRow::There(domain)] = rows else {
            return Question::none();
        };
        Question {
            level: ConfirmationLevel::Severe,
            text: format!(
                "About to release {} of customer {} and its slot of service {} for good: its record, alerts and history are lost.",
                domain.name, domain.customer, self.service
            ),
            typed: domain.name.clone(),
        }
    }

    async fn apply(&self, row: &ReleaseRow) -> Result<RowOutcome, CliError> {
        match row {
            ReleaseRow::There(domain) => self.release(domain).await,
            ReleaseRow::Absent(_) => Ok(RowOutcome::Planned),
        }
    }
}
