//! Firewall dumps: sets that every rule names, rules that cover the same, lines without end.

use serde_json::json;

use super::{Burner, list};

/// The longest dump that is read.
const SIZE: usize = 256 * 1024;

pub(super) fn all(endpoint: &str) -> Vec<Burner> {
    let dumps = [nftables(), iptables(), others()].into_iter().flatten();
    let burner = |(name, content): (&str, String)| {
        let body = json!({ "endpoint_id": endpoint, "billing_customer_id": 1, "content": content });
        Burner::post(name, "/api/v1/firewall/ingest", body.to_string())
    };
    dumps.map(burner).collect()
}

/// As many of these lines as fit.
fn fill(line: &str) -> String {
    line.repeat((SIZE - 4096) / line.len())
}

/// Every second port, as many as fit.
fn ports(room: usize) -> String {
    list(|number| (1 + 2 * number).to_string(), room)
}

fn nftables() -> Vec<(&'static str, String)> {
    let table = |inside: String| format!("table inet filter {{\n{inside}\n}}\n");
    let chain = "chain input {\ntype filter hook input priority 0;\n";
    let sets = |room: usize, rules: usize| {
        let rules = "tcp dport @doors accept\n".repeat(rules);
        table(format!("set doors {{\n elements = {{ {} }}\n }}\n{chain}{rules}}}", ports(room)))
    };
    let named = |number: usize| format!("set s{number} {{ elements = {{ @s{0}, @s{0} }} }}\n", number + 1);
    let circle = |number: usize| format!("chain c{number} {{\njump c{}\njump c{}\n}}\n", (number + 1) % 2000, (number + 2) % 2000);
    vec![
        ("sets in every rule", sets(48_000, 4_000)),
        ("a large set in a few rules", sets(120_000, 10)),
        ("as much as is read", sets(12_000, 9)),
        ("sets that name sets", table((0..2000).map(named).collect())),
        ("chains that jump in circles", table((0..2000).map(circle).collect())),
        ("open braces", fill("{")),
        ("tables in tables", fill("table a {\n")),
        ("a set without end", table(format!("{chain}tcp dport {{ {} }} accept\n}}", ports(SIZE - 4096)))),
    ]
}

fn iptables() -> Vec<(&'static str, String)> {
    let filter = |lines: String| format!("*filter\n:INPUT DROP [0:0]\n{lines}COMMIT\n");
    let lines = |count: usize, line: fn(usize) -> String| filter((0..count).map(line).collect());
    vec![
        ("ranges of all ports", filter(fill("-A INPUT -p tcp --dport 1:65535 -j ACCEPT\n"))),
        ("every second port", lines(5000, |number| format!("-A INPUT -p tcp --dport {} -j ACCEPT\n", number * 2 + 1))),
        ("ports of each rule", filter(fill(&format!("-A INPUT -p tcp -m multiport --dports {} -j ACCEPT\n", ports(80))))),
        ("chains that call the next", lines(6000, |number| format!("-A C{number} -j C{}\n", number + 1))),
        ("chains that call two", lines(4000, |number| format!("-A C{number} -j C{}\n-A C{number} -j C{}\n", number + 1, number + 2))),
        ("lines that mean nothing", filter(fill("x\n"))),
        ("rules that mean nothing", filter(fill("-A INPUT x\n"))),
        ("blank lines", filter(fill("\n"))),
        ("one line", filter(format!("-A INPUT {}", fill("-p tcp ")))),
        ("quotes", filter(format!("-A INPUT -m comment --comment {}", fill("\"\\")))),
    ]
}

fn others() -> Vec<(&'static str, String)> {
    let ufw = |lines: String| format!("Status: active\n\nTo Action From\n-- ------ ----\n{lines}");
    let zone = |line: String| format!("public (active)\n  target: default\n  {line}\n");
    let ranges: String = (0..20_000).map(|number| format!("{}/tcp ", number * 3 + 1)).collect();
    vec![
        ("ufw", ufw(fill("22/tcp ALLOW IN Anywhere\n"))),
        ("ufw lists", ufw(fill(&format!("{}/tcp ALLOW IN Anywhere\n", ports(80))))),
        ("firewalld ports", zone(format!("ports: {}", fill("22/tcp ")))),
        ("firewalld ranges", zone(format!("ports: {ranges}"))),
        ("firewalld services", zone(format!("services: {}", fill("ssh ")))),
        ("firewalld zones", fill("public (active)\n  ports: 22/tcp\n")),
    ]
}
