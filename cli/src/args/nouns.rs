//! The words after `secmon`, as a table: of a command line only the word that was typed is built in full, so that
//! no command pays for the options of all others.

use super::*;
use anstream::AutoStream;
use clap::builder::{Resettable, Styles};
use clap::error::{Error, ErrorKind};
use clap::{ArgMatches, FromArgMatches, Subcommand};
use std::ffi::OsString;
use std::mem::ManuallyDrop;

const ABOUT: &str = "Provision monitored servers, allow ports and work on alerts";

const AFTER_HELP: &str = "\
Start here:
  secmon --local provision 203.0.113.10 -c 42 --wait   try it: no account, no network
  secmon auth login                                    keep your portal's address and API key
  secmon alert list -c 42                              why customer 42 has alerts
  secmon help exit-codes | environment | output | references | pace | csv";

/// A word after `secmon`.
struct Noun {
    name: &'static str,
    visible_aliases: &'static [&'static str],
    aliases: &'static [&'static str],
    about: &'static str,
    has_verbs: bool,
    /// Adds its arguments, or its verbs with theirs.
    grow: fn(clap::Command) -> clap::Command,
    /// What was typed behind it.
    read: fn(&mut ArgMatches) -> Result<Command, Error>,
}

impl Noun {
    const fn new(
        name: &'static str,
        about: &'static str,
        grow: fn(clap::Command) -> clap::Command,
        read: fn(&mut ArgMatches) -> Result<Command, Error>,
    ) -> Self {
        Self {
            name,
            visible_aliases: &[],
            aliases: &[],
            about,
            has_verbs: false,
            grow,
            read,
        }
    }

    const fn with_verbs(mut self) -> Self {
        self.has_verbs = true;
        self
    }

    const fn also(
        mut self,
        shown: &'static [&'static str],
        hidden: &'static [&'static str],
    ) -> Self {
        self.visible_aliases = shown;
        self.aliases = hidden;
        self
    }

    fn answers_to(&self, word: &str) -> bool {
        self.name == word || self.visible_aliases.contains(&word) || self.aliases.contains(&word)
    }

    /// Name and sentence, for the list of commands.
    fn named(&self, command: clap::Command) -> clap::Command {
        command
            .about(self.about)
            .long_about(None)
            .visible_aliases(self.visible_aliases)
            .aliases(self.aliases)
    }

    /// With one of its verbs.
    fn with_one(&self, verb: clap::Command) -> clap::Command {
        self.named(incomplete_alone(clap::Command::new(self.name)))
            .subcommand(verb)
    }

    fn grown(&self) -> clap::Command {
        self.named((self.grow)(clap::Command::new(self.name)))
    }
}

/// A noun with verbs.
fn verbs<V: Subcommand>(command: clap::Command) -> clap::Command {
    incomplete_alone(V::augment_subcommands(command))
}

/// A word that takes nothing but the options of every command.
fn alone(command: clap::Command) -> clap::Command {
    command
}

fn read<A: FromArgMatches>(matches: &mut ArgMatches) -> Result<A, Error> {
    A::from_arg_matches_mut(matches)
}

