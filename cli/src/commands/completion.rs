//! What a shell offers behind the cursor: the command tree, and the names that earlier commands have seen.
//!
//! Nothing here calls the service or runs a command; where the key is a command away, the account is the one that the
//! profile was last.

use crate::session::account;
use crate::session::flags::GlobalArgs;
use crate::session::settings::{Reading, Settings};
use crate::state::StateDb;
use crate::state::records::{Domain, KnownRecords};
use crate::ui::outcome::Outcome;
use crate::ui::{OutputFormat, sanitize};
use crate::values::durations::counted;
use crate::values::ports;
use clap::{Arg, Args, Command, ValueEnum};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use secmon::model::CustomerId;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// A completion script.
#[derive(Debug, Args)]
pub struct CompletionArgs {
    /// The shell to complete for
    pub shell: clap_complete::Shell,
}

/// Set by the scripts below; a shell asks for words with it.
const VARIABLE: &str = "SECMON_COMPLETE";

/// Set by the script for Bash, and by no other.
const TOLD_BY_BASH: &str = "_CLAP_COMPLETE_COMP_TYPE";

const PROGRAM: &str = "secmon";

/// Answers a shell that asks for words, and ends the program; otherwise does nothing.
pub fn answer(parser: fn() -> Command) {
    CompleteEnv::with_factory(|| tree(parser()))
        .var(VARIABLE)
        .bin(PROGRAM)
        .complete();
}

/// The script that teaches a shell to ask.
pub fn script(shell: clap_complete::Shell) -> Outcome {
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(&shell.to_string()) {
        // Writing to memory cannot fail.
        let _ = completer.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script);
    }
    if shell == clap_complete::Shell::Bash {
        script.extend_from_slice(include_bytes!("completion.bash"));
    }
    Outcome::text(String::from_utf8_lossy(&script))
}

/// Words for a kind of argument.
type Candidates = fn() -> Vec<CompletionCandidate>;

/// Arguments by the name of their value, or else by their own.
const ARGUMENTS: &[(&str, Candidates)] = &[
    ("endpoint", servers),
    ("endpoints", servers),
    ("ENDPOINT", servers),
    ("ENDPOINT PORT", servers_and_ports),
    ("from", servers),
    ("to", servers),
    ("customer", customers),
    ("CUSTOMER", customers),
    ("domain", domains),
    ("domains", domains),
    ("rule", rules),
    ("rules", rules),
    ("alert", alerts),
    ("alerts", alerts),
    ("port", ports),
    ("ports", ports),
    ("profile", profiles),
    ("output", forms),
    ("severity", severities),
    ("product", products),
    ("PLAN", plans),
];

/// The products that subscriptions are for.
const PRODUCTS: [(&str, &str); 3] = [
    ("port_monitoring", "servers of a customer"),
    ("domain_monitoring", "domains of a customer"),
    ("endpoint", "one server"),
];

/// The severities of alerts, worst first.
const SEVERITIES: [&str; 4] = ["critical", "high", "medium", "low"];

/// Commands whose argument `name` is a profile that is there.
const OF_PROFILES: [&str; 4] = ["use", "show", "rename", "delete"];

/// The command line, with words for its values.
fn tree(mut parser: Command) -> Command {
    let words: Vec<OsString> = typed_words().collect();
    parser.build();
    let parser = with_pages_of_help(parser);
    match current_word(&words).to_string_lossy().starts_with('-') {
        true => with_words(parser, &words),
        false => with_words(without_options(parser), &words),
    }
}

/// `help` explains every command, and its topics.
fn with_pages_of_help(parser: Command) -> Command {
    let commands = parser.get_subcommands();
    let commands = commands.map(|command| command.get_name().to_owned());
    let topics = super::help::topics().map(str::to_owned);
    let pages: Vec<String> = commands.chain(topics).collect();
    let candidates = move || pages.iter().map(CompletionCandidate::new).collect();
    parser.mut_subcommand("help", |help| with_candidates(help, "words", candidates))
}

/// The word at the cursor, which a shell tells by its number, or else the last.
fn current_word(words: &[OsString]) -> &OsStr {
    let told = std::env::var("_CLAP_COMPLETE_INDEX").ok();
    let told = told.and_then(|index| words.get(index.parse::<usize>().ok()?));
    told.or_else(|| words.last())
        .map_or(OsStr::new(""), OsString::as_os_str)
}

/// Options are offered to whom has typed a dash. Where a command has nothing else to offer, `--help` is.
fn without_options(command: Command) -> Command {
    let offers_others = command.has_subcommands()
        || command
            .get_positionals()
            .any(|positional| words_for(positional).is_some());
    command
        .mut_args(|argument| {
            let is_offered =
                argument.is_positional() || !offers_others && argument.get_id() == "help";
            match is_offered {
                true => argument,
                false => argument.hide(true),
            }
        })
        .mut_subcommands(without_options)
}

