//! Filters at random, in the words of nftables and of iptables.

use std::fmt::Write as _;

/// Numbers that are the same in each run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let place = self.below(of.len() as u64);
        of[usize::try_from(place).expect("small")]
    }

    fn port(&mut self) -> u64 {
        20 + self.below(10)
    }

    fn range(&mut self, separator: char) -> String {
        let (first, last) = (self.port(), self.port());
        match first < last {
            true => format!("{first}{separator}{last}"),
            false => first.to_string(),
        }
    }
}

/// The ports that filters are about.
pub const PORTS: std::ops::RangeInclusive<u16> = 19..=30;

/// Chains that are jumped to; each only to those behind it.
const CHAINS: u64 = 4;

/// A ruleset of nftables.
pub fn nftables(random: &mut Random) -> String {
    let policy = random.one(&["accept", "drop", "drop"]);
    let mut text = String::from("table inet filter {\n");
    let _ = writeln!(
        text,
        "\tset ports {{\n\t\ttype inet_service\n\t\tflags interval\n\t\telements = {{ {}, 29 }}\n\t}}\n",
        random.one(&["21", "22-24", "25-26"])
    );
    let _ = writeln!(
        text,
        "\tset people {{\n\t\ttype ipv4_addr\n\t\tflags interval\n\t\telements = {{ {} }}\n\t}}\n",
        random.one(&[
            "198.51.100.0/24",
            "10.0.0.0/8",
            "0.0.0.0/0",
            "192.0.2.0/25, 203.0.113.0/24"
        ])
    );
    for chain in (0..CHAINS).rev() {
        let _ = writeln!(text, "\tchain c{chain} {{");
        for _ in 0..random.below(5) {
            let _ = writeln!(text, "\t\t{}", nft_rule(random, chain + 1));
        }
        text.push_str("\t}\n\n");
    }
    if random.below(3) == 0 {
        let _ = writeln!(
            text,
            "\tchain early {{\n\t\ttype filter hook input priority filter - 5; policy accept;\n\t\t{}\n\t}}\n",
            nft_rule(random, 2)
        );
    }
    let _ = writeln!(
        text,
        "\tchain input {{\n\t\ttype filter hook input priority filter; policy {policy};"
    );
    for _ in 0..3 + random.below(8) {
        let _ = writeln!(text, "\t\t{}", nft_rule(random, 0));
    }
    text.push_str("\t}\n}\n");
    text
}

fn nft_rule(random: &mut Random, first_chain: u64) -> String {
    let mut words: Vec<String> = Vec::new();
    if random.below(3) == 0 {
        words.push(
            random
                .one(&[
                    "ip saddr 198.51.100.0/24",
                    "ip saddr != 198.51.100.0/24",
                    "ip saddr 10.0.0.0/8",
                    "ip saddr != 10.0.0.0/8",
                    "iifname \"lo\"",
                    "iifname != \"lo\"",
                    "iifname \"eth0\"",
                    "iifname \"eth1\"",
                    "ct state new",
                    "ct state established,related",
                    "ct state invalid",
                    "meta l4proto tcp",
                    "meta l4proto udp",
                    "meta l4proto icmp",
                    "ip saddr @people",
                    "ip saddr != @people",
                    "meta nfproto ipv4",
                    "ip daddr 203.0.113.10",
                    "ip daddr 203.0.113.11",
                    "fib daddr type local",
                    "meta mark 0x1",
                    "ip saddr 0.0.0.0/0",
                    "meta pkttype broadcast",
                ])
                .to_owned(),
        );
    }
    if random.below(8) == 0 {
        words.push("meta mark set 0x1".to_owned());
        return words.join(" ");
    }
    let is_of_protocol = words.iter().any(|word| word.starts_with("meta l4proto"));
    match random.below(8) {
        0 => {}
        _ if is_of_protocol => {}
        1 => words.push(format!(
            "{} dport != {}",
            random.one(&["tcp", "udp"]),
            random.range('-')
        )),
        2 => words.push(format!(
            "{} dport {{ {}, {} }}",
            random.one(&["tcp", "udp"]),
            random.port(),
            30
        )),
        3 => words.push(format!("{} dport @ports", random.one(&["tcp", "udp"]))),
        4 => {
            let ports = (random.port(), 30);
            let verdicts = (
                nft_verdict(random, first_chain),
                nft_verdict(random, first_chain),
            );
            return format!(
                "{} tcp dport vmap {{ {} : {}, {} : {} }}",
                words.join(" "),
                ports.0,
                verdicts.0,
                ports.1,
                verdicts.1
            );
        }
        5 => words.push(format!(
            "meta l4proto . th dport {{ tcp . {}, udp . {} }}",
            random.port(),
            random.port()
        )),
        _ => words.push(format!(
            "{} dport {}",
            random.one(&["tcp", "udp", "th"]),
            random.range('-')
        )),
    }
    if words.iter().any(|word| word.starts_with("th ")) {
        words.insert(0, "meta l4proto { tcp, udp }".to_owned());
    }
    words.push(nft_verdict(random, first_chain));
    words.join(" ")
}

fn nft_verdict(random: &mut Random, first_chain: u64) -> String {
    if first_chain < CHAINS && random.below(3) == 0 {
        let chain = first_chain + random.below(CHAINS - first_chain);
        return format!("{} c{chain}", random.one(&["jump", "jump", "goto"]));
    }
    random
        .one(&["accept", "accept", "drop", "return", "continue"])
        .to_owned()
}

/// A dump for `iptables-restore`.
pub fn iptables(random: &mut Random) -> String {
    let policy = random.one(&["ACCEPT", "DROP", "DROP"]);
    let mut text =
        format!("*filter\n:INPUT {policy} [0:0]\n:FORWARD DROP [0:0]\n:OUTPUT ACCEPT [0:0]\n");
    for chain in 0..CHAINS {
        let _ = writeln!(text, ":C{chain} - [0:0]");
    }
    for _ in 0..3 + random.below(8) {
        let _ = writeln!(text, "-A INPUT {}", iptables_rule(random, 0));
    }
    for chain in 0..CHAINS {
        for _ in 0..random.below(5) {
            let _ = writeln!(text, "-A C{chain} {}", iptables_rule(random, chain + 1));
        }
    }
    text.push_str("COMMIT\n");
    text
}

fn iptables_rule(random: &mut Random, first_chain: u64) -> String {
    let mut words: Vec<String> = Vec::new();
    if random.below(3) == 0 {
        words.push(
            random
                .one(&[
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
                ])
                .to_owned(),
        );
    }
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
    if random.below(4) == 0 {
        words.push(
            random
                .one(&[
                    "-m conntrack --ctstate NEW",
                    "-m conntrack --ctstate RELATED,ESTABLISHED",
                    "-m conntrack ! --ctstate NEW",
                    "-m comment --comment \"a \\\"-j DROP\\\" b\"",
                    "-m addrtype --dst-type LOCAL",
                    "-m addrtype ! --dst-type LOCAL",
                    "-m mark --mark 0x1",
                    "-m limit --limit 1000/sec --limit-burst 1000",
                    "-m pkttype --pkt-type multicast",
                ])
                .to_owned(),
        );
    }
    if random.below(10) == 0 {
        words.push("-j MARK --set-xmark 0x1/0xffffffff".to_owned());
        return words.join(" ");
    }
    if first_chain < CHAINS && random.below(3) == 0 {
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
