//! What no text may show, how an answer may write it, and how it is found again.

/// A text that must not be shown.
pub struct Secret {
    pub text: String,
    written: Vec<Written>,
}

/// What a secret, or all of it that stands alone, is in one encoding; in lower case.
struct Written {
    whole: String,
    /// So many characters of it in a row count as the secret.
    run: usize,
}

/// Characters of a secret in a row that count as the secret.
const TELLING: usize = 8;
/// What these are in base64, wherever it begins.
const TELLING_BASE64: usize = 10;
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Secret {
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut written = vec![(text.to_owned(), TELLING)];
        for before in 0..3 {
            // Whole digits only: the first and the last share bits with what stands beside the secret.
            let padded = [vec![0; before], bytes.to_vec()].concat();
            let digits = base64(&padded);
            let own = (before * 8).div_ceil(6)..padded.len() * 8 / 6;
            written.push((digits[own].to_owned(), TELLING_BASE64));
        }
        let folded = written.into_iter().map(|(whole, run)| Written {
            whole: whole.to_ascii_lowercase(),
            run,
        });
        Self {
            text: text.to_owned(),
            written: folded.collect(),
        }
    }

    /// The first piece of the secret that a text shows, in whatever encoding; blanks and line ends do not hide it.
    pub fn found_in(&self, text: &str) -> Option<String> {
        let mut view = text.to_owned();
        for _ in 0..5 {
            let graphic: String = view.chars().filter(char::is_ascii_graphic).collect();
            let plain = graphic.to_ascii_lowercase();
            let of_addresses = plain.replace('-', "+").replace('_', "/");
            let found = |written: &Written| {
                written
                    .found_in(&plain)
                    .or_else(|| written.found_in(&of_addresses))
            };
            if let Some(piece) = self.written.iter().find_map(found) {
                return Some(piece);
            }
            let next = unescaped(&view);
            if next == view {
                return None;
            }
            view = next;
        }
        None
    }
}

impl Written {
    fn found_in(&self, text: &str) -> Option<String> {
        // A telling run has one of these blocks whole in it, and most texts have none.
        let block = self.run.div_ceil(2);
        let blocks = || self.whole.as_bytes().chunks_exact(block);
        let whole = |piece: &[u8]| String::from_utf8_lossy(piece).into_owned();
        if !blocks().any(|block| text.contains(&whole(block))) {
            return None;
        }
        let runs = self.whole.as_bytes().windows(self.run);
        runs.map(whole).find(|run| text.contains(run))
    }
}

pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let three = [
            group[0],
            *group.get(1).unwrap_or(&0),
            *group.get(2).unwrap_or(&0),
        ];
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 63;
            text.push(match digit <= group.len() {
                true => char::from(BASE64[value as usize]),
                false => '=',
            });
        }
    }
    text
}

/// One level of escapes undone: `\u0061`, `\/`, `%61`.
fn unescaped(text: &str) -> String {
    let mut undone = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (character, length) = escape(rest).unwrap_or((first, first.len_utf8()));
        undone.push(character);
        rest = &rest[length..];
    }
    undone
}

/// The escape at the start of a text: its character, and how long it is.
fn escape(text: &str) -> Option<(char, usize)> {
    let code = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?).map(|character| (character, to))
    };
    match text.as_bytes().get(..2)? {
        b"\\u" => code(2, 6),
        [b'%', _] => code(1, 3),
        b"\\n" | b"\\t" | b"\\r" => Some((' ', 2)),
        [b'\\', mark] if mark.is_ascii_punctuation() => Some((char::from(*mark), 2)),
        _ => None,
    }
}

/// How an answer may write a text: a name, and what stands between the quotes of a JSON string.
pub type Encoding = (&'static str, fn(&str) -> String);

/// Every way in which an answer may write a secret.
pub const ENCODINGS: &[Encoding] = &[
    ("as it is", json),
    ("with its slashes escaped", |text| {
        json(text).replace('/', "\\/")
    }),
    ("every character as \\u", |text| {
        each(text, |c| format!("\\u{:04x}", c as u32))
    }),
    ("every character as \\u in upper case", |text| {
        each(text, |c| format!("\\u{:04X}", c as u32))
    }),
    ("every third character as \\u", |text| {
        each_third(text, |c| format!("\\u{:04x}", c as u32))
    }),
    ("escaped twice", |text| {
        json(&each(text, |c| format!("\\u{:04x}", c as u32)))
    }),
    ("every third character escaped twice", |text| {
        json(&each_third(text, |c| format!("\\u{:04x}", c as u32)))
    }),
    ("as JSON in a string", |text| {
        json(&format!("{{\"value\":\"{}\"}}", json(text)))
    }),
    ("as JSON in a string in a string", |text| {
        json(&json(&format!("{{\"value\":\"{}\"}}", json(text))))
    }),
    ("in percent", |text| {
        each(text, |c| format!("%{:02X}", c as u32))
    }),
    ("in percent in lower case", |text| {
        each(text, |c| format!("%{:02x}", c as u32))
    }),
    ("in percent where it must", |text| {
        each(text, |c| match c.is_ascii_alphanumeric() {
            true => c.to_string(),
            false => format!("%{:02X}", c as u32),
        })
    }),
    ("in percent twice", |text| {
        each(text, |c| format!("%25{:02X}", c as u32))
    }),
    ("in base64", |text| base64(text.as_bytes())),
    ("in base64 behind a name", |text| {
        base64(format!("key:{text}").as_bytes())
    }),
    ("in base64 between others", |text| {
        base64(format!("{{\"k\":\"{text}\",\"x\":1}}").as_bytes())
    }),
    ("in base64 for addresses", |text| {
        base64(text.as_bytes()).replace('+', "-").replace('/', "_")
    }),
    ("in base64 over lines", |text| {
        broken(&base64(text.as_bytes()), 12, "\\r\\n")
    }),
    ("over lines", |text| broken(text, 5, "\\n")),
    ("with tabs", |text| broken(text, 3, "\\t")),
    ("with blanks", |text| broken(text, 4, " ")),
    ("with marks that are not seen", |text| {
        broken(text, 4, "\u{200b}")
    }),
    ("in upper case", |text| json(&text.to_uppercase())),
    ("its first half", |text| json(&text[..text.len() / 2])),
    ("its last half", |text| json(&text[text.len() / 2..])),
    ("behind Bearer", |text| json(&format!("Bearer {text}"))),
    ("in a query", |text| {
        json(&format!("https://elsewhere.example/?token={text}&x=1"))
    }),
    ("far behind other words", |text| {
        format!("{}{}", "lorem ipsum ".repeat(40), json(text))
    }),
    ("twice without a gap", |text| json(&format!("{text}{text}"))),
];

fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn each(text: &str, write: impl Fn(char) -> String) -> String {
    text.chars().map(write).collect()
}

fn each_third(text: &str, write: impl Fn(char) -> String) -> String {
    let numbered = text.chars().enumerate();
    numbered
        .map(|(at, c)| {
            if at % 3 == 1 {
                write(c)
            } else {
                json(&c.to_string())
            }
        })
        .collect()
}

/// Cut into pieces with something between them.
fn broken(text: &str, length: usize, between: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let pieces = characters
        .chunks(length)
        .map(|piece| json(&piece.iter().collect::<String>()));
    pieces.collect::<Vec<_>>().join(between)
}
