//! What takes a change back, as the history keeps it with the change.

use secmon::model::{
    CustomerId, DomainId, EndpointId, PlanSlug, ProductSlug, Rule, RuleId, Scenario, ServiceId,
};
use serde::{Deserialize, Serialize};

/// What takes a change back.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum WayBack {
    /// Everything was so before: there is nothing to take back.
    Nothing,
    /// Rules that were made go.
    RemoveRules {
        /// Their ids.
        rules: Vec<RuleId>,
        /// Whose they are; none for one that may be the whole account's.
        customer: Option<CustomerId>,
    },
    /// A rule that was removed is made again.
    AddRule {
        /// As it was.
        rule: Box<Rule>,
        /// Whose it is.
        customer: CustomerId,
    },
    /// A rule that was changed becomes what it was.
    EditRule {
        /// As it was.
        rule: Box<Rule>,
        /// Whose it is; none for one that may be the whole account's.
        customer: Option<CustomerId>,
    },
    /// What was suspended is resumed.
    Resume(Switched),
    /// What was resumed is suspended.
    Suspend(Switched),
    /// A server gets its earlier name.
    RenameServer {
        /// The server.
        server: EndpointId,
        /// Whose it is.
        customer: CustomerId,
        /// Its earlier name.
        name: String,
    },
    /// A domain gets its earlier name.
    RenameDomain {
        /// The domain.
        domain: DomainId,
        /// Its earlier name.
        name: String,
    },
    /// The scenario of the account becomes what it was.
    SetScenario {
        /// The earlier one.
        scenario: Scenario,
    },
    /// A subscription gets its earlier plan or quantity.
    ChangeSubscription {
        /// Whose it is.
        customer: CustomerId,
        /// The service that pays.
        service: ServiceId,
        /// What it is for.
        product: ProductSlug,
        /// What it had.
        to: Capacity,
    },
}

/// How much a subscription pays for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capacity {
    /// What a plan includes.
    Plan(PlanSlug),
    /// So many slots.
    Quantity(u32),
}

/// What can be suspended and resumed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Switched {
    /// A server.
    Server {
        /// Its id.
        id: EndpointId,
    },
    /// A domain.
    Domain {
        /// Its id.
        id: DomainId,
    },
    /// A subscription.
    Subscription {
        /// Whose it is.
        customer: CustomerId,
        /// The service that pays.
        service: ServiceId,
        /// What it is for.
        product: ProductSlug,
    },
}