fn with_words(command: Command, typed: &[OsString]) -> Command {
    let of_profiles = command.get_name() == "profile";
    command
        .mut_args(argument)
        .mut_subcommands(|command| match of_profiles {
            true if OF_PROFILES.contains(&command.get_name()) => {
                with_candidates(command, "name", profiles)
            }
            _ => with_words(under_one_name(command, typed), typed),
        })
}

fn with_candidates<C>(command: Command, name: &str, candidates: C) -> Command
where
    C: Fn() -> Vec<CompletionCandidate> + Clone + Send + Sync + 'static,
{
    command.mut_args(|argument| match argument.get_id() == name {
        true => argument.add(ArgValueCandidates::new(candidates.clone())),
        false => argument,
    })
}

/// A command is offered once; by another name only to whom has typed that.
fn under_one_name(command: Command, typed: &[OsString]) -> Command {
    let is_typed = |alias: &str| typed.iter().any(|word| word == alias);
    let by_alias = command.get_all_aliases().any(is_typed);
    match by_alias {
        true => command,
        false => command.visible_alias(None),
    }
}

fn argument(argument: Arg) -> Arg {
    if !argument.get_action().takes_values() {
        return argument;
    }
    match words_for(&argument) {
        Some(words) => argument.add(ArgValueCandidates::new(words)),
        None => argument,
    }
}

fn words_for(argument: &Arg) -> Option<Candidates> {
    let value = argument.get_value_names().unwrap_or_default().first();
    let named = |name: &str| ARGUMENTS.iter().find(|(known, _)| *known == name);
    let words = value
        .and_then(|value| named(value.as_str()))
        .or_else(|| named(argument.get_id().as_str()));
    words.map(|(_, words)| *words)
}

fn servers() -> Vec<CompletionCandidate> {
    let typed = LineSoFar::read();
    let mut words = BTreeMap::new();
    for server in typed.known().servers {
        if !typed.is_about(server.customer) {
            continue;
        }
        let owner = server.customer.map(|id| id.to_string()).unwrap_or_default();
        let about = format!("{} of customer {owner}", server.ip);
        let names = [server.nickname, server.hostname, Some(server.ip)];
        for name in names.into_iter().flatten() {
            words.insert(name, about.clone());
        }
    }
    candidates(words)
}

/// Ports once it is said where they count, else servers.
fn servers_and_ports() -> Vec<CompletionCandidate> {
    let words: Vec<OsString> = typed_words().collect();
    let before = &words[..words.len().saturating_sub(1)];
    let known = LineSoFar::read().known();
    let says_where = |word: &OsString| {
        let word = word.to_string_lossy();
        let is_option = matches!(&*word, "--global" | "-e" | "--endpoint");
        let mut servers = known.servers.iter();
        is_option
            || word.parse::<std::net::IpAddr>().is_ok()
            || servers.any(|server| {
                let names = [&server.nickname, &server.hostname];
                names.into_iter().flatten().any(|name| *name == word)
            })
    };
    match before.iter().any(says_where) {
        true => ports(),
        false => servers(),
    }
}

fn forms() -> Vec<CompletionCandidate> {
    let forms = OutputFormat::value_variants().iter();
    let values = forms.filter_map(ValueEnum::to_possible_value);
    let candidate = |value: clap::builder::PossibleValue| {
        CompletionCandidate::new(value.get_name().to_owned()).help(value.get_help().cloned())
    };
    values.map(candidate).collect()
}

fn severities() -> Vec<CompletionCandidate> {
    let or_worse = SEVERITIES[1..]
        .iter()
        .map(|severity| format!("{severity}+"));
    let all = SEVERITIES.iter().map(|severity| (*severity).to_owned());
    all.chain(or_worse).map(CompletionCandidate::new).collect()
}

fn products() -> Vec<CompletionCandidate> {
    let words = PRODUCTS.map(|(name, about)| (name.to_owned(), about.to_owned()));
    candidates(words.into())
}

fn plans() -> Vec<CompletionCandidate> {
    let typed = LineSoFar::read();
    let configured = typed.settings().map(|settings| settings.plans);
    let configured = configured.into_iter().flatten();
    let configured = configured.map(|name| (name, "of the configuration".to_owned()));
    let seen = typed.known().plans.into_iter();
    let seen = seen.map(|name| (name, "seen in an answer".to_owned()));
    candidates(seen.chain(configured).collect())
}

fn customers() -> Vec<CompletionCandidate> {
    let known = LineSoFar::read().known();
    let mut servers: BTreeMap<String, usize> = BTreeMap::new();
    for customer in known.servers.iter().filter_map(|server| server.customer) {
        *servers.entry(customer.to_string()).or_default() += 1;
    }
    for domain in &known.domains {
        servers.entry(domain.customer.to_string()).or_default();
    }
    let about = |(customer, count): (String, usize)| (customer, counted(count, "server"));
    candidates(servers.into_iter().map(about).collect())
}

