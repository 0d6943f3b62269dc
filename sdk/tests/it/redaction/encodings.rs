//! How keys get into texts.

use serde_json::Value;

pub type Encoding = (&'static str, fn(&str) -> String);

pub fn each(key: &str, form: impl Fn(u8) -> String) -> String {
    key.bytes().map(form).collect()
}

fn joined(key: &str, between: &str) -> String {
    let letters: Vec<_> = key.split("").filter(|letter| !letter.is_empty()).collect();
    letters.join(between)
}

fn wrapped(key: &str, line_end: &str) -> String {
    let (start, rest) = key.split_at(key.len() / 2);
    format!("{start}{line_end}{rest}")
}

fn json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

pub fn percent(text: &str) -> String {
    each(text, |byte| format!("%{byte:02X}"))
}

fn form(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn base64(text: &str) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = text.as_bytes().chunks(3).map(|bytes| {
        let at = |place: usize| u32::from(bytes.get(place).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        let digit = |place: usize| match place <= bytes.len() {
            true => char::from(digits[(bits >> (18 - 6 * place)) as usize & 63]),
            false => '=',
        };
        [0, 1, 2, 3].map(digit).iter().collect::<String>()
    });
    groups.collect()
}

fn url_safe(text: &str) -> String {
    base64(text)
        .replace('+', "-")
        .replace('/', "_")
        .replace('=', "")
}

fn in_lines(text: &str, line_end: &str) -> String {
    let lines: Vec<_> = text
        .as_bytes()
        .chunks(19)
        .map(|line| String::from_utf8_lossy(line))
        .collect();
    lines.join(line_end)
}

pub const ENCODINGS: &[Encoding] = &[
    ("as it is", str::to_owned),
    ("upper case", str::to_uppercase),
    ("lower case", str::to_lowercase),
    ("its first 12 letters", |key| key[..12].to_owned()),
    ("its last 8 letters", |key| key[key.len() - 8..].to_owned()),
    ("all but its ends", |key| key[1..key.len() - 1].to_owned()),
    ("twice", |key| format!("{key}{key}")),
    ("JSON", json),
    ("JSON with slashes escaped", |key| {
        json(key).replace('/', "\\/")
    }),
    ("JSON, all escaped", |key| {
        each(key, |byte| format!("\\u{byte:04x}"))
    }),
    ("JSON, all escaped, capitals", |key| {
        each(key, |byte| format!("\\u{byte:04X}"))
    }),
    ("JSON, one letter escaped", |key| {
        format!("{}\\u{:04x}{}", &key[..5], key.as_bytes()[5], &key[6..])
    }),
    ("JSON, every second letter escaped", |key| {
        each(key, |byte| {
            if byte % 2 == 0 {
                format!("\\u{byte:04x}")
            } else {
                char::from(byte).into()
            }
        })
    }),
    ("JSON in JSON", |key| json(&json(key))),
    ("JSON in JSON in JSON", |key| json(&json(&json(key)))),
    ("JSON in JSON, all escaped", |key| {
        each(key, |byte| format!("\\\\u{byte:04x}"))
    }),
    ("JSON in JSON in JSON, all escaped", |key| {
        each(key, |byte| format!("\\\\\\\\u{byte:04x}"))
    }),
    ("JSON in JSON in JSON, slashes escaped", |key| {
        json(&json(&json(key).replace('/', "\\/")))
    }),
    ("JSON of which each letter is escaped again", |key| {
        let once = each(key, |byte| format!("\\u{byte:04x}"));
        each(&once, |byte| format!("\\u{byte:04x}"))
    }),
    ("a URL's query", form),
    ("percent", percent),
    ("percent, small letters", |key| percent(key).to_lowercase()),
    ("percent of every third letter", |key| {
        each(key, |byte| {
            if byte % 3 == 0 {
                format!("%{byte:02x}")
            } else {
                char::from(byte).into()
            }
        })
    }),
    ("percent of percent", |key| form(&percent(key))),
    ("percent of percent, all again", |key| {
        percent(&percent(key))
    }),
    ("percent, three deep", |key| {
        percent(&percent(&percent(key)))
    }),
    ("Rust", |key| key.escape_debug().to_string()),
    ("Debug of Debug", |key| format!("{:?}", format!("{key:?}"))),
    ("Debug of JSON", |key| format!("{:?}", json(key))),
    ("JSON in a URL", |key| form(&json(key))),
    ("JSON in a URL, all escaped twice", |key| {
        percent(&each(key, |byte| format!("\\u{byte:04x}")))
    }),
    ("a URL in JSON", |key| {
        json(&percent(key)).replace('%', "\\u0025")
    }),
    ("base64", base64),
    ("base64, second place", |key| base64(&format!("x{key}"))),
    ("base64, third place", |key| base64(&format!("xy{key}yx"))),
    ("base64 of the header", |key| {
        base64(&format!("Bearer {key}"))
    }),
    ("base64 of a password", |key| {
        base64(&format!("partner:{key}"))
    }),
    ("base64, for URLs", url_safe),
    ("base64, for URLs, of the header", |key| {
        url_safe(&format!("Bearer {key}"))
    }),
    ("base64 in JSON", |key| base64(key).replace('/', "\\/")),
    ("base64 in a URL", |key| percent(&base64(key))),
    ("base64 in lines", |key| in_lines(&base64(key), "\r\n")),
    ("base64 in lines in JSON", |key| {
        in_lines(&base64(key), "\\r\\n")
    }),
    ("base64 in small letters", |key| base64(key).to_lowercase()),
    ("zero-width spaces", |key| joined(key, "\u{200b}")),
    ("byte order marks", |key| joined(key, "\u{feff}")),
    ("soft hyphens", |key| joined(key, "\u{ad}")),
    ("word joiners in JSON", |key| joined(key, "\\u2060")),
    ("zero-width spaces in a URL", |key| joined(key, "%E2%80%8B")),
    ("UTF-16", |key| joined(key, "\0")),
    ("UTF-16 in JSON", |key| joined(key, "\\u0000")),
    ("not UTF-8", |key| joined(key, "\u{fffd}")),
    ("spaced", |key| joined(key, " ")),
    ("on two lines", |key| wrapped(key, "\n")),
    ("on two indented lines", |key| wrapped(key, "\r\n\t    ")),
    ("on two lines in JSON", |key| wrapped(key, "\\r\\n")),
    ("on two lines in a URL", |key| wrapped(key, "%0D%0A")),
];
