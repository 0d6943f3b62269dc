//! How this program was started, so that every command it prints works as printed.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Between backticks: the command as it was typed.
pub const AS_TYPED: &str = "as typed";

/// The program's name as it can be typed here, and the options that choose the service.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// Found out when a command is to be printed: that asks the file system.
    program: OnceLock<String>,
    service: Vec<String>,
    customer: Option<String>,
    arguments: Vec<String>,
    wants_json: bool,
    judge: Judge,
}

/// What the parser says of a command that is suggested, without the program's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It does not take it.
    Refused,
    /// It takes it, and the command is narrowed by a customer.
    OfCustomer,
    /// It takes it.
    Accepted,
}

/// The parser, as it judges what is suggested.
pub type Judge = fn(&[String]) -> Verdict;

impl Invocation {
    /// Reads the raw arguments and the environment; nothing here can fail.
    pub fn from_process(judge: Judge) -> Self {
        let arguments: Vec<String> = std::env::args_os()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        let variable = std::env::var("SECMON_OUTPUT").unwrap_or_default();
        let wants_json = has_filter(&arguments)
            || output_argument(&arguments).map_or_else(|| is_json(&variable), is_json);
        Self {
            program: OnceLock::new(),
            service: Vec::new(),
            customer: None,
            wants_json,
            arguments,
            judge,
        }
    }

    /// Keeps the options that choose the service, as they were typed, and the customer.
    #[must_use]
    pub fn about(mut self, service: Vec<String>, customer: Option<&str>) -> Self {
        self.service = service;
        self.customer = customer.map(quoted);
        self
    }

    /// The command as it was typed.
    fn typed_again(&self) -> String {
        let words = self.arguments.iter().skip(1).map(|word| quoted(word));
        let line: Vec<String> = std::iter::once(self.program().to_owned())
            .chain(words)
            .collect();
        line.join(" ")
    }

    fn program(&self) -> &str {
        let typed = || self.arguments.first().map_or("secmon", String::as_str);
        self.program.get_or_init(|| program_name(typed()))
    }

    /// Whether JSON output was asked for, as far as the raw arguments and the environment show.
    pub fn wants_json(&self) -> bool {
        self.wants_json
    }

    /// The whole command line for a command, about the customer that was given. A build for tests ends at a command that
    /// the parser does not take, so that no test can make the program suggest one.
    pub fn line(&self, command: &str) -> String {
        let typed = as_typed(command);
        // A command that names a profile itself is about that one.
        let names_profile = typed.iter().any(|word| word == "--profile");
        let service = self.service.iter().map(String::as_str);
        let service = service.filter(|option| !(names_profile && option.starts_with("--profile ")));
        let mut words = vec![self.program()];
        words.extend(service);
        words.push(command);
        let named = typed.iter().any(|word| word == "-c");
        let customer = self.customer.as_deref().filter(|_| !named);
        if let Some(customer) = customer
            && (self.judge)(&typed) == Verdict::OfCustomer
        {
            words.extend(["-c", customer]);
        }
        debug_assert!(
            (self.judge)(&typed) != Verdict::Refused,
            "nobody can type {command:?}"
        );
        words.join(" ")
    }

    /// Writes every command between backticks out in full, about the customer that was given.
    pub fn expand(&self, text: &str) -> String {
        self.expand_with(text, |command| command)
    }

    /// The same, with every command in the shape that is given to it.
    pub fn expand_with(&self, text: &str, shape: impl Fn(String) -> String) -> String {
        let customer = self.customer.as_deref().unwrap_or("ID");
        text.split('`')
            .enumerate()
            .map(|(i, piece)| {
                if i % 2 == 0 {
                    piece.to_owned()
                } else if piece == AS_TYPED {
                    shape(self.typed_again())
                } else {
                    shape(self.line(&piece.replace("-c ID", &format!("-c {customer}"))))
                }
            })
            .collect()
    }
}

/// The value of `-o` or `--output`, in each of the ways it can be written.
fn output_argument(arguments: &[String]) -> Option<&str> {
    arguments.iter().enumerate().find_map(|(i, argument)| {
        let following = || arguments.get(i + 1).map(String::as_str);
        if argument == "--output" {
            return following();
        }
        if let Some(long) = argument.strip_prefix("--") {
            return long.strip_prefix("output=");
        }
        let (flags, value) = argument.strip_prefix('-')?.split_once('o')?;
        let switches = flags.chars().all(|flag| "yqnwv".contains(flag));
        match value.trim_start_matches('=') {
            "" => following(),
            value => Some(value),
        }
        .filter(|_| switches)
    })
}

/// Whether the result is filtered as JSON.
fn has_filter(arguments: &[String]) -> bool {
    arguments
        .iter()
        .any(|argument| argument == "--jq" || argument.starts_with("--jq="))
}

fn is_json(form: &str) -> bool {
    ["json", "jsonl"]
        .iter()
        .any(|json| form.eq_ignore_ascii_case(json))
}

/// A program started by its path is `secmon` only if that is what the shell would find.
fn program_name(typed: &str) -> String {
    let path = Path::new(typed);
    if path.components().count() < 2 || found_on_path() == path.canonicalize().ok() {
        return "secmon".to_owned();
    }
    let here = std::env::current_dir().ok();
    let short = here.and_then(|here| path.strip_prefix(here).ok());
    quoted(&short.unwrap_or(path).display().to_string())
}

fn found_on_path() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join("secmon"))
        .find_map(|file| file.canonicalize().ok())
}

/// The words of a command of our own as a shell hands them to the parser. The place of a number is shown by a word.
pub fn as_typed(command: &str) -> Vec<String> {
    let filled = |word: String| match word.as_str() {
        "N" | "PRICE" => "1".to_owned(),
        _ => word,
    };
    split(command).into_iter().map(filled).collect()
}

/// The words of a line of our own, without their quotes.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (' ', None) => words.extend(word.take()),
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (_, Some(open)) if letter == open => quote = None,
            ('\\', None) => word.get_or_insert_default().extend(letters.next()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
