//! What it costs to take a key of 512 characters out of a text of 1 MB: the least of many runs, so that what else
//! the machine does stays out; for pages as they come, and for the worst that could be sent.
//!
//! `cargo bench -p secmon --profile dist --bench redact`

use std::time::Instant;

use secmon::ApiKey;

const MEGABYTE: usize = 1_000_000;
const RUNS: usize = 101;

fn main() {
    let key = long_key();
    let same = "k".repeat(512);
    let texts = [
        ("a page", &key, page("")),
        ("a page with the key in every row", &key, page(&key)),
        ("a page in a string of JSON", &key, page_in_json()),
        ("a page without escapes", &key, plain_page()),
        ("the key again and again", &key, filled(&key)),
        ("its first 7 characters", &key, filled(&key[..7])),
        (
            "its first 8, each on a line",
            &key,
            filled(&format!("{}%0a", &key[..8])),
        ),
        ("backslashes", &key, filled("\\")),
        ("%25", &key, filled("%25")),
        ("\\u0061", &key, filled("\\u0061")),
        ("base64 digits", &key, filled("dGhlIHF1aWNrIGJyb3duIGZveA")),
        ("one letter, all of the key", &same, filled("k")),
        ("one letter, percent-encoded", &same, filled("%6b")),
        ("blanks", &key, filled(" ")),
    ];
    println!("| 1 MB of | ms |\n| --- | --- |");
    for (name, key, text) in texts {
        let key = ApiKey::new(key.as_str()).expect("a key");
        println!("| {name} | {:.2} |", least(|| key.redact(&text).len()));
    }
    let key = ApiKey::new(key).expect("a key");
    let short = least(|| key.redact("The partner account is suspended.").len());
    println!("\na sentence: {:.3} ms", short);
}

/// The least time of some runs, in milliseconds.
fn least(run: impl Fn() -> usize) -> f64 {
    let times = (0..RUNS).map(|_| {
        let started = Instant::now();
        std::hint::black_box(run());
        started.elapsed()
    });
    times.min().unwrap_or_default().as_secs_f64() * 1e3
}

/// A key of 512 letters and digits that look random.
fn long_key() -> String {
    let digits = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    let mut state = 1_u64;
    let next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(digits[(state >> 58) as usize])
    };
    std::iter::repeat_with(next).take(512).collect()
}

fn filled(piece: &str) -> String {
    piece.repeat(MEGABYTE / piece.len() + 1)
}

/// HTML as a proxy or a framework answers it, with some of each escape, and this at the end of each row.
fn page(end: &str) -> String {
    let row = r#"<tr class="row"><td>203.0.113.17</td><td><a href="/servers?name=web%203&amp;sort=asc">Web server 3,
        100&nbsp;% up</a></td><td data-state='{"path":"C:\\srv\/www"}'>The partner account is suspended, see the
        portal."#;
    filled(&format!("{row}{end}</td></tr>\n"))
}

fn page_in_json() -> String {
    filled(
        &serde_json::Value::from(&page("")[..10_000])
            .to_string()
            .replace('/', "\\/"),
    )
}

fn plain_page() -> String {
    page("").replace(['%', '&', '\\'], "-")
}
