//! The firewall ingest operation: a dump in, rules out (E13).

use serde::Serialize;
use uuid::Uuid;

use super::chains::{Accepted, MOST_ACCEPTED, MOST_NAMED, Reading, Size, SkippedLine};
use super::format::FirewallFormat;
use super::port_map::PortMap;
use crate::ports::known_service;
use crate::refusal::Refusal;
use crate::rule::view::RuleView;
use crate::session::Session;
use crate::state::{EndpointNo, Origin, Rule, Scope};
use crate::values::ClientId;

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
        let (format, mut reading) = read(request)?;
        if reading.size == Size::TooMuch {
            return Err(Refusal::invalid(
                "content",
                format!(
                    "The content field must name at most {MOST_NAMED} port ranges and accept at most {MOST_ACCEPTED}: send a part of the dump at a time."
                ),
            ));
        }
        let accepted = std::mem::take(&mut reading.accepted);
        let parsed_rules = accepted.len();
        let suggested = self.suggest(endpoint, format, accepted, &mut reading);
        reading.skipped.sort_by_key(|skipped| skipped.line);
        Ok(FirewallIngested {
            format,
            parsed_rules,
            suggested,
            skipped: reading.skipped,
        })
    }

    fn suggest(
        &mut self,
        endpoint: EndpointNo,
        format: FirewallFormat,
        accepted: Vec<Accepted>,
        reading: &mut Reading,
    ) -> Vec<RuleView> {
        let (mut allowed, mut taken) = (PortMap::new(), PortMap::new());
        for rule in self.applying_rules(endpoint, self.now) {
            allowed.mark(rule.ports, rule.protocol);
            if rule.scope == Scope::Endpoint(endpoint) {
                taken.mark(rule.ports, rule.protocol);
            }
        }
        let mut suggested = Vec::new();
        for one in accepted {
            let Accepted {
                ports, protocol, ..
            } = one;
            if allowed.covers(ports, protocol) {
                reading.skip(one.line, format!("{ports} is allowed already"));
            } else if taken.meets(ports, protocol) {
                reading.skip(one.line, format!("{ports} overlaps a rule of the endpoint"));
            } else {
                allowed.mark(ports, protocol);
                taken.mark(ports, protocol);
                let number = self.add_rule(self.suggestion(endpoint, format, &one));
                suggested.push(self.rule_view(number));
            }
        }
        suggested
    }

    fn suggestion(&self, endpoint: EndpointNo, format: FirewallFormat, one: &Accepted) -> Rule {
        let quote = format!("From {} line {}: {}", format.name(), one.line, one.text);
        let justification: String = quote.chars().take(LONGEST_JUSTIFICATION).collect();
        let single = one.ports.size() == 1;
        let service = known_service(one.ports.start()).filter(|_| single);
        Rule {
            scope: Scope::Endpoint(endpoint),
            ports: one.ports,
            protocol: one.protocol,
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

fn read(request: &IngestFirewall) -> Result<(FirewallFormat, Reading), Refusal> {
    let formats = match &request.format {
        Some(format) => std::slice::from_ref(format),
        None => &FirewallFormat::ALL,
    };
    formats
        .iter()
        .find_map(|format| Some((*format, format.read(&request.content)?)))
        .ok_or_else(|| {
            Refusal::invalid(
                "content",
                match request.format {
                    Some(format) => format!(
                        "The content field could not be read as a dump of {}.",
                        format.name()
                    ),
                    None => "The content field must be a dump of iptables-save, nft list \
                             ruleset, ufw status or firewall-cmd --list-all."
                        .to_owned(),
                },
            )
        })
}
