//! Domains by id or name. They belong to customers: there is no list of the account's.

use crate::context::Context;
use crate::error::CliError;
use secmon::model::{CustomerId, DomainId, MonitoredDomain};
use secmon::operations::{GetDomainSummary, ListDomains};
use uuid::Uuid;

/// A domain that an argument names; its name is known when a list was read.
#[derive(Debug, Clone)]
pub struct DomainRef {
    /// Its id.
    pub id: DomainId,
    /// Its name.
    pub name: Option<String>,
}

impl DomainRef {
    /// What it is called in sentences.
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.id.to_string())
    }
}

/// The monitored domains of a customer.
pub async fn all_domains(
    context: &Context,
    customer: CustomerId,
) -> Result<Vec<DomainRef>, CliError> {
    let overview = context.read(ListDomains::new(customer)).await?.into_data();
    let named = |domain: MonitoredDomain| DomainRef {
        id: domain.id,
        name: Some(domain.domain),
    };
    Ok(overview.domains.into_iter().map(named).collect())
}

/// Finds the domains that the arguments name, by id or name; all of them before any is acted on.
pub async fn domains(context: &Context, names: &[String]) -> Result<Vec<DomainRef>, CliError> {
    let mut known: Option<Vec<DomainRef>> = None;
    let mut found: Vec<DomainRef> = Vec::new();
    for name in names {
        let name = name.trim();
        if name.is_empty() {
            return Err(CliError::usage(
                "a domain is named by nothing: give its name or id",
            ));
        }
        let id = name.parse::<Uuid>().ok().map(DomainId::from);
        if known.is_none() && (id.is_none() || context.settings.customer.is_some()) {
            known = Some(all_domains(context, context.customer()?).await?);
        }
        let wanted = name.trim_end_matches('.').to_lowercase();
        let fits =
            |domain: &&DomainRef| Some(domain.id) == id || domain.name.as_deref() == Some(&wanted);
        let listed = known.iter().flatten().find(fits).cloned();
        let domain = match (listed, id) {
            (Some(domain), _) => domain,
            (None, Some(id)) => unlisted(context, id).await?,
            (None, None) => {
                return Err(
                    CliError::not_found(format!("no domain {name:?} of this customer"))
                        .hint("see the domains there are: `domain list`"),
                );
            }
        };
        found.push(domain);
    }
    Ok(found)
}

/// A terminated domain is in no list. With a customer it must be that customer's.
async fn unlisted(context: &Context, id: DomainId) -> Result<DomainRef, CliError> {
    let Some(customer) = context.settings.customer else {
        return Ok(DomainRef { id, name: None });
    };
    let summary = context.read(GetDomainSummary::new(id, customer)).await;
    let summary = summary
        .map_err(|error| error.during(format!("looking {id} up for customer {customer}")))?;
    Ok(DomainRef {
        id,
        name: Some(summary.into_data().domain),
    })
}
