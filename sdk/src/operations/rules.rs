//! Allowed Ports rules (path name `whitelists`).

use super::declaration::of_a_customer;
use super::declaration::operations;
use crate::FieldErrors;
use crate::model::{
    CustomerId, EndpointId, Expiry, PortRange, Protocol, Rule, RuleId, RulePage, RuleScope,
    RuleStatus, RuleSummary,
};
use crate::validate::{at_least_one, length, most, one_of};

operations! {
    {
        /// `GET /api/v1/whitelists/endpoint-summary`: how many rules each server of a customer has.
        get_rule_summary: GetRuleSummary -> RuleSummary = GET "/api/v1/whitelists/endpoint-summary",
        AllowedPorts, Repeatable, Specified, Resource;
        required {
            /// The customer.
            billing_customer_id: CustomerId,
        }
        accessors { Rules:
            /// How many rules each server of a customer has: [`GetRuleSummary`].
            call summary(customer: CustomerId);
        }
    }
    {
        account_wide
        /// `GET /api/v1/whitelists`: the rules, a page at a time, oldest first.
        list_rules: ListRules -> RulePage = GET "/api/v1/whitelists",
        AllowedPorts, Repeatable, Specified, Document;
        optional {
            /// Only rules that apply to this customer.
            billing_customer_id: CustomerId,
            /// Only rules of this server.
            endpoint_id: EndpointId,
            /// Only rules of this scope.
            scope: RuleScope [one_of(RuleScope::VARIANTS)],
            /// Only rules in force, or only expired ones.
            status: RuleStatus [one_of(RuleStatus::VARIANTS)],
            /// Rules per page, at least 1; 25 unless given, at most 100 (assumed).
            per_page: u32 [at_least_one],
            /// Number of the page, from 1.
            page: u32 [at_least_one],
        }
        answer {
            |request, answer, check| check.page("meta.current_page", request.page, answer.meta.current_page)
        }
        accessors { Rules:
            /// The rules that apply to a customer: [`ListRules`].
            pages list(customer: CustomerId);
            /// The rules of all customers: [`ListRules`].
            pages list_account_wide() = ListRules::account_wide();
        }
    }
    {
        private
        /// `POST /api/v1/whitelists`: allows ports, and resolves the open alerts that the rule covers.
        ///
        /// Made by [`for_endpoint`](CreateRule::for_endpoint), [`for_customer`](CreateRule::for_customer) or
        /// [`account_wide`](CreateRule::account_wide). Errors: 403 when the server is another customer's; 422 when the range
        /// overlaps a rule of the same scope. It is not idempotent: after a lost answer, read the list before creating it
        /// again.
        create_rule: CreateRule -> Rule = POST "/api/v1/whitelists",
        AllowedPorts, Once, Specified, Resource;
        required {
            /// What it applies to: one server, or all of a customer or of the account.
            scope: RuleScope [one_of(RuleScope::VARIANTS)],
            /// The ports it allows, sent as `port_start` and `port_end`.
            #[serde(flatten)]
            ports: PortRange,
            /// The protocol, `*` for both.
            protocol: Protocol [one_of(Protocol::VARIANTS)],
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
        answer {
            |request, answer, check| {
                let by_scope = request.endpoint_id.filter(|_| request.scope == RuleScope::Endpoint);
                // A rule of one server always has it (E8).
                check.present_if_asked("endpoint_id", by_scope.as_ref(), answer.endpoint_id.as_ref());
            }
        }
        accessors { Rules:
            /// Allows ports for a customer: [`CreateRule`].
            call create(customer: CustomerId, rule: CreateRule) = rule.billing_customer_id(customer);
            /// Allows ports as the rule says; a global one for the whole account (assumed): [`CreateRule`].
            call create_account_wide(rule: CreateRule) = rule;
        }
    }
    {
        /// `PUT /api/v1/whitelists/{rule_id}`: replaces the whole rule, where [`UpdateEndpoint`](super::UpdateEndpoint)
        /// changes only what it names. A field that is left out gets the default of a new rule, so that a rule sent without
        /// its `expires_at` allows for ever; but one without `scope` and `endpoint_id` keeps its own (assumed). To change a
        /// part of a rule, start [`from_rule`](UpdateRule::from_rule).
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
            protocol: Protocol [one_of(Protocol::VARIANTS)],
            /// Why the ports may be open, 10 to 500 characters.
            justification: String [length(10, 500)],
        }
        optional {
            /// What it applies to.
            scope: RuleScope [one_of(RuleScope::VARIANTS)],
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
        answer {
            |request, answer, check| {
                check.same("id", &request.rule_id, &answer.id);
                let by_scope = request.endpoint_id.filter(|_| request.scope != Some(RuleScope::Global));
                // A rule of one server always has it (E8).
                check.present_if_asked("endpoint_id", by_scope.as_ref(), answer.endpoint_id.as_ref());
            }
        }
        accessors { Rules:
            /// Replaces the whole of a customer's rule; [`UpdateRule::from_rule`] keeps what it says.
            call update(customer: CustomerId, rule: UpdateRule) = rule.billing_customer_id(customer);
            /// Replaces the whole of a rule, whoever owns it: [`UpdateRule`].
            call update_account_wide(rule: UpdateRule) = rule;
        }
    }
    {
        account_wide
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
        answer {
            |request, answer, check| check.same("id", &request.rule_id, &answer.id)
        }
        accessors { Rules:
            /// One rule of a customer: [`GetRule`].
            call get(customer: CustomerId, rule: RuleId);
            /// One rule, whoever owns it: [`GetRule`].
            call get_account_wide(rule: RuleId) = GetRule::account_wide(rule);
        }
    }
    {
        account_wide
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
        accessors { Rules:
            /// Takes a customer's rule away: [`DeleteRule`].
            call delete(customer: CustomerId, rule: RuleId);
            /// Takes a rule away, whoever owns it: [`DeleteRule`].
            call delete_account_wide(rule: RuleId) = DeleteRule::account_wide(rule);
        }
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

    /// A rule of every server of one customer.
    pub fn for_customer(
        customer: CustomerId,
        ports: PortRange,
        protocol: Protocol,
        justification: impl Into<String>,
    ) -> Self {
        Self::account_wide(ports, protocol, justification).billing_customer_id(customer)
    }

    /// A rule of every server of every customer (assumed).
    pub fn account_wide(
        ports: PortRange,
        protocol: Protocol,
        justification: impl Into<String>,
    ) -> Self {
        Self::new(RuleScope::Global, ports, protocol, justification)
    }
}

impl UpdateRule {
    /// The rule as it is, for a change of some of it; `None` when its ports, as the service sent them, are no range.
    ///
    /// What cannot be kept is refused as it is in a new rule: an answer without a justification, an expiry that is over. An
    /// expiry in a form that [`Timestamp`](crate::model::Timestamp) does not read is absent in a [`Rule`], and would be lost:
    /// [`raw_field`](crate::Response::raw_field) of the read tells whether there is one.
    ///
    /// ```
    /// # async fn keep(client: &secmon::Client, customer: secmon::model::CustomerId, id: secmon::model::RuleId)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// use secmon::operations::UpdateRule;
    ///
    /// let rule = client.rules().get(customer, id).await?.into_inner();
    /// let mut change = UpdateRule::from_rule(&rule).ok_or("a rule without ports")?.service("nginx");
    /// change.expires_at = None;
    /// client.rules().update(customer, change).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_rule(rule: &Rule) -> Option<Self> {
        let justification = rule.justification.clone().unwrap_or_default();
        Some(Self {
            service: rule.service.clone(),
            expires_at: rule.expires_at.clone().map(Expiry::from),
            ..Self::new(rule.id, rule.ports()?, rule.protocol.clone(), justification)
        })
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

of_a_customer! {
    ListRules();
    GetRule(rule: RuleId);
    DeleteRule(rule: RuleId);
}