const NOUNS: &[Noun] = &[
    Noun::new("provision", "Start monitoring servers or domains: one, several, or a whole file", ProvisionArgs::augment_args, |typed| Ok(Command::Online(OnlineCommand::Provision(Box::new(read(typed)?))))),
    Noun::new("scan", "Scan servers for open ports now", ScanArgs::augment_args, |typed| Ok(Command::Online(OnlineCommand::Scan(read(typed)?)))),
    Noun::new("status", "Show how things stand: servers, open alerts, rules about to expire", alone, |_| Ok(Command::Online(OnlineCommand::Status))),
    Noun::new("open", "Open the portal's page about a server or a domain", OpenArgs::augment_args, |typed| Ok(Command::Online(OnlineCommand::Open(read(typed)?)))),
    Noun::new("customer", "Customers: list, show", verbs::<CustomerCommand>, |typed| Ok(Command::Online(OnlineCommand::Customer(read(typed)?)))).with_verbs().also(&["customers"], &[]),
    Noun::new("endpoint", "Monitored servers: list, show, add, rename, suspend, resume, terminate, delete, scan, wait", verbs::<EndpointCommand>, |typed| Ok(Command::Online(OnlineCommand::Endpoint(read(typed)?)))).with_verbs().also(&["endpoints", "server"], &["servers"]),
    Noun::new("rules", "Allowed Ports rules: list, add, show, edit, remove, copy, import, summary", verbs::<RuleCommand>, |typed| Ok(Command::Online(OnlineCommand::Rules(read(typed)?)))).with_verbs().also(&["rule"], &[]),
    Noun::new("domain", "Monitored domains: list, show, provision, rename, suspend, resume, terminate, release, leaks, mentions, history", verbs::<DomainCommand>, |typed| Ok(Command::Online(OnlineCommand::Domain(read(typed)?)))).with_verbs().also(&["domains"], &[]),
    Noun::new("subscription", "Subscriptions of a customer's services: set, change, suspend, resume, terminate", verbs::<SubscriptionCommand>, |typed| Ok(Command::Online(OnlineCommand::Subscription(read(typed)?)))).with_verbs().also(&["sub"], &["subscriptions"]),
    Noun::new("sync", "Report the status of services, so that the platform corrects drift", SyncArgs::augment_args, |typed| Ok(Command::Online(OnlineCommand::Sync(read(typed)?)))),
    Noun::new("alert", "Alerts of ports and domains: list, show, ack, resolve, allow, triage, watch", verbs::<AlertCommand>, |typed| Ok(Command::Online(OnlineCommand::Alert(read(typed)?)))).with_verbs().also(&["alerts"], &[]),
    Noun::new("sso", "Sign a customer in to the portal", verbs::<SsoCommand>, |typed| Ok(Command::Online(OnlineCommand::Sso(read(typed)?)))).with_verbs(),
    Noun::new("pricing", "Prices of products: set, remove", verbs::<PricingCommand>, |typed| Ok(Command::Online(OnlineCommand::Pricing(read(typed)?)))).with_verbs(),
    Noun::new("sandbox", "What simulated scans find", verbs::<SandboxCommand>, |typed| Ok(Command::Online(OnlineCommand::Sandbox(read(typed)?)))).with_verbs(),
    Noun::new("report", "Write a page about a customer that can be sent to them", ReportArgs::augment_args, |typed| Ok(Command::Online(OnlineCommand::Report(read(typed)?)))),
    Noun::new("health", "Ask the service whether it is up (needs no key)", alone, |_| Ok(Command::Online(OnlineCommand::Health))),
    Noun::new("doctor", "Find out what stands between this machine and the service", alone, |_| Ok(Command::Online(OnlineCommand::Doctor))),
    Noun::new("api", "Call any path of the API and print what it answers", ApiArgs::augment_args, |typed| Ok(Command::Online(OnlineCommand::Api(read(typed)?)))),
    Noun::new("auth", "Keep, check or forget the API key of a profile", verbs::<AuthCommand>, |typed| Ok(Command::Online(OnlineCommand::Auth(read(typed)?)))).with_verbs(),
    Noun::new("profile", "Named pairs of address and key", verbs::<ProfileCommand>, |typed| Ok(Command::Online(OnlineCommand::Profile(read(typed)?)))).with_verbs().also(&["profiles"], &[]),
    Noun::new("config", "The configuration file: get, set, unset, list, path, edit", verbs::<ConfigCommand>, |typed| Ok(Command::Online(OnlineCommand::Config(read(typed)?)))).with_verbs(),
    Noun::new("history", "What was changed from this machine, and by whom: the last 50 changes, or as many as -L says", HistoryArgs::augment_args, |typed| Ok(Command::Online(OnlineCommand::History(read(typed)?)))).with_verbs(),
    Noun::new("mock", "The mock service: serve it on an address of its own, or steer it", verbs::<MockCommand>, |typed| read(typed).map(Command::Mock)).with_verbs(),
    Noun::new("completion", "Print the completion script of a shell", CompletionArgs::augment_args, |typed| Ok(Command::Offline(OfflineCommand::Completion(read(typed)?)))),
    Noun::new("man", "Print the manual page, or write all of them", ManArgs::augment_args, |typed| Ok(Command::Offline(OfflineCommand::Man(read(typed)?)))),
    Noun::new("version", "Print the version", alone, |_| Ok(Command::Offline(OfflineCommand::Version))),
    Noun::new("help", "Explain a command, or a topic: exit-codes, environment, output, references, pace, csv", HelpArgs::augment_args, |typed| Ok(Command::Offline(OfflineCommand::Help(read(typed)?)))),
];

fn noun(word: &str) -> Option<&'static Noun> {
    NOUNS.iter().find(|noun| noun.answers_to(word))
}

/// What was typed, as far as it can be told without knowing the command.
pub fn typed(words: &[OsString]) -> Typed {
    Typed::scan(&root(), words)
}

/// The name of the noun that answers to a word.
pub fn noun_name(word: &str) -> Option<&'static str> {
    noun(word).map(|noun| noun.name)
}

/// `secmon` itself: no options yet, and no commands.
fn bare() -> clap::Command {
    let bare = clap::Command::new("secmon")
        .bin_name("secmon")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(AFTER_HELP)
        .styles(styles())
        .max_term_width(100)
        .disable_help_subcommand(true);
    incomplete_alone(bare)
}

/// Plain where nobody would see colours, as these would only have to be searched for and taken out again.
fn styles() -> Styles {
    let shown = [
        AutoStream::choice(&std::io::stdout()),
        AutoStream::choice(&std::io::stderr()),
    ];
    match shown {
        [anstream::ColorChoice::Never, anstream::ColorChoice::Never] => Styles::plain(),
        _ => Styles::styled(),
    }
}

/// With the options of every command.
fn root() -> clap::Command {
    with_global(bare())
}

