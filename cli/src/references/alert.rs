//! An alert of either kind: what both have in common.

use crate::error::CliError;
use crate::state::records::AlertRecord;
use crate::ui::outcome::count_or_unknown;
use crate::ui::severity_rank;
use secmon::model::{
    CustomerId, DomainAlert, DomainAlertType, PortAlert, PortAlertStatus, Severity, Timestamp,
};
use secmon::watch::CustomerAlert;
use serde::Serialize;

/// An alert. As JSON it is what the API gives.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Alert {
    /// An open port that no rule allows.
    Port(Box<PortAlert>),
    /// A leak or a mention.
    Domain(Box<DomainAlert>),
}

impl Alert {
    /// An alert of a watch, if it is of a kind that is known here.
    pub fn of(alert: &CustomerAlert) -> Option<Self> {
        match alert {
            CustomerAlert::Port(alert) => Some(Self::Port(Box::new(alert.clone()))),
            CustomerAlert::Domain(alert) => Some(Self::Domain(Box::new(alert.clone()))),
            _ => None,
        }
    }

    /// Whether it is about an open port of a server.
    pub fn is_of_port(&self) -> bool {
        matches!(self, Self::Port(_))
    }

    /// The name that commands understand: an id, or `DOMAIN/ID`.
    pub fn handle(&self) -> String {
        match self {
            Self::Port(alert) => alert.id.to_string(),
            Self::Domain(alert) => {
                let domain = alert
                    .domain
                    .clone()
                    .unwrap_or_else(|| alert.monitored_domain_id.to_string());
                format!("{domain}/{}", alert.id)
            }
        }
    }

    /// The id alone.
    pub fn id(&self) -> String {
        match self {
            Self::Port(alert) => alert.id.to_string(),
            Self::Domain(alert) => alert.id.to_string(),
        }
    }

    /// How bad it is.
    pub fn severity(&self) -> Option<&Severity> {
        match self {
            Self::Port(alert) => alert.severity.as_ref(),
            Self::Domain(alert) => alert.severity.as_ref(),
        }
    }

    /// When it was raised.
    pub fn first_seen(&self) -> Option<&Timestamp> {
        match self {
            Self::Port(alert) => alert.first_detected_at.as_ref(),
            Self::Domain(alert) => alert.created_at.as_ref(),
        }
    }

    /// Its state.
    pub fn status(&self) -> String {
        match self {
            Self::Port(alert) => alert.status.to_string(),
            Self::Domain(alert) => alert.status.to_string(),
        }
    }

    /// What it is about, in a few words.
    pub fn about(&self) -> String {
        match self {
            Self::Port(alert) => {
                let service = alert
                    .service
                    .as_deref()
                    .map(|service| format!(" ({service})"))
                    .unwrap_or_default();
                format!("port {}/{}{service}", alert.port, alert.protocol)
            }
            Self::Domain(alert) => found(alert),
        }
    }

    /// What was found, in a few words.
    pub fn finding(&self) -> String {
        match self {
            Self::Port(_) => format!("open {}", self.about()),
            Self::Domain(_) => self.about(),
        }
    }

    /// What was found, in the service's words where it has some: they are those of an open alert.
    pub fn sentence(&self) -> String {
        match self {
            Self::Port(alert) if alert.status == PortAlertStatus::Resolved => {
                format!("Was open, and the alert is resolved: {}", self.about())
            }
            Self::Port(alert) => alert.title.clone().unwrap_or_else(|| self.finding()),
            Self::Domain(_) => self.finding(),
        }
    }

    /// What is kept in mind of it.
    pub fn record(&self, customer: CustomerId) -> AlertRecord {
        match self {
            Self::Port(alert) => AlertRecord::of_port(customer, alert),
            Self::Domain(alert) => AlertRecord::of_domain(customer, alert),
        }
    }

    /// The server or the domain.
    pub fn place(&self) -> Option<String> {
        match self {
            Self::Port(alert) => alert.ip_address.as_ref().map(ToString::to_string),
            Self::Domain(alert) => alert.domain.clone(),
        }
    }
}

/// What a scan found, and what the one before it had: a later alert counts what an earlier one did, and more.
fn found(alert: &DomainAlert) -> String {
    let (now, before) = (
        count_or_unknown(alert.new_count),
        count_or_unknown(alert.previous_count),
    );
    match &alert.kind {
        DomainAlertType::DarkWebMention => {
            format!("dark-web mentions: {now} (was {before})")
        }
        DomainAlertType::CredentialLeak => {
            let whose = alert
                .category
                .as_ref()
                .map(|category| format!(" of {}", category.to_string().replace('_', " ")))
                .unwrap_or_default();
            format!("leaked logins{whose}: {now} (was {before})")
        }
        other => format!("{other}: {now} (was {before})"),
    }
}

/// `high`, or `high+` for it and what is worse.
#[derive(Debug, Clone)]
pub struct SeverityFilter {
    severity: Severity,
    and_above: bool,
}

impl SeverityFilter {
    /// Reads what was typed.
    pub fn parse(text: &str) -> Result<Self, CliError> {
        let (name, and_above) = text
            .strip_suffix('+')
            .map_or((text, false), |name| (name, true));
        let severity = Severity::from(name.to_ascii_lowercase().as_str());
        if matches!(severity, Severity::Unknown(_)) {
            let known = "low, medium, high, critical (with + behind it: and above)";
            return Err(CliError::usage(format!(
                "--severity: {text:?} is unknown: use one of {known}"
            )));
        }
        Ok(Self {
            severity,
            and_above,
        })
    }

    /// Whether an alert of this severity is wanted.
    pub fn admits(&self, severity: Option<&Severity>) -> bool {
        severity.is_some_and(|severity| match self.and_above {
            true => severity_rank(severity) >= severity_rank(&self.severity),
            false => *severity == self.severity,
        })
    }
}