fn domains() -> Vec<CompletionCandidate> {
    let typed = LineSoFar::read();
    let domains = typed.known().domains.into_iter();
    let domains = domains.filter(|domain| typed.is_about(Some(domain.customer)));
    let about = |domain: Domain| (domain.name, format!("of customer {}", domain.customer));
    candidates(domains.map(about).collect())
}

fn rules() -> Vec<CompletionCandidate> {
    let typed = LineSoFar::read();
    let rules = typed.known().rules.into_iter();
    let rules = rules.filter(|rule| typed.is_about(rule.customer));
    candidates(
        rules
            .map(|rule| (rule.id.to_string(), rule.about))
            .collect(),
    )
}

fn alerts() -> Vec<CompletionCandidate> {
    let typed = LineSoFar::read();
    let alerts = typed.known().alerts.into_iter();
    let alerts = alerts.filter(|alert| typed.is_about(Some(alert.customer)));
    candidates(
        alerts
            .map(|alert| (alert.id.to_string(), alert.about))
            .collect(),
    )
}

fn ports() -> Vec<CompletionCandidate> {
    let names = ports::names().map(|(name, port)| (name.to_owned(), port.to_string()));
    candidates(names.collect())
}

fn profiles() -> Vec<CompletionCandidate> {
    let mut typed = LineSoFar::read();
    // The one that is being typed is none yet.
    typed.flags.profile = None;
    let Some(settings) = typed.settings() else {
        return Vec::new();
    };
    let profiles = settings.config.profiles.into_iter();
    let about = |(name, profile): (String, crate::session::profile::Profile)| {
        (name, profile.base_url.unwrap_or_default())
    };
    candidates(profiles.map(about).collect())
}

/// Words that a shell can take: what the service calls a record may be anything. Bash puts a word on the line as it is,
/// other shells quote it themselves.
fn candidates(words: BTreeMap<String, String>) -> Vec<CompletionCandidate> {
    let plain =
        |word: &str| !word.is_empty() && !word.contains(['\n', '\t']) && sanitize(word) == word;
    let is_bash = std::env::var_os(TOLD_BY_BASH).is_some();
    let quoted = |word: &str| match is_bash {
        true => with_backslashes(word),
        false => word.to_owned(),
    };
    words
        .into_iter()
        .filter(|(word, _)| plain(word))
        .map(|(word, about)| {
            CompletionCandidate::new(quoted(&word)).help(Some(sanitize(&about).into()))
        })
        .collect()
}

/// A word as Bash reads it back: a backslash before whatever is no plain letter of a name.
fn with_backslashes(word: &str) -> String {
    let mut quoted = String::with_capacity(word.len());
    for letter in word.chars() {
        let is_plain = letter.is_alphanumeric() || "._-:/@+,%=".contains(letter);
        if !is_plain {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted
}

/// The words on the line so far; they stand behind `--`.
fn typed_words() -> impl Iterator<Item = OsString> {
    std::env::args_os().skip_while(|word| word != "--").skip(1)
}

/// What stands on the line so far of what chooses the account.
#[derive(Default)]
struct LineSoFar {
    flags: GlobalArgs,
    customer: Option<String>,
}

impl LineSoFar {
    fn read() -> Self {
        let mut typed = Self::default();
        let words = typed_words().map(|word| word.to_string_lossy().into_owned());
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (word, words.peek().cloned()),
            };
            match name.as_str() {
                "--local" => typed.flags.local = true,
                "--profile" => typed.flags.profile = value,
                "--base-url" => typed.flags.base_url = value,
                "--config" => typed.flags.config = value.map(Into::into),
                "-c" | "--customer" | "--client-id" => typed.customer = value,
                joined => {
                    let number = joined.strip_prefix("-c").map(str::to_owned);
                    typed.customer = number.or(typed.customer);
                }
            }
        }
        typed
    }

    /// Whether a record may be meant: `-c` says whose alone.
    fn is_about(&self, owner: Option<CustomerId>) -> bool {
        let owner = owner.map(|owner| owner.to_string());
        let customer = self.customer.as_ref();
        customer.is_none_or(|customer| owner.as_ref() == Some(customer))
    }

    fn settings(&self) -> Option<Settings> {
        Settings::resolve(&self.flags, Reading::EvenBroken).ok()
    }

    fn known(&self) -> KnownRecords {
        let service = self.settings().and_then(|settings| settings.service.ok());
        let state = service.and_then(|service| account::remembered(&service));
        state.as_ref().map(StateDb::known).unwrap_or_default()
    }
}