fn with_global(command: clap::Command) -> clap::Command {
    let about = command.get_about().cloned();
    let long_about = command.get_long_about().cloned();
    GlobalArgs::augment_args(command)
        .about(Resettable::from(about))
        .long_about(Resettable::from(long_about))
}

/// Every command below gets a copy of each option.
fn passed_down(root: clap::Command) -> clap::Command {
    root.mut_args(|option| option.global(true))
}

/// The whole command line, for manual pages and whoever else walks it.
pub fn tree() -> clap::Command {
    passed_down(root()).subcommands(NOUNS.iter().map(Noun::grown))
}

/// The command line as far as these words, the program's name first, need it: the command that they name in full, or
/// else the names of those that could stand there.
pub fn tree_for(words: &[OsString]) -> clap::Command {
    if let [_, asked] = words
        && (asked == "--version" || asked == "-V")
    {
        return bare();
    }
    if let Some(tree) = options_last(words) {
        return tree;
    }
    let root = root();
    let typed = Typed::scan(&root, words);
    match typed.word(0).and_then(noun) {
        Some(noun) => root_of_noun(root, noun, &typed),
        None => {
            let nouns = NOUNS.iter();
            let named = nouns.map(|noun| noun.named(clap::Command::new(noun.name)));
            root.subcommands(named)
        }
    }
}

/// For words that name a whole command before any option: nothing else needs the options of every command.
fn options_last(words: &[OsString]) -> Option<clap::Command> {
    let words = words.iter().skip(1).map_while(|word| word.to_str());
    let words: Vec<&str> = words.take_while(|word| !word.starts_with('-')).collect();
    let noun = noun(words.first()?)?;
    let grown = noun.grown();
    if !noun.has_verbs {
        return Some(bare().subcommand(with_global(grown)));
    }
    let verb = grown.find_subcommand(words.get(1)?)?;
    let noun_has_options = grown.get_arguments().next().is_some();
    if verb.has_subcommands() || noun_has_options {
        return None;
    }
    let verb = with_global(verb.clone());
    Some(bare().subcommand(noun.with_one(verb)))
}

fn root_of_noun(root: clap::Command, noun: &Noun, typed: &Typed) -> clap::Command {
    let grown = noun.grown();
    let has_verbs_only = grown.has_subcommands() && grown.get_arguments().next().is_none();
    if !has_verbs_only {
        return passed_down(root).subcommand(grown);
    }
    let named = typed.word(1).and_then(|verb| grown.find_subcommand(verb));
    let Some(verb) = named else {
        let noun = incomplete(&root, grown);
        return root.subcommand(noun);
    };
    let last = typed.word(2).and_then(|word| verb.find_subcommand(word));
    match last {
        Some(last) => passed_down(root).subcommand(noun.with_one(with_one_word(verb, last))),
        None if verb.is_subcommand_required_set() && typed.rest.is_empty() => {
            let verb = incomplete(&root, verb.clone());
            root.subcommand(noun.with_one(verb))
        }
        None => passed_down(root).subcommand(noun.with_one(verb.clone())),
    }
}

/// A command line that ends in a command which needs a word behind it. That one has the options too, as nothing but its
/// help, or an error, can come of it.
fn incomplete(root: &clap::Command, command: clap::Command) -> clap::Command {
    command.args(root.get_arguments().cloned().collect::<Vec<_>>())
}

/// A verb with one of the words that may stand behind it.
fn with_one_word(verb: &clap::Command, word: &clap::Command) -> clap::Command {
    // Names live as long as the program, which ends with its command line.
    let kept = |name: &str| -> &'static str { Box::leak(name.into()) };
    incomplete_alone(clap::Command::new(kept(verb.get_name())))
        .aliases(verb.get_all_aliases().map(kept))
        .args(verb.get_arguments().cloned())
        .subcommand(word.clone())
}

/// What needs a word behind it.
fn incomplete_alone(command: clap::Command) -> clap::Command {
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
}

/// Of the command that was typed: options of every command are passed down to it.
fn innermost(typed: &ArgMatches) -> &ArgMatches {
    let mut innermost = typed;
    while let Some((_, below)) = innermost.subcommand() {
        innermost = below;
    }
    innermost
}

impl Cli {
    /// Reads a command line, the program's name first.
    pub fn parse_from(words: &[OsString]) -> Result<Self, Error> {
        // The program lives no longer than its command line: nothing is gained by taking either apart.
        let mut tree = ManuallyDrop::new(tree_for(words));
        let mut typed = ManuallyDrop::new(tree.try_get_matches_from_mut(words)?);
        Self::from_typed(&mut typed).map_err(|error| error.format(&mut tree))
    }

    fn from_typed(typed: &mut ArgMatches) -> Result<Self, Error> {
        let global = GlobalArgs::from_arg_matches(innermost(typed))?;
        let missing = || Error::new(ErrorKind::MissingSubcommand);
        let (name, mut behind) = typed.remove_subcommand().ok_or_else(missing)?;
        let noun = noun(&name).ok_or_else(missing)?;
        let command = (noun.read)(&mut behind)?;
        Ok(Self { global, command })
    }
}
