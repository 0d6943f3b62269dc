//! Keys as they come out of files and environments of other programs.

use crate::shell::{Shell, account};

#[test]
fn what_stands_around_a_key_is_named() {
    let tenant = account();
    let key = tenant.api_key();
    let utf_16: Vec<u8> = format!("\u{FEFF}{key}\r\n")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (bytes, sentence) in [
        (format!("\"{key}\"").into_bytes(), "quotation marks"),
        (format!("'{key}'\n").into_bytes(), "quotation marks"),
        (format!("\u{FEFF}{key}").into_bytes(), "byte-order mark"),
        (utf_16, "UTF-16"),
        (format!("Bearer {key}").into_bytes(), "the word Bearer"),
        (
            format!("SECMON_API_KEY={key}").into_bytes(),
            "give the key alone",
        ),
        (format!("{key}\n{key}\n").into_bytes(), "several lines"),
    ] {
        let shell = Shell::new().with("SECMON_BASE_URL", tenant.url());
        let path = shell.private_file("key", "");
        std::fs::write(&path, &bytes).expect("a file");
        let shell = shell.with("SECMON_API_KEY_FILE", &path);
        let run = shell.line("endpoint list").exits(2);
        assert!(run.stderr.contains(sentence), "{sentence}: {run:?}");
        assert!(!run.stderr.contains(key), "{run:?}");
        if let Ok(text) = std::str::from_utf8(&bytes) {
            let shell = Shell::new()
                .with("SECMON_BASE_URL", tenant.url())
                .with("SECMON_API_KEY", text);
            let run = shell.line("endpoint list").exits(2);
            assert!(run.stderr.contains(sentence), "{sentence}: {run:?}");
        }
    }
    // A line's end is none of these.
    let shell = Shell::new().with("SECMON_BASE_URL", tenant.url());
    let path = shell.private_file("key", &format!("{key}\r\n\n"));
    shell
        .with("SECMON_API_KEY_FILE", &path)
        .line("endpoint list")
        .exits(0);
    assert_eq!(tenant.journal().len(), 1);
}
