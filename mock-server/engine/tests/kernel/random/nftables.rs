//! Rulesets of nftables: filters, in front of them what a device takes in, what is marked and what is translated.

use std::fmt::Write as _;

use super::{CHAINS, Random};

/// A ruleset of nftables.
pub fn nftables(random: &mut Random) -> String {
    let mut tables = vec![filter(random)];
    if random.once_in(3) {
        tables.push(device(random));
    }
    if random.once_in(3) {
        tables.push(translation(random));
    }
    if random.once_in(3) {
        tables.push(early(random));
    }
    // The order of tables in a ruleset says nothing.
    if random.once_in(2) {
        tables.reverse();
    }
    tables.concat()
}

fn filter(random: &mut Random) -> String {
    let mut text = String::from("table inet filter {\n");
    text.push_str(&sets(random));
    text.push_str(&maps(random));
    for chain in (0..CHAINS).rev() {
        let _ = writeln!(text, "\tchain c{chain} {{");
        for _ in 0..random.below(5) {
            let _ = writeln!(text, "\t\t{}", rule(random, chain + 1));
        }
        text.push_str("\t}\n\n");
    }
    if random.once_in(3) {
        let _ = writeln!(
            text,
            "\tchain early {{\n\t\ttype filter hook input priority filter - 5; policy accept;\n\t\t{}\n\t}}\n",
            rule(random, 2)
        );
    }
    let policy = random.one(&["accept", "drop", "drop"]);
    let _ = writeln!(
        text,
        "\tchain input {{\n\t\ttype filter hook input priority filter; policy {policy};"
    );
    for _ in 0..3 + random.below(8) {
        let _ = writeln!(text, "\t\t{}", rule(random, 0));
    }
    text.push_str("\t}\n}\n");
    text
}

fn sets(random: &mut Random) -> String {
    let ports = random.one(&["21", "22-24", "25-26"]);
    let people = random.one(&[
        "198.51.100.0/24",
        "10.0.0.0/8",
        "0.0.0.0/0",
        "192.0.2.0/25, 203.0.113.0/24",
    ]);
    format!(
        "\tset ports {{\n\t\ttype inet_service\n\t\tflags interval\n\t\telements = {{ {ports}, 29 }}\n\t}}\n\n\
         \tset people {{\n\t\ttype ipv4_addr\n\t\tflags interval\n\t\telements = {{ {people} }}\n\t}}\n\n"
    )
}

/// Maps of verdicts. They jump to the last chain at most, so that no chain comes back to itself.
fn maps(random: &mut Random) -> String {
    let last = CHAINS - 1;
    let mut verdict = || verdict(random, last);
    let (one, two, three, four, five) = (verdict(), verdict(), verdict(), verdict(), verdict());
    let (first, second) = random.two_ports();
    format!(
        "\tmap by_port {{\n\t\ttype inet_service : verdict\n\t\tflags interval\n\
         \t\telements = {{ 20-22 : {one}, {} : {two} }}\n\t}}\n\n\
         \tmap by_pair {{\n\t\ttype inet_proto . inet_service : verdict\n\
         \t\telements = {{ tcp . {first} : {three}, udp . {second} : {four} }}\n\t}}\n\n\
         \tmap by_side {{\n\t\ttype ifname . inet_service : verdict\n\
         \t\telements = {{ \"eth0\" . {second} : {five}, \"eth1\" . {first} : accept }}\n\t}}\n\n\
         \tmap by_people {{\n\t\ttype ipv4_addr : verdict\n\t\tflags interval\n\
         \t\telements = {{ 198.51.100.0/24 : {four}, 192.0.2.7 : {one} }}\n\t}}\n\n",
        random.one(&["24", "25-28", "30"]),
    )
}

const CONDITIONS: [&str; 29] = [
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
    "ct state untracked",
    "ct status dnat",
    "ct status != dnat",
    "ct mark 0x1",
    "ct direction original",
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
    "meta mark 0x0",
    "ip saddr 0.0.0.0/0",
    "meta pkttype broadcast",
];

fn rule(random: &mut Random, first_chain: u64) -> String {
    let mut words: Vec<String> = Vec::new();
    if random.once_in(3) {
        words.push(random.one(&CONDITIONS).to_owned());
    }
    if random.once_in(8) {
        words.push(
            random
                .one(&["meta mark set 0x1", "ct mark set 0x1"])
                .to_owned(),
        );
        if random.once_in(2) {
            return words.join(" ");
        }
    }
    let is_of_protocol = words.iter().any(|word| word.starts_with("meta l4proto"));
    if random.once_in(6) && !is_of_protocol {
        words.push(lookup(random, first_chain));
        return words.join(" ");
    }
    if !is_of_protocol {
        ports(random, &mut words);
    }
    words.push(verdict(random, first_chain));
    words.join(" ")
}

