//! The key is masked in texts however it is encoded there, and everything else stays.

mod encodings;
mod readings;
mod shown;

use proptest::prelude::*;
use secmon::ApiKey;
use serde_json::Value;

use crate::support::KEY;

use encodings::{ENCODINGS, each, percent};
use readings::{assert_shows_less_than, assert_silent};

/// Keys of the letters that keys are made of, with all that needs escaping somewhere, whose base64 is rich in the two
/// digits that differ, and a long one.
const KEYS: [&str; 4] = [
    KEY,
    r#"k/7Qz+0pLw9=X&vT3"mN\b_'s<>%41;x"#,
    ">?~>?~x>?~>?~9>?~>?~",
    "sk_live_9aZ8yX7wV6uT5sR4qP3oN2mL1kJ0iH9gF8eD7cB6aZ5yX4wV3uT2sR1qP0oN9mL8kJ7iH6gF5eD4cB3a",
];

fn redact(key: &str, text: &str) -> String {
    ApiKey::new(key).expect("a key").redact(text)
}

/// What may stand around the key.
const PLACES: [(&str, &str); 6] = [
    ("The call with <", "> was refused: 100 % of it."),
    (
        r#"{"status":"error","errors":{"a\/b \u00e9: "#,
        r#" ":["is\nbad"]}}"#,
    ),
    (
        "https://h.example/a%20b?key=",
        "&next=%2Fservers%3Fpage%3D2",
    ),
    ("<a title=\"&uuml;ber &amp; &#8220;", "\">100&nbsp;%</a>"),
    ("authorization: Bearer ", "\r\ndate: C:\\new\\users\r\n\r\n"),
    ("Err(Some(\"it's \\\"", "\\\" \\u{1f600} at \\x1b[0m\"))"),
];

#[test]
fn a_key_is_masked_in_every_encoding_at_every_place_and_the_rest_stays() {
    for key in KEYS {
        for (name, encode) in ENCODINGS {
            for (before, after) in PLACES {
                let text = format!("{before}{}{after}", encode(key));
                let clean = redact(key, &text);
                let here = format!("{name} of {key}:\n{text}\n{clean}");
                assert!(
                    clean.starts_with(before) && clean.ends_with(after),
                    "{here}"
                );
                let rest = &clean[before.len()..clean.len() - after.len()];
                assert!(rest.contains("****"), "{here}");
                assert!(rest.len() < 28, "{here}");
                assert_silent(key, &clean);
                assert_eq!(redact(key, &clean), clean, "{here}");
            }
        }
    }
}

/// What only looks like an escape takes letters of the key with it.
#[test]
fn a_key_behind_the_start_of_an_escape_is_masked() {
    for key in [
        "61ab7Qz0pLw9_LT5x",
        "u0061bcdefgh_LT5x",
        "nefarious_1_LT5x",
        "{61}abcdefg1_LT5x",
        "#97;abcdefg1_LT5x",
        "amp;abcdefg1_LT5x",
    ] {
        for before in ["%", "\\", "\\\\", "\\u", "\\u00", "&", "&#", "%2", "100%"] {
            for encoded in [
                key.to_owned(),
                each(key, |byte| format!("\\u{byte:04x}")),
                percent(key),
            ] {
                let clean = redact(key, &format!("{before}{encoded} and on"));
                assert!(clean.ends_with("**** and on"), "{before}{encoded}: {clean}");
                assert_silent(key, &clean);
            }
        }
    }
}

#[test]
fn an_escape_that_ends_in_letters_of_the_key_is_masked_as_a_whole() {
    for (key, value, clean) in [
        ("n0rtx_9aZ8y", "a\n0rtx_9aZ8y", "a****"),
        ("0001bcdefg_9aZ", "\u{1}bcdefg_9aZ.", "****."),
        ("k_9aZ8y\\", "k_9aZ8y\"", "****"),
    ] {
        let text = Value::from(value).to_string();
        assert_eq!(redact(key, &text), format!("\"{clean}\""));
    }
    assert_eq!(redact(KEY, "50 %canary_k"), "50 ****");
}

#[test]
fn a_short_key_is_masked_as_a_whole_only() {
    for (text, clean) in [
        ("is s3cr3t.", "is ****."),
        ("is S3CR3T.", "is ****."),
        ("is \\u00733cr3t.", "is ****."),
        ("is s3%63r3t.", "is ****."),
        ("is s3cr3.", "is s3cr3."),
    ] {
        assert_eq!(redact("s3cr3t", text), clean);
    }
    assert_eq!(redact("k", "ok, K."), "o****, ****.");
}

