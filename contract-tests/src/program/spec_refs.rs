//! What a case holds a service to, in the words of `docs/behaviours.md`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

/// An entry of `docs/behaviours.md`.
#[derive(Debug)]
pub struct SpecRef {
    /// As in `B7`.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What the specification says; empty where all of it is assumed.
    pub specified: String,
    /// What this project assumes; empty where all of it is specified.
    pub assumed: String,
    /// The files of client and mock that go with it, where all of it is assumed.
    pub code: String,
}

/// What the parts of an entry begin with.
const PARTS: [&str; 3] = ["**Specified", "**Assumed", "**In code"];

static SPEC_REFS: LazyLock<Vec<SpecRef>> = LazyLock::new(|| {
    let text = include_str!("../../../docs/behaviours.md");
    let entries = text.split("\n### ").skip(1);
    entries.filter_map(spec_ref).collect()
});

fn spec_ref(entry: &'static str) -> Option<SpecRef> {
    let (heading, text) = entry.split_once('\n')?;
    let (id, title) = heading.split_once(' ')?;
    // The next chapter's heading is no part of the last entry.
    let text = text.split("\n## ").next()?;
    let mut parts = [const { String::new() }; PARTS.len()];
    let mut part = None;
    for line in text.lines() {
        let mut words = line.trim_start_matches(['-', ' ']);
        if let Some(begun) = PARTS.iter().position(|begin| words.starts_with(begin)) {
            part = Some(begun);
            words = words.split_once(':')?.1;
        }
        if let Some(part) = part {
            parts[part].push_str(words);
            parts[part].push(' ');
        }
    }
    let [specified, assumed, code] = parts.map(|text| text.replace("**", "").trim().to_owned());
    Some(SpecRef {
        id,
        title,
        specified,
        assumed,
        code,
    })
}

/// Members, codes and operations that a text names.
fn names_in(text: &str) -> BTreeSet<&str> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '-';
    let words = text.split(|sign| !is_part(sign));
    let joined = |word: &&str| word.trim_matches(['-', '_']).contains(['-', '_']);
    words.filter(joined).collect()
}

/// How much a name says of which entry is meant: a code more than a member, which many entries have.
fn weight(name: &str) -> usize {
    match name.contains(|sign: char| sign.is_ascii_lowercase()) {
        true => 1,
        false => 3,
    }
}

/// What a case names: entries, and sections of the specification.
#[derive(Debug, Clone)]
pub struct Cited {
    /// Entries of `docs/behaviours.md`.
    pub spec_refs: Vec<&'static SpecRef>,
    /// Headings of the API specification.
    pub sections: Vec<String>,
}

impl Cited {
    /// Reads a list such as `Endpoints, B3 to B9, E1`.
    pub fn read(list: &str) -> Self {
        let mut cited = Self {
            spec_refs: Vec::new(),
            sections: Vec::new(),
        };
        for part in list.split(", ") {
            let (first, last) = part.split_once(" to ").unwrap_or((part, part));
            let at = |id: &str| SPEC_REFS.iter().position(|spec_ref| spec_ref.id == id);
            match (at(first), at(last)) {
                (Some(first), Some(last)) if first <= last => {
                    cited.spec_refs.extend(&SPEC_REFS[first..=last]);
                }
                _ => cited.sections.push(part.to_owned()),
            }
        }
        cited
    }

    /// The part that speaks of what was found: the entries that have most of the names in them that its first line has; where
    /// none has any, those that have most words of the operation.
    #[must_use]
    pub fn about(mut self, found: &str, operation: &str) -> Self {
        let names = names_in(found.lines().next().unwrap_or_default());
        let named = |spec_ref: &SpecRef| {
            let said = [&spec_ref.specified, &spec_ref.assumed].map(|text| names_in(text));
            let said = said.into_iter().flatten().collect::<BTreeSet<_>>();
            said.intersection(&names).map(|name| weight(name)).sum()
        };
        let words: Vec<&str> = operation
            .split('_')
            .filter(|word| !word.is_empty())
            .collect();
        let spoken = |spec_ref: &SpecRef| {
            let title = spec_ref.title.to_lowercase();
            let text = [&spec_ref.specified, &spec_ref.assumed].map(|text| text.to_lowercase());
            let count = |text: &str| words.iter().filter(|word| text.contains(**word)).count();
            // What an entry is about says more than what it mentions.
            4 * count(&title) + count(&text.concat())
        };
        if !self.keep_those_with_most(named) {
            self.keep_those_with_most(spoken);
        }
        self
    }

    /// Whether any has more than nothing; else all stay.
    fn keep_those_with_most(&mut self, count: impl Fn(&SpecRef) -> usize) -> bool {
        let counts = self.spec_refs.iter().map(|spec_ref| count(spec_ref));
        let most = counts.max().unwrap_or_default();
        self.spec_refs.retain(|spec_ref| count(spec_ref) == most);
        most > 0
    }

    /// Whether nothing but this project's own assumptions says so.
    pub fn is_assumed(&self) -> bool {
        self.sections.is_empty()
            && self
                .spec_refs
                .iter()
                .all(|spec_ref| spec_ref.specified.is_empty())
    }
}

impl fmt::Display for Cited {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.spec_refs.iter();
        let entries = entries.map(|spec_ref| format!("{} {}", spec_ref.id, spec_ref.title));
        let all: Vec<String> = self.sections.iter().cloned().chain(entries).collect();
        to.write_str(&all.join("; "))
    }
}
