//! Firewall ingest line by line: what each kind of line comes to (E13).

use crate::bench::Bench;
use crate::firewall::ingest;

const LOOPBACK: &str = "it accepts on the loopback interface only";
const EXISTING: &str = "it accepts connections that exist already, no port";
const EXCLUDES: &str = "it says what it excludes, not what it accepts";
const WHOLE_RANGE: &str = "it accepts every port, which is too wide to suggest";
const NO_TRANSPORT: &str = "it is about neither TCP nor UDP";
const SOURCES: &str = "it accepts from some sources only";
const UNUSED: &str = "no inbound packet gets to its chain";

/// The lines, the suggestions that come from them, and what is said of the
/// last line where it is skipped.
type Row = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// Ports and protocol of each suggestion, and why lines were skipped.
pub fn read(content: &str) -> (Vec<String>, Vec<String>) {
    let mut bench = Bench::new();
    let id = bench.provision(42, "203.0.113.10");
    let answer = ingest(&mut bench, id, content, None).expect("read");
    let rules = answer.suggested.iter().map(|rule| {
        let shown = serde_json::to_value(rule).expect("json");
        let protocol = shown["protocol"].as_str().expect("a protocol").to_owned();
        format!("{}/{protocol}", rule.range_label)
    });
    let skipped = answer.skipped.iter().map(|skipped| skipped.reason.clone());
    (rules.collect(), skipped.collect())
}

fn check(rows: &[Row], dump: impl Fn(&str) -> String) {
    for (lines, rules, skipped) in rows {
        let (found, reasons) = read(&dump(lines));
        assert_eq!(found, *rules, "{lines}");
        assert_eq!(reasons, *skipped, "{lines}");
    }
}

pub fn iptables(lines: &str) -> String {
    format!("-P INPUT DROP\n{lines}\n")
}

pub fn nftables(lines: &str) -> String {
    format!(
        "table inet filter {{\n\tchain input {{\n\
         \t\ttype filter hook input priority filter; policy drop;\n{lines}\n\t}}\n}}\n"
    )
}

fn ufw(lines: &str) -> String {
    format!("Status: active\n\n{lines}\n")
}

fn firewalld(lines: &str) -> String {
    format!("public (default, active)\n  services: \n{lines}\n")
}

/// Lines of iptables that name ports, or none.
const IPTABLES_PORTS: &[Row] = &[
    (
        "-A INPUT -p tcp --dport :1023 -j ACCEPT",
        &["1-1023/tcp"],
        &[],
    ),
    (
        "-A INPUT -p tcp --dport 60000: -j ACCEPT",
        &["60000-65535/tcp"],
        &[],
    ),
    ("-A INPUT -p tcp --dport 0:9 -j ACCEPT", &["1-9/tcp"], &[]),
    ("-A INPUT -p tcp --dport ssh -j ACCEPT", &["22/tcp"], &[]),
    (
        "-A INPUT -p 6 --destination-port 22 --jump ACCEPT",
        &["22/tcp"],
        &[],
    ),
    (
        "-A INPUT --protocol 17 --destination-ports 53,161 -j ACCEPT",
        &["53/udp", "161/udp"],
        &[],
    ),
    ("-A INPUT -p all --dport 53 -j ACCEPT", &["53/*"], &[]),
    ("-A INPUT -p 0 --dport 53 -j ACCEPT", &["53/*"], &[]),
    (
        "[12:720] -A INPUT -p tcp --dport 22 -j ACCEPT",
        &["22/tcp"],
        &[],
    ),
    (
        "-A INPUT -i eth0 -p tcp --dport 22 -j ACCEPT",
        &["22/tcp"],
        &[],
    ),
    (
        "-A INPUT ! -s 10.0.0.1 -p tcp --dport 22 -j ACCEPT",
        &["22/tcp"],
        &[],
    ),
    (
        "-A INPUT -p tcp --dport 22 -m state --state NEW,ESTABLISHED -j ACCEPT",
        &["22/tcp"],
        &[],
    ),
    (
        "-A INPUT -g web\n-A web -p tcp --dport 80 -j ACCEPT",
        &["80/tcp"],
        &[],
    ),
    (
        "-A INPUT --goto web\n-A web -p tcp --dport 80 -j ACCEPT",
        &["80/tcp"],
        &[],
    ),
    (
        "-A INPUT -p tcp --dport 80 -j LOG\n-A LOG -p tcp --dport 80 -j ACCEPT",
        &[],
        &[UNUSED],
    ),
];

