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
