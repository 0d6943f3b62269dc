//! Every change of many goes on where a run of it was killed: nothing is lost, and no more is sent again than was on its
//! way.

use crate::journal::{quiet, until, wired};
use crate::shell::{Shell, account, provision};
use crate::wire::Moment;
use secmon_mock::{ScanOutcome, Tenant};
use std::collections::BTreeMap;
use std::time::SystemTime;

const MANY: usize = 12;
/// Calls on their way at one time.
const AT_ONCE: usize = 8;

/// A change of many: what has to be there for it, and the command with what it is about.
struct Change {
    name: &'static str,
    /// Prepares an account, and gives the words of the command.
    command: fn(&Shell) -> Vec<String>,
}

const CHANGES: [Change; 11] = [
    Change {
        name: "domain suspend",
        command: |shell| words("domain suspend -y -c 42", domains(shell)),
    },
    Change {
        name: "domain terminate",
        command: |shell| words("domain terminate -y -c 42", domains(shell)),
    },
    Change {
        name: "domain provision",
        command: |shell| {
            slots(shell);
            words("domain provision --service 501 -c 42", names())
        },
    },
    Change {
        name: "customer suspend",
        command: |shell| {
            servers(shell);
            words("customer suspend 42 -y", Vec::new())
        },
    },
    Change {
        name: "customer leave",
        command: |shell| {
            servers(shell);
            words("customer leave 42 --confirm=42", Vec::new())
        },
    },
    Change {
        name: "alert ack",
        command: |shell| {
            domains(shell);
            words("alert ack -c 42", alerts(shell, "domain"))
        },
    },
    Change {
        name: "alert resolve",
        command: |shell| {
            servers(shell);
            words("alert resolve -y -c 42", alerts(shell, "port"))
        },
    },
    Change {
        name: "alert allow",
        command: |shell| {
            servers(shell);
            let line = "alert allow -m asked-for-by-the-customer -c 42";
            words(line, alerts(shell, "port"))
        },
    },
    Change {
        name: "rules remove",
        command: |shell| {
            rules(shell);
            words("rules remove -y", ids(shell, "rules list -o ids"))
        },
    },
    Change {
        name: "rules remove --on",
        command: |shell| {
            rules(shell);
            words("rules remove -y --on web-1", ports())
        },
    },
    Change {
        name: "rules copy",
        command: |shell| {
            rules(shell);
            provision(shell, "203.0.113.200", "web-2");
            words("rules copy web-1 --to web-2", Vec::new())
        },
    },
];

fn words(line: &str, more: Vec<String>) -> Vec<String> {
    let line = line.split_whitespace().map(str::to_owned);
    line.chain(more).collect()
}

fn names() -> Vec<String> {
    (0..MANY).map(|i| format!("example-{i}.com")).collect()
}

fn ports() -> Vec<String> {
    (0..MANY).map(|i| (2000 + i).to_string()).collect()
}

fn slots(shell: &Shell) {
    let line = "subscription set 501 --product domain_monitoring --quantity 40 -c 42 -y";
    shell.line(line).exits(0);
}

fn domains(shell: &Shell) -> Vec<String> {
    slots(shell);
    let line = words("domain provision --service 501 -c 42", names());
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    shell.run(&line).exits(0);
    names()
}

fn servers(shell: &Shell) {
    for i in 0..MANY {
        provision(shell, &format!("203.0.113.{i}"), &format!("web-{i}"));
    }
}

fn rules(shell: &Shell) {
    provision(shell, "203.0.113.100", "web-1");
    let line = words("rules add web-1 -m ports-of-the-platform", ports());
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    shell.run(&line).exits(0);
}

fn ids(shell: &Shell, line: &str) -> Vec<String> {
    let listed = shell.line(line).exits(0).stdout;
    let ids: Vec<String> = listed.lines().take(MANY).map(str::to_owned).collect();
    assert_eq!(ids.len(), MANY, "{listed}");
    ids
}

fn alerts(shell: &Shell, kind: &str) -> Vec<String> {
    let line = format!("alert list -c 42 --kind {kind} --status open -o ids");
    ids(shell, &line)
}

/// How often each change was answered with 2xx.
fn made(tenant: &Tenant) -> BTreeMap<String, usize> {
    let mut made = BTreeMap::new();
    for call in tenant.journal() {
        let done = call
            .status
            .is_some_and(|status| (200..300).contains(&status));
        if call.method != "GET" && done {
            let named = format!("{} {} {}", call.method, call.path, call.body);
            *made.entry(named).or_default() += 1;
        }
    }
    made
}

