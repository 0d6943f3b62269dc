//! What the prompts of a paste say: of which host, and of which command, the lines behind them are.

use super::filter::{Family, Reason};
use super::line::Line;

/// A command that a prompt shows.
pub(super) struct Command<'a> {
    line: u32,
    /// The first part of the host's name, where the prompt has it.
    host: Option<&'a str>,
    text: &'a str,
}

/// What stands around the dumps of a paste.
#[derive(Default)]
pub(super) struct Surroundings<'a> {
    pub(super) commands: Vec<Command<'a>>,
    /// The first line that warns of rules of iptables-legacy.
    pub(super) legacy_warning: Option<u32>,
    /// The first line of a listing for reading, `iptables -L`.
    pub(super) listing: Option<u32>,
}

/// A command that lists what iptables has set up.
#[derive(Clone, Copy, Debug)]
pub(super) struct IptablesProgram {
    pub(super) line: u32,
    /// None where it lists both.
    pub(super) family: Option<Family>,
    pub(super) backend: Option<Backend>,
}

/// The two parts of the kernel that iptables may write to; both see every packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Backend {
    Legacy,
    Nft,
}

const PROGRAMS: [&str; 5] = ["iptables", "ip6tables", "nft", "ufw", "firewall-cmd"];

/// What programs are told to list with.
const LISTS: [&str; 3] = ["list", "show", "status"];

/// Programs that leave lines out.
const CUTTERS: [&str; 7] = ["grep", "egrep", "fgrep", "head", "tail", "sed", "awk"];

impl<'a> Command<'a> {
    /// The command behind a prompt; a bare sign is one where a firewall's program follows it.
    pub(super) fn at(number: u32, line: &'a str) -> Option<Self> {
        let text = line.trim();
        let (host, text) = match behind_host(text) {
            Some((host, text)) => (Some(host), text),
            None => (None, text.strip_prefix(['#', '$', '%'])?.trim_start()),
        };
        let command = Self {
            line: number,
            host,
            text,
        };
        (host.is_some() || command.begins_with_program()).then_some(command)
    }

    fn words(&self) -> impl Iterator<Item = &'a str> {
        let is_blank = |c: char| c.is_whitespace() || c == ';' || c == '&';
        self.text.split(is_blank).filter(|word| !word.is_empty())
    }

    fn begins_with_program(&self) -> bool {
        let is_before = |word: &&str| *word == "sudo" || word.contains('=');
        let mut words = self.words().skip_while(is_before);
        let is_program = words.next().is_some_and(|word| program(word).is_some());
        // `# iptables rules of the web server` is a comment.
        let is_argument = |word: &str| word.starts_with(['-', '|', '>']) || LISTS.contains(&word);
        is_program && words.next().is_none_or(is_argument)
    }

    /// Why lines are missing of what it printed, if so.
    fn lack(&self) -> Option<String> {
        let mut commands = self.text.split([';', '&']);
        let (named, command) = commands.find_map(|command| {
            let named = command.split_whitespace().find_map(program)?;
            Some((named, command))
        })?;
        let cutter = command.split('|').skip(1).find_map(cutter);
        let remedy = match named {
            "nft" => "nft list ruleset",
            "ufw" => "LC_ALL=C ufw status verbose",
            "firewall-cmd" => "firewall-cmd --list-all",
            _ => "iptables-save",
        };
        cutter.map(|cutter| {
            format!(
                "{cutter} leaves lines out, which may refuse anything: send all of the output of {remedy}"
            )
        })
    }

    /// Whether it lists one table or chain of nftables.
    fn lists_a_part(&self) -> bool {
        let words: Vec<&str> = self.words().collect();
        let is_part = |pair: &[&str]| pair[0] == "list" && matches!(pair[1], "table" | "chain");
        self.words().any(|word| program(word) == Some("nft")) && words.windows(2).any(is_part)
    }

    /// What it lists, if it is of iptables.
    pub(super) fn iptables(&self) -> Option<IptablesProgram> {
        let named: Vec<(&str, &str)> = self
            .words()
            .filter_map(|word| Some((program(word)?, word)))
            .collect();
        let names = |name: &str| named.iter().any(|(program, _)| *program == name);
        let family = match (names("iptables"), names("ip6tables")) {
            (false, false) => return None,
            (true, false) => Some(Family::V4),
            (false, true) => Some(Family::V6),
            (true, true) => None,
        };
        let backend = named.iter().find_map(|(_, name)| match () {
            () if name.contains("-legacy") => Some(Backend::Legacy),
            () if name.contains("-nft") => Some(Backend::Nft),
            () => None,
        });
        Some(IptablesProgram {
            line: self.line,
            family,
            backend,
        })
    }
}

