//! Firewall ingest. The specification names this operation without its shape; all here is assumed (E13).

use http::Method;
use serde::{Deserialize, Serialize};

use super::setters;
use crate::envelope::Envelope;
use crate::model::tolerant::null_as_default;
use crate::model::{CustomerId, EndpointId, FirewallFormat, Rule};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Response};

/// Longest dump, in bytes.
const LONGEST_DUMP: usize = 256 * 1024;

/// `POST /api/v1/firewall/ingest` (assumed): turns the ports that a firewall lets in into Allowed Ports rules of a
/// server. Error: `ENDPOINT_NOT_FOUND`; 422 when nothing can be read as the format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IngestFirewall {
    /// The server.
    pub endpoint_id: EndpointId,
    /// The customer who owns it.
    pub billing_customer_id: CustomerId,
    /// The dump as the tool printed it, at most 256 KiB.
    pub content: String,
    /// Its format; recognised by its content when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<FirewallFormat>,
}

impl IngestFirewall {
    /// A dump of this customer's server.
    pub fn new(
        endpoint_id: EndpointId,
        billing_customer_id: CustomerId,
        content: impl Into<String>,
    ) -> Self {
        Self {
            endpoint_id,
            billing_customer_id,
            content: content.into(),
            format: None,
        }
    }
}

setters!(IngestFirewall {
    format: FirewallFormat
});

impl Operation for IngestFirewall {
    type Output = FirewallIngest;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "ingest_firewall",
        group: Group::Firewall,
        method: Method::POST,
        path: "/api/v1/firewall/ingest",
        safety: RetrySafety::Once,
        basis: Basis::Assumed,
        envelope: Envelope::Success,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        if self.content.is_empty() {
            problems.add("content", "It is required.");
        }
        if self.content.len() > LONGEST_DUMP {
            problems.add("content", "It may have at most 256 KiB.");
        }
        if matches!(self.format, Some(FirewallFormat::Unknown(_))) {
            problems.add(
                "format",
                "It must be `iptables`, `nftables`, `ufw` or `firewalld`.",
            );
        }
    }
}

/// What was read from a firewall dump (assumed).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FirewallIngest {
    /// The format it was read as.
    #[serde(default)]
    pub format: Option<FirewallFormat>,
    /// How many ranges of ports the firewall lets in.
    #[serde(default, deserialize_with = "null_as_default")]
    pub parsed_rules: u64,
    /// The rules that were made.
    #[serde(default, deserialize_with = "null_as_default")]
    pub suggested: Vec<Rule>,
    /// The lines that gave none.
    #[serde(default, deserialize_with = "null_as_default")]
    pub skipped: Vec<SkippedLine>,
}

/// A line of a dump that gave no rule (assumed).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SkippedLine {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
}

impl Client {
    /// Turns a firewall dump into rules: [`IngestFirewall`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn ingest_firewall(
        &self,
        dump: IngestFirewall,
    ) -> Result<Response<FirewallIngest>, Error> {
        self.send(dump).await
    }
}
