//! Dumps as the tools print them, fed to `rules import`.

use crate::shell::{Shell, account, provision};

const DUMPS: [(&str, &str, &str, &[&str]); 5] = [
    (
        "iptables",
        "iptables-save",
        include_str!("dumps/iptables-save.txt"),
        &[
            "443/tcp",
            "51820/udp",
            "60000-61000/udp",
            "80/tcp",
            "8000-8010/tcp",
        ],
    ),
    (
        "iptables",
        "ip6tables-save",
        include_str!("dumps/ip6tables-save.txt"),
        &["443/tcp", "80/tcp"],
    ),
    (
        "nftables",
        "nft list ruleset",
        include_str!("dumps/nft-list-ruleset.txt"),
        &[
            "25/tcp",
            "443/tcp",
            "51820/udp",
            "587/tcp",
            "80/tcp",
            "8000-8010/tcp",
            "993/tcp",
        ],
    ),
    (
        "ufw",
        "ufw status verbose",
        include_str!("dumps/ufw-status-verbose.txt"),
        &["22/tcp", "443/tcp", "51820/udp", "80/tcp", "8000-8010/tcp"],
    ),
    (
        "firewalld",
        "firewall-cmd --list-all",
        include_str!("dumps/firewall-cmd-list-all.txt"),
        &[
            "22/tcp",
            "443/tcp",
            "51820/udp",
            "636/tcp",
            "80/tcp",
            "8000-8010/tcp",
            "9090/tcp",
        ],
    ),
];

/// The ports of a server's rules, as the list shows them.
fn ports(shell: &Shell) -> Vec<String> {
    let list = shell
        .line("rules list web-1 -o csv --columns ports --no-headers")
        .exits(0);
    let mut ports: Vec<String> = list.stdout.lines().map(str::to_owned).collect();
    ports.sort();
    ports
}

#[test]
fn each_tool_s_dump_becomes_the_rules_it_accepts() {
    for (format, tool, dump, expected) in DUMPS {
        let shell = Shell::of(&account());
        provision(&shell, "203.0.113.10", "web-1");
        let read = shell
            .feed(dump, &["rules", "import", "web-1", "-", "-y", "-o", "json"])
            .exits(0)
            .json();
        assert_eq!(read["format"], format, "{tool}");
        assert_eq!(ports(&shell), expected, "{tool}: {read}");
        for rule in read["suggested"].as_array().expect("a list") {
            assert_eq!(rule["auto_suggested"], true, "{tool}");
            let reason = rule["justification"].as_str().unwrap_or_default();
            assert!(reason.chars().count() >= 10, "{tool}: {reason}");
        }
        let forced = [
            "rules", "import", "web-1", "-", "-y", "--format", format, "-o", "json",
        ];
        let again = shell.feed(dump, &forced).exits(0).json();
        assert_eq!(again["suggested"], serde_json::json!([]), "{tool}");
    }
}

#[test]
fn both_families_of_one_server_come_together() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let both = format!("{}{}", DUMPS[0].2, DUMPS[1].2);
    shell
        .feed(&both, &["rules", "import", "web-1", "-", "-y"])
        .exits(0);
    let found = ports(&shell);
    assert_eq!(found, DUMPS[0].3, "{found:?}");
}

#[test]
fn what_is_passed_over_is_told_with_its_line() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let run = shell
        .feed(DUMPS[0].2, &["rules", "import", "web-1", "-", "-y"])
        .exits(0);
    let told = "  it accepts on the loopback interface only\n    line 22: -A INPUT -i lo ";
    assert!(run.stdout.contains(told), "{run:?}");
    assert!(run.stdout.contains("From iptables line 29: "), "{run:?}");
    let wrong = ["rules", "import", "web-1", "-", "-y", "--format", "ufw"];
    let refused = shell.feed(DUMPS[0].2, &wrong).exits(5);
    assert!(
        refused.stderr.contains("LC_ALL=C ufw status verbose"),
        "{refused:?}"
    );
    let empty = shell
        .feed("\n", &["rules", "import", "web-1", "-", "-y"])
        .exits(2);
    let large = "#".repeat(256 * 1024 + 1);
    let large = shell
        .feed(&large, &["rules", "import", "web-1", "-", "-y"])
        .exits(2);
    assert!(large.stderr.contains("larger than 256 KiB"), "{large:?}");
    assert!(
        empty.stderr.contains("standard input is empty"),
        "{empty:?}"
    );
}

