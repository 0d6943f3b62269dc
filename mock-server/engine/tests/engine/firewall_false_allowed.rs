//! Dumps of which the reader once suggested what the kernel refuses, or told nothing of what it lets in.

use crate::firewall_lines::{iptables, nftables, read};

/// The suggestions of a dump, as ports.
fn suggested(content: &str) -> Vec<String> {
    read(content).0
}

const FIREWALLD_CHAINS: &str = "table inet firewalld {
	chain filter_INPUT {
		type filter hook input priority filter + 10; policy accept;
		ct state { established, related } accept
		jump filter_INPUT_ZONES
		reject with icmpx admin-prohibited
	}
	chain filter_INPUT_ZONES {
		iifname \"eth0\" goto filter_IN_dmz
		goto filter_IN_public
	}
	chain filter_IN_public {
		tcp dport 22 accept
		reject with icmpx admin-prohibited
	}
	chain filter_IN_dmz {
		tcp dport 8443 accept
		reject with icmpx admin-prohibited
	}
}
";

#[test]
fn the_only_interface_is_external_whatever_its_zone_is_called() {
    for zone in ["dmz", "home", "trusted", "web"] {
        let dump = FIREWALLD_CHAINS.replace("dmz", zone);
        assert_eq!(suggested(&dump), ["8443/tcp"], "{zone}");
    }
    let iptables = "-P INPUT DROP\n-N IN_dmz\n-N IN_public\n-A INPUT -i eth0 -g IN_dmz\n-A INPUT -g IN_public\n\
                    -A IN_dmz -p tcp -m tcp --dport 8443 -j ACCEPT\n-A IN_public -p tcp -m tcp --dport 22 -j ACCEPT\n";
    assert_eq!(suggested(iptables), ["8443/tcp"]);
    // One whose own name says that it leads inside does not.
    let inner = iptables.replace("eth0", "lan0");
    assert_eq!(suggested(&inner), ["22/tcp"]);
}

#[test]
fn a_look_at_the_way_back_names_no_interface() {
    for look in ["oif exists accept", "oif missing drop"] {
        let dump = format!(
            "table inet f {{\n\tchain rpf {{\n\t\ttype filter hook prerouting priority mangle + 10; policy accept;\n\
             \t\tfib saddr . mark . iif {look}\n\t}}\n\tchain in {{\n\
             \t\ttype filter hook input priority filter; policy drop;\n\
             \t\tiifname \"ppp0\" tcp dport 22 accept\n\t\tiifname != \"ppp0\" tcp dport 9443 accept\n\t}}\n}}\n"
        );
        assert_eq!(suggested(&dump), ["22/tcp"], "{look}");
    }
}

#[test]
fn none_of_the_bits_is_a_negation() {
    for (line, ports) in [
        (
            "ct state ! established,related drop\ntcp dport 22 accept",
            &[][..],
        ),
        (
            "ct state ! established,related tcp dport 22 accept",
            &["22/tcp"],
        ),
        ("ct status ! dnat tcp dport 22 accept", &["22/tcp"]),
        ("ct status ! dnat drop\ntcp dport 22 accept", &[]),
        ("tcp flags ! ack drop\ntcp dport 22 accept", &[]),
    ] {
        assert_eq!(suggested(&nftables(line)), ports, "{line}");
    }
}

#[test]
fn a_name_that_is_defined_elsewhere_decides_for_some_packets_only() {
    let lines = "iifname $WAN tcp dport 8443 accept\niifname != \"ens18\" tcp dport 9443 accept";
    assert_eq!(suggested(&nftables(lines)), [""; 0]);
}

#[test]
fn stray_words_of_a_line_decide_for_some_packets_only() {
    for line in [
        "-A INPUT -p tcp -m tcp --dport 22 –s 10.0.0.0/8 -j ACCEPT",
        "-A INPUT –i lo -p tcp -m tcp --dport 22 -j ACCEPT",
        "-A INPUT -p tcp -m tcp --dport 22 foo -j ACCEPT",
        "-A INPUT -p tcp -m tcp –dport 22 -j ACCEPT",
    ] {
        let (ports, reasons) = read(&iptables(line));
        assert_eq!(ports, [""; 0], "{line}");
        assert!(
            reasons[0].contains("condition that is not known"),
            "{reasons:?}"
        );
    }
}

#[test]
fn a_policy_is_told_beside_what_a_negated_line_leaves() {
    let dump = "table inet f {\n\tchain in {\n\t\ttype filter hook input priority filter; policy accept;\n\
                \t\ttcp dport 3306 drop\n\t\tudp dport != 53 drop\n\t}\n}\n";
    let (ports, reasons) = read(dump);
    assert_eq!(ports, ["53/udp"]);
    assert!(
        reasons
            .iter()
            .any(|reason| reason.starts_with("the policy accepts")),
        "{reasons:?}"
    );
}

