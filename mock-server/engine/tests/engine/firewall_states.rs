//! What rules change of a packet that others ask for: marks and the tracking of connections; and what is told of
//! lines whose packets are accepted by other lines (E13).

use crate::firewall_lines::read;

const SOURCES: &str = "it accepts from some sources only";

/// A dump of two tables: one that packets come to first, and a filter that refuses.
fn iptables(table: &str, early: &str, input: &str) -> String {
    format!(
        "*{table}\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n{early}\nCOMMIT\n\
         *filter\n:INPUT DROP [0:0]\n:FORWARD DROP [0:0]\n:OUTPUT ACCEPT [0:0]\n{input}\nCOMMIT\n"
    )
}

fn nftables(priority: &str, early: &str, input: &str) -> String {
    format!(
        "table inet filter {{\n\
         \tchain early {{\n\t\ttype filter hook prerouting priority {priority}; policy accept;\n{early}\n\t}}\n\n\
         \tchain input {{\n\t\ttype filter hook input priority filter; policy drop;\n{input}\n\t}}\n}}\n"
    )
}

fn suggested(dump: &str) -> Vec<String> {
    read(dump).0
}

const NOTHING: [&str; 0] = [];

#[test]
fn no_packet_is_of_a_connection_before_connections_are_looked_up_e13() {
    let accept = "-A INPUT -p tcp --dport 22 -j ACCEPT";
    let refuse = "-A PREROUTING -m conntrack --ctstate INVALID -j DROP";
    assert_eq!(suggested(&iptables("raw", refuse, accept)), NOTHING);
    assert_eq!(suggested(&iptables("mangle", refuse, accept)), ["22/tcp"]);
    let (accept, refuse) = ("tcp dport 22 accept", "ct state invalid drop");
    assert_eq!(suggested(&nftables("raw", refuse, accept)), NOTHING);
    assert_eq!(suggested(&nftables("mangle", refuse, accept)), ["22/tcp"]);
    let refuse = "ct state new accept\nct direction original accept\nct mark 0x0 accept\ndrop";
    assert_eq!(suggested(&nftables("raw", refuse, accept)), NOTHING);
    assert_eq!(suggested(&nftables("-199", refuse, accept)), ["22/tcp"]);
}

#[test]
fn a_mark_says_nothing_of_connections_e13() {
    let mark = "-A PREROUTING -j MARK --set-xmark 0x100/0xff00";
    let input =
        "-A INPUT -m conntrack --ctstate INVALID -j DROP\n-A INPUT -p tcp --dport 22 -j ACCEPT";
    assert_eq!(suggested(&iptables("mangle", mark, input)), ["22/tcp"]);
    // What is not tracked is not invalid.
    let untracked = iptables("raw", "-A PREROUTING -j NOTRACK", input);
    assert_eq!(suggested(&untracked), ["22/tcp"]);
    let input = "ct state invalid drop\ntcp dport 22 accept";
    let mark = "meta mark set meta mark | 0x00000100";
    assert_eq!(suggested(&nftables("mangle", mark, input)), ["22/tcp"]);
    assert_eq!(suggested(&nftables("raw", "notrack", input)), ["22/tcp"]);
}

#[test]
fn a_mark_is_set_whatever_the_rule_does_behind_it_e13() {
    let input = "meta mark 0x1 drop\ntcp dport 22 accept";
    for early in [
        "tcp dport 22 meta mark set 0x1 accept",
        "tcp dport 22 meta mark set 0x1 return",
        "meta mark set 0x1 tcp dport 80 accept",
    ] {
        assert_eq!(
            suggested(&nftables("mangle", early, input)),
            NOTHING,
            "{early}"
        );
    }
    for early in [
        "tcp dport 80 meta mark set 0x1 accept",
        "meta mark set ct mark",
        "ct mark set meta mark & 0x000000ff",
    ] {
        assert_eq!(
            suggested(&nftables("mangle", early, input)),
            ["22/tcp"],
            "{early}"
        );
    }
}

#[test]
fn a_line_that_marks_is_told_of_what_its_mark_lets_in_e13() {
    let mark = "-A PREROUTING -p tcp --dport 80 -j MARK --set-xmark 0x1/0xffffffff";
    let input = "-A INPUT -m mark --mark 0x1 -j ACCEPT";
    let by_mark = "it accepts some packets only, by a condition that is not known: --mark 0x1";
    let (suggested, skipped) = read(&iptables("mangle", mark, input));
    assert_eq!(suggested, NOTHING);
    let marks = "it sets a mark, and whether line 10 accepts packets that have it is not known";
    assert_eq!(skipped, [marks, by_mark]);
    // Of a mark that lets nothing in, nothing is to tell.
    let (_, skipped) = read(&iptables(
        "mangle",
        mark,
        "-A INPUT -p tcp --dport 22 -j ACCEPT",
    ));
    assert_eq!(skipped, NOTHING);
}

#[test]
fn each_line_that_lets_packets_out_of_a_chain_that_refuses_is_told_e13() {
    let dump = "-P INPUT ACCEPT\n-N host\n-A INPUT -j host\n\
        -A host -i eth1 -j RETURN\n\
        -A host -s 192.0.2.1/32 -p tcp --dport 22 -j RETURN\n\
        -A host -s 192.0.2.2/32 -p tcp --dport 22 -j RETURN\n\
        -A host -m set ! --match-set banned src -p tcp --dport 3128 -j RETURN\n\
        -A host -j DROP\n";
    let (suggested, skipped) = read(dump);
    assert_eq!(suggested, NOTHING);
    let told = skipped.iter().filter(|reason| *reason == SOURCES).count();
    assert_eq!(told, 3, "{skipped:?}");
}

#[test]
fn what_is_not_tracked_is_untracked_and_nothing_else_e13() {
    let input = "ct state invalid drop\nudp dport 53 ct state untracked accept\ntcp dport 53 ct state new accept\n\
                 ct state untracked drop\ntcp dport 22 ct state new accept\nudp dport 123 accept";
    let early = "tcp dport 53 notrack\nudp dport { 53, 123 } notrack";
    let (suggested, skipped) = read(&nftables("raw", early, input));
    assert_eq!(suggested, ["53/udp", "22/tcp"]);
    assert_eq!(skipped, ["line 13 refuses some packets first"; 2]);
    // Behind the look-up it is too late not to track.
    let (suggested, skipped) = read(&nftables("filter", early, input));
    assert_eq!(suggested, ["53/tcp", "22/tcp", "123/udp"]);
    assert_eq!(
        skipped,
        ["it accepts packets only that a rule took out of connection tracking"]
    );
    let input = "-A INPUT -p tcp --dport 22 -m conntrack ! --ctstate NEW -j DROP\n-A INPUT -p tcp --dport 22 -j ACCEPT\n\
                 -A INPUT -p tcp --dport 80 -m conntrack --ctstate NEW,UNTRACKED -j ACCEPT";
    assert_eq!(
        read(&iptables("raw", "-A PREROUTING -p tcp -j NOTRACK", input)).0,
        ["80/tcp"]
    );
}
