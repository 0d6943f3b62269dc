//! Random schedules of two people: bulk commands that are killed, lose answers or run beside a colleague's changes, then
//! the same command again. Each run sends only what its own plan named, what came after a plan is untouched by it, and the
//! last undisturbed run reaches the state of every row that the service shows, and names the others.

use crate::journal::wired;
use crate::shell::{Account, Run, Shell, account};
use crate::wire::{Moment, Wire};
use http::StatusCode;
use secmon_mock::{CloseAt, Fault};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::sync::Arc;

const SERVERS: usize = 6;

/// How many schedules each of the tests runs: `SECMON_SCHEDULES` asks for more, `SECMON_FIRST_SEED` for others.
fn schedules() -> u64 {
    asked("SECMON_SCHEDULES").unwrap_or(125)
}

fn asked(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Small numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % count
    }
}

/// A bulk command, and the state that it wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Suspend,
    SuspendAll,
    Resume,
    Terminate,
    Delete,
    Leave,
    AddRules,
    Provision,
}

const VERBS: [Verb; 8] = [
    Verb::Suspend,
    Verb::SuspendAll,
    Verb::Resume,
    Verb::Terminate,
    Verb::Delete,
    Verb::Leave,
    Verb::AddRules,
    Verb::Provision,
];

fn address(i: usize) -> String {
    format!("203.0.113.{}", i + 1)
}

impl Verb {
    fn line(self, shell: &Shell) -> Vec<String> {
        let all: String = (0..SERVERS).map(|i| format!("{}\n", address(i))).collect();
        let rows: String = (0..SERVERS)
            .map(|i| format!("{},42,web-{i}\n", address(i)))
            .collect();
        let names = shell.file("names.txt", &all);
        let sheet = shell.file("servers.csv", &format!("target,customer,nickname\n{rows}"));
        let file = |verb: &str| {
            format!("endpoint {verb} -f {names} --confirm={SERVERS} --ignore-not-found")
        };
        let line = match self {
            Self::Suspend => file("suspend"),
            Self::Resume => file("resume"),
            Self::Terminate => file("terminate"),
            Self::Delete => file("delete"),
            Self::SuspendAll => "endpoint suspend --all -c 42 -y".to_owned(),
            Self::Leave => "customer leave 42 --confirm=42".to_owned(),
            Self::Provision => format!("provision -f {sheet} -y"),
            Self::AddRules => {
                let places: String = (0..3).map(|i| format!(" -e {}", address(i))).collect();
                format!("rules add{places} 443 8080 -m for-the-public-web-site")
            }
        };
        let words = line.split_whitespace().map(str::to_owned);
        words.chain(["-o".to_owned(), "json".to_owned()]).collect()
    }

    /// How many rows a run reports, where the command itself says it.
    fn rows(self) -> Option<usize> {
        match self {
            Self::SuspendAll | Self::Leave => None,
            Self::AddRules => Some(6),
            _ => Some(SERVERS),
        }
    }
}

/// What a colleague does, from another computer; the id of what was not there before and is now.
fn colleague_acts(colleague: &Shell, dice: &mut Dice, verb: Verb) -> Option<String> {
    let before = ids(colleague);
    let at = dice.below(SERVERS);
    let line = match dice.below(4) {
        0 => format!("provision {} -c 42 -y", address(at)),
        1 => format!("provision 203.0.113.{} -c 42 -y", 50 + at),
        2 if verb != Verb::AddRules => format!("endpoint suspend {}", address(at)),
        _ => format!("endpoint resume {}", address(at)),
    };
    let run = colleague.line(&format!("{line} -o json"));
    let is_made = run.code == 0 && line.starts_with("provision");
    let id = is_made.then(|| run.json()["endpoint_id"].as_str().map(str::to_owned));
    id.flatten().filter(|id| !before.contains(id))
}

fn ids(shell: &Shell) -> BTreeSet<String> {
    let listed = shell.line("endpoint list -c 42 -o ids");
    listed.stdout.lines().map(str::to_owned).collect()
}

