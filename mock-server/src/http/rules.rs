//! Allowed Ports rules.

use std::num::NonZeroU16;

use http::StatusCode;
use secmon_engine::{
    EndpointRuleCount, Expiry, Instant, ListRules, PortRange, Refusal, RuleProtocol, RuleRequest,
    RuleScope, RuleStatus, ScopeFilter, parse_expiry,
};
use serde::Serialize;
use uuid::Uuid;

use super::context::Context;
use super::endpoints::checked_owner;
use super::problem::Problem;
use super::reply::{self, Meta, Reply};
use super::{customer, list};
use crate::configuration::settings::AnswerStyle;
use crate::observation::notice::Fact;
use crate::values::fields::{Fields, Raw, readers};

/// `GET /whitelists/endpoint-summary`. The counts stand twice, for old clients.
pub(crate) fn summary(context: &mut Context<'_>) -> Result<Reply, Problem> {
    #[derive(Clone, Copy, Serialize)]
    struct Counts<'a> {
        endpoints: &'a [EndpointRuleCount],
        global_count: u64,
    }
    #[derive(Serialize)]
    struct Summary<'a> {
        data: Counts<'a>,
        #[serde(flatten)]
        doubled: Counts<'a>,
        meta: Meta,
    }
    let mut fields = context.request.parameters();
    let client = fields.required("billing_customer_id", customer::number);
    let client = fields.finish(|| client)?;
    let found = context.account.at(context.call).rule_counts(client);
    let counts = Counts {
        endpoints: &found.endpoints,
        global_count: found.global_count,
    };
    let summary = Summary {
        data: counts,
        doubled: counts,
        meta: Meta::at(context.now()),
    };
    Ok(Reply::json(StatusCode::OK, &summary))
}

/// `GET /whitelists`.
pub(crate) fn list(context: &mut Context<'_>) -> Result<Reply, Problem> {
    #[derive(Serialize)]
    struct Nothing {}
    let mut fields = context.request.parameters();
    let request = ListRules {
        client: fields.optional("billing_customer_id", customer::number),
        endpoint: fields.optional("endpoint_id", readers::uuid),
        scope: fields.optional(
            "scope",
            readers::named(ScopeFilter::from_name, "global, endpoint"),
        ),
        status: fields.optional(
            "status",
            readers::named(RuleStatus::from_name, "active, expired"),
        ),
        // The size of this list's pages is documented.
        page: list::page(&mut fields, list::LARGEST_PAGE, AnswerStyle::Plain),
    };
    let request = fields.finish(|| Some(request))?;
    let rules = context.account.at(context.call).list_rules(request);
    Ok(list::resource(context, &rules, Nothing {}))
}

/// `POST /whitelists`.
pub(crate) fn create(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let request = rule_request(context)?;
    let ports = request.ports;
    let done = context.account.at(context.call).create_rule(request)?;
    note_rule(context, done.value.id, ports);
    Ok(reply::resource_done(done, context.now()))
}

/// `GET /whitelists/{whitelist}`.
pub(crate) fn show(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let client = checked_owner(context)?;
    let rule_id = id(context)?;
    let rule = context.account.at(context.call).rule(rule_id, client)?;
    Ok(reply::resource(rule, context.now()))
}

/// `PUT /whitelists/{whitelist}`.
pub(crate) fn update(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let request = rule_request(context)?;
    let rule_id = id(context)?;
    let ports = request.ports;
    let before = (context.account.at(context.call)).rule(rule_id, request.client);
    let had_end = before.is_ok_and(|before| before.expires_at.is_some());
    let done = context
        .account
        .at(context.call)
        .update_rule(rule_id, request)?;
    note_rule(context, rule_id, ports);
    if had_end && !context.request.object()?.contains_key("expires_at") {
        context.note(Fact::RuleLostItsEnd);
    }
    Ok(reply::resource_done(done, context.now()))
}

/// `DELETE /whitelists/{whitelist}`.
pub(crate) fn delete(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let client = checked_owner(context)?;
    let rule_id = id(context)?;
    let is_account_wide = (context.account.at(context.call)).is_account_wide_rule(rule_id);
    context
        .account
        .at(context.call)
        .delete_rule(rule_id, client)?;
    if is_account_wide {
        context.note(Fact::AccountWideRuleRemoved);
    }
    Ok(Reply::no_content())
}

/// Notes how far a rule reaches.
fn note_rule(context: &mut Context<'_>, rule: Uuid, ports: PortRange) {
    context.note(Fact::RulePorts(ports.size()));
    if context.account.at(context.call).is_account_wide_rule(rule) {
        context.note(Fact::AccountWideRule);
    }
}

fn id(context: &Context<'_>) -> Result<Uuid, Refusal> {
    context.request.id("whitelist").ok_or(Refusal::RuleNotFound)
}

fn rule_request(context: &Context<'_>) -> Result<RuleRequest, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let ports = ports(&mut fields);
    let protocol = fields.required(
        "protocol",
        readers::named(RuleProtocol::parse, "tcp, udp, *"),
    );
    let service = fields.optional("service", readers::text(0..=100));
    let justification = fields.required("justification", readers::text(10..=500));
    let scope = scope(&mut fields);
    let expires_at = expiry(&mut fields, context.now());
    let client = fields.optional("billing_customer_id", customer::number);
    Ok(fields.finish(|| {
        Some(RuleRequest {
            client,
            scope: scope?,
            ports: ports?,
            protocol: protocol?,
            service,
            justification: justification?,
            expires_at,
        })
    })?)
}

fn ports(fields: &mut Fields<'_>) -> Option<PortRange> {
    let start = fields.required("port_start", port);
    let end = fields.optional("port_end", port);
    let start = start?;
    let range = PortRange::new(start, end.unwrap_or(start));
    if range.is_none() {
        fields.reject(
            "port_end",
            "The port_end must be at least port_start.".to_owned(),
        );
    }
    range
}

fn port(raw: Raw) -> readers::Read<NonZeroU16> {
    let number = readers::integer(1..=i64::from(u16::MAX))(raw)?;
    NonZeroU16::try_from(u16::try_from(number).unwrap_or_default())
        .map_err(|_| "must be a port from 1 to 65535.".to_owned())
}

/// What `scope` and `endpoint_id` say together (E8).
fn scope(fields: &mut Fields<'_>) -> Option<RuleScope> {
    #[derive(Clone, Copy)]
    enum Word {
        Global,
        Endpoint,
    }
    let word = |name: &str| match name {
        "global" => Some(Word::Global),
        "endpoint" => Some(Word::Endpoint),
        _ => None,
    };
    match fields.optional("scope", readers::named(word, "global, endpoint")) {
        Some(Word::Global) => Some(RuleScope::Global),
        Some(Word::Endpoint) => fields
            .required("endpoint_id", readers::uuid)
            .map(RuleScope::Endpoint),
        None => Some(
            fields
                .optional("endpoint_id", readers::uuid)
                .map_or(RuleScope::Unstated, RuleScope::Endpoint),
        ),
    }
}

fn expiry(fields: &mut Fields<'_>, now: Instant) -> Option<Expiry> {
    let text = fields.optional("expires_at", readers::string)?;
    match parse_expiry(text, now) {
        Ok(expiry) => Some(expiry),
        Err(sentence) => {
            fields.reject("expires_at", sentence.to_owned());
            None
        }
    }
}
