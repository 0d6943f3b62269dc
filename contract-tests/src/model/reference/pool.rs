//! What servers and domains have in common: services buy room, and what does not fit is paused.

/// Of a server or a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Active,
    Paused,
    PausedByPlatform,
    Terminated,
    /// A server that was deleted, a domain that was released.
    Gone,
}

/// What servers and domains both go through.
#[derive(Debug, Clone, Copy)]
pub enum Move {
    Suspend,
    Resume,
    Terminate,
}

/// A server or a domain, and what is known of it.
#[derive(Debug, Clone)]
pub struct Monitored<T> {
    /// Address or name.
    pub name: u8,
    pub state: State,
    pub known: T,
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

/// Servers with their plans, or domains with their slots.
#[derive(Debug, Clone, Default)]
pub struct Pool<T> {
    /// In the order of creation.
    pub all: Vec<Monitored<T>>,
    /// By service.
    pub services: [Option<Subscription>; 2],
    pub without_subscription: usize,
}

/// The codes that servers and domains differ in.
pub struct Codes {
    pub not_found: &'static str,
    pub limit: &'static str,
}

pub const DONE: &str = "200";
pub const NOTE: &str = "200 note";
pub const NOT_CHANGEABLE: &str = "422 SUBSCRIPTION_NOT_CHANGEABLE";

impl<T> Monitored<T> {
    pub fn is_live(&self) -> bool {
        !matches!(self.state, State::Terminated | State::Gone)
    }
}

impl<T: Default> Pool<T> {
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
        let counts = |record: &&Monitored<T>| matches!(record.state, State::Active | State::Paused);
        self.all.iter().filter(counts).count()
    }

    pub fn live(&self, name: u8) -> Option<usize> {
        self.all
            .iter()
            .position(|record| record.is_live() && record.name == name)
    }

    pub fn reconcile(&mut self) {
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
        let ended = |record: &Monitored<T>| record.name == name && returns.contains(&record.state);
        if let Some(at) = self.all.iter().rposition(ended) {
            self.all[at].state = State::Active;
            return NOTE;
        }
        self.all.push(Monitored {
            name,
            state: State::Active,
            known: T::default(),
        });
        "201"
    }

    pub fn moved(&mut self, at: usize, to: Move, codes: &Codes) -> &'static str {
        let full = self.live_count() + 1 > self.capacity();
        let state = &mut self.all[at].state;
        *state = match (to, *state) {
            (Move::Suspend, State::Active) => State::Paused,
            (Move::Suspend, State::Paused | State::PausedByPlatform) => return NOTE,
            (Move::Resume, State::Active) => return NOTE,
            (Move::Resume, State::PausedByPlatform) if full => return codes.limit,
            (Move::Resume, State::Paused | State::PausedByPlatform) => State::Active,
            (Move::Terminate, State::Terminated) => return NOTE,
            (_, State::Terminated | State::Gone) => return codes.not_found,
            (Move::Terminate, _) => State::Terminated,
        };
        DONE
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