/// One schedule.
struct World {
    seed: u64,
    tenant: Arc<Account>,
    wire: Wire,
    shell: Shell,
    colleague: Shell,
    verb: Verb,
    line: Vec<String>,
    /// The servers of another customer.
    others: BTreeSet<String>,
}

impl World {
    fn new(seed: u64, dice: &mut Dice) -> Self {
        let tenant = Arc::new(account().provoking_notices());
        let (wire, shell) = wired(&tenant);
        let direct = Shell::of(&tenant);
        let rows: String = (0..SERVERS)
            .map(|i| format!("{},42,web-{i}\n", address(i)))
            .collect();
        let rows = format!("{rows}198.51.100.1,43,other-1\n198.51.100.2,43,other-2\n");
        let file = direct.file("all.csv", &format!("target,customer,nickname\n{rows}"));
        direct.run(&["provision", "-f", &file]).exits(0);
        let listed = direct.line("endpoint list -c 43 -o ids").exits(0).stdout;
        let verb = VERBS[dice.below(VERBS.len())];
        if verb == Verb::Resume {
            direct.line("endpoint suspend --all -c 42 -y").exits(0);
        }
        let line = verb.line(&shell);
        Self {
            seed,
            colleague: Shell::of(&tenant),
            tenant,
            wire,
            shell,
            verb,
            line,
            others: listed.lines().map(str::to_owned).collect(),
        }
    }