/// What asks for ports, or nothing.
fn ports(random: &mut Random, words: &mut Vec<String>) {
    let protocol = random.one(&["tcp", "udp"]);
    match random.below(7) {
        0 => {}
        1 => words.push(format!("{protocol} dport != {}", random.range('-'))),
        2 => words.push(format!("{protocol} dport {{ {}, 30 }}", random.port())),
        3 => words.push(format!("{protocol} dport @ports")),
        4 => words.push(format!(
            "meta l4proto . th dport {{ tcp . {}, udp . {} }}",
            random.port(),
            random.port()
        )),
        5 => {
            words.insert(0, "meta l4proto { tcp, udp }".to_owned());
            words.push(format!("th dport {}", random.range('-')));
        }
        _ => words.push(format!("{protocol} dport {}", random.range('-'))),
    }
}

/// A lookup in a map of verdicts, named or not.
fn lookup(random: &mut Random, first_chain: u64) -> String {
    let protocol = random.one(&["tcp", "udp"]);
    // Only what comes before the last chain may lead to it.
    if first_chain < CHAINS && random.once_in(2) {
        return match random.below(4) {
            0 => format!("{protocol} dport vmap @by_port"),
            1 => "meta l4proto . th dport vmap @by_pair".to_owned(),
            2 => format!("iifname . {protocol} dport vmap @by_side"),
            _ => "ip saddr vmap @by_people".to_owned(),
        };
    }
    let (port, other) = random.two_ports();
    let (one, two) = (verdict(random, first_chain), verdict(random, first_chain));
    match random.below(6) {
        0 => format!("meta l4proto vmap {{ tcp : {one}, udp : {two} }}"),
        1 => format!("ct state vmap {{ new : {one}, established : accept, invalid : {two} }}"),
        2 => format!("meta mark vmap {{ 0x0 : {one}, 0x1 : {two} }}"),
        3 => format!(
            "ip saddr . {protocol} dport vmap {{ 198.51.100.9 . {port} : {one}, 192.0.2.7 . {other} : {two} }}"
        ),
        4 => format!("iifname vmap {{ \"eth0\" : {one}, \"lo\" : {two} }}"),
        _ => format!("{protocol} dport vmap {{ {port} : {one}, {other} : {two} }}"),
    }
}

fn verdict(random: &mut Random, first_chain: u64) -> String {
    if first_chain < CHAINS && random.once_in(3) {
        let chain = first_chain + random.below(CHAINS - first_chain);
        return format!("{} c{chain}", random.one(&["jump", "jump", "goto"]));
    }
    random
        .one(&["accept", "accept", "drop", "return", "continue"])
        .to_owned()
}

/// What a device takes in, before any protocol looks at it.
fn device(random: &mut Random) -> String {
    let device = random.one(&["eth0", "eth0", "eth1"]);
    let priority = random.one(&["-500", "filter", "10"]);
    let mut text = String::from("table netdev front {\n\tchain inner {\n");
    for _ in 0..random.below(4) {
        let _ = writeln!(text, "\t\t{}", device_rule(random, false));
    }
    let policy = random.one(&["accept", "accept", "accept", "drop"]);
    let _ = writeln!(
        text,
        "\t}}\n\n\tchain ingress {{\n\t\ttype filter hook ingress device \"{device}\" priority {priority}; policy {policy};"
    );
    for _ in 0..1 + random.below(4) {
        let _ = writeln!(text, "\t\t{}", device_rule(random, true));
    }
    text.push_str("\t}\n}\n");
    text
}

fn device_rule(random: &mut Random, may_jump: bool) -> String {
    let condition = random.one(&[
        "",
        "",
        "",
        "ip saddr 198.51.100.0/24",
        "ip saddr != 198.51.100.0/24",
        "ip saddr 10.0.0.0/8",
        "meta protocol ip",
        "meta protocol != ip",
        "iifname \"eth0\"",
        "ip daddr 203.0.113.10",
        "meta mark set 0x1",
    ]);
    let protocol = random.one(&["tcp", "udp"]);
    let mut verdict = || match may_jump {
        true => random.one(&[
            "accept",
            "drop",
            "return",
            "continue",
            "jump inner",
            "goto inner",
        ]),
        false => random.one(&["accept", "drop", "return", "continue"]),
    };
    let (one, two) = (verdict(), verdict());
    let (first, second) = random.two_ports();
    let rest = match random.below(5) {
        0 => one.to_owned(),
        1 => format!("{protocol} dport vmap {{ {first} : {one}, {second} : {two} }}"),
        2 => format!("meta l4proto vmap {{ tcp : {one}, udp : {two} }}"),
        3 => format!("{protocol} dport != {} {one}", random.range('-')),
        _ => format!("{protocol} dport {} {one}", random.range('-')),
    };
    format!("{condition} {rest}")
}