#[test]
fn goes_on_where_it_was_killed() {
    for change in &CHANGES {
        for moment in [Moment::Unsent, Moment::Unanswered, Moment::Unwritten] {
            let tenant = account();
            let (wire, shell) = wired(&tenant);
            let line = (change.command)(&shell);
            let line: Vec<&str> = line
                .iter()
                .map(String::as_str)
                .chain(["-o", "json"])
                .collect();
            let before = made(&tenant);
            await_the_next_second();
            wire.run_and_kill(quiet(&shell, &line), moment, MANY - 2);
            let again = shell.run(&line).exits(0).json();

            let name = change.name;
            assert_eq!(again["summary"]["failed"], 0, "{name}: {again}");
            let mut made = made(&tenant);
            made.retain(|call, _| !before.contains_key(call));
            let repeated = made.values().filter(|count| **count > 1).count();
            assert_eq!(made.len(), MANY, "{name}: {made:?}");
            assert!(repeated <= AT_ONCE, "{name}: {repeated} were sent again");
        }
    }
}

/// Whatever an interrupted run has ended, and somebody has provisioned again since, is not ended by the same command.
#[test]
fn what_not_confirmed_is_not_ended_by_an_older_run() {
    let confirmed = format!("--all -c 42 --confirm={MANY}");
    let addresses: Vec<String> = (0..MANY).map(|i| format!("203.0.113.{i}")).collect();
    let domains = words("domain terminate -y -c 42", names());
    let servers = words("endpoint terminate -y -c 42", addresses.clone());
    let all = words("endpoint terminate", words(&confirmed, Vec::new()));
    let deleted = words("endpoint delete -y -c 42", addresses);
    for line in [domains, servers, all, deleted] {
        for (moment, call) in [(Moment::Unwritten, MANY - 2), (Moment::Unanswered, 1)] {
            ends_nothing_that_not_confirmed(&line, moment, call);
        }
    }
}

fn ends_nothing_that_not_confirmed(line: &[String], moment: Moment, call: usize) {
    // On a busy machine the service may close the connection before the call arrives, and then nothing has ended.
    let is_done = (0..5).any(|_| ends_nothing_or_did_not_begin(line, moment, call));
    assert!(is_done, "{line:?}, {moment:?}: nothing ended");
}

/// Whether the killed run had ended something.
fn ends_nothing_or_did_not_begin(line: &[String], moment: Moment, call: usize) -> bool {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    let is_of_domains = line[0] == "domain";
    let provision_all = |from: &Shell| match is_of_domains {
        true => drop(domains(from)),
        false => servers(from),
    };
    let list = match is_of_domains {
        true => "domain list -c 42 -o ids",
        false => "endpoint list -c 42 -o ids",
    };
    provision_all(&shell);
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    wire.run_and_kill(quiet(&shell, &line), moment, call);
    await_the_next_second();
    let other = Shell::of(&tenant);
    if other.line(list).exits(0).stdout.lines().count() == MANY {
        return false;
    }
    provision_all(&other);
    if is_of_domains {
        // Nothing but its scans tells of a domain that it was restored.
        for id in other.line(list).exits(0).stdout.lines() {
            let id = id.parse().expect("an id");
            tenant
                .scan_domain_now(id, ScanOutcome::Completed)
                .expect("it is there");
        }
    }
    // Those that came back are named and left; what the run had not come to, the same command ends now.
    let refused = shell.run(&line).exits(8).stdout;
    assert!(
        refused.contains("not sent: "),
        "{line:?}, {moment:?}: {refused}"
    );
    let left = shell.line(list).exits(0).stdout;
    let named = refused.matches("not sent: ").count();
    assert_eq!(
        left.lines().count(),
        named,
        "{line:?}, {moment:?}: {refused}"
    );
    assert!(named > 0, "{line:?}, {moment:?}");
    true
}

#[test]
fn an_old_address_that_not_confirmed_is_not_ended_by_a_move_that_goes_on() {
    let tenant = account();
    let (wire, shell) = wired(&tenant);
    provision(&shell, "203.0.113.10", "web-1");
    let line = words(
        "endpoint move 203.0.113.10 203.0.113.20 -y -c 42",
        Vec::new(),
    );
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    await_the_next_second();
    // The first call provisions, the second ends the old server.
    wire.run_and_kill(quiet(&shell, &line), Moment::Unanswered, 2);
    await_the_next_second();
    provision(&shell, "203.0.113.10", "web-1");
    let refused = shell.run(&line).exits(8).stdout;
    assert!(refused.contains("not sent: "), "{refused}");
    let old = shell.line("endpoint show 203.0.113.10 -o json");
    assert_eq!(old.exits(0).json()["data"]["status"], "active");
}

/// The service tells times to the second.
pub fn await_the_next_second() {
    let begun = SystemTime::now();
    until("the next second", || {
        begun.elapsed().is_ok_and(|time| time.as_secs() >= 1)
    });
}
