//! `secmon domain rename`.

use crate::bulk::args::RunArgs;
use crate::bulk::{
    self, Applied, BulkOperation, Label, PlannedRow, Question, RowOutcome, VerbLabels,
};
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, DomainRef};
use crate::session::calls::PlannedChange;
use crate::session::current_run::RunKind;
use crate::state::changes::Scope;
use crate::ui::outcome::{Outcome, to_json};
use crate::values::domain_names;
use clap::Args;
use secmon::model::CustomerId;
use secmon::operations::UpdateDomain;

/// A domain and its new name.
#[derive(Debug, Args)]
pub struct DomainRenameArgs {
    /// The domain: name or id
    pub domain: String,
    /// The new name
    pub new: String,
}

const OPERATION: &str = "update_domain";
const RENAMED: VerbLabels = VerbLabels {
    done: "renamed",
    skipped: "already so",
};

/// `secmon domain rename`.
pub async fn run(context: &Context, args: &DomainRenameArgs) -> Result<Outcome, CliError> {
    let named = std::slice::from_ref(&args.domain);
    let renaming = Renaming {
        context,
        args,
        customer: references::customer_of_domains(context, named)?,
    };
    let items = bulk::run_bulk(context, &renaming, &RunArgs::default()).await?;
    bulk::conclude(&context.screen, RENAMED, items)
}

/// A domain that gets another name.
struct Renaming<'a> {
    context: &'a Context,
    args: &'a DomainRenameArgs,
    customer: CustomerId,
}

impl BulkOperation for Renaming<'_> {
    type Row = DomainRef;

    fn kind(&self) -> RunKind {
        RunKind {
            verb: OPERATION,
            scope: Scope::One,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<DomainRef>>, CliError> {
        let domain = references::domain(self.context, &self.args.domain).await?;
        let planned = match domain_names::normalized(&self.args.new) == domain.name {
            true => {
                let outcome = RowOutcome::Skipped(already_so(&domain));
                PlannedRow::settled(domain, outcome)
            }
            false => PlannedRow::send(domain),
        };
        Ok(vec![planned])
    }

    fn label(&self, domain: &DomainRef) -> Label {
        Label::of(&domain.name, Some(self.customer))
    }

    fn question(&self, _rows: &[&DomainRef]) -> Question {
        Question::none()
    }

    async fn apply(&self, domain: &DomainRef) -> Result<RowOutcome, CliError> {
        let planned = PlannedChange::new(format!("domain {}", domain.name))
            .of(Some(self.customer))
            .before(&domain.listed);
        let update = UpdateDomain::new(domain.id, self.args.new.as_str());
        let sent = self.context.session.change(update, planned).await;
        let sent = sent.map_err(|error| error.during(format!("renaming {}", domain.name)))?;
        Ok(sent.map_or(RowOutcome::Planned, |answered| {
            let old = &domain.name;
            let new = answered.response.data.domain.as_deref();
            let new = new.unwrap_or(self.args.new.as_str());
            let sentence = format!("Domain {old} was renamed to {new}; its history is kept.");
            Applied::answered(domain.id, &answered.response, sentence).changed()
        }))
    }
}

fn already_so(domain: &DomainRef) -> Applied {
    Applied {
        id: domain.id.to_string(),
        record: to_json(&domain.listed),
        note: Some("already has this name".to_owned()),
        sentence: format!(
            "Domain {} already has this name; nothing was changed.",
            domain.name
        ),
        ..Applied::default()
    }
}
