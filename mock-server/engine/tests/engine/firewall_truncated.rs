//! Dumps that are not whole: what is missing may refuse, so nothing is suggested that it could decide (E13).

use crate::firewall_lines::read;

const TORN: &str = "it cannot be read: its end is missing";
const CUT: &str = "the end of its table is missing: what stands there cannot be judged";

/// What a dump of iptables comes to that ends with this.
fn iptables(end: &str) -> (Vec<String>, Vec<String>) {
    read(&format!(
        "*filter\n:INPUT DROP [0:0]\n:FORWARD DROP [0:0]\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\n{end}"
    ))
}

fn nftables(end: &str) -> (Vec<String>, Vec<String>) {
    read(&format!(
        "table inet filter {{\n\tchain input {{\n\t\ttype filter hook input priority filter; policy drop;\n\
         \t\ttcp dport 22 accept\n{end}"
    ))
}

#[test]
fn the_last_line_of_a_truncated_iptables_dump_is_told_and_not_suggested_e13() {
    for (end, reason) in [
        ("-A INPUT -p tcp --dpo", TORN),
        ("-A INPUT -p tc", TORN),
        ("-A INP", TORN),
        ("-A INPUT -s 10.0.0.0/8 -p tcp -m tcp --dport 22 -j", TORN),
        ("-A INPUT -p tcp -m multiport --dports 80,443,", TORN),
        ("-A INPUT -p tcp -m tcp --dport 80 -j ACC", CUT),
    ] {
        let (suggested, skipped) = iptables(end);
        assert_eq!(suggested, ["22/tcp"], "{end}");
        assert_eq!(skipped, [reason], "{end}");
    }
    // Behind its verdict nothing of a rule is missing.
    let (suggested, skipped) = iptables("-A INPUT -p tcp -m tcp --dport 80 -j ACCEPT");
    assert_eq!(suggested, ["22/tcp", "80/tcp"]);
    assert_eq!(skipped, [CUT]);
    // The other way to print rules has no last line by which a whole dump is known.
    let (suggested, skipped) =
        read("-P INPUT DROP\n-A INPUT -p udp --dport 53 -j ACCEPT\n-A INPUT -p tcp --dpo\n");
    assert_eq!(
        (suggested, skipped),
        (vec!["53/udp".to_owned()], vec![TORN.to_owned()])
    );
}

#[test]
fn chains_whose_rules_are_missing_may_refuse_anything_e13() {
    let dump = "*filter\n:INPUT DROP [0:0]\n:f2b-sshd - [0:0]\n:own - [0:0]\n\
        -A INPUT -p tcp --dport 80 -j ACCEPT\n-A INPUT -p tcp --dport 22 -j own\n-A INPUT -p tcp --dport 22 -j ACCEPT\n\
        -A f2b-sshd -s 198.51.100.7/32 -j REJECT\n";
    let (suggested, skipped) = read(dump);
    assert_eq!(suggested, ["80/tcp"]);
    assert_eq!(
        skipped,
        [
            "line 8: the end of its table is missing: what stands there cannot be judged",
            CUT
        ]
    );
    let (suggested, _) = read(&format!("{dump}COMMIT\n"));
    assert_eq!(suggested, ["80/tcp", "22/tcp"]);
}

#[test]
fn the_last_line_of_a_truncated_nft_ruleset_is_told_and_not_suggested_e13() {
    for end in [
        "\t\ttcp dport 80 acc",
        "\t\ttcp dport 80",
        "\t\ttcp dport { 80, 443",
        "\t}\n\tchain more {\n\t\ttype filter hook input priority 10; policy accept;\n\t\ttcp dport 80 acc",
    ] {
        let (suggested, skipped) = nftables(end);
        assert_eq!(suggested, Vec::<String>::new(), "{end}");
        assert_eq!(skipped.last().map(String::as_str), Some(CUT), "{end}");
    }
    // Behind a whole chain another may be missing that refuses.
    let (suggested, skipped) = nftables("\t}\n");
    assert_eq!(suggested, Vec::<String>::new());
    assert_eq!(skipped, [format!("line 5: {CUT}"), CUT.to_owned()]);
    let other = "table ip6 more {\n\tchain input {\n\t\ttype filter hook input priority filter; policy drop;\n\
                 \t\ttcp dport 443 accept\n\t}\n}\n";
    let (suggested, skipped) = nftables(&format!("\t\ttcp dport 80 acc\n{other}"));
    assert_eq!(suggested, Vec::<String>::new());
    assert_eq!(skipped.len(), 3, "{skipped:?}");
}

const UNLISTED: &str = "what it brings in is not in the dump: send the output of nft list ruleset";

#[test]
fn what_an_included_file_may_do_is_told_and_keeps_ports_from_being_suggested_e13() {
    let rules = "\t\ttcp dport 22 accept\n\t\tinclude \"/etc/nftables/blocked.nft\"\n\t\ttcp dport 80 accept\n\
                 \t\tip saddr 192.0.2.1\n\t\tinclude \"/etc/nftables/more.nft\"";
    let chain = crate::firewall_lines::nftables(rules);
    // Inside of a chain it may refuse what comes behind it.
    let (suggested, skipped) = read(&chain);
    assert_eq!(suggested, ["22/tcp"]);
    assert_eq!(
        skipped,
        [UNLISTED, &format!("line 5: {UNLISTED}"), UNLISTED]
    );
    // Outside of chains it may add to any of them, or make others.
    let chain = crate::firewall_lines::nftables("\t\ttcp dport 22 accept");
    for line in [
        "include \"/etc/nftables/*.nft\"",
        "insert rule inet filter input tcp dport 22 drop",
        "add rule inet filter input tcp dport 443 accept",
    ] {
        for (dump, told) in [
            (
                format!("{chain}{line}\n"),
                [format!("line 7: {UNLISTED}"), UNLISTED.to_owned()],
            ),
            (
                format!("{line}\n{chain}"),
                [UNLISTED.to_owned(), format!("line 1: {UNLISTED}")],
            ),
        ] {
            assert_eq!(read(&dump), (Vec::new(), told.to_vec()), "{dump}");
        }
    }
    let in_table = chain.replace(
        "filter {\n",
        "filter {\n\tinclude \"/etc/nftables/sets.nft\"\n",
    );
    assert_eq!(
        read(&in_table).1,
        [UNLISTED.to_owned(), format!("line 2: {UNLISTED}")]
    );
}
