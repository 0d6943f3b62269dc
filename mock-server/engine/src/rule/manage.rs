//! Allowed Ports: list, create, read, update, delete.

use uuid::Uuid;

use crate::ids::Kind;
use crate::named::named;
use crate::page::{Page, Paged};
use crate::refusal::{Done, Refusal};
use crate::rule::view::RuleView;
use crate::session::Session;
use crate::state::{EndpointNo, Origin, Rule, RuleNo, Scope, next_number};
use crate::time::Expiry;
use crate::values::{ClientId, PortRange, RuleProtocol};

/// The body of a rule's create and update.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleRequest {
    /// `billing_customer_id`: the owner of a new global rule, else a check.
    pub client: Option<ClientId>,
    /// Where it applies.
    pub scope: RuleScope,
    /// The ports.
    pub ports: PortRange,
    /// The protocols.
    pub protocol: RuleProtocol,
    /// A label.
    pub service: Option<String>,
    /// Why.
    pub justification: String,
    /// When it ends, from [`crate::parse_expiry`].
    pub expires_at: Option<Expiry>,
}

/// What the body says about the scope of a rule (E8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleScope {
    /// `global`; an `endpoint_id` next to it is not looked at.
    Global,
    /// `endpoint`, or an `endpoint_id` alone.
    Endpoint(Uuid),
    /// Neither: global for a new rule, as it is for an old one (E10).
    Unstated,
}

/// Whether a rule is past its expiry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleStatus {
    /// It still allows something.
    Active,
    /// It does not.
    Expired,
}

named!(RuleStatus {
    Active = "active",
    Expired = "expired",
});

/// Which rules are asked for. A filter that names nothing of the customer's
/// matches nothing (A12).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListRules {
    /// This customer's, and the account-wide ones.
    pub client: Option<ClientId>,
    /// Of this server only.
    pub endpoint: Option<Uuid>,
    /// Of this scope only.
    pub scope: Option<ScopeFilter>,
    /// In this state only.
    pub status: Option<RuleStatus>,
    /// The page.
    pub page: Page,
}

/// The `scope` filter of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopeFilter {
    /// Customer-wide and account-wide rules.
    Global,
    /// Rules of one server each.
    Endpoint,
}

named!(ScopeFilter {
    Global = "global",
    Endpoint = "endpoint",
});

impl ScopeFilter {
    fn matches(self, scope: Scope) -> bool {
        matches!(scope, Scope::Endpoint(_)) == (self == Self::Endpoint)
    }
}

