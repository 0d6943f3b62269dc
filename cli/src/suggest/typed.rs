//! The words of a command line, told apart before it is known which command they are for.

use crate::ui::invocation::as_typed;
use clap::Arg;
use std::ffi::OsString;

/// A command line in its parts.
#[derive(Debug)]
pub struct Typed {
    parser: clap::Command,
    /// What is neither an option nor an option's value, up to the first option that is of no help here.
    pub words: Vec<String>,
    /// The customer that an option names.
    pub customer: Option<String>,
    /// The other options that every command takes, with their values.
    pub options: Vec<String>,
    /// From the first option on that not every command takes.
    pub rest: Vec<String>,
}

impl Typed {
    /// Tells the words behind the program's name apart.
    pub fn scan(parser: clap::Command, words: &[OsString]) -> Self {
        let root = parser.clone();
        let mut words = words.iter().skip(1).map(|word| word.to_string_lossy());
        let mut typed = Self {
            parser,
            words: Vec::new(),
            customer: None,
            options: Vec::new(),
            rest: Vec::new(),
        };
        while let Some(word) = words.next() {
            match known_option(&root, &word) {
                None if word == "-" || !word.starts_with('-') => {
                    typed.words.push(word.into_owned());
                }
                None => {
                    typed.rest.push(word.into_owned());
                    typed.rest.extend(words.by_ref().map(String::from));
                }
                Some(known) => {
                    let value = known.awaits_a_value.then(|| words.next()).flatten();
                    typed.keep(known.argument, &word, value.as_deref());
                }
            }
        }
        typed
    }

    fn keep(&mut self, argument: &Arg, word: &str, value: Option<&str>) {
        if argument.get_id() == "customer" {
            let inside = word.split_once('=').map(|(_, value)| value);
            let behind = inside.or_else(|| word.strip_prefix("-c"));
            self.customer = value.or(behind).map(str::to_owned);
            return;
        }
        self.options.push(word.to_owned());
        self.options.extend(value.map(str::to_owned));
    }

    /// A noun by its own name, whichever of its names was typed.
    pub fn noun_name(&self, word: &str) -> Option<String> {
        let noun = self.parser.find_subcommand(word)?;
        Some(noun.get_name().to_owned())
    }

    /// Whether a noun has a verb of this name.
    pub fn has_verb(&self, noun: &str, verb: &str) -> bool {
        let Some(noun) = self.parser.find_subcommand(noun) else {
            return false;
        };
        // A noun gets its verbs when it is built, and its verbs refer to the options of every command.
        let mut alone = clap::Command::new("secmon")
            .args(self.parser.get_arguments())
            .subcommand(noun);
        alone.build();
        let noun = alone.get_subcommands().next();
        noun.is_some_and(|noun| noun.find_subcommand(verb).is_some())
    }

    /// The command that was typed, as far as it is one: `secmon endpoint move`.
    pub fn command(&self) -> String {
        let noun = self.word(0).and_then(|word| self.noun_name(word));
        let verb = self.word(1).filter(|verb| {
            let noun = noun.as_deref().unwrap_or_default();
            self.has_verb(noun, verb)
        });
        let names = noun.as_deref().into_iter().chain(verb);
        names.fold("secmon".to_owned(), |line, name| format!("{line} {name}"))
    }

    /// All nouns, with their verbs.
    pub fn commands(&self) -> clap::Command {
        let mut commands = self.parser.clone();
        commands.build();
        commands
    }

    /// Why the parser does not take a command, where it does not.
    pub fn refusal(&self, command: &str) -> Option<clap::Error> {
        let line = std::iter::once("secmon".to_owned()).chain(as_typed(command));
        let read = self.parser.clone().try_get_matches_from(line);
        read.err().filter(clap::Error::use_stderr)
    }

    /// One of the words; the noun is the first.
    pub fn word(&self, place: usize) -> Option<&str> {
        self.words.get(place).map(String::as_str)
    }
}

/// An option that every command takes.
struct KnownOption<'a> {
    argument: &'a Arg,
    /// Whether the next word is its value.
    awaits_a_value: bool,
}

/// None for what is no option, one that nobody knows, and one that asks for help or the version.
fn known_option<'a>(root: &'a clap::Command, word: &str) -> Option<KnownOption<'a>> {
    let option = word.strip_prefix('-').filter(|option| !option.is_empty())?;
    match option.strip_prefix('-') {
        Some(long) => known_long(root, long),
        None => known_cluster(root, option),
    }
}

/// An option written without its dashes.
fn known_long<'a>(root: &'a clap::Command, long: &str) -> Option<KnownOption<'a>> {
    let (name, value) = long
        .split_once('=')
        .map_or((long, None), |(name, value)| (name, Some(value)));
    let called = |argument: &&Arg| {
        argument.get_long() == Some(name)
            || argument
                .get_all_aliases()
                .is_some_and(|aliases| aliases.contains(&name))
    };
    let argument = root.get_arguments().find(called)?;
    Some(KnownOption {
        argument,
        awaits_a_value: takes_a_value(argument) && value.is_none(),
    })
}

/// Short options behind one dash; the last of them counts.
fn known_cluster<'a>(root: &'a clap::Command, cluster: &str) -> Option<KnownOption<'a>> {
    let mut letters = cluster.chars();
    let mut last = None;
    while let Some(letter) = letters.next() {
        let called = |argument: &&Arg| argument.get_short() == Some(letter);
        let argument = root.get_arguments().find(called)?;
        let takes_a_value = takes_a_value(argument);
        last = Some(KnownOption {
            argument,
            // What follows in the same word is the value.
            awaits_a_value: takes_a_value && letters.as_str().is_empty(),
        });
        if takes_a_value {
            break;
        }
    }
    last
}

fn takes_a_value(argument: &Arg) -> bool {
    argument.get_action().takes_values()
}
