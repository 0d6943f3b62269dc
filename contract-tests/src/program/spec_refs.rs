//! What a case holds a service to, in the words of `docs/behaviours.md`.

use std::sync::LazyLock;

/// An entry of `docs/behaviours.md`.
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

/// What a case names: entries, and sections of the specification.
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

    /// Whether nothing but this project's own assumptions says so.
    pub fn is_assumed(&self) -> bool {
        self.sections.is_empty()
            && self
                .spec_refs
                .iter()
                .all(|spec_ref| spec_ref.specified.is_empty())
    }
}
