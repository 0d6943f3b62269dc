//! The groups of operations: what they have in common.

use secmon_engine::RateGroup;

/// How a group writes an error that has no string code of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorShape {
    /// The error envelope with a string code.
    Envelope,
    /// The error envelope with the status as its code.
    NumberedEnvelope,
    /// `error` alone, with the status as its code.
    BareNumber,
}

/// The groups of operations: what they have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Health,
    Provisioning,
    Sso,
    /// The landing page of sign-in tokens, which is no part of the partner API.
    SsoPage,
    DomainMonitoring,
    PortAlerts,
    AllowedPorts,
    Endpoints,
    Sandbox,
    FirewallIngest,
}

impl Group {
    /// The rate window that its calls count in (A10).
    pub(crate) fn window(self) -> Option<RateGroup> {
        match self {
            Self::Health | Self::SsoPage | Self::Sandbox => None,
            Self::Provisioning
            | Self::Sso
            | Self::DomainMonitoring
            | Self::PortAlerts
            | Self::FirewallIngest => Some(RateGroup::Strict),
            Self::AllowedPorts | Self::Endpoints => Some(RateGroup::Default),
        }
    }

    /// How it writes errors without a string code of their own (A11).
    pub(crate) fn error_shape(self) -> ErrorShape {
        match self {
            Self::Health
            | Self::Provisioning
            | Self::Sso
            | Self::SsoPage
            | Self::DomainMonitoring
            | Self::Sandbox
            | Self::FirewallIngest => ErrorShape::Envelope,
            Self::PortAlerts => ErrorShape::NumberedEnvelope,
            Self::AllowedPorts | Self::Endpoints => ErrorShape::BareNumber,
        }
    }

    /// Whether the called host must be the key's portal domain (A4).
    pub(crate) fn checks_host(self) -> bool {
        matches!(self, Self::Provisioning | Self::Sso)
    }
}