#[test]
fn ordinary_texts_stay_as_they_are() {
    let texts = [
        "",
        "The partner account is suspended.",
        "Suspended: see the portal, https://portal.example.com/?status=suspended&why=unpaid",
        "{\"code\": \"ACCOUNT_SUSPENDED\", \"message\": \"Account\\nsuspended\\u0021 \\ud83d\\ude00\"}",
        "status=account%20suspended%20today&path=%2Fapi%2Fv1%2Fsuspended%3F",
        "<b>suspended</b>&nbsp;&mdash; &quot;suspended&quot; &#8220;suspended&#8221; &amp;amp; &bogus; &#xZZ; &;",
        "SECMON_API_KEY is not set; the header X-Api-Key is missing",
        "C:\\new\\temp\\users\\x\\suspended \\\\server\\share \\",
        "100% of 50 %, %zz %2 %u0041 && a&b & \\u12 \\u{110000} \\u{} \\x4 \\",
        "6f9619ff-8b86-4011-b42d-00c04fc964ff 203.0.113.10 2026-01-02T03:04:05Z",
        "dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw==",
        "schön \u{200b}\u{feff}\u{fffd}\0\r\n\t日本語 😀",
        "canary",
        "canary_",
        "k7Qz0pL is short",
    ];
    for text in texts {
        assert_eq!(
            redact("test_api_key_account_suspended_today_7Qz0pLw9", text),
            text
        );
        assert_eq!(redact(KEY, text), text);
    }
}

/// Anything that stands in answers: escapes, whole and broken, words, and pieces of the key in some encoding.
fn fragment() -> impl Strategy<Value = String> {
    let odd =
        r#"% %25 %2 %41 & &amp; &#38; &#9 ; \ \\ \u \u00 \u{ \x6 61 } \n suspended _ é **** = ""#;
    let odd: Vec<_> = odd.split(' ').chain(["\n", " ", "\u{200b}"]).collect();
    let piece = (
        0..KEY.len(),
        0..KEY.len(),
        0..ENCODINGS.len(),
        any::<bool>(),
    )
        .prop_map(|(a, b, encoding, plain)| {
            let piece = &KEY[a.min(b)..=a.max(b)];
            // Some encodings take whole keys only.
            match plain || piece.len() < 14 {
                true => piece.to_owned(),
                false => ENCODINGS[encoding].1(piece),
            }
        });
    prop_oneof![
        3 => prop::sample::select(odd).prop_map(str::to_owned),
        2 => piece,
        1 => (0..ENCODINGS.len()).prop_map(|encoding| ENCODINGS[encoding].1(KEY)),
        1 => "[ -~]{0,6}",
        1 => ".{0,4}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(fragment(), 0..8).prop_map(|fragments| fragments.concat())
}

proptest! {
    #[test]
    fn whatever_stands_around_it_no_reading_shows_the_key_and_a_second_look_finds_nothing(text in text()) {
        let clean = redact(KEY, &text);
        // An escape that broke off in front of an encoded piece can be read as a longer one, with some letters of the
        // piece in it. Those and what is then too short to be masked are fewer than twelve.
        assert_shows_less_than(12, KEY, &clean);
        prop_assert!(!KEY.as_bytes().windows(8).any(|run| clean.as_bytes().windows(8).any(|shown| shown == run)));
        prop_assert_eq!(redact(KEY, &clean), clean);
    }

    #[test]
    fn a_text_without_letters_of_the_key_stays(text in "([!-/:-@\\[-^ é\u{200b}1245]|%2[0-5]|\\\\[\\\\/\"]|&#[1245]{2};|\\\\u0022){0,40}") {
        prop_assert_eq!(redact("abcdefghijklm_6789", &text), text);
    }

    #[test]
    fn json_stays_json(texts in prop::collection::vec(text(), 0..5), escaped in any::<bool>(), key in prop::sample::select(vec![KEY, "nu0061rtnbfx7", "r41n0rt\\ntb", "%41&amp;n0rt\\ntb"])) {
        let mut value = Value::from(texts.iter().map(|text| format!("{text}{key}")).collect::<Vec<_>>());
        value = serde_json::json!({ "a": value, texts.concat(): [texts.clone(), {key: {"b": texts.concat()}}], "c": [1, true, null] });
        let mut text = value.to_string();
        if escaped {
            text = text.replace('/', "\\/").replace('k', "\\u006b").replace('_', "\\u005F");
        }
        let clean = redact(key, &text);
        prop_assert!(serde_json::from_str::<Value>(&clean).is_ok(), "{} became {}", text, clean);
    }
}