#[test]
fn what_begins_as_no_rule_does_is_told_by_its_line_e13() {
    let torn = "-p tcp --dport 8443 -j ACCEPT";
    let prompt = "root@web:~# iptables-save";
    let lines = format!(
        "{prompt}\n*filter\n:INPUT DROP [0:0]\n{torn}\n-A INPUT -p tcp --dport 22 -j ACCEPT\nCOMMIT\n"
    );
    let (found, reasons) = read(&lines);
    assert_eq!(found, ["22/tcp"]);
    assert_eq!(reasons, ["it cannot be read"]);
    let (found, reasons) = read(&nftables("tcp dport 22 accept\nfrobnicate 8443"));
    assert_eq!(found, ["22/tcp"]);
    assert_eq!(reasons, ["it cannot be read"]);
}

#[test]
fn an_iptables_line_accepts_the_ports_it_names_e13() {
    check(IPTABLES_PORTS, iptables);
}

#[test]
fn an_iptables_line_that_makes_no_rule_tells_why_e13() {
    let rows: &[Row] = &[
        (
            "-A INPUT -i lo -p tcp --dport 22 -j ACCEPT",
            &[],
            &[LOOPBACK],
        ),
        ("-A INPUT --in-interface lo -j ACCEPT", &[], &[LOOPBACK]),
        (
            "-A INPUT -p tcp --dport 22 -m state --state ESTABLISHED -j ACCEPT",
            &[],
            &[EXISTING],
        ),
        (
            "-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT",
            &[],
            &[EXISTING],
        ),
        ("-A INPUT ! -p tcp -j ACCEPT", &[], &[WHOLE_RANGE]),
        (
            "-A INPUT -p tcp ! --dports 22,23 -j ACCEPT",
            &[],
            &[EXCLUDES],
        ),
        ("-A INPUT -p tcp -j ACCEPT", &[], &[WHOLE_RANGE]),
        ("-A INPUT -j ACCEPT", &[], &[WHOLE_RANGE]),
        (
            "-A INPUT -m comment --comment all -j ACCEPT",
            &[],
            &[WHOLE_RANGE],
        ),
        ("-A INPUT -s 10.0.0.1 -p tcp -j ACCEPT", &[], &[SOURCES]),
        ("-A INPUT ! -s 10.0.0.1 -j ACCEPT", &[], &[WHOLE_RANGE]),
        ("-A INPUT -p icmp -j ACCEPT", &[], &[NO_TRANSPORT]),
        (
            "-A INPUT -p tcp --dport 0 -j ACCEPT",
            &[],
            &["its ports 0 cannot be read"],
        ),
    ];
    check(rows, iptables);
}

#[test]
fn an_iptables_line_blocks_what_follows_when_it_is_for_everybody_e13() {
    let rows: &[(&str, bool)] = &[
        ("-A INPUT -j DROP", true),
        (
            "-A INPUT -p tcp --dport 22 -j REJECT --reject-with tcp-reset",
            true,
        ),
        (
            "-A INPUT -p tcp --dport 20:25 -m comment --comment \"no ssh\" -j DROP",
            true,
        ),
        ("-A INPUT -p tcp -j DROP", true),
        ("-A INPUT -p udp -j DROP", false),
        ("-A INPUT -p icmp -j DROP", false),
        ("-A INPUT -s 10.0.0.1 -j DROP", false),
        ("-A INPUT ! -s 10.0.0.1 -j DROP", true),
        ("-A INPUT -i lo -j DROP", false),
        ("-A INPUT -m state --state INVALID -j DROP", false),
        ("-A INPUT -p tcp ! --dport 80 -j DROP", true),
        ("-A OTHER -j DROP", false),
    ];
    for (line, blocks) in rows {
        let dump = iptables(&format!("{line}\n-A INPUT -p tcp --dport 22 -j ACCEPT"));
        blocks_port_22(&dump, *blocks);
    }
}

