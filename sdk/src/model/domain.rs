//! The monitored domain, and what was found about it.

use std::fmt;

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::ids::{DomainAlertId, DomainId, MentionId, ScanId};
use super::paging::counted_page;
use super::timestamp::Timestamp;
use super::tolerant::record;
use super::values::{
    DomainAlertStatus, DomainAlertType, DomainStatus, LeakCategory, ScanStatus, Severity,
};
use crate::redact::MASK;

record! {
    /// A monitored domain; the list and the summary each send a part of the fields.
    MonitoredDomain {
        /// Its identifier.
        id: DomainId,
        /// Its name, at most 253 characters.
        domain: String,
        /// State of its monitoring.
        status: DomainStatus,
        /// How the last scan ended.
        scan_status: Option<ScanStatus>,
        /// When the last scan ended.
        last_scan_at: Option<Timestamp>,
        /// When the dark web was last searched; summary only.
        #[serde(skip_serializing_if = "Option::is_none")]
        dark_web_last_scan_at: Option<Timestamp>,
        /// Compromised credentials of employees.
        employees_compromised: Option<u64>,
        /// Compromised credentials of customers.
        customers_compromised: Option<u64>,
        /// Compromised credentials of third parties.
        third_parties_compromised: Option<u64>,
        /// Mentions on the dark web.
        dark_web_mentions_count: Option<u64>,
        /// How strong the leaked passwords are, its members as they came; none until there is enough data. Summary only.
        #[serde(skip_serializing_if = "Option::is_none")]
        password_strength: Option<Map<String, Value>>,
        /// Slots in use; summary only.
        #[serde(skip_serializing_if = "Option::is_none")]
        slots_used: Option<u64>,
        /// Slots there are; summary only.
        #[serde(skip_serializing_if = "Option::is_none")]
        slots_total: Option<u64>,
        /// Path of its page in the portal.
        portal_detail_path: Option<String>,
        /// When the record was made; summary only.
        #[serde(skip_serializing_if = "Option::is_none")]
        created_at: Option<Timestamp>,
        /// Whether the platform paused it for want of capacity; absent where the service does not tell.
        #[serde(skip_serializing_if = "Option::is_none")]
        quota_paused: Option<bool>,
    }
}

record! {
    masked
    /// An alert of a domain. `Debug` does not show its details.
    DomainAlert {
        /// Its identifier.
        id: DomainAlertId,
        /// The domain.
        monitored_domain_id: DomainId,
        /// The domain's name when the alert was raised.
        domain: Option<String>,
        /// What it is about.
        #[serde(rename = "type")]
        kind: DomainAlertType,
        /// Who is concerned.
        category: Option<LeakCategory>,
        /// How severe it is.
        severity: Option<Severity>,
        /// How many findings there are now.
        new_count: Option<u64>,
        /// How many there were before.
        previous_count: Option<u64>,
        /// Its state.
        status: DomainAlertStatus,
        /// Details, their members as they came.
        details: Option<Map<String, Value>>,
        /// What it means in plain words; in the read of one alert only.
        #[serde(skip_serializing_if = "Option::is_none")]
        explanation: Option<String>,
        /// When it was raised.
        created_at: Option<Timestamp>,
        /// When somebody acknowledged it.
        acknowledged_at: Option<Timestamp>,
        /// When it was resolved.
        resolved_at: Option<Timestamp>,
    }
}

record! {
    masked
    /// A mention of a domain on the dark web. `Debug` shows neither its title nor its text.
    Mention {
        /// Its identifier.
        id: MentionId,
        /// Its title.
        title: Option<String>,
        /// The start of its text.
        content_preview: Option<String>,
        /// Where it was found.
        source_name: Option<String>,
        /// Who wrote it.
        author: Option<String>,
        /// When it was published.
        published_at: Option<Timestamp>,
        /// Whether it has not been read yet.
        is_new: Option<bool>,
        /// When it was found.
        created_at: Option<Timestamp>,
    }
}

/// Implements `Debug` with a mask for members that may quote what was leaked.
macro_rules! debug_masking {
    ($name:ident: $($masked:ident),+; $($shown:ident),+) => {
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($shown), &self.$shown))+
                    $(.field(stringify!($masked), &self.$masked.as_ref().map(|_| MASK)))+
                    .finish()
            }
        }
    };
}

debug_masking! {
    DomainAlert: details;
    id, monitored_domain_id, domain, kind, category, severity, new_count, previous_count, status, explanation,
    created_at, acknowledged_at, resolved_at
}

debug_masking! {
    Mention: title, content_preview;
    id, source_name, author, published_at, is_new, created_at
}

record! {
    /// A past scan of a domain.
    DomainScan {
        /// Its identifier.
        id: ScanId,
        /// How it ended.
        status: ScanStatus,
        /// Compromised credentials of employees.
        employees_compromised: Option<u64>,
        /// Compromised credentials of customers.
        customers_compromised: Option<u64>,
        /// Compromised credentials of third parties.
        third_parties_compromised: Option<u64>,
        /// When it ended.
        created_at: Option<Timestamp>,
    }
}

/// A leaked credential. Its fields vary by source and are kept as they came; `Debug` shows none of them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LeakRecord(#[serde(deserialize_with = "not_null")] Map<String, Value>);

impl LeakRecord {
    /// A field of the record.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.0.get(field)
    }

    /// All fields.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl IntoIterator for LeakRecord {
    type Item = (String, Value);
    type IntoIter = serde_json::map::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Debug for LeakRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LeakRecord(****)")
    }
}

counted_page! {
    /// One page of a domain's alerts.
    DomainAlertPage {
        /// The alerts, newest first.
        alerts: DomainAlert
    }
}

counted_page! {
    /// One page of a domain's mentions on the dark web.
    MentionPage {
        /// The mentions, newest first.
        mentions: Mention
    }
}

/// A null is no record without members.
fn not_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    let members = Option::deserialize(deserializer)?;
    members.ok_or_else(|| D::Error::invalid_type(Unexpected::Unit, &"an object"))
}
