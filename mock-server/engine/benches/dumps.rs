//! Eight large firewall dumps, each ingested by a process of its own: the time that it takes, and the memory.
//!
//! `cargo bench -p secmon-engine --bench dumps` prints a table. No call may take more than 50 ms and 16 MiB.

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant as Moment};

use secmon_engine::{
    Account, AccountSettings, Call, Client, ClientId, IngestFirewall, Instant, ProvisionEndpoint,
    Refusal, SandboxHeader, Target,
};

/// The largest dump that the service takes.
const LARGEST: usize = 256 * 1024;

/// Times that each dump is read; the least counts, since other programs only ever add to it.
const ROUNDS: usize = 15;

type Dump = (&'static str, fn() -> String);

const DUMPS: [Dump; 8] = [
    ("iptables, 10,000 banned addresses", banned_addresses),
    ("iptables, services of Kubernetes", services),
    ("nftables, a set of 10,000 ports", set_of_ports),
    ("nftables, 10,000 pairs of address and port", set_of_pairs),
    ("ufw, as many rows as fit", rows),
    ("nftables, as many lines of one letter as fit", letters),
    ("nftables, lines that say nothing", words),
    (
        "iptables, as many lines of one letter as fit",
        other_letters,
    ),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let wanted = arguments.find_map(|argument| argument.parse::<usize>().ok());
    if let Some((_, dump)) = wanted.and_then(|place| DUMPS.get(place)) {
        measure(&dump());
        return;
    }
    let this = std::env::current_exe().expect("the path of this program");
    for (place, (name, dump)) in DUMPS.iter().enumerate() {
        let size = dump().len();
        let child = Command::new(&this).arg(place.to_string()).output();
        let told = String::from_utf8(child.expect("a run").stdout).expect("UTF-8");
        println!("{name:<45}{:>4} KiB  {}", size / 1024, told.trim());
    }
}

/// Prints what one call takes.
fn measure(dump: &str) {
    assert!(dump.len() <= LARGEST, "{}", dump.len());
    let before = peak_kib();
    let mut least = Duration::MAX;
    let (mut peak, mut outcome) = (0, String::new());
    for round in 0..ROUNDS {
        let start = Moment::now();
        outcome = ingest(dump);
        least = least.min(start.elapsed());
        if round == 0 {
            peak = peak_kib().saturating_sub(before);
        }
    }
    let least = least.as_secs_f64() * 1000.0;
    println!(
        "{least:>6.1} ms  {:>5.1} MiB  {outcome}",
        peak as f64 / 1024.0
    );
}

fn ingest(dump: &str) -> String {
    let mut account = Account::new(AccountSettings::new("acme", "portal.acme.test", 7));
    let call = Call {
        now: Instant::parse("2026-01-01T00:00:00+00:00").expect("a time"),
        key: account.add_key("test_key_acme"),
        sandbox: SandboxHeader::Absent,
    };
    let client = ClientId::new(42).expect("a number");
    let request = ProvisionEndpoint {
        client: Client::new(client),
        target: Target::parse("203.0.113.10").expect("an address"),
        service: None,
    };
    let made = account.at(call).provision(request).expect("a server");
    let request = IngestFirewall {
        endpoint: made.value.endpoint_id,
        client,
        content: dump.to_owned(),
        format: None,
    };
    match account.at(call).ingest_firewall(&request) {
        Ok(answer) => format!(
            "{} suggested, {} skipped",
            answer.suggested.len(),
            answer.skipped.len()
        ),
        Err(Refusal::Invalid(_)) => "refused, as it asks for more than one call may".to_owned(),
        Err(refusal) => format!("{refusal:?}"),
    }
}

/// The most memory that this process had, in KiB; zero where the system does not tell.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn banned_addresses() -> String {
    let mut dump = "*filter\n:INPUT DROP [0:0]\n:f - [0:0]\n-A INPUT -j f\n-A INPUT -p tcp --dport 22 -j ACCEPT\n".to_owned();
    for number in 0..10_000 {
        let _ = writeln!(
            dump,
            "-A f -s 9.{}.{}.1 -j DROP",
            number / 256,
            number % 256
        );
    }
    dump.truncate(LARGEST);
    dump
}

fn services() -> String {
    let mut dump = "*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -j KUBE-SERVICES\n".to_owned();
    let mut number = 0;
    while dump.len() < LARGEST - 1_000 {
        number += 1;
        let port = 30_000 + number;
        let _ = writeln!(
            dump,
            "-A KUBE-SERVICES -p tcp -m tcp --dport {port} -j KUBE-SVC-{number}\n\
             -A KUBE-SVC-{number} -m statistic --mode random --probability 0.5 -j KUBE-SEP-{number}\n\
             -A KUBE-SVC-{number} -j KUBE-SEP-{number}\n\
             -A KUBE-SEP-{number} -p tcp -j DNAT --to-destination 10.0.0.1:80"
        );
    }
    dump.push_str(
        "COMMIT\n*filter\n:INPUT DROP [0:0]\n-A INPUT -p tcp --dport 1:65535 -j ACCEPT\nCOMMIT\n",
    );
    dump
}

fn nftables(set: &str, rule: &str) -> String {
    format!(
        "table inet filter {{\n\tset many {{\n\t\ttype inet_service\n\t\telements = {{ {set} }}\n\t}}\n\n\
         \tchain input {{\n\t\ttype filter hook input priority filter; policy drop;\n\t\t{rule} @many accept\n\t}}\n}}\n"
    )
}

fn letters() -> String {
    nonsense("a\n", LARGEST)
}

/// As many words and signs as are read.
fn words() -> String {
    nonsense("ab cd{ef};\n", 160 * 1024)
}

fn nonsense(line: &str, size: usize) -> String {
    let mut dump = "table inet filter {\n\tchain input {\n\t\ttype filter hook input priority filter; policy drop;\n".to_owned();
    while dump.len() + line.len() + 6 <= size {
        dump.push_str(line);
    }
    dump.push_str("\t}\n}\n");
    dump
}

fn other_letters() -> String {
    let mut dump = "*filter\n:INPUT DROP [0:0]\n".to_owned();
    dump.push_str(&"a\n".repeat((LARGEST - dump.len()) / 2));
    dump
}

fn set_of_ports() -> String {
    let ports: Vec<String> = (1..=10_000)
        .map(|number| (number * 6).to_string())
        .collect();
    nftables(&ports.join(", "), "tcp dport")
}

fn set_of_pairs() -> String {
    let pairs: Vec<String> = (1..=10_000)
        .map(|number| format!("9.9.{}.{} . {number}", number / 256, number % 256))
        .collect();
    nftables(&pairs.join(", "), "ip saddr . tcp dport")
}

fn rows() -> String {
    let mut dump = "Status: active\n\nTo   Action   From\n--   ------   ----\n".to_owned();
    let mut port = 1;
    while dump.len() < LARGEST - 100 {
        let action = if port % 3 == 0 {
            "DENY IN "
        } else {
            "ALLOW IN"
        };
        let _ = writeln!(dump, "{port}/tcp  {action}  Anywhere");
        port += 2;
    }
    dump
}
