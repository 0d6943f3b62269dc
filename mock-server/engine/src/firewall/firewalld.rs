//! `firewall-cmd --list-all` and `--list-all-zones`.

use super::chains::{Chains, Effect, Reading, Statement, WHOLE_RANGE};
use super::specs::{ports_with_protocol, words};

/// Services that firewalld ships, with their ports.
const SERVICES: [(&str, &[&str]); 32] = [
    ("amqp", &["5672/tcp"]),
    ("cockpit", &["9090/tcp"]),
    ("dhcp", &["67/udp"]),
    ("dhcpv6-client", &["546/udp"]),
    ("dns", &["53"]),
    ("docker-registry", &["5000/tcp"]),
    ("elasticsearch", &["9200,9300/tcp"]),
    ("ftp", &["21/tcp"]),
    ("http", &["80/tcp"]),
    ("https", &["443/tcp"]),
    ("imap", &["143/tcp"]),
    ("imaps", &["993/tcp"]),
    ("ldap", &["389/tcp"]),
    ("ldaps", &["636/tcp"]),
    ("mdns", &["5353/udp"]),
    ("mongodb", &["27017/tcp"]),
    ("mysql", &["3306/tcp"]),
    ("nfs", &["2049/tcp"]),
    ("ntp", &["123/udp"]),
    ("openvpn", &["1194/udp"]),
    ("pop3s", &["995/tcp"]),
    ("postgresql", &["5432/tcp"]),
    ("rdp", &["3389/tcp"]),
    ("redis", &["6379/tcp"]),
    ("samba", &["137-138/udp", "139,445/tcp"]),
    ("samba-client", &["138/udp"]),
    ("smtp", &["25/tcp"]),
    ("smtps", &["465/tcp"]),
    ("snmp", &["161/udp"]),
    ("ssh", &["22/tcp"]),
    ("syslog", &["514/udp"]),
    ("telnet", &["23/tcp"]),
];

/// Reads a dump; `None` when no zone is in it. Where zones are marked as
/// active, only they count.
pub(super) fn read(content: &str) -> Option<Reading> {
    let only_active = content.lines().any(is_active_zone);
    let mut chains = Chains::default();
    let mut zone = None;
    let mut known = false;
    for (place, line) in content.lines().enumerate() {
        if !line.starts_with([' ', '\t']) {
            zone = line.split_whitespace().next().map(str::to_owned);
            if !only_active || is_active_zone(line) {
                chains.inputs.extend(zone.clone());
            }
            continue;
        }
        let Some(zone) = &zone else { continue };
        known |= line.trim().starts_with("services:") || line.trim().starts_with("ports:");
        for effect in effects(line.trim()) {
            if chains.are_full() {
                break;
            }
            chains.push(zone, Statement::new(place + 1, line.trim(), effect));
        }
    }
    known.then(|| chains.reading())
}

fn is_active_zone(line: &str) -> bool {
    !line.starts_with([' ', '\t']) && (line.ends_with("(active)") || line.ends_with(", active)"))
}

/// What a line of a zone does; nothing for any other line.
fn effects(line: &str) -> Vec<Effect> {
    if let Some(services) = line.strip_prefix("services:") {
        return services.split_whitespace().flat_map(service).collect();
    }
    if let Some(ports) = line.strip_prefix("ports:") {
        return ports.split_whitespace().map(port).collect();
    }
    match line {
        "target: ACCEPT" => vec![Effect::Skip(WHOLE_RANGE.to_owned())],
        _ if line.starts_with("rule ") => rich_rule(line),
        _ => Vec::new(),
    }
}

fn service(name: &str) -> Vec<Effect> {
    match SERVICES.iter().find(|(known, _)| *known == name) {
        Some((_, specs)) => specs.iter().copied().map(port).collect(),
        None => vec![Effect::Skip(format!(
            "the ports of its service {name} are not known"
        ))],
    }
}

fn port(spec: &str) -> Effect {
    match ports_with_protocol(spec, '-') {
        Some((ranges, protocol)) => Effect::Accept(ranges, protocol),
        None => Effect::Skip(format!("{spec} is no TCP or UDP port")),
    }
}

/// `rule family="ipv4" port port="3306" protocol="tcp" accept`; what rejects
/// or drops in a rich rule comes before everything else, whoever it is for.
fn rich_rule(line: &str) -> Vec<Effect> {
    let words = words(line);
    // A limit may stand behind the action; `prefix="accept"` is a value and no action.
    let accepts = words
        .windows(2)
        .any(|pair| pair[1] == "accept" && !pair[0].ends_with('='));
    if !accepts {
        return Vec::new();
    }
    let value = |name: &str| {
        let place = words.iter().position(|word| word == name)?;
        words.get(place + 1).map(String::as_str)
    };
    let about = |element: &str| words.iter().any(|word| word == element);
    match (value("name="), value("port="), value("protocol=")) {
        (Some(name), _, _) if about("service") => service(name),
        (_, Some(ports), Some(protocol)) if about("port") => {
            vec![port(&format!("{ports}/{protocol}"))]
        }
        _ => vec![Effect::Skip(super::chains::NO_PORT.to_owned())],
    }
}
