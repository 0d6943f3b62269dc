//! `iptables-save`, `ip6tables-save`, `iptables -S`.

use super::chains::{Chains, Effect, NO_PORT, Reading, Statement, WHOLE_RANGE, rule_protocol};
use super::specs::{ALL_PORTS, port_ranges, protocol, words};
use crate::values::{PortRange, Protocol, RuleProtocol};

/// The headers of the tables; only the filter decides what comes in.
const TABLES: [&str; 5] = ["*filter", "*nat", "*mangle", "*raw", "*security"];

/// Reads a dump; `None` when no line of it is one of iptables.
pub(super) fn read(content: &str) -> Option<Reading> {
    let mut chains = Chains::default();
    // The dumps of both families, one after the other, have a filter each.
    let mut filter = 0_usize;
    chains.inputs.insert(named(filter, "INPUT"));
    // `iptables -S` prints one table, by default the filter, and no header.
    let mut in_filter = true;
    let mut known = false;
    for (place, line) in content.lines().enumerate() {
        let line = without_counters(line.trim());
        if let Some(table) = TABLES.into_iter().find(|table| *table == line) {
            in_filter = table == "*filter";
            known = true;
            if in_filter {
                filter += 1;
                chains.inputs.insert(named(filter, "INPUT"));
            }
        } else if line.starts_with("-A ") {
            known = true;
            let rule = Rule::parse(line);
            if in_filter && let Some((chain, effect)) = rule.effect() {
                let effect = match effect {
                    Effect::Jump(chain) => Effect::Jump(named(filter, &chain)),
                    effect => effect,
                };
                let statement = Statement::new(place + 1, line, effect);
                chains.push(&named(filter, &chain), statement);
            }
        } else if line.starts_with("-P ") || line.starts_with(":INPUT ") {
            known = true;
        }
    }
    known.then(|| chains.reading())
}

/// A chain of one of several filters.
fn named(filter: usize, chain: &str) -> String {
    format!("{filter}/{chain}")
}

/// Without the `[packets:bytes]` that `iptables-save -c` puts first.
fn without_counters(line: &str) -> &str {
    match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) => rest.trim_start(),
        None => line,
    }
}

/// The parts of a rule that matter.
#[derive(Default)]
struct Rule {
    chain: String,
    target: Option<String>,
    protocol: Option<String>,
    ports: Option<String>,
    /// Why it accepts nothing that could be suggested.
    unusable: Option<&'static str>,
    /// Whether it applies to some packets only, besides protocol and port.
    narrowed: bool,
}

impl Rule {
    fn parse(line: &str) -> Self {
        let mut rule = Self::default();
        let mut negated = false;
        let mut words = words(line).into_iter().peekable();
        while let Some(option) = words.next() {
            if option == "!" {
                negated = true;
                continue;
            }
            let mut values = Vec::new();
            while let Some(value) = words.next_if(|word| !word.starts_with('-') && word != "!") {
                values.push(value);
            }
            rule.take(&option, values.join(" "), negated);
            negated = false;
        }
        rule
    }

    fn take(&mut self, option: &str, value: String, negated: bool) {
        match option {
            "-A" => self.chain = value,
            "-j" | "--jump" | "-g" | "--goto" => self.target = Some(value),
            "-m" | "--match" | "--comment" | "--reject-with" => {}
            _ if negated => {
                self.narrowed = true;
                if matches!(option, "-p" | "--protocol" | "--dport" | "--dports") {
                    self.unusable = Some("it says what it excludes, not what it accepts");
                }
            }
            "-p" | "--protocol" => self.protocol = Some(value),
            "--dport" | "--dports" | "--destination-port" | "--destination-ports" => {
                self.ports = Some(value);
            }
            "-i" | "--in-interface" if value == "lo" => {
                self.narrowed = true;
                self.unusable = Some("it accepts on the loopback interface only");
            }
            "--ctstate" | "--state" if !value.split(',').any(|state| state == "NEW") => {
                self.narrowed = true;
                self.unusable = Some("it accepts connections that exist already, no port");
            }
            _ => self.narrowed = true,
        }
    }

    /// What the rule does, with its chain; none for one that only counts or
    /// logs, or that blocks some packets.
    fn effect(self) -> Option<(String, Effect)> {
        let target = self.target.as_deref()?;
        let effect = match target {
            "ACCEPT" => self.accepts(),
            "DROP" | "REJECT" => self.blocks()?,
            "LOG" | "NFLOG" | "RETURN" | "QUEUE" | "NFQUEUE" => return None,
            chain => Effect::Jump(chain.to_owned()),
        };
        Some((self.chain, effect))
    }

    fn accepts(&self) -> Effect {
        if let Some(reason) = self.unusable {
            return Effect::Skip(reason.to_owned());
        }
        let Some(protocols) = self.protocols() else {
            return Effect::Skip("it is about neither TCP nor UDP".to_owned());
        };
        match &self.ports {
            Some(ports) => match port_ranges(ports, ':') {
                Some(ranges) => Effect::Accept(ranges, protocols),
                None => Effect::Skip(format!("its ports {ports} cannot be read")),
            },
            None if self.narrowed => Effect::Skip(NO_PORT.to_owned()),
            None => Effect::Skip(WHOLE_RANGE.to_owned()),
        }
    }

    fn blocks(&self) -> Option<Effect> {
        if self.narrowed {
            return None;
        }
        let ranges = match &self.ports {
            Some(ports) => port_ranges(ports, ':')?,
            None => vec![PortRange::new(ALL_PORTS.0, ALL_PORTS.1)?],
        };
        Some(Effect::Block(ranges, self.protocols()?))
    }

    fn protocols(&self) -> Option<RuleProtocol> {
        match self.protocol.as_deref() {
            None | Some("all" | "0") => rule_protocol(&[Protocol::Tcp, Protocol::Udp]),
            Some(name) => rule_protocol(&[protocol(name)?]),
        }
    }
}