    fn command(&self) -> Command {
        let words: Vec<&str> = self.line.iter().map(String::as_str).collect();
        let mut command = self.shell.command(&words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// One run that is disturbed in one of three ways.
    fn disturbed(&self, dice: &mut Dice) {
        let nth = 1 + dice.below(SERVERS);
        match dice.below(3) {
            0 => {
                let moment = [Moment::Unsent, Moment::Unanswered, Moment::Unwritten][dice.below(3)];
                self.wire.run_and_perhaps_kill(self.command(), moment, nth);
            }
            1 => {
                let fault = match dice.below(2) {
                    0 => Fault::close(CloseAt::After),
                    _ => Fault::status(StatusCode::INTERNAL_SERVER_ERROR),
                };
                let after = u64::try_from(nth).expect("a few");
                self.tenant
                    .fault(fault.on("POST", "/api/*").after(after).times(1));
                self.command().output().expect("it ends");
                self.tenant.clear_faults();
            }
            _ => self.beside_a_colleague(dice, nth),
        }
    }

    /// What a colleague makes or restores after the plan was made is untouched by the run.
    fn beside_a_colleague(&self, dice: &mut Dice, nth: usize) {
        let colleague = Shell::of(&self.tenant);
        let (verb, seed) = (self.verb, dice.below(1 << 20));
        let tenant = Arc::clone(&self.tenant);
        let (told, tells) = std::sync::mpsc::channel();
        let act = Box::new(move || {
            let mut dice = Dice::of(seed as u64 + 1);
            let id = colleague_acts(&colleague, &mut dice, verb);
            told.send((id, tenant.journal().len())).ok();
        });
        self.wire.run_beside(self.command(), nth, act);
        if let Ok((Some(id), at)) = tells.try_recv() {
            let later = self.tenant.journal();
            let touched = later.iter().skip(at).find(|call| {
                call.method != "GET" && call.body["endpoint_id"] == id.as_str()
                    || call.method == "DELETE" && call.path.ends_with(&id)
            });
            assert!(
                touched.is_none(),
                "seed {}: {:?}: what came after the plan was touched: {touched:?}",
                self.seed,
                self.verb
            );
        }
    }

    /// The last run, of which nobody disturbs anything.
    fn undisturbed(&self) {
        let run = Run::of(&self.command().output().expect("it ends"));
        let said = format!("seed {}: {:?}: {run:?}", self.seed, self.verb);
        assert!([0, 4, 8].contains(&run.code), "{said}");
        if run.code == 4 {
            // Nothing is left that the names could mean.
            assert!(self.verb != Verb::Provision, "{said}");
            assert!(
                self.servers().is_empty() || self.verb != Verb::Leave,
                "{said}"
            );
            return;
        }
        let result = run.json();
        if let Some(rows) = self.verb.rows()
            && result["items"].is_array()
        {
            let total = result["items"].as_array().map_or(0, Vec::len);
            assert!(total <= rows, "{said}");
            assert_eq!(result["summary"]["total"], total, "{said}");
        }
        self.check_states(&result, &said);
    }

    fn servers(&self) -> BTreeMap<String, Value> {
        let listed = self
            .colleague
            .line("endpoint list -c 42 -o json")
            .exits(0)
            .json();
        let servers = listed.as_array().expect("a list").iter();
        let named = servers.map(|server| {
            let address = server["ip_address"].as_str().unwrap_or_default();
            (address.to_owned(), server.clone())
        });
        named.collect()
    }

    fn check_states(&self, result: &Value, said: &str) {
        let servers = self.servers();
        let doubted = result.to_string();
        let is_named = |server: &Value| {
            let id = server["ip_address"].as_str().unwrap_or_default();
            doubted.contains("not_confirmed") && doubted.contains(id)
        };
        for i in 0..SERVERS {
            let server = servers.get(&address(i));
            match (self.verb, server) {
                (Verb::Suspend | Verb::SuspendAll, Some(server)) => {
                    assert_eq!(server["status"], "paused", "{said}");
                }
                (Verb::Resume, Some(server)) => assert_eq!(server["status"], "active", "{said}"),
                (Verb::Terminate | Verb::Delete | Verb::Leave, Some(server)) => {
                    assert!(
                        is_named(server),
                        "{server} is neither ended nor named: {said}"
                    );
                }
                (Verb::Provision, None) => panic!("{} is not there: {said}", address(i)),
                _ => {}
            }
        }
        if self.verb == Verb::AddRules {
            let rules = self.colleague.line("rules list -o json").exits(0).json();
            let rules = rules.as_array().expect("a list");
            let places: BTreeSet<String> = rules
                .iter()
                .map(|rule| format!("{} {}", rule["endpoint_id"], rule["port_start"]))
                .collect();
            assert_eq!((rules.len(), places.len()), (6, 6), "{said}");
        }
    }

    /// Nothing of the other customer was ever the target of a change.
    fn check_others(&self) {
        let calls = self.tenant.journal();
        let touched = calls.iter().find(|call| {
            let id = call.body["endpoint_id"].as_str().unwrap_or_default();
            call.method != "GET"
                && (self.others.contains(id)
                    || self.others.iter().any(|id| call.path.ends_with(id)))
                && !call.body["nickname"]
                    .as_str()
                    .unwrap_or_default()
                    .starts_with("other-")
        });
        assert!(
            touched.is_none(),
            "seed {}: {:?}: another customer's record: {touched:?}",
            self.seed,
            self.verb
        );
    }
}

fn run(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut dice = Dice::of(seed + 1);
        let world = World::new(seed, &mut dice);
        for _ in 0..1 + dice.below(2) {
            world.disturbed(&mut dice);
            if dice.below(2) == 0 {
                colleague_acts(&world.colleague, &mut dice, world.verb);
            }
        }
        world.undisturbed();
        world.check_others();
    }
}

/// Four tests, so that they run beside each other.
macro_rules! quarters {
    ($($name:ident: $quarter:literal;)*) => {$(
        #[test]
        fn $name() {
            let count = schedules();
            let first = asked("SECMON_FIRST_SEED").unwrap_or(0);
            run(first + $quarter * count..first + ($quarter + 1) * count);
        }
    )*};
}

quarters! {
    what_a_plan_named_is_all_that_a_run_sends_first_quarter: 0;
    what_a_plan_named_is_all_that_a_run_sends_second_quarter: 1;
    what_a_plan_named_is_all_that_a_run_sends_third_quarter: 2;
    what_a_plan_named_is_all_that_a_run_sends_fourth_quarter: 3;
}
