//! Firewall ingest (E13).

use http::StatusCode;
use secmon_engine::{FirewallFormat, IngestFirewall};

use super::context::Context;
use super::customer;
use super::problem::Problem;
use super::reply::{self, Reply};
use crate::values::fields::{Fields, Raw, readers};

/// The longest dump, in bytes.
const LONGEST_DUMP: usize = 256 * 1024;

/// `POST /firewall/ingest`.
pub(crate) fn ingest(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let endpoint = fields.required("endpoint_id", readers::uuid);
    let client = fields.required("billing_customer_id", customer::number);
    let content = fields.required("content", dump);
    let formats = "iptables, nftables, ufw, firewalld";
    let format = fields.optional("format", readers::named(FirewallFormat::from_name, formats));
    let request = fields.finish(|| {
        Some(IngestFirewall {
            endpoint: endpoint?,
            client: client?,
            content: content?,
            format,
        })
    })?;
    let ingested = context.account.at(context.call).ingest_firewall(&request)?;
    Ok(reply::success(StatusCode::OK, ingested, context.now()))
}

fn dump(raw: Raw) -> readers::Read<String> {
    let text = readers::string(raw)?;
    if text.len() <= LONGEST_DUMP {
        Ok(text.to_owned())
    } else {
        Err("must be at most 256 KiB.".to_owned())
    }
}
