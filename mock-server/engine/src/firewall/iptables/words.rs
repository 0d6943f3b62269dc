//! The words of an iptables rule, and the options that they make.

/// A word; what stood in double quotes is one, and is never an option.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Word {
    text: String,
    is_quoted: bool,
}

/// An option with its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RuleOption {
    pub(super) name: String,
    pub(super) is_negated: bool,
    pub(super) values: Vec<String>,
}

impl RuleOption {
    pub(super) fn value(&self) -> &str {
        self.values.first().map_or("", String::as_str)
    }

    /// The option as the dump has it.
    pub(super) fn as_written(&self) -> String {
        let negation = if self.is_negated { "! " } else { "" };
        let words: Vec<&str> = std::iter::once(&self.name)
            .chain(&self.values)
            .map(String::as_str)
            .collect();
        format!("{negation}{}", words.join(" "))
    }
}

/// The options of a rule; words that belong to none are left out.
pub(super) fn options(line: &str) -> Vec<RuleOption> {
    let mut options: Vec<RuleOption> = Vec::new();
    let mut is_negated = false;
    for word in words(line) {
        if !word.is_quoted && word.text == "!" {
            is_negated = true;
        } else if !word.is_quoted && is_option(&word.text) {
            options.push(RuleOption {
                name: word.text,
                is_negated: std::mem::take(&mut is_negated),
                values: Vec::new(),
            });
        } else if let Some(option) = options.last_mut() {
            // `-p ! tcp` is how it was written once.
            option.is_negated |= std::mem::take(&mut is_negated);
            option.values.push(word.text);
        }
    }
    options
}

fn is_option(word: &str) -> bool {
    let Some(name) = word.strip_prefix('-') else {
        return false;
    };
    let name = name.strip_prefix('-').unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic()) || word == "-4" || word == "-6"
}

fn words(line: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut text = String::new();
    let mut letters = line.chars();
    let mut is_quoted = false;
    let mut was_quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if is_quoted => text.extend(letters.next()),
            '"' => {
                is_quoted = !is_quoted;
                was_quoted = true;
            }
            space if space.is_whitespace() && !is_quoted => {
                take_word(&mut words, &mut text, &mut was_quoted);
            }
            letter => text.push(letter),
        }
    }
    take_word(&mut words, &mut text, &mut was_quoted);
    words
}

fn take_word(words: &mut Vec<Word>, text: &mut String, is_quoted: &mut bool) {
    if !text.is_empty() || *is_quoted {
        words.push(Word {
            text: std::mem::take(text),
            is_quoted: *is_quoted,
        });
    }
    *is_quoted = false;
}