fn blocks_port_22(dump: &str, blocks: bool) {
    let (rules, skipped) = read(dump);
    match blocks {
        true => {
            assert!(rules.is_empty(), "{dump}");
            let told = skipped.iter().filter(|reason| reason.ends_with(" first"));
            assert_eq!(told.count(), 1, "{dump}: {skipped:?}");
        }
        false => {
            assert_eq!(rules, ["22/tcp"], "{dump}");
            assert!(skipped.is_empty(), "{dump}: {skipped:?}");
        }
    }
}

#[test]
fn the_filters_of_both_address_families_block_for_themselves_e13() {
    let filter = |action: &str| {
        format!("*filter\n:INPUT DROP [0:0]\n-A INPUT -p tcp --dport 22 -j {action}\nCOMMIT\n")
    };
    let dump = format!("{}{}", filter("DROP"), filter("ACCEPT"));
    blocks_port_22(&dump, false);
}

#[test]
fn an_nft_rule_accepts_the_ports_it_names_e13() {
    let rows: &[Row] = &[
        ("tcp dport ftp-data accept", &["20/tcp"], &[]),
        ("th dport 53 accept", &["53/*"], &[]),
        ("ip protocol udp th dport 53 accept", &["53/udp"], &[]),
        ("ip6 nexthdr 6 th dport 80 accept", &["80/tcp"], &[]),
        ("iifname \"eth0\" tcp dport 25 accept", &["25/tcp"], &[]),
        (
            "ct state established,new tcp dport 22 accept",
            &["22/tcp"],
            &[],
        ),
        (
            "ct state { established, new } tcp dport 22 accept",
            &["22/tcp"],
            &[],
        ),
        (
            "tcp dport 22 counter packets 3 bytes 180 accept",
            &["22/tcp"],
            &[],
        ),
        (
            "tcp dport 22 log prefix \"drop\" accept comment \"drop\"",
            &["22/tcp"],
            &[],
        ),
        (
            "udp dport { 161, 5000-5010 } accept",
            &["161/udp", "5000-5010/udp"],
            &[],
        ),
    ];
    check(rows, nftables);
}

#[test]
fn an_nft_rule_that_makes_no_rule_tells_why_e13() {
    let rows: &[Row] = &[
        ("iif \"lo\" tcp dport 25 accept", &[], &[LOOPBACK]),
        ("iifname \"lo\" accept", &[], &[LOOPBACK]),
        (
            "ct state established,related tcp dport 22 accept",
            &[],
            &[EXISTING],
        ),
        ("ct state { established, related } accept", &[], &[EXISTING]),
        ("tcp dport != 25 accept", &[], &[EXCLUDES]),
        ("accept", &[], &[WHOLE_RANGE]),
        ("counter packets 3 bytes 180 accept", &[], &[WHOLE_RANGE]),
        (
            "meta l4proto { tcp, udp } counter accept",
            &[],
            &[WHOLE_RANGE],
        ),
        ("ip saddr 10.0.0.1 accept", &[], &[SOURCES]),
        ("tcp dport vmap { 22 : drop }", &[], &[]),
        ("meta l4proto icmp accept", &[], &[NO_TRANSPORT]),
        (
            "tcp dport @nowhere accept",
            &[],
            &["its ports @nowhere cannot be read"],
        ),
    ];
    check(rows, nftables);
}

