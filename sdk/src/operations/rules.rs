//! Allowed Ports rules (path name `whitelists`).

use http::Method;
use serde::Serialize;
use uuid::Uuid;

use super::{paged, setters};
use crate::envelope::Envelope;
use crate::model::{
    CustomerId, EndpointId, PortRange, Protocol, Rule, RuleId, RulePage, RuleScope, RuleStatus,
    RuleSummary,
};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Pages, Response, validate};

/// `GET /api/v1/whitelists/endpoint-summary`: how many rules each server of a customer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GetRuleSummary {
    /// The customer.
    pub billing_customer_id: CustomerId,
}

impl GetRuleSummary {
    /// The summary of this customer.
    pub fn new(billing_customer_id: CustomerId) -> Self {
        Self {
            billing_customer_id,
        }
    }
}

impl Operation for GetRuleSummary {
    type Output = RuleSummary;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "get_rule_summary",
        group: Group::AllowedPorts,
        method: Method::GET,
        path: "/api/v1/whitelists/endpoint-summary",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Resource,
    };
}

/// `GET /api/v1/whitelists`: the rules, a page at a time, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ListRules {
    /// Only rules that apply to this customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_customer_id: Option<CustomerId>,
    /// Only rules of this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_id: Option<EndpointId>,
    /// Only rules of this scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<RuleScope>,
    /// Only rules in force, or only expired ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<RuleStatus>,
    /// Rules per page, at least 1; 25 unless given, at most 100 (assumed).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_page: Option<u32>,
    /// Number of the page, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

impl ListRules {
    /// The first page of the whole account.
    pub fn new() -> Self {
        Self::default()
    }
}

setters!(ListRules {
    billing_customer_id: CustomerId,
    endpoint_id: EndpointId,
    scope: RuleScope,
    status: RuleStatus,
    per_page: u32,
    page: u32,
});
paged!(ListRules);

impl Operation for ListRules {
    type Output = RulePage;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "list_rules",
        group: Group::AllowedPorts,
        method: Method::GET,
        path: "/api/v1/whitelists",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Document,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        known_scope(problems, self.scope.as_ref());
        if matches!(self.status, Some(RuleStatus::Unknown(_))) {
            problems.add("status", "It must be `active` or `expired`.");
        }
        validate::at_least_one(problems, "per_page", self.per_page);
        validate::at_least_one(problems, "page", self.page);
    }
}

/// What a rule says; the body of [`CreateRule`] and [`UpdateRule`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RuleFields {
    /// The ports it allows, sent as `port_start` and `port_end`.
    #[serde(flatten)]
    pub ports: PortRange,
    /// The protocol, `*` for both.
    pub protocol: Protocol,
    /// A label for the service behind the ports, at most 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Why the ports may be open, 10 to 500 characters.
    pub justification: String,
    /// What it applies to. Where it is not set, the service derives it (create), or keeps the rule's own (update,
    /// assumed).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<RuleScope>,
    /// The server of an endpoint-scoped rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_id: Option<EndpointId>,
    /// Until when it allows: a date as in `2026-12-31`, that day included, or a timestamp with offset; after today.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// On a global rule its customer, without it the whole account (assumed); else an ownership check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_customer_id: Option<CustomerId>,
}

impl RuleFields {
    fn new(
        ports: PortRange,
        protocol: Protocol,
        justification: String,
        scope: Option<RuleScope>,
    ) -> Self {
        Self {
            ports,
            protocol,
            service: None,
            justification,
            scope,
            endpoint_id: None,
            expires_at: None,
            billing_customer_id: None,
        }
    }

    fn validate(&self, problems: &mut FieldErrors) {
        if matches!(self.protocol, Protocol::Unknown(_)) {
            problems.add("protocol", "It must be `tcp`, `udp` or `*`.");
        }
        validate::max_length(problems, "service", self.service.as_deref(), 100);
        validate::length_between(problems, "justification", &self.justification, 10, 500);
        known_scope(problems, self.scope.as_ref());
        if self.scope == Some(RuleScope::Endpoint) && self.endpoint_id.is_none() {
            problems.add(
                "endpoint_id",
                "It is required when the scope is `endpoint`.",
            );
        }
        validate::date(problems, "expires_at", self.expires_at.as_deref());
    }
}

fn known_scope(problems: &mut FieldErrors, scope: Option<&RuleScope>) {
    if matches!(scope, Some(RuleScope::Unknown(_))) {
        problems.add("scope", "It must be `global` or `endpoint`.");
    }
}

/// The setters that creating and updating a rule share.
macro_rules! rule_setters {
    ($request:ty) => {
        impl $request {
            /// Makes it a rule of this server alone: sets `endpoint_id`, and `scope` with it.
            #[must_use]
            pub fn endpoint_id(mut self, endpoint_id: EndpointId) -> Self {
                self.fields.endpoint_id = Some(endpoint_id);
                self.scope(RuleScope::Endpoint)
            }

            /// Sets `scope`.
            #[must_use]
            pub fn scope(mut self, scope: RuleScope) -> Self {
                self.fields.scope = Some(scope);
                self
            }

            /// Sets `service`.
            #[must_use]
            pub fn service(mut self, service: impl Into<String>) -> Self {
                self.fields.service = Some(service.into());
                self
            }

            /// Sets `expires_at`.
            #[must_use]
            pub fn expires_at(mut self, expires_at: impl Into<String>) -> Self {
                self.fields.expires_at = Some(expires_at.into());
                self
            }

            /// Sets `billing_customer_id`.
            #[must_use]
            pub fn billing_customer_id(mut self, billing_customer_id: CustomerId) -> Self {
                self.fields.billing_customer_id = Some(billing_customer_id);
                self
            }
        }
    };
}