#[test]
fn a_negated_line_that_leads_to_a_refusal_names_what_it_leaves() {
    for (target, more) in [("DROP", ""), ("REFUSE", "-N REFUSE\n-A REFUSE -j DROP\n")] {
        for verb in ["-j", "-g"] {
            if target == "DROP" && verb == "-g" {
                continue;
            }
            let dump = format!(
                "-P INPUT ACCEPT\n{more}-A INPUT -p tcp -m multiport ! --dports 22,80 {verb} {target}\n"
            );
            assert_eq!(suggested(&dump), ["22/tcp", "80/tcp"], "{dump}");
        }
    }
}

#[test]
fn a_zone_that_firewall_cmd_itself_calls_unused_suggests_nothing() {
    let dump = "You're performing an operation over default zone ('public'),\n\
                but your connections/interfaces are in zone 'home' (see --get-active-zones)\n\
                You most likely need to use --zone=home option.\n\n\
                public\n  target: default\n  interfaces: \n  services: dhcpv6-client ssh\n  ports: 81/tcp\n";
    let (ports, reasons) = read(dump);
    assert_eq!(ports, [""; 0]);
    assert!(
        reasons.iter().all(|reason| reason.contains("not active")),
        "{reasons:?}"
    );
}

#[test]
fn a_zone_of_sources_takes_the_packets_of_their_family_only() {
    for (source, ports) in [
        ("203.0.113.0/24", &["8443/tcp"][..]),
        ("2001:db8::/32", &["8443/tcp"]),
        ("203.0.113.0/24 2001:db8::/32", &[]),
    ] {
        let dump = format!(
            "public (default, active)\n  interfaces: eth0\n  ports: 8443/tcp\n\nwork (active)\n  sources: {source}\n  ports: 22/tcp\n"
        );
        assert_eq!(suggested(&dump), ports, "{source}");
    }
}

/// An input chain of one table with these lines, and these chains beside it.
fn table(chains: &str, lines: &str) -> String {
    format!(
        "table inet f {{\n{chains}\tchain in {{\n\t\ttype filter hook input priority filter; policy drop;\n{lines}\t}}\n}}\n"
    )
}

#[test]
fn what_a_map_names_does_not_come_to_its_rest() {
    let chains = "\tchain ssh {\n\t\tip saddr 10.0.0.0/8 accept\n\t}\n\tchain rest {\n\t\ttcp dport 1-1024 accept\n\t}\n";
    for (line, open) in [
        (
            "tcp dport vmap { 22 : jump ssh, * : jump rest }",
            "1-21/tcp 23-1024/tcp",
        ),
        (
            "tcp dport vmap { 22 : continue, * : jump rest }",
            "1-21/tcp 23-1024/tcp",
        ),
        (
            "tcp dport vmap { 22 : drop, * : jump rest }",
            "1-21/tcp 23-1024/tcp",
        ),
        ("tcp dport vmap { * : jump rest }", "1-1024/tcp"),
        (
            "iifname vmap { \"lo\" : accept, \"eth0\" : jump ssh, * : jump rest }",
            "",
        ),
        (
            "iifname vmap { \"lo\" : accept, * : jump rest }",
            "1-1024/tcp",
        ),
        ("ip saddr vmap { 8.8.8.8 : continue, * : jump rest }", ""),
        (
            "ct state vmap { established : accept, invalid : drop, * : jump rest }",
            "1-1024/tcp",
        ),
        ("ct state vmap { new : continue, * : jump rest }", ""),
    ] {
        let dump = table(chains, &format!("\t\t{line}\n"));
        assert_eq!(suggested(&dump).join(" "), open, "{line}");
    }
}

#[test]
fn a_range_of_marks_from_zero_is_the_mark_of_every_packet() {
    for (line, open) in [
        ("meta mark 0x0-0xf drop", ""),
        ("meta mark 0-1 return", ""),
        ("meta mark 0x00000000-0x00000001 counter drop", ""),
        ("meta mark { 0x1, 0x0-0x0 } drop", ""),
        ("meta mark 0x1-0xf drop", "22/tcp"),
        ("meta mark != 0x0-0xf drop", "22/tcp"),
    ] {
        let dump = table("", &format!("\t\t{line}\n\t\ttcp dport 22 accept\n"));
        assert_eq!(suggested(&dump).join(" "), open, "{line}");
    }
}

#[test]
fn a_set_that_keeps_addresses_of_ipv4_is_not_for_ipv6() {
    for statement in [
        "add @seen { ip saddr }",
        "update @seen { ip saddr timeout 60s }",
        "update @seen { ip saddr limit rate over 10/minute }",
        "meter ssh { ip saddr limit rate 10/second }",
    ] {
        let refusal = "\t\tip protocol tcp tcp dport 22 drop\n";
        let rule = format!("\t\ttcp dport 22 ct state new {statement} accept\n");
        let dump = table("", &format!("{refusal}{rule}"));
        assert_eq!(suggested(&dump).join(" "), "", "{statement}");
    }
    let rule = "\t\ttcp dport 22 ct state new add @seen { ip saddr } accept\n";
    assert_eq!(suggested(&table("", rule)), ["22/tcp"]);
}

