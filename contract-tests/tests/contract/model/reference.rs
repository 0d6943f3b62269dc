//! What the service should be: one customer, written from the specification in as few words as possible.

use std::collections::BTreeSet;

/// Servers of a customer that never had a plan, as the account of the walk is set up.
pub const LIMIT_WITHOUT_PLAN: usize = 3;
/// Servers of the plan `starter`.
pub const PLAN: usize = 5;

/// What is monitored: a server or a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Active,
    Paused,
    PausedByPlatform,
    Terminated,
    /// A server that was deleted, a domain that was released.
    Gone,
}

/// A server or a domain.
#[derive(Debug, Clone)]
pub struct Monitored {
    /// Address or name.
    pub name: u8,
    pub state: State,
    /// Ports that the next scan finds, ports with an open alert.
    pub world: BTreeSet<u16>,
    pub alerts: BTreeSet<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Active,
    Suspended,
    Cancelled,
}

#[derive(Debug, Clone, Copy)]
pub struct Subscription {
    pub status: Status,
    /// What it buys: slots, or the servers of its plan.
    pub buys: usize,
}

/// A rule for tcp ports of a server; none when it was deleted.
#[derive(Debug, Clone)]
pub struct Rule {
    pub server: usize,
    pub ports: (u16, u16),
    pub deleted: bool,
}

/// Servers with their plans, or domains with their slots.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    /// In the order of creation.
    pub all: Vec<Monitored>,
    /// By service.
    pub services: [Option<Subscription>; 2],
    without_subscription: usize,
}

#[derive(Debug, Clone, Default)]
pub struct Customer {
    pub servers: Pool,
    pub domains: Pool,
    pub rules: Vec<Rule>,
}

/// The codes that servers and domains differ in.
pub struct Codes {
    pub not_found: &'static str,
    pub limit: &'static str,
}

pub const SERVER: Codes = Codes {
    not_found: "404 ENDPOINT_NOT_FOUND",
    limit: "403 ENDPOINT_LIMIT_EXCEEDED",
};
pub const DOMAIN: Codes = Codes {
    not_found: "404 DOMAIN_NOT_FOUND",
    limit: "403 DOMAIN_LIMIT_EXCEEDED",
};

const DONE: &str = "200";
const NOTE: &str = "200 note";
const NOT_CHANGEABLE: &str = "422 SUBSCRIPTION_NOT_CHANGEABLE";

impl Customer {
    pub fn new() -> Self {
        let servers = Pool {
            without_subscription: LIMIT_WITHOUT_PLAN,
            ..Pool::default()
        };
        Self {
            servers,
            ..Self::default()
        }
    }

    /// A deleted server is 404, one that is terminated is deleted once more.
    pub fn delete_server(&mut self, at: usize) -> &'static str {
        match std::mem::replace(&mut self.servers.all[at].state, State::Gone) {
            State::Gone => "404 number",
            _ => "204",
        }
    }

    /// Gives a domain and its slot up.
    pub fn release(&mut self, at: usize, service: usize) -> &'static str {
        if self.domains.all[at].state == State::Gone {
            return DOMAIN.not_found;
        }
        let Some(slots) = self.domains.services[service].as_mut() else {
            unreachable!("the walk releases by services that exist");
        };
        match (slots.status, slots.buys) {
            (Status::Cancelled, _) => return NOT_CHANGEABLE,
            (_, 1) => slots.status = Status::Cancelled,
            (_, more) => slots.buys = more - 1,
        }
        self.domains.all[at].state = State::Gone;
        self.domains.reconcile();
        DONE
    }

    pub fn rename(&mut self, at: usize, name: u8) -> &'static str {
        let domain = &self.domains.all[at];
        if !domain.is_live() {
            return DOMAIN.not_found;
        }
        if domain.name == name {
            return NOTE;
        }
        if self.domains.live(name).is_some() {
            return "409 DOMAIN_ALREADY_EXISTS";
        }
        self.domains.all[at].name = name;
        DONE
    }

    pub fn add_rule(&mut self, server: usize, ports: (u16, u16)) -> &'static str {
        let overlaps = |rule: &Rule| {
            rule.server == server
                && !rule.deleted
                && rule.ports.0 <= ports.1
                && ports.0 <= rule.ports.1
        };
        if !self.servers.all[server].is_live() || self.rules.iter().any(overlaps) {
            return "422 fields";
        }
        self.rules.push(Rule {
            server,
            ports,
            deleted: false,
        });
        self.servers.all[server]
            .alerts
            .retain(|port| !within(*port, ports));
        "201"
    }

    pub fn scan(&mut self, server: usize) {
        let rules = self
            .rules
            .iter()
            .filter(|rule| rule.server == server && !rule.deleted);
        let rules: Vec<(u16, u16)> = rules.map(|rule| rule.ports).collect();
        let server = &mut self.servers.all[server];
        let uncovered = |port: &&u16| !rules.iter().any(|ports| within(**port, *ports));
        server.alerts = server.world.iter().filter(uncovered).copied().collect();
    }

    /// A report of sync-services about one service; reconciles both pools when it changed something.
    pub fn sync(&mut self, domains: bool, service: usize, status: Status) -> &'static str {
        let pool = if domains {
            &mut self.domains
        } else {
            &mut self.servers
        };
        let Some(subscription) = pool.services[service].as_mut() else {
            return "200 no enforcement";
        };
        if std::mem::replace(&mut subscription.status, status) == status {
            return "200 no enforcement";
        }
        self.servers.reconcile();
        self.domains.reconcile();
        DONE
    }
}

