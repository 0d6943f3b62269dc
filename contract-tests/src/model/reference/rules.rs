//! Rules: of one server, of all servers of a customer, of the whole account.

use super::servers::{Port, Server};
use super::{Reference, Who};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    pub first: u16,
    pub last: u16,
    pub protocol: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Server(Who, usize),
    Customer(Who),
    Account,
}

#[derive(Debug, Clone)]
pub struct Rule {
    pub scope: Scope,
    pub ports: Ports,
}

const OVERLAPS: &str = "422 fields";

impl Ports {
    pub fn cover(self, (port, protocol): Port) -> bool {
        (self.first..=self.last).contains(&port) && ["*", protocol].contains(&self.protocol)
    }

    fn meet(self, other: Self) -> bool {
        let protocols = [self.protocol, other.protocol];
        self.first <= other.last
            && other.first <= self.last
            && (protocols.contains(&"*") || self.protocol == other.protocol)
    }
}

impl Rule {
    pub fn covers_server(&self, who: Who, at: usize) -> bool {
        match self.scope {
            Scope::Account => true,
            scope => scope == Scope::Customer(who) || scope == Scope::Server(who, at),
        }
    }

    pub fn is_shown_to(&self, who: Who) -> bool {
        match self.scope {
            Scope::Account => true,
            Scope::Customer(of) | Scope::Server(of, _) => of == who,
        }
    }
}

impl Reference {
    pub fn add_rule(&mut self, rule: Rule) -> &'static str {
        if let Scope::Server(who, at) = rule.scope
            && !self.customers[who as usize].servers.all[at].is_live()
        {
            return "422 fields";
        }
        if self.overlaps(&rule, None) {
            return OVERLAPS;
        }
        self.resolve_covered(&rule);
        self.rules.push(rule);
        "201"
    }

    /// Replaces the ports of a rule; it keeps its scope.
    pub fn update_rule(&mut self, at: usize, ports: Ports) -> &'static str {
        let rule = Rule {
            ports,
            ..self.rules[at].clone()
        };
        if self.overlaps(&rule, Some(at)) {
            return OVERLAPS;
        }
        self.resolve_covered(&rule);
        self.rules[at] = rule;
        "200"
    }

    fn overlaps(&self, rule: &Rule, itself: Option<usize>) -> bool {
        let mut others = self.rules.iter().enumerate();
        others.any(|(at, other)| {
            Some(at) != itself && other.scope == rule.scope && other.ports.meet(rule.ports)
        })
    }

    /// Alerts of servers that are no longer monitored stay.
    fn resolve_covered(&mut self, rule: &Rule) {
        for who in [Who::One, Who::Other] {
            let servers = self.customers[who as usize].servers.all.iter_mut();
            for (_, server) in servers
                .enumerate()
                .filter(|(at, server)| server.is_live() && rule.covers_server(who, *at))
            {
                let Server { alerts, .. } = &mut server.known;
                alerts.retain(|port| !rule.ports.cover(*port));
            }
        }
    }
}
