//! Allowed Ports rules (path name `whitelists`).

use super::operation;
use crate::FieldErrors;
use crate::model::{
    CustomerId, EndpointId, Expiry, PortRange, Protocol, Rule, RuleId, RulePage, RuleScope,
    RuleStatus, RuleSummary,
};
use crate::validate::{at_least_one, length, most, one_of};

operation! {
    /// `GET /api/v1/whitelists/endpoint-summary`: how many rules each server of a customer has.
    get_rule_summary: GetRuleSummary -> RuleSummary = GET "/api/v1/whitelists/endpoint-summary",
    AllowedPorts, Repeatable, Specified, Resource;
    required {
        /// The customer.
        billing_customer_id: CustomerId,
    }
}

operation! {
    /// `GET /api/v1/whitelists`: the rules, a page at a time, oldest first.
    #[derive(Default)]
    list_rules: ListRules -> RulePage = GET "/api/v1/whitelists",
    AllowedPorts, Repeatable, Specified, Document;
    optional {
        /// Only rules that apply to this customer.
        billing_customer_id: CustomerId,
        /// Only rules of this server.
        endpoint_id: EndpointId,
        /// Only rules of this scope.
        scope: RuleScope [one_of(RuleScope::KNOWN)],
        /// Only rules in force, or only expired ones.
        status: RuleStatus [one_of(RuleStatus::KNOWN)],
        /// Rules per page, at least 1; 25 unless given, at most 100 (assumed).
        per_page: u32 [at_least_one],
        /// Number of the page, from 1.
        page: u32 [at_least_one],
    }
}

operation! {
    /// `POST /api/v1/whitelists`: allows ports, and resolves the open alerts that the rule covers.
    ///
    /// Made by [`for_endpoint`](CreateRule::for_endpoint), or by [`global`](CreateRule::global). Errors: 403 when the
    /// server is another customer's; 422 when the range overlaps a rule of the same scope. It is not idempotent: after
    /// a lost answer, read the list before creating it again.
    create_rule: CreateRule -> Rule = POST "/api/v1/whitelists",
    AllowedPorts, Once, Specified, Resource;
    required {
        /// What it applies to: one server, or all of a customer or of the account.
        scope: RuleScope [one_of(RuleScope::KNOWN)],
        /// The ports it allows, sent as `port_start` and `port_end`.
        #[serde(flatten)]
        ports: PortRange,
        /// The protocol, `*` for both.
        protocol: Protocol [one_of(Protocol::KNOWN)],
        /// Why the ports may be open, 10 to 500 characters.
        justification: String [length(10, 500)],
    }
    optional {
        /// The server of an endpoint-scoped rule.
        endpoint_id: EndpointId,
        /// A label for the service behind the ports, at most 100 characters.
        service: String [most(100)],
        /// Until when it allows; after today.
        expires_at: Expiry,
        /// On a global rule its customer, without it the whole account (assumed); else an ownership check.
        billing_customer_id: CustomerId,
    }
    check {
        |request, problems| needs_its_server(problems, Some(&request.scope), request.endpoint_id)
    }
}

impl CreateRule {
    /// A rule of one server.
    pub fn for_endpoint(
        endpoint_id: EndpointId,
        ports: PortRange,
        protocol: Protocol,
        justification: impl Into<String>,
    ) -> Self {
        Self::new(RuleScope::Endpoint, ports, protocol, justification).endpoint_id(endpoint_id)
    }

    /// A rule of every server: of one customer, where [`billing_customer_id`](CreateRule::billing_customer_id) is set,
    /// else of the whole account (assumed).
    pub fn global(ports: PortRange, protocol: Protocol, justification: impl Into<String>) -> Self {
        Self::new(RuleScope::Global, ports, protocol, justification)
    }
}

operation! {
    /// `PUT /api/v1/whitelists/{rule_id}`: replaces what a rule says. A field that is left out gets the default of a
    /// new rule, but a rule without `scope` and `endpoint_id` keeps its own (assumed).
    ///
    /// Errors: 404; 422 when the range overlaps another rule of the same scope.
    update_rule: UpdateRule -> Rule = PUT "/api/v1/whitelists/{rule_id}",
    AllowedPorts, Repeatable, Specified, Resource;
    required {
        /// The rule.
        rule_id: RuleId,
        /// The ports it allows, sent as `port_start` and `port_end`.
        #[serde(flatten)]
        ports: PortRange,
        /// The protocol, `*` for both.
        protocol: Protocol [one_of(Protocol::KNOWN)],
        /// Why the ports may be open, 10 to 500 characters.
        justification: String [length(10, 500)],
    }
    optional {
        /// What it applies to.
        scope: RuleScope [one_of(RuleScope::KNOWN)],
        /// The server of an endpoint-scoped rule.
        endpoint_id: EndpointId,
        /// A label for the service behind the ports, at most 100 characters.
        service: String [most(100)],
        /// Until when it allows; after today.
        expires_at: Expiry,
        /// An ownership check.
        billing_customer_id: CustomerId,
    }
    check {
        |request, problems| needs_its_server(problems, request.scope.as_ref(), request.endpoint_id)
    }
}

fn needs_its_server(
    problems: &mut FieldErrors,
    scope: Option<&RuleScope>,
    endpoint_id: Option<EndpointId>,
) {
    if scope == Some(&RuleScope::Endpoint) && endpoint_id.is_none() {
        problems.add(
            "endpoint_id",
            "It is required when the scope is `endpoint`.",
        );
    }
}

operation! {
    /// `GET /api/v1/whitelists/{rule_id}`: one rule. Error: 404.
    get_rule: GetRule -> Rule = GET "/api/v1/whitelists/{rule_id}",
    AllowedPorts, Repeatable, Specified, Resource;
    required {
        /// The rule.
        rule_id: RuleId,
    }
    optional {
        /// Finds it only when it is this customer's.
        billing_customer_id: CustomerId,
    }
}

operation! {
    /// `DELETE /api/v1/whitelists/{rule_id}`: its ports raise alerts again at the next scan.
    ///
    /// It is done by a 204 alone. Error: 404. A 404 after an attempt whose answer was lost counts as done.
    delete_rule: DeleteRule -> () = DELETE "/api/v1/whitelists/{rule_id}",
    AllowedPorts, Repeatable, Specified, Empty;
    required {
        /// The rule.
        rule_id: RuleId,
    }
    optional {
        /// Finds it only when it is this customer's.
        billing_customer_id: CustomerId,
    }
}
