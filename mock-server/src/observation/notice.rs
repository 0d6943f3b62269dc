//! A notice, and what of a call notices are made from (M10).

use std::fmt;
use std::str::FromStr;

use secmon_engine::{ClientId, Product, ServiceId, SubscriptionRef};
use serde::Serialize;

use crate::values::nearest::nearest;

/// Something about a call that its answer does not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Notice {
    /// What kind of carelessness it is, such as `no_customer`: `docs/behaviours.md` lists the codes.
    pub code: &'static str,
    /// What was seen, in which account, and what to do about it.
    pub sentence: String,
}

impl Notice {
    /// A notice about a call of this account, where it has one.
    pub(crate) fn new(code: NoticeCode, account: Option<&str>, sentence: &str) -> Self {
        let whose = account.map_or_else(String::new, |name| format!("account {name}: "));
        Self {
            code: code.name(),
            sentence: format!("{whose}{sentence}"),
        }
    }

    /// Whether staff hear of it as well.
    pub(crate) fn concerns_staff(&self) -> bool {
        let code: Result<NoticeCode, _> = self.code.parse();
        code.is_ok_and(NoticeCode::concerns_staff)
    }
}

/// The kinds of notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoticeCode {
    UnknownField,
    UnknownParameter,
    NoCustomer,
    AccountWideRule,
    WideRule,
    UnsafeRepeat,
    ChangedRepeat,
    TooEarly,
    TightPolling,
    FirstPageOnly,
    RejectedKey,
    IgnoredSandbox,
    ForcedChange,
    StaleToken,
    UnverifiedTls,
    RefusedRepeat,
    PastTheEnd,
    RecreatedSubscription,
    TwoNamespaces,
    NoSuchPath,
    RuleLostItsEnd,
    RevivedBySync,
    UnusedTokens,
    PiecemealSync,
}

impl NoticeCode {
    pub(crate) const ALL: [Self; 24] = [
        Self::UnknownField,
        Self::UnknownParameter,
        Self::NoCustomer,
        Self::AccountWideRule,
        Self::WideRule,
        Self::UnsafeRepeat,
        Self::ChangedRepeat,
        Self::TooEarly,
        Self::TightPolling,
        Self::FirstPageOnly,
        Self::RejectedKey,
        Self::IgnoredSandbox,
        Self::ForcedChange,
        Self::StaleToken,
        Self::UnverifiedTls,
        Self::RefusedRepeat,
        Self::PastTheEnd,
        Self::RecreatedSubscription,
        Self::TwoNamespaces,
        Self::NoSuchPath,
        Self::RuleLostItsEnd,
        Self::RevivedBySync,
        Self::UnusedTokens,
        Self::PiecemealSync,
    ];

    /// Whether staff hear of it as well: it tells of a mistake in a program, whoever uses that.
    pub(crate) fn concerns_staff(self) -> bool {
        matches!(
            self,
            Self::UnknownField
                | Self::UnknownParameter
                | Self::UnsafeRepeat
                | Self::ChangedRepeat
                | Self::TooEarly
        )
    }

    /// Its name in the admin API and on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::UnknownField => "unknown_field",
            Self::UnknownParameter => "unknown_parameter",
            Self::NoCustomer => "no_customer",
            Self::AccountWideRule => "account_wide_rule",
            Self::WideRule => "wide_rule",
            Self::UnsafeRepeat => "unsafe_repeat",
            Self::ChangedRepeat => "changed_repeat",
            Self::TooEarly => "too_early",
            Self::TightPolling => "tight_polling",
            Self::FirstPageOnly => "first_page_only",
            Self::RejectedKey => "rejected_key",
            Self::IgnoredSandbox => "ignored_sandbox",
            Self::ForcedChange => "forced_change",
            Self::StaleToken => "stale_token",
            Self::UnverifiedTls => "unverified_tls",
            Self::RefusedRepeat => "refused_repeat",
            Self::PastTheEnd => "past_the_end",
            Self::RecreatedSubscription => "recreated_subscription",
            Self::TwoNamespaces => "two_namespaces",
            Self::NoSuchPath => "no_such_path",
            Self::RuleLostItsEnd => "rule_lost_its_end",
            Self::RevivedBySync => "revived_by_sync",
            Self::UnusedTokens => "unused_tokens",
            Self::PiecemealSync => "piecemeal_sync",
        }
    }
}

impl fmt::Display for NoticeCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for NoticeCode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let found = Self::ALL.into_iter().find(|code| code.name() == text);
        found.ok_or_else(|| {
            let codes = Self::ALL.map(Self::name);
            let meant = nearest(text, codes);
            let meant = meant.map_or_else(String::new, |name| format!("did you mean {name}? "));
            format!(
                "there is no notice {text}; {meant}There are {}",
                codes.join(", ")
            )
        })
    }
}

/// What an operation saw in its request or did, and its answer does not tell plainly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// A page of a list was shown.
    Page { number: u64, last: u64 },
    /// The rule that was made or changed holds for every customer of the account.
    AccountWideRule,
    /// The rule that was removed held for every customer of the account.
    AccountWideRuleRemoved,
    /// The rule that was made or changed allows this many ports.
    RulePorts(usize),
    /// The rule that was changed had an end, which was not sent again, and has none now.
    RuleLostItsEnd,
    /// terminate-subscription ended a contract line that had not ended.
    LineEnded(ContractLine),
    /// provision-subscription made a contract line, or found it.
    LineProvisioned(ContractLine),
    /// sync-services took a contract line that had ended for one that goes on.
    LineRevived(ContractLine),
    /// A change was asked for although records no longer fit.
    ForcedChange,
    /// A sign-in token of the account was used up.
    SignedIn,
    /// A sign-in token of the account was used before, or has expired.
    StaleToken,
    /// A subscription that was cancelled a moment ago is active again, with another plan or quantity, and its customer kept
    /// what it was for.
    RecreatedSubscription,
}

/// A contract line of the partner's billing system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContractLine {
    pub(crate) client: ClientId,
    pub(crate) service: ServiceId,
    pub(crate) product: Product,
}

impl ContractLine {
    /// The line that a call named; none where it names no product of ours.
    pub(crate) fn of(named: &SubscriptionRef) -> Option<Self> {
        Some(Self {
            client: named.client,
            service: named.service,
            product: Product::from_slug(&named.product)?,
        })
    }
}
