//! The domain that an argument names.

use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, DomainRef};
use clap::Args;
use secmon::model::CustomerId;

/// A domain.
#[derive(Debug, Args)]
pub struct DomainArg {
    /// The domain: name or id
    pub domain: String,
}

/// The domain that an argument names, and its customer.
pub async fn one(context: &Context, name: &str) -> Result<(DomainRef, CustomerId), CliError> {
    let customer = references::customer_of_domains(context, &[name.to_owned()])?;
    Ok((references::domain(context, name).await?, customer))
}