/// Address translation.
fn translation(random: &mut Random) -> String {
    let mut text = String::from("table inet translation {\n\tchain inner {\n");
    for _ in 0..random.below(3) {
        let _ = writeln!(text, "\t\t{}", translation_rule(random, false));
    }
    let _ = writeln!(
        text,
        "\t}}\n\n\tchain prerouting {{\n\t\ttype nat hook prerouting priority dstnat; policy accept;"
    );
    for _ in 0..1 + random.below(4) {
        let _ = writeln!(text, "\t\t{}", translation_rule(random, true));
    }
    let _ = writeln!(
        text,
        "\t}}\n\n\tchain input {{\n\t\ttype nat hook input priority 100; policy accept;\n\t\ttcp dport {} {}\n\t}}\n",
        random.port(),
        random.one(&["accept", "return", "drop"])
    );
    text.push_str(
        "\tchain postrouting {\n\t\ttype nat hook postrouting priority srcnat; policy accept;\n\
         \t\toifname \"eth0\" masquerade\n\t}\n}\n",
    );
    text
}

fn translation_rule(random: &mut Random, may_jump: bool) -> String {
    let condition = random.one(&[
        "",
        "",
        "ip saddr 198.51.100.0/24",
        "iifname \"eth0\"",
        "iifname \"eth1\"",
        "fib daddr type local",
        "ip daddr 203.0.113.10",
        "meta mark 0x1",
    ]);
    let protocol = random.one(&["tcp", "udp"]);
    let (first, second) = random.two_ports();
    let rest = match random.below(8) {
        0 => format!(
            "{protocol} dport {} redirect to :{first}",
            random.range('-')
        ),
        1 => format!("{protocol} dport {first} dnat ip to 10.1.1.1:{second}"),
        2 => format!("{protocol} dport {first} dnat ip to 203.0.113.10:{second}"),
        3 => format!(
            "dnat ip to {protocol} dport map {{ {first} : 10.1.1.1, {second} : 203.0.113.10 }}"
        ),
        4 => format!(
            "meta l4proto {protocol} redirect to :{protocol} dport map {{ {first} : {second} }}"
        ),
        5 => format!(
            "{protocol} dport {{ {first}, {second} }} {}",
            random.one(&["accept", "return", "drop"])
        ),
        6 if may_jump => format!(
            "{protocol} dport {} {} inner",
            random.range('-'),
            random.one(&["jump", "goto"])
        ),
        _ => format!("{protocol} dport {first} redirect"),
    };
    format!("{condition} {rest}")
}

/// A table that packets come to before the filter, or before the kernel tracks them.
fn early(random: &mut Random) -> String {
    let priority = random.one(&["raw", "mangle", "dstnat + 5", "filter"]);
    let mut text = format!(
        "table inet early {{\n\tchain prerouting {{\n\t\ttype filter hook prerouting priority {priority}; policy accept;\n"
    );
    for _ in 0..1 + random.below(4) {
        let condition = random.one(&[
            "",
            "",
            CONDITIONS[0],
            "ct state new",
            "ct state invalid",
            "meta mark 0x1",
            "ct mark 0x0",
            "ct direction original",
            "meta nfproto ipv4",
        ]);
        let condition = condition.to_owned();
        let mut words = vec![condition];
        ports(random, &mut words);
        let end = random.one(&[
            "accept",
            "drop",
            "return",
            "meta mark set 0x1",
            "meta mark set 0x1 accept",
            "ct mark set 0x1 accept",
            "meta mark set ct mark",
            "notrack",
            "notrack accept",
        ]);
        // Nothing is tracked anew once it is tracked, and nothing has a connection before.
        let end = match priority {
            "raw" => end.replace("ct mark set", "meta mark set"),
            _ => end
                .replace("notrack", "continue")
                .replace("continue accept", "accept"),
        };
        // The sets are another table's.
        let asked = words.join(" ").replace("@ports", "{ 21, 23-26 }");
        let _ = writeln!(text, "\t\t{asked} {end}");
    }
    text.push_str("\t}\n}\n");
    text
}