impl Session<'_> {
    /// `GET /whitelists`: a page of rules, oldest first.
    pub fn list_rules(&mut self, request: ListRules) -> Paged<RuleView> {
        let customer = request.client.map(|client| self.customer(client));
        let endpoint = request.endpoint.map(|id| self.known_endpoint(id));
        let matching = self.records.rules.iter().filter(|(_, rule)| {
            let owner = self.scope_owner(rule.scope);
            customer.is_none_or(|customer| owner.is_none() || owner == customer)
                && endpoint.is_none_or(|endpoint| endpoint.map(Scope::Endpoint) == Some(rule.scope))
                && request.scope.is_none_or(|scope| scope.matches(rule.scope))
                && request
                    .status
                    .is_none_or(|status| rule.is_active(self.now) == (status == RuleStatus::Active))
        });
        Paged::of(matching.map(|(number, _)| *number), request.page)
            .map(|number| self.rule_view(number))
    }

    /// `POST /whitelists`: a new rule, which resolves the open alerts that it
    /// covers.
    ///
    /// # Errors
    ///
    /// [`Refusal::Invalid`] on `endpoint_id` when no live server has it, on
    /// `port_start` when the rule overlaps another one (E7);
    /// [`Refusal::AccessDenied`] when the server is another customer's.
    pub fn create_rule(&mut self, request: RuleRequest) -> Result<Done<RuleView>, Refusal> {
        let scope = match request.scope {
            RuleScope::Endpoint(id) => Scope::Endpoint(self.rule_endpoint(id, request.client)?),
            RuleScope::Global | RuleScope::Unstated => match request.client {
                Some(client) => Scope::Customer(self.recorded_customer(client)),
                None => Scope::Account,
            },
        };
        self.require_no_overlap(scope, request.ports, request.protocol, None)?;
        let now = self.now;
        let rule = Rule {
            scope,
            ports: request.ports,
            protocol: request.protocol,
            service: request.service.map(String::into_boxed_str),
            justification: request.justification.into_boxed_str(),
            origin: Origin::Manual,
            expires_at: request.expires_at,
            created_by: self.call.key,
            created_at: now,
            updated_at: now,
        };
        let number = self.add_rule(rule);
        Ok(Done::created(self.rule_view(number)))
    }

    /// Records a new rule and resolves what it covers.
    pub(crate) fn add_rule(&mut self, rule: Rule) -> RuleNo {
        let number = RuleNo(next_number(&mut self.records.controls.edit().rules));
        self.resolve_covered(&rule);
        self.put_rule(number, rule);
        number
    }

    /// `GET /whitelists/{whitelist}`: one rule.
    ///
    /// # Errors
    ///
    /// [`Refusal::RuleNotFound`], also when it is not the given customer's.
    pub fn rule(&mut self, rule: Uuid, client: Option<ClientId>) -> Result<RuleView, Refusal> {
        let number = self.known_rule(rule)?;
        let owner = self.rule_owner(number);
        if client.is_some() && owner.is_some() && client != owner {
            return Err(Refusal::RuleNotFound);
        }
        Ok(self.rule_view(number))
    }

    /// `PUT /whitelists/{whitelist}`: replaces a rule (E10).
    ///
    /// # Errors
    ///
    /// As for [`Session::create_rule`]; [`Refusal::RuleNotFound`], also when
    /// it is not the given customer's to change (E8).
    pub fn update_rule(
        &mut self,
        rule: Uuid,
        request: RuleRequest,
    ) -> Result<Done<RuleView>, Refusal> {
        let number = self.changeable_rule(rule, request.client)?;
        let old = &self.records.rules[&number];
        let scope = match request.scope {
            RuleScope::Unstated => old.scope,
            RuleScope::Endpoint(id) => Scope::Endpoint(self.rule_endpoint(id, request.client)?),
            RuleScope::Global => match self.scope_owner(old.scope) {
                Some(customer) => Scope::Customer(customer),
                None => Scope::Account,
            },
        };
        self.require_no_overlap(scope, request.ports, request.protocol, Some(number))?;
        let new = Rule {
            scope,
            ports: request.ports,
            protocol: request.protocol,
            service: request.service.map(String::into_boxed_str),
            justification: request.justification.into_boxed_str(),
            expires_at: request.expires_at,
            updated_at: self.now,
            ..self.records.rules[&number].clone()
        };
        self.resolve_covered(&new);
        self.put_rule(number, new);
        Ok(Done::changed(self.rule_view(number)))
    }

    /// `DELETE /whitelists/{whitelist}`: removes a rule. Its ports raise
    /// alerts again at the next scan.
    ///
    /// # Errors
    ///
    /// [`Refusal::RuleNotFound`], also when it is not the given customer's to
    /// change (E8).
    pub fn delete_rule(&mut self, rule: Uuid, client: Option<ClientId>) -> Result<(), Refusal> {
        let number = self.changeable_rule(rule, client)?;
        self.remove_rule(number);
        Ok(())
    }

    /// Whether there is a rule with this id that holds for every customer of
    /// the account.
    pub fn is_account_wide_rule(&self, rule: Uuid) -> bool {
        self.known_rule(rule)
            .is_ok_and(|number| self.rule_owner(number).is_none())
    }

    fn known_rule(&self, rule: Uuid) -> Result<RuleNo, Refusal> {
        self.ids
            .number(Kind::Rule, rule)
            .map(RuleNo)
            .filter(|number| self.records.rules.contains_key(number))
            .ok_or(Refusal::RuleNotFound)
    }

    /// A rule that a call with this `billing_customer_id` may change: the
    /// customer's own, or any when none is given (E8).
    fn changeable_rule(&self, rule: Uuid, client: Option<ClientId>) -> Result<RuleNo, Refusal> {
        let number = self.known_rule(rule)?;
        if client.is_some() && client != self.rule_owner(number) {
            return Err(Refusal::RuleNotFound);
        }
        Ok(number)
    }

    fn rule_owner(&self, number: RuleNo) -> Option<ClientId> {
        let owner = self.scope_owner(self.records.rules[&number].scope)?;
        Some(self.records.customers[owner].client_id)
    }

    /// A server with this id, whatever became of it: its rules stay (B14).
    fn known_endpoint(&self, id: Uuid) -> Option<EndpointNo> {
        let number = EndpointNo(self.ids.number(Kind::Endpoint, id)?);
        self.records.endpoints.get(number).map(|_| number)
    }

    /// The live server that a rule's body names (A12).
    fn rule_endpoint(&self, id: Uuid, client: Option<ClientId>) -> Result<EndpointNo, Refusal> {
        let number = self.live_endpoint(id).map_err(|_| {
            Refusal::invalid(
                "endpoint_id",
                "The endpoint_id field must name an endpoint of the account.",
            )
        })?;
        match client {
            Some(client) if client != self.owner(number) => Err(Refusal::AccessDenied),
            _ => Ok(number),
        }
    }

    fn require_no_overlap(
        &self,
        scope: Scope,
        ports: PortRange,
        protocol: RuleProtocol,
        except: Option<RuleNo>,
    ) -> Result<(), Refusal> {
        let rules = self.index.rules.get(&scope);
        let taken = rules.and_then(|rules| rules.overlapping(ports, protocol, self.now, except));
        let taken = taken.and_then(|number| self.records.rules.get(&number));
        match taken {
            None => Ok(()),
            Some(rule) => Err(Refusal::invalid(
                "port_start",
                format!(
                    "The ports {ports} overlap an existing rule of the same scope for {}.",
                    rule.ports
                ),
            )),
        }
    }
}
