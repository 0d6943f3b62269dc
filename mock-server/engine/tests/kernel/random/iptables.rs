//! Dumps for `iptables-restore`: filters, in front of them what is not tracked, what is marked and what is translated.

use std::fmt::Write as _;

use super::{CHAINS, Random};

/// A dump for `iptables-restore`.
pub fn iptables(random: &mut Random) -> String {
    let mut tables = Vec::new();
    if random.once_in(3) {
        tables.push(early(
            random,
            "raw",
            &["ACCEPT", "DROP", "RETURN", "NOTRACK"],
        ));
    }
    if random.once_in(3) {
        let ends = [
            "ACCEPT",
            "DROP",
            "MARK --set-xmark 0x1/0xffffffff",
            "CONNMARK --set-xmark 0x1/0xffffffff",
            "CONNMARK --restore-mark",
        ];
        tables.push(early(random, "mangle", &ends));
    }
    if random.once_in(3) {
        tables.push(translation(random));
    }
    tables.push(filter(random));
    tables.concat()
}

fn filter(random: &mut Random) -> String {
    let policy = random.one(&["ACCEPT", "DROP", "DROP"]);
    let mut text =
        format!("*filter\n:INPUT {policy} [0:0]\n:FORWARD DROP [0:0]\n:OUTPUT ACCEPT [0:0]\n");
    for chain in 0..CHAINS {
        let _ = writeln!(text, ":C{chain} - [0:0]");
    }
    for _ in 0..3 + random.below(8) {
        let _ = writeln!(text, "-A INPUT {}", rule(random, 0));
    }
    for chain in 0..CHAINS {
        for _ in 0..random.below(5) {
            let _ = writeln!(text, "-A C{chain} {}", rule(random, chain + 1));
        }
    }
    text.push_str("COMMIT\n");
    text
}

const ADDRESSES: [&str; 11] = [
    "-s 198.51.100.0/24",
    "! -s 198.51.100.0/24",
    "-s 127.0.0.1/32",
    "! -s 10.0.0.0/8",
    "-i lo",
    "! -i lo",
    "-i eth0",
    "! -i eth1",
    "-d 203.0.113.10/32",
    "-d 203.0.113.11/32",
    "! -d 203.0.113.11/32",
];

const MATCHES: [&str; 14] = [
    "-m conntrack --ctstate NEW",
    "-m conntrack --ctstate RELATED,ESTABLISHED",
    "-m conntrack ! --ctstate NEW",
    "-m conntrack --ctstate INVALID",
    "-m conntrack --ctstate UNTRACKED",
    "-m conntrack --ctstate DNAT",
    "-m comment --comment \"a \\\"-j DROP\\\" b\"",
    "-m addrtype --dst-type LOCAL",
    "-m addrtype ! --dst-type LOCAL",
    "-m mark --mark 0x1",
    "-m connmark --mark 0x1",
    "-m mark ! --mark 0x1",
    "-m limit --limit 1000/sec --limit-burst 1000",
    "-m pkttype --pkt-type multicast",
];

fn rule(random: &mut Random, first_chain: u64) -> String {
    let mut words: Vec<String> = Vec::new();
    if random.once_in(3) {
        words.push(random.one(&ADDRESSES).to_owned());
    }
    ports(random, &mut words);
    if random.once_in(4) {
        words.push(random.one(&MATCHES).to_owned());
    }
    if random.once_in(10) {
        words.push("-j MARK --set-xmark 0x1/0xffffffff".to_owned());
        return words.join(" ");
    }
    if first_chain < CHAINS && random.once_in(3) {
        let chain = first_chain + random.below(CHAINS - first_chain);
        words.push(format!("{} C{chain}", random.one(&["-j", "-j", "-g"])));
    } else {
        words.push(format!(
            "-j {}",
            random.one(&["ACCEPT", "ACCEPT", "DROP", "RETURN"])
        ));
    }
    words.join(" ")
}

/// What asks for a protocol and its ports, or nothing.
fn ports(random: &mut Random, words: &mut Vec<String>) {
    let negation = random.one(&["", "", "", "! "]);
    match random.below(7) {
        0 => {}
        1 => words.push(format!("-p {}", random.one(&["tcp", "udp", "icmp"]))),
        2 => words.push(format!(
            "-p tcp -m multiport {negation}--dports {},{}",
            random.port(),
            random.range(':')
        )),
        3 => words.push(format!(
            "-p udp -m multiport {negation}--ports {},{}",
            random.port(),
            random.port()
        )),
        4 => words.push(format!(
            "-p tcp -m tcp --sport {}",
            random.one(&["1024:65535", "53", "0:1023"])
        )),
        _ => {
            let protocol = random.one(&["tcp", "udp"]);
            words.push(format!(
                "-p {protocol} -m {protocol} {negation}--dport {}",
                random.range(':')
            ));
        }
    }
}

/// A table that packets come to before the filter; those of raw are not tracked yet.
fn early(random: &mut Random, table: &str, ends: &[&str]) -> String {
    let mut text =
        format!("*{table}\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:EARLY - [0:0]\n");
    for _ in 0..1 + random.below(4) {
        let mut words = Vec::new();
        if random.once_in(3) {
            words.push(random.one(&ADDRESSES).to_owned());
        }
        ports(random, &mut words);
        if random.once_in(3) {
            words.push(random.one(&MATCHES).to_owned());
        }
        let chain = random.one(&["PREROUTING", "PREROUTING", "EARLY"]);
        let end = match chain {
            "PREROUTING" if random.once_in(4) => "EARLY",
            _ => random.one(ends),
        };
        let _ = writeln!(text, "-A {chain} {} -j {end}", words.join(" "));
    }
    text.push_str("COMMIT\n");
    text
}

/// Address translation.
fn translation(random: &mut Random) -> String {
    let mut text = String::from(
        "*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n:PUBLISHED - [0:0]\n",
    );
    for _ in 0..1 + random.below(5) {
        let mut words = Vec::new();
        if random.once_in(3) {
            words.push(random.one(&ADDRESSES).to_owned());
        }
        let protocol = random.one(&["tcp", "udp"]);
        words.push(format!(
            "-p {protocol} -m {protocol} --dport {}",
            random.range(':')
        ));
        if random.once_in(4) {
            words.push(
                random
                    .one(&["-m addrtype --dst-type LOCAL", "-m mark --mark 0x1"])
                    .to_owned(),
            );
        }
        let chain = random.one(&["PREROUTING", "PREROUTING", "PUBLISHED"]);
        let end = match random.below(6) {
            0 if chain == "PREROUTING" => "PUBLISHED".to_owned(),
            0 => "RETURN".to_owned(),
            1 => format!("DNAT --to-destination 10.1.1.1:{}", random.port()),
            2 => format!("DNAT --to-destination 203.0.113.10:{}", random.port()),
            3 => format!("REDIRECT --to-ports {}", random.port()),
            4 => "REDIRECT".to_owned(),
            _ => "ACCEPT".to_owned(),
        };
        let _ = writeln!(text, "-A {chain} {} -j {end}", words.join(" "));
    }
    text.push_str("-A POSTROUTING -o eth0 -j MASQUERADE\nCOMMIT\n");
    text
}
