//! The four ways to pause, resume and end what is monitored, and what each is called.

use super::resource::ResourceKind;
use crate::bulk::VerbLabels;
use crate::session::prompt::ConfirmationLevel;

/// What is done to something monitored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// It is paused, and keeps what was found.
    Suspend,
    /// It goes on.
    Resume,
    /// It ends, and provisioning restores it.
    Terminate,
    /// A server leaves every read, and adding its address restores it.
    Delete,
}

impl Transition {
    /// The API's own word for it.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Suspend => "suspend",
            Self::Resume => "resume",
            Self::Terminate => "terminate",
            Self::Delete => "delete",
        }
    }

    /// What it is called while it is done.
    pub fn doing(self) -> &'static str {
        match self {
            Self::Suspend => "suspending",
            Self::Resume => "resuming",
            Self::Terminate => "terminating",
            Self::Delete => "deleting",
        }
    }

    /// What it is called when it is done.
    pub fn labels(self) -> VerbLabels {
        let (done, skipped) = match self {
            Self::Suspend => ("suspended", "already suspended"),
            Self::Resume => ("resumed", "already active"),
            Self::Terminate => ("terminated", "already terminated"),
            Self::Delete => ("deleted", "already deleted"),
        };
        VerbLabels { done, skipped }
    }

    /// Whether nothing is left of it in the lists afterwards.
    pub fn ends(self) -> bool {
        matches!(self, Self::Terminate | Self::Delete)
    }

    /// How hard it is to take back for one record.
    pub fn level(self, kind: ResourceKind) -> ConfirmationLevel {
        match (self, kind) {
            (Self::Resume, _) => ConfirmationLevel::Mild,
            (Self::Suspend, ResourceKind::Server | ResourceKind::Domain) => ConfirmationLevel::Mild,
            _ => ConfirmationLevel::Moderate,
        }
    }

    /// The operation, as it is remembered.
    pub fn operation(self, kind: ResourceKind) -> &'static str {
        use ResourceKind::{Domain, Server, Subscription};
        match (self, kind) {
            (Self::Suspend, Server) => "suspend_endpoint",
            (Self::Resume, Server) => "resume_endpoint",
            (Self::Terminate, Server) => "terminate_endpoint",
            (Self::Delete, Server) => "delete_endpoint",
            (Self::Suspend, Domain) => "suspend_domain",
            (Self::Resume, Domain) => "resume_domain",
            (Self::Terminate | Self::Delete, Domain) => "terminate_domain",
            (Self::Suspend, Subscription) => "suspend_subscription",
            (Self::Resume, Subscription) => "resume_subscription",
            (Self::Terminate | Self::Delete, Subscription) => "terminate_subscription",
        }
    }
}
