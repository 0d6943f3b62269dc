//! The firewall ingest operation: a dump in, rules out (E13).

use serde::Serialize;
use uuid::Uuid;

use super::accepted_line::AcceptedLine;
use super::filter::{MOST_NAMED, MOST_RULES, SkippedLine};
use super::format::FirewallFormat;
use super::nftables::MOST_TOKENS;
use super::port_map::PortMap;
use super::reading::{PasteReading, read};
use super::refusal::unreadable;
use crate::ports::known_service;
use crate::refusal::Refusal;
use crate::rule::view::RuleView;
use crate::session::Session;
use crate::state::{EndpointNo, Origin, Rule, Scope};
use crate::values::{ClientId, PortRange, RuleProtocol};

/// Port ranges that a dump may accept.
const MOST_ACCEPTED: usize = 2_000;

/// The longest justification of a rule.
const LONGEST_JUSTIFICATION: usize = 500;

/// What the ingest is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IngestFirewall {
    /// The server the dump is from.
    pub endpoint: Uuid,
    /// Its owner.
    pub client: ClientId,
    /// The dump.
    pub content: String,
    /// Its format; none means that it is found out.
    pub format: Option<FirewallFormat>,
}

/// What the ingest answers.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FirewallIngested {
    /// The format it was read as.
    pub format: FirewallFormat,
    /// Accepted port ranges in the dump.
    pub parsed_rules: usize,
    /// The rules made from them.
    pub suggested: Vec<RuleView>,
    /// What was accepted and made no rule.
    pub skipped: Vec<SkippedLine>,
}

/// The part of a line's ports that no rule has yet.
struct PortPart {
    ports: PortRange,
    protocol: RuleProtocol,
}

impl Session<'_> {
    /// Makes an endpoint-scoped rule of each inbound port range that a dump
    /// accepts, unless it is covered or overlaps a rule already.
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`]; [`Refusal::Invalid`] on `content` when
    /// nothing could be read, or more than one call may ask for.
    pub fn ingest_firewall(
        &mut self,
        request: &IngestFirewall,
    ) -> Result<FirewallIngested, Refusal> {
        let endpoint = self.live_endpoint(request.endpoint)?;
        if self.owner(endpoint) != request.client {
            return Err(Refusal::EndpointNotFound);
        }
        let host = self.records.endpoints[endpoint].address;
        let mut reading = read(&request.content, request.format, Some(host))
            .ok_or_else(|| unreadable(&request.content, request.format))?;
        if reading.names_too_much || reading.accepted.len() > MOST_ACCEPTED {
            return Err(Refusal::invalid(
                "content",
                format!(
                    "The content field must have at most {MOST_RULES} rules (of nftables {MOST_TOKENS} words and signs), name at most {MOST_NAMED} port ranges and accept at most {MOST_ACCEPTED}: send a part of the dump at a time."
                ),
            ));
        }
        let accepted = std::mem::take(&mut reading.accepted);
        let parsed_rules = accepted.len();
        let suggested = self.suggest(endpoint, accepted, &mut reading);
        reading.skipped.sort_by_key(|skipped| skipped.line);
        Ok(FirewallIngested {
            format: reading.format,
            parsed_rules,
            suggested,
            skipped: reading.skipped,
        })
    }

    /// Makes rules of what is accepted and not covered yet. A rule that the endpoint had before keeps all of a range
    /// that it overlaps from becoming one; a narrower line of the same dump only keeps its own ports.
    fn suggest(
        &mut self,
        endpoint: EndpointNo,
        accepted: Vec<AcceptedLine>,
        reading: &mut PasteReading,
    ) -> Vec<RuleView> {
        let (mut allowed, mut taken) = (PortMap::new(), PortMap::new());
        for rule in self.applying_rules(endpoint, self.now) {
            allowed.mark(rule.ports, rule.protocol);
            if rule.scope == Scope::Endpoint(endpoint) {
                taken.mark(rule.ports, rule.protocol);
            }
        }
        let mut added = PortMap::new();
        let mut suggested = Vec::new();
        for one in accepted {
            let AcceptedLine {
                line,
                ports,
                protocol,
                ..
            } = one;
            let known = match () {
                () if added.covers(ports, protocol) => "is suggested by an earlier line",
                () if allowed.covers(ports, protocol) => "is allowed already",
                () if taken.meets(ports, protocol) => "overlaps a rule of the endpoint",
                () => "",
            };
            if !known.is_empty() {
                let protocol = protocol.name();
                reading.skip(line, format!("{ports}/{protocol} {known}"));
                continue;
            }
            for (ports, protocol) in added.free_parts(ports, protocol) {
                allowed.mark(ports, protocol);
                added.mark(ports, protocol);
                let number =
                    self.add_rule(self.suggestion(endpoint, &one, PortPart { ports, protocol }));
                suggested.push(self.rule_view(number));
            }
        }
        suggested
    }

    fn suggestion(&self, endpoint: EndpointNo, one: &AcceptedLine, part: PortPart) -> Rule {
        let quote = format!("From {} line {}: {}", one.format.name(), one.line, one.text);
        let justification: String = quote.chars().take(LONGEST_JUSTIFICATION).collect();
        let single = part.ports.size() == 1;
        let service = known_service(part.ports.start()).filter(|_| single);
        Rule {
            scope: Scope::Endpoint(endpoint),
            ports: part.ports,
            protocol: part.protocol,
            service: service.map(Box::from),
            justification: justification.into_boxed_str(),
            origin: Origin::FirewallDump,
            expires_at: None,
            created_by: self.call.key,
            created_at: self.now,
            updated_at: self.now,
        }
    }
}