#[test]
fn an_nft_rule_blocks_what_follows_when_it_is_for_everybody_e13() {
    let rows: &[(&str, bool)] = &[
        ("drop", true),
        ("reject with tcp reset", true),
        ("tcp dport 22 counter packets 3 bytes 180 drop", true),
        ("tcp dport 22 counter drop", true),
        ("tcp dport { 22, 80 } reject", true),
        ("meta l4proto tcp drop", true),
        ("tcp dport 22 drop comment \"ip saddr\"", true),
        ("meta l4proto { icmp, udp } drop", false),
        ("udp dport 22 drop", false),
        ("ip saddr 10.0.0.1 drop", false),
        ("iif \"lo\" drop", false),
        ("ct state invalid drop", false),
        ("tcp dport != 80 drop", true),
        ("tcp dport @nowhere drop", true),
    ];
    for (line, blocks) in rows {
        let dump = nftables(&format!("{line}\n\t\ttcp dport 22 accept"));
        blocks_port_22(&dump, *blocks);
    }
}

#[test]
fn a_ufw_rule_comes_to_what_its_columns_say_e13() {
    let rows: &[Row] = &[
        ("8000:8100/tcp  LIMIT  Anywhere", &["8000-8100/tcp"], &[]),
        (
            "Samba  ALLOW IN  Anywhere",
            &["137/udp", "138/udp", "139/tcp", "445/tcp"],
            &[],
        ),
        ("53  ALLOW  10.0.0.0/8", &[], &[SOURCES]),
        (
            "22/tcp  ALLOW FWD  Anywhere",
            &[],
            &["it is about forwarded packets, which are not to this host"],
        ),
        (
            "22/tcp  ALLOW OUT  Anywhere",
            &[],
            &["it is about outgoing packets"],
        ),
        ("Anywhere  ALLOW IN  10.0.0.1", &[], &[SOURCES]),
        (
            "Unheard Of  ALLOW IN  Anywhere",
            &[],
            &["the ports of its service Unheard Of are not known"],
        ),
    ];
    check(rows, ufw);
}

#[test]
fn a_ufw_rule_blocks_what_follows_when_it_is_for_everybody_e13() {
    let rows: &[(&str, bool)] = &[
        ("Anywhere  DENY IN  Anywhere", true),
        ("Anywhere (v6)  REJECT IN  Anywhere (v6)", false),
        ("20:25/tcp  REJECT  Anywhere", true),
        ("22  DENY IN  Anywhere", true),
        ("OpenSSH  DENY IN  Anywhere", true),
        ("Anywhere  DENY IN  10.0.0.1", false),
        ("Anywhere on eth1  DENY IN  Anywhere", false),
        ("22/tcp on eth1  DENY IN  Anywhere", false),
        ("22/tcp  DENY OUT  Anywhere", false),
        ("22/udp  DENY IN  Anywhere", false),
        ("Unheard Of  DENY IN  Anywhere", true),
    ];
    for (line, blocks) in rows {
        blocks_port_22(
            &ufw(&format!("{line}\n22/tcp  ALLOW IN  Anywhere")),
            *blocks,
        );
    }
}

#[test]
fn a_line_of_a_firewalld_zone_comes_to_what_it_says_e13() {
    let rows: &[Row] = &[
        (
            "\trule icmp-type name=\"echo-request\" accept",
            &[],
            &[NO_TRANSPORT],
        ),
        ("  target: ACCEPT", &[], &[WHOLE_RANGE]),
        ("  target: default", &[], &[]),
        ("  interfaces: eth0 accept", &[], &[]),
        (
            "  services: samba",
            &["139/tcp", "445/tcp", "138/udp", "137/udp"],
            &[],
        ),
        ("  services: dns", &["53/*"], &[]),
        (
            "  services: homemade",
            &[],
            &["the ports of its service homemade are not known"],
        ),
        (
            "  ports: 5000/sctp 22/tcp",
            &["22/tcp"],
            &["5000/sctp is no TCP or UDP port"],
        ),
        (
            "\trule port port=\"80-81\" protocol=\"tcp\" accept limit value=\"1/m\"",
            &["80-81/tcp"],
            &[],
        ),
        (
            "\trule service name=\"http\" log prefix=\"web\" accept",
            &["80/tcp"],
            &[],
        ),
        (
            "\trule service name=\"http\" log prefix=\"accept\" reject",
            &[],
            &[],
        ),
        (
            "\trule family=\"ipv4\" source address=\"10.0.0.1\" accept",
            &[],
            &[SOURCES],
        ),
        (
            "\trule family=\"ipv4\" source-port port=\"68\" protocol=\"udp\" accept",
            &[],
            &["it accepts from some source ports only"],
        ),
    ];
    check(rows, firewalld);
}