#[test]
fn an_import_asks_first() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let line = ["rules", "import", "web-1", "-", "--except", "443"];
    let asked = shell.feed(DUMPS[0].2, &line).exits(2);
    let question = "that standard input lets in from the whole internet, except 443/tcp";
    assert!(asked.stderr.contains(question), "{asked:?}");
    assert!(asked.stderr.contains("--yes"), "{asked:?}");
    assert!(ports(&shell).is_empty());
}

#[test]
fn what_is_excepted_keeps_no_rule_even_of_an_earlier_import() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let import = ["rules", "import", "web-1", "-", "-y"];
    shell.feed(DUMPS[0].2, &import).exits(0);
    let except = ["rules", "import", "web-1", "-", "-y", "--except", "443"];
    let run = shell.feed(DUMPS[0].2, &except).exits(0);
    assert!(
        run.stdout
            .contains("Not allowed, as asked with --except: 443"),
        "{run:?}"
    );
    let expected = DUMPS[0].3.iter().filter(|ports| **ports != "443/tcp");
    assert_eq!(ports(&shell), expected.copied().collect::<Vec<_>>());
}

#[test]
fn a_repeat_tells_what_is_allowed_apart_from_what_is_not() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    let import = ["rules", "import", "web-1", "-", "-y"];
    shell.feed(DUMPS[0].2, &import).exits(0);
    let again = shell.feed(DUMPS[0].2, &import).exits(0);
    let (above, below) = again.stdout.split_once("\nNot allowed:").expect("both");
    assert!(above.contains("allows nothing new on web-1"), "{again:?}");
    for ports in DUMPS[0].3 {
        assert!(above.contains(ports), "{ports}: {again:?}");
    }
    assert!(!below.contains("allowed already"), "{again:?}");

    // A rule that is gone is no longer said to be there.
    shell.line("rules remove 443/tcp --on web-1 -y").exits(0);
    let back = shell.feed(DUMPS[0].2, &import).exits(0);
    assert!(back.stdout.contains("Now allowed on web-1"), "{back:?}");
    let already = back
        .stdout
        .lines()
        .find(|line| line.starts_with("Allowed already: "));
    assert!(!already.expect("a line").contains("443/tcp"), "{back:?}");
}

#[test]
fn what_is_removed_with_except_is_not_said_to_be_allowed() {
    let shell = Shell::of(&account());
    provision(&shell, "203.0.113.10", "web-1");
    shell
        .feed(DUMPS[0].2, &["rules", "import", "web-1", "-", "-y"])
        .exits(0);
    let except = [
        "rules", "import", "web-1", "-", "-y", "--except", "443", "-o", "json",
    ];
    let read = shell.feed(DUMPS[0].2, &except).exits(0).json();
    let skipped = read["skipped"].as_array().expect("a list");
    let of_port: Vec<&str> = skipped
        .iter()
        .filter_map(|skipped| skipped["reason"].as_str())
        .filter(|reason| reason.starts_with("443/tcp "))
        .collect();
    assert_eq!(of_port, ["443/tcp was excluded with --except"], "{read}");
    let once_more = shell.feed(DUMPS[0].2, &except[..7]).exits(0);
    let already = once_more
        .stdout
        .lines()
        .find(|line| line.starts_with("Allowed already: "));
    assert!(
        !already.expect("a line").contains("443/tcp"),
        "{once_more:?}"
    );
}

#[test]
fn a_dump_in_utf_16_reads_the_same() {
    for (_, tool, dump, expected) in DUMPS {
        let shell = Shell::of(&account());
        provision(&shell, "203.0.113.10", "web-1");
        let units = format!("\u{feff}{dump}");
        let bytes: Vec<u8> = units.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let file = shell.path("dump.txt").display().to_string();
        std::fs::write(&file, bytes).expect("a file");
        shell
            .run(&["rules", "import", "web-1", &file, "-y"])
            .exits(0);
        assert_eq!(ports(&shell), expected, "{tool}");
    }
}

#[test]
fn a_dump_from_windows_reads_the_same() {
    for (_, tool, dump, expected) in DUMPS {
        let shell = Shell::of(&account());
        provision(&shell, "203.0.113.10", "web-1");
        let dump = dump.replace('\n', "\r\n");
        shell
            .feed(&dump, &["rules", "import", "web-1", "-", "-y"])
            .exits(0);
        assert_eq!(ports(&shell), expected, "{tool}");
    }
}