#[test]
fn what_no_packet_has_opens_nothing() {
    for condition in [
        "-m conntrack --ctstatus NONE",
        "-m recent ! --set --name seen",
    ] {
        let dump = format!(
            "*filter\n:INPUT DROP [0:0]\n-A INPUT -p tcp -m tcp --dport 2222 {condition} -j ACCEPT\nCOMMIT\n"
        );
        assert_eq!(suggested(&dump).join(" "), "", "{condition}");
    }
}

#[test]
fn a_port_of_another_protocol_is_told() {
    for protocol in ["sctp", "dccp", "udplite"] {
        let dump = format!(
            "*filter\n:INPUT DROP [0:0]\n-A INPUT -p {protocol} -m {protocol} --dport 3868 -j ACCEPT\nCOMMIT\n"
        );
        let (suggested, skipped) = read(&dump);
        assert_eq!(
            (suggested.len(), skipped.len()),
            (0, 1),
            "{protocol}: {skipped:?}"
        );
    }
}

#[test]
fn ufw_without_rows_of_ipv6_lets_none_of_it_in() {
    let rows = "443/tcp                    DENY IN     8.8.8.8\n443/tcp                    ALLOW IN    Anywhere\n";
    let head = "Status: active\nDefault: allow (incoming), allow (outgoing), disabled (routed)\n\n\
                To                         Action      From\n--                         ------      ----\n";
    assert_eq!(suggested(&format!("{head}{rows}")).join(" "), "");
    let v6 = "443/tcp (v6)               ALLOW IN    Anywhere (v6)\n";
    assert_eq!(suggested(&format!("{head}{rows}{v6}")), ["443/tcp"]);
    let allowed = "443/tcp                    ALLOW IN    Anywhere\n";
    assert_eq!(suggested(&format!("{head}{allowed}")), ["443/tcp"]);
}

#[test]
fn rules_whose_table_begins_elsewhere_may_refuse_anything() {
    let whole = table("", "\t\ttcp dport { 80, 22 } accept\n");
    assert_eq!(suggested(&whole), ["80/tcp", "22/tcp"]);
    let (suggested, skipped) = read(&format!(
        "\ttcp dport 25 accept\n\ttcp dport 80 drop\n\t}}\n}}\n{whole}"
    ));
    assert_eq!(suggested.join(" "), "");
    let headless = skipped
        .iter()
        .filter(|reason| reason.contains("the beginning of its table is missing"));
    assert!(headless.count() >= 2, "{skipped:?}");
}

#[test]
fn what_is_defined_stands_for_its_value() {
    let head = "define WAN = eth0\ndefine WEB = { 80, 443 }\ndefine ALL = { $WEB, 8443 }\ndefine OFFICE = 198.51.100.0/24\n";
    for (line, open) in [
        ("iifname $WAN tcp dport 22 accept", "22/tcp"),
        ("iifname { lo, $WAN } tcp dport 22 accept", "22/tcp"),
        ("tcp dport $WEB accept", "80/tcp 443/tcp"),
        ("tcp dport { 22, $WEB } accept", "22/tcp 80/tcp 443/tcp"),
        ("tcp dport $ALL accept", "80/tcp 443/tcp 8443/tcp"),
        ("ip saddr $OFFICE tcp dport 22 accept", ""),
        ("iifname $LAN tcp dport 22 accept", ""),
        ("tcp dport $NONE accept", ""),
    ] {
        let dump = format!("{head}{}", table("", &format!("\t\t{line}\n")));
        assert_eq!(suggested(&dump).join(" "), open, "{line}");
    }
    let inner = "define WAN = eth0\nredefine WAN = lo\n";
    let dump = format!(
        "{inner}{}",
        table("", "\t\tiifname $WAN tcp dport 22 accept\n")
    );
    assert_eq!(suggested(&dump).join(" "), "");
    // One that is defined by itself over and over is not followed to its end.
    let many: String = (1..40)
        .map(|i| format!("define A{i} = {{ $A{0}, $A{0}, 1{i} }}\n", i - 1))
        .collect();
    let dump = format!(
        "define A0 = {{ 1, 2 }}\n{many}{}",
        table("", "\t\ttcp dport $A39 accept\n")
    );
    assert_eq!(suggested(&dump).join(" "), "");
}

#[test]
fn a_line_that_names_a_port_is_told_though_what_it_does_is_missing() {
    let cut = "-P INPUT DROP\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\n-A INPUT -p tcp -m tcp --dport 443 -j ACC";
    let (suggested, skipped) = read(cut);
    assert_eq!(suggested, ["22/tcp"]);
    assert_eq!(skipped, ["it leads to a chain that is not in the dump"]);
    let dump = table(
        "",
        "\t\ttcp dport 1052 ct original proto-dst 1052 accept\n\t\ttcp dport 53 ct original protocol udp accept\n",
    );
    let (suggested, skipped) = read(&dump);
    assert_eq!((suggested.len(), skipped.len()), (0, 2), "{skipped:?}");
}
