//! What is said of content that is no dump: what it is, and what to send instead.

use super::format::FirewallFormat;
use super::reading::has_lost_line_ends;
use crate::refusal::Refusal;

/// The refusal of content of which nothing could be read.
pub(super) fn unreadable(content: &str, format: Option<FirewallFormat>) -> Refusal {
    let sentence = match format {
        Some(format) => format!(
            "The content field could not be read as a dump of {}. {}",
            format.name(),
            remedy(content, Some(format))
        ),
        None => format!(
            "The content field must be a dump of iptables-save, nft list ruleset, ufw status or firewall-cmd \
             --list-all. {}",
            remedy(content, None)
        ),
    };
    Refusal::invalid("content", sentence)
}

const LOST_LINE_ENDS: &str = "Its line ends were lost, so it cannot be told where a rule ends: send it as a file, or paste it into a field of several lines";

const COMMANDS: &str = "That lists a part of a zone; send the output of: firewall-cmd --list-all";

const ROOT: &str =
    "The program needs root: send the output of the same command with sudo in front of it";

const NO_FIREWALLD: &str =
    "firewalld does not run there; if another firewall does, send the output of: nft list ruleset";

const OTHER_PROGRAM: &str = "That is the configuration of a program that sets rules up; send the output of iptables-save or nft list ruleset of that host";

const OTHER_SYSTEM: &str =
    "The rules of that system are not read by this service: allow the ports one by one";

/// What lines of content begin with that is known and is no dump, with what to send instead.
const KNOWN: [(&[&str], &str); 9] = [
    (
        &["Chain "],
        "That is a listing for reading; send the output of: iptables-save -t filter",
    ),
    (
        &["{\"nftables\""],
        "That is JSON; send the output of: nft list ruleset",
    ),
    (
        &["<?xml"],
        "That is a file of firewalld; send the output of: firewall-cmd --list-all",
    ),
    (
        &["ufw ", "sudo ufw "],
        "Those are commands of ufw; send the output of: LC_ALL=C ufw status verbose",
    ),
    (
        &["iptables ", "sudo iptables ", "$IPT ", "$IPTABLES "],
        "Those are commands of iptables; send the output of: iptables-save -t filter",
    ),
    (
        &["nft ", "sudo nft "],
        "Those are commands of nft; send the output of: nft list ruleset",
    ),
    (&["ERROR: You need to be root"], ROOT),
    (&["FirewallD is not running"], NO_FIREWALLD),
    (
        &[
            "firewall.@",
            "firewall.",
            "config rule",
            "config zone",
            "config defaults",
            "TCP_IN",
            "TESTING = ",
            "[OPTIONS]",
            "[RULES]",
            "?SECTION",
            "#ACTION",
            "#ZONE",
        ],
        OTHER_PROGRAM,
    ),
];

/// What lines begin with that are of firewalls of other systems.
const OTHER_SYSTEMS: [&str; 18] = [
    "Rule Name:",
    "netsh ",
    "access-list ",
    "ip access-list ",
    "Extended IP access list",
    "Standard IP access list",
    "/ip firewall",
    "add action=",
    "add chain=",
    "block in ",
    "block drop ",
    "block return ",
    "pass in ",
    "pass out ",
    "scrub ",
    "\"SecurityGroups\"",
    "\"IpPermissions\"",
    "New-NetFirewallRule ",
];

/// What to send instead of what is no dump.
fn remedy(content: &str, format: Option<FirewallFormat>) -> &'static str {
    let begins = |text: &str| {
        content
            .lines()
            .any(|line| line.trim_start().starts_with(text))
    };
    if has_lost_line_ends(content) {
        return LOST_LINE_ENDS;
    }
    let known = KNOWN
        .iter()
        .find(|(beginnings, _)| beginnings.iter().any(|text| begins(text)));
    match (known, format) {
        (Some((_, sentence)), _) => sentence,
        (None, _) if OTHER_SYSTEMS.iter().any(|text| begins(text)) => OTHER_SYSTEM,
        (None, _) if is_part_of_zone(content) => COMMANDS,
        (None, Some(FirewallFormat::Iptables)) => "Send the output of: iptables-save -t filter",
        (None, Some(FirewallFormat::Nftables)) => "Send the output of: nft list ruleset",
        (None, Some(FirewallFormat::Ufw)) => "Send the output of: LC_ALL=C ufw status verbose",
        (None, Some(FirewallFormat::Firewalld)) => "Send the output of: firewall-cmd --list-all",
        (None, None) => {
            "Send the output of one of: iptables-save -t filter, nft list ruleset, LC_ALL=C ufw status verbose, firewall-cmd --list-all"
        }
    }
}

/// Whether content is what `firewall-cmd` prints of zones without all that they let in: active zones, ports, services
/// or rich rules alone.
fn is_part_of_zone(content: &str) -> bool {
    let is_list = |line: &str| {
        let is_port = |word: &str| {
            word.split_once('/')
                .is_some_and(|(_, of)| matches!(of, "tcp" | "udp"))
        };
        line.starts_with("rule ") || line.split_whitespace().all(is_port)
    };
    let mut lines = content
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let lists_zones = content
        .lines()
        .any(|line| line.trim().starts_with("interfaces:") || line.contains("firewall-cmd "));
    lists_zones || (lines.clone().next().is_some() && lines.all(is_list))
}