fn within(port: u16, (first, last): (u16, u16)) -> bool {
    (first..=last).contains(&port)
}

impl Monitored {
    pub fn is_live(&self) -> bool {
        !matches!(self.state, State::Terminated | State::Gone)
    }
}

impl Pool {
    pub fn capacity(&self) -> usize {
        let mut services = self.services.iter().flatten().peekable();
        if services.peek().is_none() {
            return self.without_subscription;
        }
        let active = services.filter(|service| service.status == Status::Active);
        active.map(|service| service.buys).sum()
    }

    pub fn usage(&self) -> usize {
        self.all.iter().filter(|record| record.is_live()).count()
    }

    /// Active and paused by hand.
    fn live_count(&self) -> usize {
        let counts = |record: &&Monitored| matches!(record.state, State::Active | State::Paused);
        self.all.iter().filter(counts).count()
    }

    fn live(&self, name: u8) -> Option<usize> {
        self.all
            .iter()
            .position(|record| record.is_live() && record.name == name)
    }

    fn reconcile(&mut self) {
        let capacity = self.capacity();
        if self.live_count() > capacity {
            while self.live_count() > capacity
                && let Some(newest) = self
                    .all
                    .iter_mut()
                    .rfind(|record| record.state == State::Active)
            {
                newest.state = State::PausedByPlatform;
            }
            return;
        }
        while self.live_count() < capacity
            && let Some(oldest) = self
                .all
                .iter_mut()
                .find(|record| record.state == State::PausedByPlatform)
        {
            oldest.state = State::Active;
        }
    }

    /// Adds a name, or finds it, or brings it back. What may come back: a server whatever became of it, a domain that
    /// was terminated, the newest of its name.
    pub fn provision(&mut self, name: u8, returns: &[State], codes: &Codes) -> &'static str {
        if self.live(name).is_some() {
            return NOTE;
        }
        if self.usage() + 1 > self.capacity() {
            return codes.limit;
        }
        let ended = |record: &Monitored| record.name == name && returns.contains(&record.state);
        if let Some(at) = self.all.iter().rposition(ended) {
            self.all[at].state = State::Active;
            return NOTE;
        }
        let (world, alerts) = (BTreeSet::new(), BTreeSet::new());
        self.all.push(Monitored {
            name,
            state: State::Active,
            world,
            alerts,
        });
        "201"
    }

    pub fn suspend(&mut self, at: usize, codes: &Codes) -> &'static str {
        let state = &mut self.all[at].state;
        match state {
            State::Active => *state = State::Paused,
            State::Paused | State::PausedByPlatform => return NOTE,
            State::Terminated | State::Gone => return codes.not_found,
        }
        DONE
    }

    pub fn resume(&mut self, at: usize, codes: &Codes) -> &'static str {
        let full = self.live_count() + 1 > self.capacity();
        let state = &mut self.all[at].state;
        match state {
            State::Active => return NOTE,
            State::PausedByPlatform if full => return codes.limit,
            State::Paused | State::PausedByPlatform => *state = State::Active,
            State::Terminated | State::Gone => return codes.not_found,
        }
        DONE
    }

    pub fn terminate(&mut self, at: usize, codes: &Codes) -> &'static str {
        let state = &mut self.all[at].state;
        match state {
            State::Terminated => NOTE,
            State::Gone => codes.not_found,
            _ => {
                *state = State::Terminated;
                DONE
            }
        }
    }

    pub fn buy(&mut self, service: usize, buys: usize) -> &'static str {
        let outcome = match &mut self.services[service] {
            Some(known) => {
                known.buys = buys;
                if known.status == Status::Cancelled {
                    known.status = Status::Active;
                }
                DONE
            }
            none => {
                *none = Some(Subscription {
                    status: Status::Active,
                    buys,
                });
                "201"
            }
        };
        self.reconcile();
        outcome
    }

    /// Suspends, resumes or cancels a service.
    pub fn turn(&mut self, service: usize, to: Status) -> &'static str {
        let Some(known) = self.services[service].as_mut() else {
            return "404 BILLING_CLIENT_NOT_FOUND";
        };
        match known.status {
            status if status == to => return NOTE,
            Status::Cancelled => return NOT_CHANGEABLE,
            _ => known.status = to,
        }
        self.reconcile();
        DONE
    }

    pub fn change(&mut self, service: usize, buys: usize, forced: bool) -> &'static str {
        let usage = self.usage();
        let Some(known) = self.services[service] else {
            return "404 SUBSCRIPTION_NOT_FOUND";
        };
        if known.status == Status::Cancelled {
            return NOT_CHANGEABLE;
        }
        if known.buys == buys {
            return "200 unchanged";
        }
        let checked = known.status == Status::Active && buys < known.buys && !forced;
        if checked && usage > self.capacity() - known.buys + buys {
            return "422 DOWNGRADE_USAGE_EXCEEDED";
        }
        self.services[service] = Some(Subscription { buys, ..known });
        self.reconcile();
        DONE
    }
}
