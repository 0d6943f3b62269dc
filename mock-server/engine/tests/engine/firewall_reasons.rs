//! Reasons that must be true of the line that they are told of (E13).

use crate::firewall_lines::{iptables, nftables, read};

/// What is told of one line.
fn told(dump: &str) -> String {
    let (suggested, skipped) = read(dump);
    assert!(suggested.is_empty(), "{dump}: {suggested:?}");
    skipped.join("; ")
}

fn told_of_condition(words: &str) -> String {
    format!("it accepts some packets only, by a condition that is not known: {words}")
}

#[test]
fn loopback_is_loopback_by_whatever_name_e13() {
    let loopback = "it accepts on the loopback interface only";
    for name in ["lo", "1", "$LOOP", "{ lo }", "{ $LOOP }"] {
        let rule = nftables(&format!("\t\tiif {name} tcp dport 25 accept"));
        let dump = format!("define LOOP = lo # of the host\n{rule}");
        assert_eq!(told(&dump), loopback, "{name}");
    }
    let several = nftables("\t\tiifname { lo, eth1 } tcp dport 25 accept");
    assert_eq!(told(&several), "it accepts on the interface lo, eth1 only");
    // A name that nothing defines may be that of the interface to the internet.
    let unknown = nftables("\t\tiifname != { lo, $WAN } tcp dport 25 accept");
    assert_eq!(
        told(&unknown),
        "it accepts on other interfaces than lo, $WAN only"
    );
}

#[test]
fn an_answer_of_one_family_or_protocol_refuses_no_other_e13() {
    for (answer, rule, left) in [
        ("icmp port-unreachable", "tcp dport 80", &["80/tcp"][..]),
        ("icmpv6 type no-route", "tcp dport 80", &["80/tcp"]),
        ("tcp reset", "th dport 80", &["80/udp"]),
        ("icmpx admin-prohibited", "tcp dport 80", &[]),
    ] {
        let dump = nftables(&format!(
            "\t\t{rule} reject with {answer}\n\t\t{rule} accept"
        ));
        assert_eq!(read(&dump).0, left, "{answer}");
    }
    let both = nftables(
        "\t\tth dport 80 reject with icmp port-unreachable\n\t\tmeta nfproto ipv6 drop\n\t\tth dport 80 accept",
    );
    assert_eq!(told(&both), "line 4 refuses it first");
}

#[test]
fn a_negation_is_quoted_with_its_condition_e13() {
    for words in [
        "mark != 0x0",
        "ct mark != 0x0",
        "ip ttl != 64",
        "ip dscp != cs1, cs2",
        "skuid != 0",
    ] {
        let rule = words
            .replace("cs1, cs2", "{ cs1, cs2 }")
            .replace("skuid", "meta skuid");
        let dump = nftables(&format!("\t\t{rule} tcp dport 80 accept"));
        assert_eq!(told(&dump), told_of_condition(words));
    }
    let missing = nftables("\t\tip saddr != @bad tcp dport 80 accept");
    assert_eq!(told(&missing), told_of_condition("!= @bad"));
    let missing = nftables("\t\ttcp dport != @closed accept");
    assert_eq!(told(&missing), "its ports != @closed cannot be read");
    for words in [
        "! --ttl-eq 64",
        "! --mark 0x0",
        "! --mss 1300:1500",
        "--dir in --pol ipsec",
    ] {
        let dump = iptables(&format!(
            "-A INPUT -p tcp {} -m tcp --dport 80 -j ACCEPT",
            match words {
                "--dir in --pol ipsec" => format!("-m policy {words}"),
                words => words.to_owned(),
            }
        ));
        assert_eq!(told(&dump), told_of_condition(words));
    }
}