/// `POST /api/v1/whitelists`: allows ports, and resolves the open alerts that the rule covers.
///
/// Errors: 403 when the server is another customer's; 422 when the range overlaps a rule of the same scope. It is not
/// idempotent: after a lost answer, read the list before creating it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CreateRule {
    /// What the rule says.
    #[serde(flatten)]
    pub fields: RuleFields,
}

impl CreateRule {
    /// A global rule, until [`endpoint_id`](CreateRule::endpoint_id) makes it one server's.
    pub fn new(ports: PortRange, protocol: Protocol, justification: impl Into<String>) -> Self {
        let scope = Some(RuleScope::Global);
        Self {
            fields: RuleFields::new(ports, protocol, justification.into(), scope),
        }
    }
}

rule_setters!(CreateRule);

impl Operation for CreateRule {
    type Output = Rule;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "create_rule",
        group: Group::AllowedPorts,
        method: Method::POST,
        path: "/api/v1/whitelists",
        safety: RetrySafety::Once,
        basis: Basis::Specified,
        envelope: Envelope::Resource,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        self.fields.validate(problems);
    }
}

/// `PUT /api/v1/whitelists/{whitelist}`: replaces what a rule says. A field that is left out gets the default of a
/// new rule, but a rule without `scope` and `endpoint_id` keeps its own (assumed).
///
/// Errors: 404; 422 when the range overlaps another rule of the same scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UpdateRule {
    /// The rule.
    #[serde(skip)]
    pub rule_id: RuleId,
    /// What it says from now on.
    #[serde(flatten)]
    pub fields: RuleFields,
}

impl UpdateRule {
    /// New content of a rule that stays with its server or scope.
    pub fn new(
        rule_id: RuleId,
        ports: PortRange,
        protocol: Protocol,
        justification: impl Into<String>,
    ) -> Self {
        Self {
            rule_id,
            fields: RuleFields::new(ports, protocol, justification.into(), None),
        }
    }
}

rule_setters!(UpdateRule);

impl Operation for UpdateRule {
    type Output = Rule;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "update_rule",
        group: Group::AllowedPorts,
        method: Method::PUT,
        path: "/api/v1/whitelists/{whitelist}",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Resource,
    };

    fn path_ids(&self) -> Vec<Uuid> {
        vec![self.rule_id.uuid()]
    }

    fn validate(&self, problems: &mut FieldErrors) {
        self.fields.validate(problems);
    }
}

/// `GET /api/v1/whitelists/{whitelist}`: one rule. Error: 404.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GetRule {
    /// The rule.
    #[serde(skip)]
    pub rule_id: RuleId,
    /// Finds it only when it is this customer's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_customer_id: Option<CustomerId>,
}

/// `DELETE /api/v1/whitelists/{whitelist}`: its ports raise alerts again at the next scan.
///
/// Error: 404. A 404 after an attempt whose answer was lost counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DeleteRule {
    /// The rule.
    #[serde(skip)]
    pub rule_id: RuleId,
    /// Finds it only when it is this customer's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_customer_id: Option<CustomerId>,
}

/// One line for each operation on a rule that exists.
macro_rules! on_one_rule {
    ($($request:ident -> $output:ty: $name:literal, $method:ident, $envelope:ident;)+) => {$(
        impl $request {
            /// The request for this rule, whoever owns it.
            pub fn new(rule_id: RuleId) -> Self {
                Self { rule_id, billing_customer_id: None }
            }
        }

        setters!($request { billing_customer_id: CustomerId });

        impl Operation for $request {
            type Output = $output;

            const INFO: &'static OperationInfo = &OperationInfo {
                name: $name,
                group: Group::AllowedPorts,
                method: Method::$method,
                path: "/api/v1/whitelists/{whitelist}",
                safety: RetrySafety::Repeatable,
                basis: Basis::Specified,
                envelope: Envelope::$envelope,
            };

            fn path_ids(&self) -> Vec<Uuid> {
                vec![self.rule_id.uuid()]
            }
        }
    )+};
}

on_one_rule! {
    GetRule -> Rule: "get_rule", GET, Resource;
    DeleteRule -> (): "delete_rule", DELETE, Empty;
}

/// Allowed Ports rules, from [`Client::rules`].
#[derive(Clone, Copy)]
pub struct Rules<'a>(&'a Client);

impl Client {
    /// Allowed Ports rules.
    pub fn rules(&self) -> Rules<'_> {
        Rules(self)
    }
}

impl Rules<'_> {
    /// How many rules each server of a customer has: [`GetRuleSummary`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn summary(self, customer: CustomerId) -> Result<Response<RuleSummary>, Error> {
        self.0.send(GetRuleSummary::new(customer)).await
    }

    /// The pages of a list: [`ListRules`].
    pub fn list(self, list: ListRules) -> Pages<ListRules> {
        self.0.pages(list)
    }

    /// Allows ports: [`CreateRule`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn create(self, rule: CreateRule) -> Result<Response<Rule>, Error> {
        self.0.send(rule).await
    }

    /// One rule: [`GetRule`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn get(self, rule: RuleId) -> Result<Response<Rule>, Error> {
        self.0.send(GetRule::new(rule)).await
    }

    /// Replaces what a rule says: [`UpdateRule`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn update(self, rule: UpdateRule) -> Result<Response<Rule>, Error> {
        self.0.send(rule).await
    }

    /// Takes a rule away: [`DeleteRule`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn delete(self, rule: RuleId) -> Result<Response<()>, Error> {
        self.0.send(DeleteRule::new(rule)).await
    }
}
