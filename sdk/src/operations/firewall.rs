//! Firewall ingest. The specification names this operation without its shape; all here is assumed (E13).

use super::declaration::operations;
use crate::model::tolerant::record;
use crate::model::{CustomerId, EndpointId, FirewallFormat, Rule};
use crate::validate::one_of;

/// Longest dump, in bytes.
const LONGEST_DUMP: usize = 256 * 1024;

operations! {
    {
        /// `POST /api/v1/firewall/ingest` (assumed): turns the ports that a firewall lets in into Allowed Ports rules of a
        /// server. Error: `ENDPOINT_NOT_FOUND`; 422 when nothing can be read as the format.
        ingest_firewall: IngestFirewall -> FirewallIngest = POST "/api/v1/firewall/ingest",
        Firewall, Once, Assumed, Success;
        required {
            /// The customer who owns the server.
            billing_customer_id: CustomerId,
            /// The server.
            endpoint_id: EndpointId,
            /// The dump as the tool printed it, at most 256 KiB.
            content: String [dump],
        }
        optional {
            /// Its format; recognised by its content when not given.
            format: FirewallFormat [one_of(FirewallFormat::VARIANTS)],
        }
        answer {
            |_, answer, check| check.some_member("format", &[
                answer.format.is_some(),
                answer.parsed_rules.is_some(),
                answer.suggested.is_some(),
                answer.skipped.is_some(),
            ])
        }
        accessors { Rules:
            /// Turns a firewall dump into rules of a server: [`IngestFirewall`].
            call ingest_firewall(dump: IngestFirewall) = dump;
        }
    }
}

fn dump(content: &str) -> Option<String> {
    match content.len() {
        0 => Some("It is required.".to_owned()),
        1..=LONGEST_DUMP => None,
        _ => Some("It may have at most 256 KiB.".to_owned()),
    }
}

record! {
    /// What was read from a firewall dump (assumed).
    FirewallIngest {
        /// The format it was read as.
        format: Option<FirewallFormat>,
        /// How many ranges of ports the firewall lets in.
        parsed_rules: Option<u64>,
        /// The rules that were made; `None` where the answer does not tell.
        suggested: Option<Vec<Rule>>,
        /// The lines that gave none; `None` where the answer does not tell.
        skipped: Option<Vec<SkippedLine>>,
    }
}

record! {
    /// A line of a dump that gave no rule (assumed).
    SkippedLine {
        /// Its number, from 1.
        line: u64,
        /// Why.
        reason: String,
    }
}