/// What a dump does not show, or says in another way, opens no port.
const IPTABLES_UNSURE: &[(&str, &[&str])] = &[
    (
        "-A INPUT -m mark --mark 0x1 -j DROP\n-A INPUT -p tcp --dport 22 -j ACCEPT",
        &[],
    ),
    (
        "-A INPUT -m mark ! --mark 0x1 -p tcp --dport 23 -j ACCEPT",
        &[],
    ),
    (
        "-A INPUT -p tcp --dport 80 -j ACCEPT\n-I INPUT -p tcp --dport 80 -j DROP",
        &[],
    ),
    (
        "-A INPUT -p tcp --dport 443 -j ACCEPT\n-D INPUT -p tcp --dport 443 -j ACCEPT",
        &[],
    ),
    (
        "--append INPUT --source 8.8.8.0/24 --jump DROP\n-A INPUT -p tcp --dport 22 -j ACCEPT",
        &[],
    ),
    (
        "-4 -A INPUT -s 8.8.8.0/24 -j DROP\n-A INPUT -p tcp --dport 22 -j ACCEPT",
        &[],
    ),
    (
        "-A INPUT -p tcp -m vendormatch -m tcp --dport 22 -j ACCEPT",
        &[],
    ),
    ("--append INPUT -p tcp --dport 22 -j ACCEPT", &["22/tcp"]),
    (
        "-A INPUT -p tcp -m tcp -m comment --comment web --dport 80 -j ACCEPT",
        &["80/tcp"],
    ),
];

#[test]
fn what_an_iptables_dump_leaves_open_is_not_allowed_e13() {
    for (lines, rules) in IPTABLES_UNSURE {
        let (found, reasons) = read(&iptables(lines));
        assert_eq!(found, *rules, "{lines}");
        assert!(
            !found.is_empty() || !reasons.is_empty(),
            "{lines}: nothing is said"
        );
    }
}

/// The same of nft.
const NFT_UNSURE: &[(&str, &[&str])] = &[
    ("tcp option maxseg exists drop\ntcp dport 22 accept", &[]),
    (
        "tcp dport 85 tcp option sack-perm exists drop\ntcp dport 85 accept",
        &[],
    ),
    ("tcp dport 86 tcp option timestamp exists accept", &[]),
    (
        "tcp flags & (fin|syn|rst|ack) == syn ip saddr 8.0.0.0/8 drop\nip6 version 6 drop\ntcp dport 22 accept",
        &[],
    ),
    (
        "tcp dport 24 quota over 0 bytes drop\ntcp dport 24 accept",
        &[],
    ),
    ("tcp dport 25 quota until 1 bytes accept", &[]),
    ("tcp flags > 0 drop\ntcp dport 81 accept", &[]),
    (
        "tcp flags & (cwr | cwr | 255) < fin drop\ntcp dport 82 accept",
        &["82/tcp"],
    ),
    (
        "tcp flags & (fin|syn) == fin|syn drop\ntcp dport 23 accept",
        &["23/tcp"],
    ),
];

#[test]
fn what_an_nft_ruleset_leaves_open_is_not_allowed_e13() {
    for (lines, rules) in NFT_UNSURE {
        let (found, reasons) = read(&nftables(lines));
        assert_eq!(found, *rules, "{lines}");
        assert!(
            !found.is_empty() || !reasons.is_empty(),
            "{lines}: nothing is said"
        );
    }
}