/// The program of a pipe that leaves lines out; comments and empty lines are none that count.
fn cutter(part: &str) -> Option<&'static str> {
    let mut words = part.split_whitespace().filter(|word| *word != "sudo");
    let name = words.next()?;
    let cutter = CUTTERS.into_iter().find(|cutter| *cutter == name)?;
    let arguments: String = words.collect::<String>().replace(['\'', '"'], "");
    let drops_no_rule = match cutter {
        "sed" => arguments.starts_with("s"),
        _ => ["-v#", "-v^#", "-v^$"].contains(&arguments.as_str()),
    };
    (!drops_no_rule).then_some(cutter)
}

/// The host of `user@host:~#` or `[user@host ~]#`, and what stands behind that.
fn behind_host(text: &str) -> Option<(&str, &str)> {
    let is_sign = |c: char| matches!(c, '#' | '$' | '%' | '>');
    let (prompt, command) = match text.strip_prefix('[') {
        Some(rest) => {
            let (prompt, rest) = rest.split_once(']')?;
            (prompt, rest.strip_prefix(is_sign)?)
        }
        None => {
            let (prompt, _) = text.split_once(':')?;
            let rest = &text[prompt.len()..];
            let sign = rest.find(|c: char| is_sign(c) || c.is_whitespace())?;
            (prompt, rest[sign..].strip_prefix(is_sign)?)
        }
    };
    let (user, host) = prompt.split_once('@')?;
    let is_in_name = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let is_user = !user.is_empty() && user.chars().all(|c| is_in_name(c) || "() ".contains(c));
    let end = host.find(|c: char| !is_in_name(c)).unwrap_or(host.len());
    let host = host[..end].split('.').next()?;
    (is_user && !host.is_empty()).then_some((host, command.trim()))
}

/// The program that a word names, with its path or as one of its kinds.
fn program(word: &str) -> Option<&'static str> {
    // Settings are in files of the same names.
    if word.starts_with("/etc/") {
        return None;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    let mut programs = PROGRAMS.into_iter();
    programs.find(|program| {
        let kind = name.strip_prefix(program);
        kind.is_some_and(|kind| {
            ["", "-save", "-legacy", "-nft", "-legacy-save", "-nft-save"].contains(&kind)
        })
    })
}

/// What keeps the dumps of a paste from being one whole answer, with the line that shows it. These are the numbers of
/// the lines that the dumps have.
pub(super) fn doubts(commands: &[Command<'_>], dumped: &[u32]) -> Vec<(u32, Reason)> {
    let mut doubts = Vec::new();
    let mut known_host = None;
    for (place, command) in commands.iter().enumerate() {
        let end = commands.get(place + 1).map_or(u32::MAX, |next| next.line);
        let first = dumped.partition_point(|line| *line <= command.line);
        if dumped.get(first).is_none_or(|line| *line >= end) {
            continue;
        }
        if let Some(sentence) = command.lack() {
            doubts.push((command.line, Reason::Incomplete(sentence.into())));
        }
        let Some(host) = command.host else {
            continue;
        };
        if *known_host.get_or_insert(host) != host {
            doubts.push((command.line, Reason::Incomplete(TWO_HOSTS.into())));
        }
    }
    doubts
}

/// The lines of the commands that list a part of the rules.
pub(super) fn parts(commands: &[Command<'_>]) -> impl Iterator<Item = u32> {
    let parts = commands.iter().filter(|command| command.lists_a_part());
    parts.map(|command| command.line)
}

/// What is said of them.
pub(super) const PART: &str = "it lists a part of the rules, and the others may refuse what this part accepts: send the output of nft list ruleset";

const TWO_HOSTS: &str = "the paste has dumps of two hosts: send those of one host alone";

/// What is said where a paste has a table, a status or a zone twice.
pub(super) const TWO_DUMPS: &str =
    "the paste has two dumps that differ: send the one that holds today";

/// Whether a line warns that the other part of the kernel has rules too.
pub(super) fn is_legacy_warning(line: &Line<'_>) -> bool {
    let text = line.text.trim();
    text.starts_with("# Warning: ") && text.contains("tables-legacy tables present")
}
